package import MatchInterfaces
import MatchWire

extension SignatureVerifier {
  /// Ed25519, with small-order and non-canonical keys and signatures refused, as players verify it.
  package static var live: SignatureVerifier { SignatureVerifier(isValid: Ed25519.verify) }
}
