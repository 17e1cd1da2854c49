extension Event {
  /// A player does not want to meet another one.
  public struct PlayerBlocked: EventPayload {
    package static let name = "playerBlocked"
    package static let noun = "block"
    package static let price = EventPrice.row

    public var other: PlayerID

    public init(_ other: PlayerID) { self.other = other }
  }
}

extension Event.PlayerBlocked {
  package static func answer(_ acceptance: Acceptance) -> Noted? {
    if case .playerBlocked = acceptance { Noted() } else { nil }
  }

  package var action: Event.Action { .playerBlocked(self) }
  package var subject: Event.Subject? { .meeting(other) }
  package func needs(of event: Event) -> Judge.Needs { Judge.Needs(blocking: other, by: event) }
  package var fields: [(String, JSON?)] { [("other", .text(other))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.id("other"))
  }
}

extension Event.Action {
  public static func playerBlocked(_ other: PlayerID) -> Self {
    .playerBlocked(Event.PlayerBlocked(other))
  }
}
