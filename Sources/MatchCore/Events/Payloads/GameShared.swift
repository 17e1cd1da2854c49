extension Event {
  /// A player of a match lets everybody with its code see it.
  public struct GameShared: MatchOnlyPayload {
    package static let name = "gameShared"
    package static let noun = "sharing of a game"
    package static let price = EventPrice.row

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.GameShared {
  package static func answer(_ acceptance: Acceptance) -> ShareCode? {
    if case .gameShared(_, let code) = acceptance { code } else { nil }
  }

  package var action: Event.Action { .gameShared(self) }
  package var subject: Event.Subject? { .sharing(match) }
}

extension Event.Action {
  public static func gameShared(_ match: MatchID) -> Self {
    .gameShared(Event.GameShared(match: match))
  }
}
