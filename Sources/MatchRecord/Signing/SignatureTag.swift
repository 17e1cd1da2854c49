/// The purpose of a signature. The signature covers the tag's bytes and then the payload. So no
/// signature of one kind can be passed off as another.
public enum SignatureTag: String, Hashable, Sendable, CaseIterable {
  /// A player's event, or the service's own.
  case event = "cubist/event/1"
  case query = "cubist/query/1"
  /// A statement of the service in a record, by a working key.
  case service = "cubist/service/1"
  /// A working key's certificate, by the root key.
  case workingKey = "cubist/workingKey/1"
  /// The proof of the sender of a recovery to have the new key, by that key.
  case newKey = "cubist/newKey/1"

  /// The bytes that a signature of this kind covers.
  public func message(_ payload: [UInt8]) -> [UInt8] {
    Array(rawValue.utf8) + [0] + payload
  }
}
