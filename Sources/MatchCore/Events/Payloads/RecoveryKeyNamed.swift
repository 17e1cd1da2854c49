extension Event {
  /// The public half of a key that can recover the player, if no device is left. It counts after 72
  /// hours; the first one at once, if the player's first key names it right after its registration.
  public struct RecoveryKeyNamed: EventPayload {
    package static let name = "recoveryKeyNamed"
    package static let noun = "naming of a recovery key"
    package static let price = EventPrice.row

    public var key: PublicKey

    public init(_ key: PublicKey) { self.key = key }
  }
}

extension Event.RecoveryKeyNamed {
  /// The time from which the key counts.
  package static func answer(_ acceptance: Acceptance) -> Instant? { acceptance.recoverySetAt }

  package var action: Event.Action { .recoveryKeyNamed(self) }
  package var subject: Event.Subject? { .keys }

  package func needs(of event: Event) -> Judge.Needs {
    Judge.Needs(keysOf: event.player, newKey: key)
  }

  package var fields: [(String, JSON?)] { [("key", .text(key))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.publicKey("key"))
  }
}

extension Event.Action {
  public static func recoveryKeyNamed(_ key: PublicKey) -> Self {
    .recoveryKeyNamed(Event.RecoveryKeyNamed(key))
  }
}
