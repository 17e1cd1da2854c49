/// Base 64 with padding, in its one form.
///
/// Source: RFC 4648, section 4.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var bits: UInt32 = 0
      for offset in 0..<3 {
        bits = bits << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
      }
      for place in 0..<4 {
        text.append(place <= count ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text. Nil for anything that `encode` would not write: bits beyond the last byte
  /// would be a second form of the same bytes.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    let paddingCount = digits.suffix(2).count { $0 == padding }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    var (bits, bitCount): (UInt32, UInt32) = (0, 0)
    for digit in digits.dropLast(paddingCount) {
      guard let value = value(of: digit) else { return nil }
      (bits, bitCount) = (bits << 6 | value, bitCount + 6)
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= 1 << bitCount - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  /// Without padding, for URLs. Source: RFC 4648, section 5.
  package static func encodeForURL(_ bytes: [UInt8]) -> String {
    let text = encode(bytes).utf8.filter { $0 != padding }
    return String(
      decoding: text.map { digit in
        switch digit {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: digit
        }
      }, as: UTF8.self)
  }

  /// The bytes of a text. Nil for anything that `encodeForURL` would not write.
  package static func decodeForURL(_ text: String) -> [UInt8]? {
    var digits: [UInt8] = []
    for digit in text.utf8 {
      switch digit {
      case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"), padding: return nil
      default: digits.append(digit)
      }
    }
    while !digits.count.isMultiple(of: 4) { digits.append(padding) }
    return decode(String(decoding: digits, as: UTF8.self))
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
