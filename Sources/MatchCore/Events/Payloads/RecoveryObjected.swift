extension Event {
  /// A key of the player delays a recovery, once.
  public struct RecoveryObjected: EventPayload {
    package static let name = "recoveryObjected"
    package static let noun = "objection to a recovery"
    package static let price = EventPrice.row

    /// The event `playerRecovered`.
    public var recovery: EventID

    public init(_ recovery: EventID) { self.recovery = recovery }
  }
}

extension Event.RecoveryObjected {
  /// The time at which the recovery takes effect now.
  package static func answer(_ acceptance: Acceptance) -> Instant? { acceptance.recoverySetAt }

  package var action: Event.Action { .recoveryObjected(self) }
  package var subject: Event.Subject? { .keys }

  package func needs(of event: Event) -> Judge.Needs { Judge.Needs(keysOf: event.player) }

  package var fields: [(String, JSON?)] { [("recovery", .text(recovery))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.id("recovery"))
  }
}

extension Event.Action {
  public static func recoveryObjected(_ recovery: EventID) -> Self {
    .recoveryObjected(Event.RecoveryObjected(recovery))
  }
}
