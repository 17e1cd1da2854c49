import COpenSSL

/// The derivation of keys from secrets, with SHA-256.
///
/// Source: RFC 5869.
package enum HKDF {
  /// A key of 32 bytes that holds what is random in a secret.
  package static func extract(
    _ secret: SecretBytes, salt: [UInt8]
  ) throws(LibCryptoError) -> SecretBytes {
    try called {
      SecretBytes(count: 32) { result in
        secret.lend {
          copenssl_extract($0.baseAddress, $0.count, salt, salt.count, result, 32)
        }
      }
    }
  }

  /// So many bytes for one purpose, which `info` names.
  package static func expand(
    _ key: SecretBytes, info: [UInt8], count: Int
  ) throws(LibCryptoError) -> SecretBytes {
    guard 1...(255 * 32) ~= count else {
      throw LibCryptoError(reason: "\(count) bytes cannot be derived")
    }
    return try called {
      SecretBytes(count: count) { result in
        key.lend { copenssl_expand($0.baseAddress, $0.count, info, info.count, result, count) }
      }
    }
  }
}
