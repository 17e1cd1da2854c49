#if Libsodium
  import CSodium

  /// The library of SHA-256 and of Ed25519.
  package enum Sodium {
    /// Whether it can be used. It has to be made ready before any other call. The first thread that
    /// asks does so, and others wait.
    package static let isReady = sodium_init() >= 0
  }
#endif
