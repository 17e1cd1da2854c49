import Crypto
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
    // Bytes that are not a point on the curve are not a key.
    guard isAcceptable(signature, by: key),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key.bytes)
    else { return false }
    return key.isValidSignature(signature, for: message)
  }
}
