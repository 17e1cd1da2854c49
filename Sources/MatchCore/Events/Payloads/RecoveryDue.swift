extension Event {
  /// The time of a recovery has come. Ignored if it is no longer pending, or has been delayed.
  public struct RecoveryDue: ServicePayload {
    package static let name = "recoveryDue"

    /// The player who is recovered.
    public var of: PlayerID
    /// The event `playerRecovered`.
    public var recovery: EventID
    /// The new device's key.
    public var key: PublicKey
    public var due: Instant

    public init(of player: PlayerID, recovery: EventID, key: PublicKey, due: Instant) {
      of = player
      self.recovery = recovery
      self.key = key
      self.due = due
    }
  }
}

extension Event.RecoveryDue {
  package var action: Event.Action { .recoveryDue(self) }
  package var aboutPlayer: PlayerID? { of }

  package func needs(of event: Event) -> Judge.Needs { Judge.Needs(keysOf: of, newKey: key) }

  package var fields: [(String, JSON?)] {
    [
      ("of", .text(of)), ("recovery", .text(recovery)), ("key", .text(key)),
      ("dueAt", .number(due.microseconds)),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      of: try object.id("of"), recovery: try object.id("recovery"),
      key: try object.publicKey("key"), due: try object.instant("dueAt"))
  }
}

extension Event.Action {
  public static func recoveryDue(
    of player: PlayerID, recovery: EventID, key: PublicKey, due: Instant
  ) -> Self {
    .recoveryDue(Event.RecoveryDue(of: player, recovery: recovery, key: key, due: due))
  }
}
