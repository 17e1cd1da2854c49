import COpenSSL

/// AES with a key of 128 bits in Galois/Counter Mode.
///
/// Source: NIST SP 800-38D.
package enum AES128GCM {
  /// Bytes of the tag that shows a change.
  package static let tagCount = 16

  /// A text, encrypted, and its tag. A nonce serves once with a key.
  package static func seal(
    _ text: [UInt8], key: SecretBytes, nonce: SecretBytes
  ) throws(LibCryptoError) -> [UInt8] {
    guard key.count == 16, nonce.count == 12, let length = Int32(exactly: text.count) else {
      throw LibCryptoError(reason: "the key, the nonce or the text has a wrong length")
    }
    return try called { () -> [UInt8]? in
      guard let context = EVP_CIPHER_CTX_new() else { return nil }
      defer { EVP_CIPHER_CTX_free(context) }
      let isReady = key.lend { key in
        nonce.lend { nonce in
          EVP_EncryptInit_ex2(
            context, EVP_aes_128_gcm(), key.baseAddress, nonce.baseAddress, nil)
        }
      }
      guard isReady == 1 else { return nil }
      var sealed = [UInt8](repeating: 0, count: text.count)
      var tag = [UInt8](repeating: 0, count: tagCount)
      var (written, rest): (Int32, Int32) = (0, 0)
      guard EVP_EncryptUpdate(context, &sealed, &written, text, length) == 1, written == length,
        // It has nothing left to write.
        EVP_EncryptFinal_ex(context, &tag, &rest) == 1, rest == 0,
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag) == 1
      else { return nil }
      return sealed + tag
    }
  }
}
