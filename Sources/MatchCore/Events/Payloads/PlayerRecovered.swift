import CubistBasics

extension Event {
  /// The recovery key asks that one new key speaks for the player, and all others no more.
  public struct PlayerRecovered: EventPayload {
    package static let name = "playerRecovered"
    package static let noun = "recovery"
    package static let price = EventPrice.row

    /// The new device's key.
    public var key: PublicKey
    /// The new key's signature: the sender has that key. `newKeyProof` of
    /// MatchRecord says what it covers.
    public var proof: [UInt8]

    public init(_ key: PublicKey, proof: [UInt8]) {
      self.key = key
      self.proof = proof
    }
  }
}

extension Event.PlayerRecovered {
  /// The time at which it takes effect.
  package static func answer(_ acceptance: Acceptance) -> Instant? { acceptance.recoverySetAt }

  package var action: Event.Action { .playerRecovered(self) }
  package var subject: Event.Subject? { .player }
  // The same wish may have another proof: not every library makes the same signature again.
  package var wish: Self { Self(key, proof: []) }

  package func needs(of event: Event) -> Judge.Needs {
    Judge.Needs(keysOf: event.player, newKey: key, byRecoveryKey: true)
  }

  package var fields: [(String, JSON?)] {
    [("key", .text(key)), ("proof", .string(Hex.encode(proof)))]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.publicKey("key"), proof: try object.signature("proof"))
  }
}

extension Event.Action {
  public static func playerRecovered(_ key: PublicKey, proof: [UInt8]) -> Self {
    .playerRecovered(Event.PlayerRecovered(key, proof: proof))
  }
}
