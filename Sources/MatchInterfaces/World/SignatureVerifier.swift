import IssueReporting
public import MatchCore
public import MatchWire

/// Decides whether a signature is its key's.
public struct SignatureVerifier: Sendable {
  /// Whether the signature over tag and payload is the key's.
  public var isValid: @Sendable (SignedPayload, SignatureTag) -> Bool

  public init(isValid: @escaping @Sendable (SignedPayload, SignatureTag) -> Bool) {
    self.isValid = isValid
  }
}

extension SignatureVerifier {
  /// Believes everything.
  public static var noop: SignatureVerifier { SignatureVerifier { _, _ in true } }

  /// Reports an issue whenever it is asked, and believes nothing.
  public static var failing: SignatureVerifier {
    SignatureVerifier(
      isValid: unimplemented("SignatureVerifier.isValid", placeholder: false))
  }
}
