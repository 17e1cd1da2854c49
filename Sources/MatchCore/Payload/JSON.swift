import CubistBasics

/// A JSON value, read or to be written.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent, within ±2^53.
  case integer(Int64)
  /// Any other number, as it was written. No field needs one, but an unknown field may have one.
  case fraction(String)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

/// The members of a JSON object, in their order. No key occurs twice.
package struct JSONObject: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSON
  }

  package var members: [Member]

  package init(members: [Member] = []) { self.members = members }

  /// An object of the values that are not nil, in that order.
  package init(_ pairs: [(String, JSON?)]) {
    members = pairs.compactMap { key, value in value.map { Member(key: key, value: $0) } }
  }

  package subscript(key: String) -> JSON? { members.first { $0.key == key }?.value }

  /// The members with keys that are not among the known ones.
  package func others(than known: Set<String>) -> JSONObject {
    JSONObject(members: members.filter { !known.contains($0.key) })
  }
}

extension JSON {
  package static func object(_ pairs: [(String, JSON?)]) -> JSON { .object(JSONObject(pairs)) }
  package static func text(_ value: some CustomStringConvertible) -> JSON {
    .string(value.description)
  }
  package static func number(_ value: some BinaryInteger) -> JSON { .integer(Int64(value)) }
  package static func numbers(_ values: [Int]) -> JSON { .array(values.map { .number($0) }) }

  /// UTF-8 without spaces, members in their order.
  package var serialized: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .fraction(let text): bytes += text.utf8
    case .string(let text): JSON.append(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSON.append(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes += "\\u00".utf8
        bytes += [Hex.digit(byte >> 4), Hex.digit(byte & 15)]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSON: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
}
