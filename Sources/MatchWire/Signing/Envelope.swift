public import MatchCore

/// The body of every message that comes from outside.
///
/// `0x01 ‖ public key (32) ‖ signature (64) ‖ payload`. Nothing that matters travels in headers.
public enum Envelope {
  /// The first byte: the version of the envelope.
  public static let version: UInt8 = 1
  /// Bytes before the payload.
  public static let headerBytes = 97
  /// The sizes that an envelope can have.
  public static let sizes = headerBytes...(headerBytes + WireLimits.turnPayloadBytes)

  /// The body of a message.
  public static func encode(_ signed: SignedPayload) -> [UInt8] {
    var bytes: [UInt8] = [version]
    bytes.reserveCapacity(headerBytes + signed.payload.count)
    signed.key.withUnsafeBytes { bytes += $0 }
    bytes += signed.signature
    bytes += signed.payload
    return bytes
  }

  /// The content of a body. Nothing is verified yet.
  /// - Throws: `Refusal.malformed` for anything that is too short, too long or of another version.
  public static func decode(_ body: [UInt8]) throws(Refusal) -> SignedPayload {
    guard let first = body.first else { throw .malformed("the message is empty") }
    guard first == version else { throw .unsupportedVersion(Int(first)) }
    guard body.count > headerBytes, let key = PublicKey(bytes: body[1..<33]) else {
      throw .malformed("the message has \(body.count) bytes, fewer than key and signature need")
    }
    let payloadBytes = body.count - headerBytes
    guard payloadBytes <= WireLimits.turnPayloadBytes else {
      throw .malformed(PayloadCodec.tooLong(payloadBytes, limit: WireLimits.turnPayloadBytes))
    }
    return SignedPayload(
      key: key, signature: Array(body[33..<headerBytes]), payload: Array(body[headerBytes...]))
  }
}
