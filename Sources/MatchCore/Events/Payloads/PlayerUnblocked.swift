extension Event {
  /// A player does not mind meeting another one any more.
  public struct PlayerUnblocked: EventPayload {
    package static let name = "playerUnblocked"
    package static let noun = "end of a block"
    package static let price = EventPrice.row

    public var other: PlayerID

    public init(_ other: PlayerID) { self.other = other }
  }
}

extension Event.PlayerUnblocked {
  package static func answer(_ acceptance: Acceptance) -> Noted? {
    if case .playerUnblocked = acceptance { Noted() } else { nil }
  }

  package var action: Event.Action { .playerUnblocked(self) }
  package var subject: Event.Subject? { .meeting(other) }
  package func needs(of event: Event) -> Judge.Needs { Judge.Needs(blocking: other, by: event) }
  package var fields: [(String, JSON?)] { [("other", .text(other))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.id("other"))
  }
}

extension Event.Action {
  public static func playerUnblocked(_ other: PlayerID) -> Self {
    .playerUnblocked(Event.PlayerUnblocked(other))
  }
}
