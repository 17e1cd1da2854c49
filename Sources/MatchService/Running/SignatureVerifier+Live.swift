import CSodium
import MatchCore
package import MatchInterfaces
import MatchWire

extension SignatureVerifier {
  /// Ed25519 by libsodium, with small-order and non-canonical keys and signatures refused.
  package static var live: SignatureVerifier {
    SignatureVerifier { signed, tag in
      Sodium.verify(signed.signature, of: tag.message(signed.payload), by: signed.key)
    }
  }
}

/// Verifies in less than two thirds of the time that swift-crypto takes; verification is the
/// largest single cost of a turn. Tests have both say the same.
enum Sodium {
  static func verify(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
    guard isReady, Ed25519.isAcceptable(signature, by: key) else { return false }
    return crypto_sign_verify_detached(signature, message, UInt64(message.count), key.bytes) == 0
  }

  /// The library wants this before anything else, once; it may be asked on any thread.
  private static let isReady = sodium_init() >= 0
}
