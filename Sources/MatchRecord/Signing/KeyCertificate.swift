import CubistBasics
public import MatchCore

/// The root key's statement that a working key may sign for a service for a time.
///
/// The root key signs service id ‖ working key ‖ valid from ‖ valid until, times as eight
/// big-endian bytes in microseconds.
public struct KeyCertificate: Hashable, Sendable {
  /// The key that workers sign with.
  public var workingKey: PublicKey
  public var validFrom: Instant
  /// The end of its validity, exclusive.
  public var validUntil: Instant
  /// The root key's signature, 64 bytes.
  public var signature: [UInt8]

  /// A certificate as it was received. It is not checked; `isValid` does that.
  public init(
    workingKey: PublicKey, validFrom: Instant, validUntil: Instant, signature: [UInt8]
  ) {
    self.workingKey = workingKey
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.signature = signature
  }

  /// Whether the root key signed it for that service.
  public func isValid(
    service: ServiceID, rootKey: PublicKey, verify: (SignedPayload, SignatureTag) -> Bool
  ) -> Bool {
    validFrom < validUntil && verify(signed(service: service, rootKey: rootKey), .workingKey)
  }

  func signed(service: ServiceID, rootKey: PublicKey) -> SignedPayload {
    SignedPayload(key: rootKey, signature: signature, payload: message(service: service))
  }

  /// Whether the time lies within its validity.
  public func covers(_ time: Instant) -> Bool { validFrom <= time && time < validUntil }

  package func message(service: ServiceID) -> [UInt8] {
    service.bytes + workingKey.bytes + KeyCertificate.bigEndian(validFrom)
      + KeyCertificate.bigEndian(validUntil)
  }

  private static func bigEndian(_ time: Instant) -> [UInt8] {
    withUnsafeBytes(of: time.microseconds.bigEndian) { Array($0) }
  }
}

extension KeyCertificate {
  package var json: JSON {
    .object([
      ("key", .text(workingKey)), ("validFrom", .number(validFrom.microseconds)),
      ("validUntil", .number(validUntil.microseconds)),
      ("signature", .string(Hex.encode(signature))),
    ])
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      workingKey: try object.publicKey("key"), validFrom: try object.instant("validFrom"),
      validUntil: try object.instant("validUntil"), signature: try object.signature("signature"))
  }
}
