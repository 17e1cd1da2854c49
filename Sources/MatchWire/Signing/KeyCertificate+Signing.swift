public import MatchCore
public import MatchRecord

extension KeyCertificate {
  /// A certificate by the root key.
  public init(
    workingKey: PublicKey, validFrom: Instant, validUntil: Instant, service: ServiceID,
    root: Signer
  ) {
    self.init(
      workingKey: workingKey, validFrom: validFrom, validUntil: validUntil, signature: [])
    signature = root.sign(message(service: service), as: .workingKey)
  }

  /// Whether the root key signed it for that service.
  public func isValid(service: ServiceID, rootKey: PublicKey) -> Bool {
    isValid(service: service, rootKey: rootKey, verify: Ed25519.verify)
  }
}
