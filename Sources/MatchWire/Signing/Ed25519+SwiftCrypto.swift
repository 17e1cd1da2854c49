#if SwiftCrypto && !Libsodium
  import Crypto
  import FoundationEssentials
  import MatchCore
  import MatchRecord

  /// A secret key of Ed25519 (RFC 8032), by swift-crypto.
  final class Ed25519Key: Sendable {
    /// The public half.
    let publicKey: PublicKey
    private let secret: Curve25519.Signing.PrivateKey

    /// The key of a seed. Nil unless the seed has 32 bytes.
    init?(seed: [UInt8]) {
      guard let secret = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
        let publicKey = PublicKey(bytes: Array(secret.publicKey.rawRepresentation))
      else { return nil }
      self.secret = secret
      self.publicKey = publicKey
    }

    /// The 64 bytes of a signature. Nobody accepts the empty one of a failure.
    func signature(of message: [UInt8]) -> [UInt8] {
      (try? secret.signature(for: message)).map { Array($0) } ?? []
    }
  }

  extension Ed25519 {
    /// Whether the equation of a signature of 64 bytes holds.
    static func isSolved(
      by signature: [UInt8], of message: [UInt8], _ key: PublicKey
    ) -> Bool {
      // Bytes that are not a point on the curve are not a key.
      guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key.bytes) else {
        return false
      }
      return key.isValidSignature(signature, for: message)
    }
  }
#endif
