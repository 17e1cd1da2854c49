extension Event {
  /// The recovery key stops a recovery before it takes effect.
  public struct RecoveryWithdrawn: EventPayload {
    package static let name = "recoveryWithdrawn"
    package static let noun = "withdrawal of a recovery"
    package static let price = EventPrice.row

    /// The event `playerRecovered`.
    public var recovery: EventID

    public init(_ recovery: EventID) { self.recovery = recovery }
  }
}

extension Event.RecoveryWithdrawn {
  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .recoveryWithdrawn(self) }
  package var subject: Event.Subject? { .player }

  package func needs(of event: Event) -> Judge.Needs {
    Judge.Needs(keysOf: event.player, byRecoveryKey: true)
  }

  package var fields: [(String, JSON?)] { [("recovery", .text(recovery))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.id("recovery"))
  }
}

extension Event.Action {
  public static func recoveryWithdrawn(_ recovery: EventID) -> Self {
    .recoveryWithdrawn(Event.RecoveryWithdrawn(recovery))
  }
}
