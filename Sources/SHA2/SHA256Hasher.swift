#if canImport(Crypto)
  import Crypto

  /// SHA-256 by swift-crypto, which knows each processor's own instructions.
  ///
  /// A build without that package, as for browsers, has ``PortableSHA256`` under this name.
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
  /// SHA-256, where there is no package to take it from.
  package typealias SHA256Hasher = PortableSHA256
#endif
