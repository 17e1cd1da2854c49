#if Libsodium
  import CSodium

  /// SHA-256 by libsodium.
  ///
  /// With the trait `SwiftCrypto` it is that package's. A build without either, as for browsers, has
  /// ``PortableSHA256`` under this name.
  package struct SHA256Hasher {
    private var state = crypto_hash_sha256_state()

    /// Begins with nothing.
    package init() {
      _ = Sodium.isReady
      crypto_hash_sha256_init(&state)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      crypto_hash_sha256_update(&state, bytes.baseAddress, UInt64(bytes.count))
    }

    /// Lends the 32 bytes of the digest.
    package func finalize<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      var last = state
      var digest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      return withUnsafeMutablePointer(to: &digest) { digest in
        let bytes = UnsafeMutableRawPointer(digest)
        crypto_hash_sha256_final(&last, bytes.assumingMemoryBound(to: UInt8.self))
        return body(UnsafeRawBufferPointer(start: bytes, count: 32))
      }
    }
  }
#elseif SwiftCrypto
  import Crypto

  /// SHA-256 by swift-crypto.
  package struct SHA256Hasher {
    private var hash = SHA256()

    /// Begins with nothing.
    package init() {}

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      hash.update(bufferPointer: bytes)
    }

    /// Lends the 32 bytes of the digest.
    package func finalize<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      hash.finalize().withUnsafeBytes(body)
    }
  }
#else
  /// SHA-256, where there is no library to take it from.
  package typealias SHA256Hasher = PortableSHA256
#endif
