import MatchCore
import MatchInterfaces
import MatchWire

/// Signatures for most runs: a hash over key, tag and payload. Anyone could make one. But a changed
/// byte is found as surely as with real signatures, and a thousand runs take seconds.
enum KeyedHash {
  static func signature(of payload: [UInt8], _ tag: SignatureTag, by key: PublicKey) -> [UInt8] {
    var hash = TaggedHash("cubist/simulation/1")
    hash.update(key.bytes)
    hash.update(tag.message(payload))
    let bytes = hash.finalize().bytes
    return bytes + bytes
  }

  static func signer(_ random: SeededRandom) -> Signer {
    guard let key = PublicKey(bytes: random.randomness.bytes(32)) else {
      preconditionFailure("every 32 bytes are a key")
    }
    return Signer(publicKey: key) { payload, tag in signature(of: payload, tag, by: key) }
  }

  static let verifier = SignatureVerifier { signed, tag in
    signed.signature == signature(of: signed.payload, tag, by: signed.key)
  }
}
