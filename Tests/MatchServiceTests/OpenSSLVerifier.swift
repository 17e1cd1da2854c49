import COpenSSL
import MatchCore
import MatchWire

/// Ed25519 by OpenSSL, behind the checks that stand before every library.
enum OpenSSLVerifier {
  static func verify(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
    guard Ed25519.isAcceptable(signature, by: key), let context = EVP_MD_CTX_new() else {
      return false
    }
    defer { EVP_MD_CTX_free(context) }
    let bytes = key.bytes
    let known = EVP_PKEY_new_raw_public_key(NID_ED25519, nil, bytes, bytes.count)
    defer { EVP_PKEY_free(known) }
    return EVP_DigestVerifyInit(context, nil, nil, nil, known) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
