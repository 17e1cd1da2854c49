#if Libsodium
  import CSodium
#endif

/// HMAC with SHA-256.
///
/// Source: RFC 2104.
package enum HMACSHA256 {
  /// The 32 bytes of the code of a message under a key.
  package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    #if Libsodium
      _ = Sodium.isReady
      var state = crypto_auth_hmacsha256_state()
      defer { sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size) }
      crypto_auth_hmacsha256_init(&state, key, key.count)
      crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
      var code = [UInt8](repeating: 0, count: 32)
      crypto_auth_hmacsha256_final(&state, &code)
      return code
    #else
      let short = key.count > 64 ? digest(key) : key
      let padded = short + Array(repeating: 0, count: 64 - short.count)
      let inner = digest(padded.map { $0 ^ 0x36 }, message)
      return digest(padded.map { $0 ^ 0x5c }, inner)
    #endif
  }

  #if !Libsodium
    private static func digest(_ pieces: [UInt8]...) -> [UInt8] {
      var hash = SHA256Hasher()
      for piece in pieces { piece.withUnsafeBytes { hash.update($0) } }
      return hash.finalize { Array($0) }
    }
  #endif
}
