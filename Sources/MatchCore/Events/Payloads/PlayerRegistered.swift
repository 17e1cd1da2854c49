extension Event {
  /// A key introduces itself under a name. The code is needed if registration is by code.
  public struct PlayerRegistered: EventPayload {
    package static let name = "playerRegistered"
    package static let noun = "registration"

    public var name: PlayerName
    public var code: ShareCode?

    public init(name: PlayerName, code: ShareCode? = nil) {
      self.name = name
      self.code = code
    }
  }
}

extension Event.PlayerRegistered {
  package static func answer(_ acceptance: Acceptance) -> PlayerName? {
    if case .registered(_, let name) = acceptance { name } else { nil }
  }

  package var action: Event.Action { .playerRegistered(self) }
  package var subject: Event.Subject? { .player }
  package var wish: Self { Self(name: name) }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.claim = .name(name, event.player, code: code)
    needs.registrations = code == nil
    return needs
  }

  package var fields: [(String, JSON?)] {
    [("name", .text(name)), ("code", code.map { .text($0) })]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      name: try object.value("name", "3 to 16 of A-Z a-z 0-9 _ -") { PlayerName($0) },
      code: try object.code())
  }
}

extension Event.Action {
  public static func playerRegistered(name: PlayerName, code: ShareCode?) -> Self {
    .playerRegistered(Event.PlayerRegistered(name: name, code: code))
  }
}
