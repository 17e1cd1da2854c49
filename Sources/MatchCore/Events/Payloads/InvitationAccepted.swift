extension Event {
  /// A player takes a seat that was offered by name, or takes one with the code of an open
  /// invitation.
  public struct InvitationAccepted: EventPayload {
    package static let name = "invitationAccepted"
    package static let noun = "acceptance of an invitation"

    public var match: MatchID
    public var code: ShareCode?

    public init(match: MatchID, code: ShareCode?) {
      self.match = match
      self.code = code
    }
  }
}

extension Event.InvitationAccepted {
  package static func answer(_ acceptance: Acceptance) -> MatchTicket? {
    if case .matchJoined(let ticket) = acceptance { ticket } else { nil }
  }

  package var action: Event.Action { .invitationAccepted(self) }
  package var about: MatchID? { match }
  package var subject: Event.Subject? { code.map { .code($0) } ?? .match(match) }
  /// The match of a code is looked up each time.
  package var wish: Self { code == nil ? self : Self(match: MatchID(rawValue: 0), code: code) }

  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    // An unknown match may begin with an earlier event.
    Judge.Encounter(players: [player] + (match(self.match)?.players ?? []), counted: [player])
  }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.matches = [match]
    needs.leavings = code != nil
    return needs
  }

  package var fields: [(String, JSON?)] {
    [("match", .text(match)), ("code", code.map { .text($0) })]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(match: try object.id("match"), code: try object.code())
  }
}

extension Event.Action {
  public static func invitationAccepted(_ match: MatchID, code: ShareCode?) -> Self {
    .invitationAccepted(Event.InvitationAccepted(match: match, code: code))
  }
}
