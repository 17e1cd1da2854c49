public import MatchCore

#if !Libsodium && !SwiftCrypto
  #error(
    "choose the trait Libsodium or SwiftCrypto of this package: without one nothing can be signed")
#endif

/// Signs with one key.
public struct Signer: Sendable {
  /// The key that verifies.
  public let publicKey: PublicKey
  private let signMessage: @Sendable ([UInt8], SignatureTag) -> [UInt8]

  /// A signer with a custom function. `sign` returns 64 bytes over tag and payload.
  public init(
    publicKey: PublicKey, sign: @escaping @Sendable ([UInt8], SignatureTag) -> [UInt8]
  ) {
    self.publicKey = publicKey
    signMessage = sign
  }

  /// The 64 bytes of the signature over tag and payload.
  public func sign(_ payload: [UInt8], as tag: SignatureTag) -> [UInt8] {
    signMessage(payload, tag)
  }

  /// The payload with key and signature.
  public func signed(_ payload: [UInt8], as tag: SignatureTag) -> SignedPayload {
    SignedPayload(key: publicKey, signature: sign(payload, as: tag), payload: payload)
  }

  /// The Ed25519 key of a seed (RFC 8032). Nil unless the seed has 32 bytes.
  public static func ed25519(seed: [UInt8]) -> Signer? {
    guard let key = Ed25519Key(seed: seed) else { return nil }
    return Signer(publicKey: key.publicKey) { payload, tag in
      key.signature(of: tag.message(payload))
    }
  }

  /// A seed for a new key.
  public static func seed(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}

extension Signer {
  /// A signed event, ready for its envelope.
  /// - Throws: `Refusal.malformed` if the event is too large to be sent.
  public func sign(_ event: Event) throws(Refusal) -> SignedPayload {
    let payload = PayloadCodec.encode(event)
    guard payload.count <= event.payloadLimit else {
      throw .malformed(PayloadCodec.tooLong(payload.count, limit: event.payloadLimit))
    }
    return signed(payload, as: .event)
  }

  /// The proof of this key that its owner wants it for a player, by a recovery that the recovery
  /// key signs: 64 bytes.
  public func prove(
    toSpeakFor player: PlayerID, at service: ServiceID, by recoveryKey: PublicKey
  ) -> [UInt8] {
    sign(
      Event.PlayerRecovered.proved(publicKey, of: player, at: service, by: recoveryKey),
      as: .newKey)
  }

  /// A signed statement about a match.
  public func sign(_ statement: Statement, match: MatchID, service: ServiceID) -> SignedPayload {
    signed(PayloadCodec.encode(statement, match: match, service: service), as: .service)
  }

  /// A signed statement about a recovery.
  public func sign(_ statement: RecoveryStatement, service: ServiceID) -> SignedPayload {
    signed(PayloadCodec.encode(statement, service: service), as: .service)
  }

  /// A signed query, ready for its envelope.
  public func sign(_ query: Query) -> SignedPayload {
    signed(QueryCodec.encode(query), as: .query)
  }
}

extension Event.Action {
  /// A player's recovery by a recovery key, with the proof of the new key. The recovery key has to
  /// sign the event.
  public static func playerRecovered(
    of player: PlayerID, at service: ServiceID, by recoveryKey: PublicKey, to key: Signer
  ) -> Event.Action {
    .playerRecovered(
      key.publicKey, proof: key.prove(toSpeakFor: player, at: service, by: recoveryKey))
  }
}
