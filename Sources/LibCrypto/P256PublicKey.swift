import COpenSSL

/// Somebody's public key of the curve P-256.
package final class P256PublicKey: Sendable {
  /// Bytes of an uncompressed point.
  package static let count = 65

  // SAFETY: never changed after `init`; any number of threads may use a key of the library at once.
  nonisolated(unsafe) let key: OpaquePointer

  /// The key of an uncompressed point; nil unless it is on the curve.
  package init?(_ point: [UInt8]) {
    guard point.count == P256PublicKey.count, point[0] == 4,
      let key = try? called({ copenssl_public_key(point) })
    else { return nil }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Whether a signature of 64 bytes is the key's, by ECDSA with SHA-256.
  package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    let answer = try? called { () -> Int32? in
      guard let encoded = ECDSASignature.encoded(signature), let context = EVP_MD_CTX_new() else {
        return nil
      }
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
      return EVP_DigestVerify(context, encoded, encoded.count, message, message.count)
    }
    return answer == 1
  }
}
