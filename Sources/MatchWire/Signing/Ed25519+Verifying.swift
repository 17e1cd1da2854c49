public import MatchCore
public import MatchRecord

extension Ed25519 {
  /// Whether the signature over tag and payload is the key's.
  public static func verify(_ signed: SignedPayload, _ tag: SignatureTag) -> Bool {
    verify(signed.signature, of: tag.message(signed.payload), by: signed.key)
  }

  package static func verify(
    _ signature: [UInt8], of message: [UInt8], by key: PublicKey
  ) -> Bool {
    isAcceptable(signature, by: key) && isSolved(by: signature, of: message, key)
  }
}
