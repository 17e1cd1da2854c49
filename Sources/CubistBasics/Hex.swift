/// Hexadecimal text.
@usableFromInline package enum Hex {
  /// Lower-case digits, two a byte.
  @inlinable
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The last so many lower-case digits of a number.
  @usableFromInline package static func encode(_ number: UInt64, digits: Int) -> String {
    var text: [UInt8] = []
    for place in (0..<UInt64(digits)).reversed() {
      text.append(digit(UInt8(truncatingIfNeeded: number >> (4 * place)) & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of an even count of digits of either case; nil for anything else.
  @inlinable
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let utf8 = Array(text.utf8)
    guard utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count / 2)
    for index in stride(from: 0, to: utf8.count, by: 2) {
      guard let high = value(of: utf8[index]), let low = value(of: utf8[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The lower-case digit of a value below 16.
  @inlinable
  package static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// The value of a digit of either case; nil for anything else.
  @inlinable
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
