import COpenSSL

/// A private key of the curve P-256 (NIST SP 800-186), for signatures and for shared secrets.
package final class P256Key: Sendable {
  /// Bytes of the secret number.
  package static let scalarCount = 32

  // SAFETY: never changed after `init`; any number of threads may use a key of the library at once.
  private nonisolated(unsafe) let key: OpaquePointer
  /// The public half: an uncompressed point, 65 bytes.
  package let publicKey: [UInt8]

  /// The key of a secret number, with its highest byte first; nil unless it is from 1 to below the
  /// order of the curve.
  package init?(scalar: [UInt8]) {
    guard scalar.count == P256Key.scalarCount else { return nil }
    var point = [UInt8](repeating: 0, count: P256PublicKey.count)
    guard let key = try? called({ copenssl_private_key(scalar, &point) }) else { return nil }
    self.key = key
    publicKey = point
  }

  /// The key of a PEM document, of the form PKCS#8 or SEC 1; nil for any other text.
  package convenience init?(pem: String) {
    let text = Array(pem.utf8)
    var scalar = [UInt8](repeating: 0, count: P256Key.scalarCount)
    defer { OPENSSL_cleanse(&scalar, P256Key.scalarCount) }
    let isRead = try? called {
      Int32(exactly: text.count).map { copenssl_read_pem(text, $0, &scalar) }
    }
    guard isRead == true else { return nil }
    self.init(scalar: scalar)
  }

  deinit { EVP_PKEY_free(key) }

  /// The key as PEM, of the form PKCS#8.
  package func pem() throws(LibCryptoError) -> String {
    try called {
      guard let target = BIO_new(BIO_s_mem()) else { return nil }
      defer { BIO_free_all(target) }
      var text: UnsafeMutablePointer<CChar>?
      guard PEM_write_bio_PKCS8PrivateKey(target, key, nil, nil, 0, nil, nil) == 1,
        case let count = copenssl_text(target, &text), count > 0, let text
      else { return nil }
      return String(
        decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
    }
  }

  /// The signature of a message, by ECDSA with SHA-256: `r` and `s`, 64 bytes, as ES256 of RFC 7518
  /// has it.
  package func signature(of message: [UInt8]) throws(LibCryptoError) -> [UInt8] {
    try called {
      guard let context = EVP_MD_CTX_new() else { return nil }
      defer { EVP_MD_CTX_free(context) }
      var count = 0
      guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
        EVP_DigestSign(context, nil, &count, message, message.count) == 1
      else { return nil }
      var encoded = [UInt8](repeating: 0, count: count)
      guard EVP_DigestSign(context, &encoded, &count, message, message.count) == 1,
        count <= encoded.count
      else { return nil }
      return ECDSASignature.numbers(encoded[..<count])
    }
  }

  /// The secret that this key and another's private half have in common, 32 bytes.
  package func sharedSecret(with other: P256PublicKey) throws(LibCryptoError) -> SecretBytes {
    try called {
      guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
      defer { EVP_PKEY_CTX_free(context) }
      // The other key is on the curve, and the order of the curve is prime: nothing is left to check.
      guard EVP_PKEY_derive_init(context) == 1,
        EVP_PKEY_derive_set_peer_ex(context, other.key, 0) == 1
      else { return nil }
      return SecretBytes(count: 32) { secret in
        var count = 32
        return EVP_PKEY_derive(context, secret, &count) == 1 && count == 32
      }
    }
  }
}
