#if Libsodium
  import CSodium
  import MatchCore
  import MatchRecord
  import SHA2

  /// A secret key of Ed25519 (RFC 8032), by libsodium.
  final class Ed25519Key: Sendable {
    /// The public half.
    let publicKey: PublicKey
    // SAFETY: written before anybody else has the object, and wiped when nobody has it.
    private nonisolated(unsafe) let secret: UnsafeMutablePointer<UInt8>

    /// Bytes of a seed, and of the library's form of a secret key.
    private static let (seedCount, secretCount) = (32, 64)

    /// The key of a seed. Nil unless the seed has 32 bytes.
    init?(seed: [UInt8]) {
      guard Sodium.isReady, seed.count == Ed25519Key.seedCount else { return nil }
      let secret = UnsafeMutablePointer<UInt8>.allocate(capacity: Ed25519Key.secretCount)
      secret.initialize(repeating: 0, count: Ed25519Key.secretCount)
      var bytes = [UInt8](repeating: 0, count: 32)
      guard crypto_sign_seed_keypair(&bytes, secret, seed) == 0,
        let publicKey = PublicKey(bytes: bytes)
      else {
        Ed25519Key.wipe(secret)
        return nil
      }
      self.secret = secret
      self.publicKey = publicKey
    }

    deinit { Ed25519Key.wipe(secret) }

    private static func wipe(_ secret: UnsafeMutablePointer<UInt8>) {
      sodium_memzero(secret, secretCount)
      secret.deallocate()
    }

    /// The 64 bytes of a signature. Nobody accepts the empty one of a failure.
    func signature(of message: [UInt8]) -> [UInt8] {
      var signature = [UInt8](repeating: 0, count: 64)
      let status = crypto_sign_detached(
        &signature, nil, message, UInt64(message.count), secret)
      return status == 0 ? signature : []
    }
  }

  extension Ed25519 {
    /// Whether the equation of a signature of 64 bytes holds.
    static func isSolved(
      by signature: [UInt8], of message: [UInt8], _ key: PublicKey
    ) -> Bool {
      Sodium.isReady
        && crypto_sign_verify_detached(signature, message, UInt64(message.count), key.bytes) == 0
    }
  }
#endif
