import CubistBasics

/// Reads JSON strictly, in one pass over the bytes.
///
/// Signed payloads need a stricter decoder than usual: two readers must never see different things
/// in the same bytes. So these are errors here: duplicate keys, lone surrogates, integers beyond
/// 2^53 (many languages round them), unknown escapes, keys beyond ASCII (Swift takes the kelvin sign
/// for the letter K, other readers do not), anything after the value, and more than a
/// stated size, depth or number of values. No input can make it crash, or take more memory than its
/// limits allow, or more time than grows with its size.
package struct JSONReader {
  /// The limits of a text.
  package struct Limits: Sendable {
    package var bytes: Int
    package var depth: Int
    package var values: Int

    /// Events, queries and replies: small by nature.
    package static let message = Limits(bytes: 1 << 16, depth: 8, values: 1 << 13)
    /// Answers to queries.
    package static let answer = Limits(bytes: 1 << 24, depth: 16, values: 1 << 19)
    /// Files that a person names.
    package static let file = Limits(bytes: 1 << 26, depth: 16, values: 1 << 21)
  }

  /// The longest key, in bytes. Every key of ours is shorter, and is ASCII.
  private static let keyLimit = 64
  /// The most members of an object. Every object of ours has fewer.
  private static let memberLimit = 128

  private let bytes: [UInt8]
  private let limits: Limits
  private var index = 0
  private var valueCount = 0

  /// The value that the bytes hold.
  package static func value(
    of bytes: [UInt8], limits: Limits = .message
  ) throws(WireFault) -> JSON {
    guard bytes.count <= limits.bytes else {
      throw .malformed("\(bytes.count) bytes where at most \(limits.bytes) may be")
    }
    var reader = JSONReader(bytes: bytes, limits: limits)
    let value = try reader.readValue(depth: 0)
    reader.skipSpace()
    guard reader.index == bytes.count else { throw reader.fault("something follows the value") }
    return value
  }

  /// The object that the bytes hold.
  package static func object(
    of bytes: [UInt8], limits: Limits = .message
  ) throws(WireFault) -> JSONObject {
    guard case .object(let object) = try value(of: bytes, limits: limits) else {
      throw .malformed("an object is due")
    }
    return object
  }

  private init(bytes: [UInt8], limits: Limits) {
    self.bytes = bytes
    self.limits = limits
  }

  private func fault(_ text: String) -> WireFault { .malformed("byte \(index): \(text)") }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
      index += 1
    }
  }

  private mutating func expect(_ byte: UInt8) throws(WireFault) {
    guard next == byte else {
      throw fault("\"\(Character(UnicodeScalar(byte)))\" is due")
    }
    index += 1
  }

  private mutating func readValue(depth: Int) throws(WireFault) -> JSON {
    guard depth < limits.depth else { throw fault("deeper than \(limits.depth) levels") }
    valueCount += 1
    guard valueCount <= limits.values else { throw fault("more than \(limits.values) values") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .object(try readObject(depth: depth))
    case UInt8(ascii: "["): return .array(try readArray(depth: depth))
    case UInt8(ascii: "\""): return .string(try readString())
    case let byte? where byte == UInt8(ascii: "-") || JSONReader.digits.contains(byte):
      return try readNumber()
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case nil: throw fault("the text ends where a value is due")
    default: throw fault("a value is due")
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: JSON) throws(WireFault) -> JSON {
    let matches = word.withUTF8Buffer { word in
      index + word.count <= bytes.count && bytes[index..<(index + word.count)].elementsEqual(word)
    }
    guard matches else { throw fault("a value is due") }
    index += word.utf8CodeUnitCount
    return value
  }

  private mutating func readArray(depth: Int) throws(WireFault) -> [JSON] {
    index += 1
    var values: [JSON] = []
    skipSpace()
    if next == UInt8(ascii: "]") {
      index += 1
      return values
    }
    while true {
      values.append(try readValue(depth: depth + 1))
      skipSpace()
      if next == UInt8(ascii: "]") { break }
      try expect(UInt8(ascii: ","))
    }
    index += 1
    return values
  }

  private mutating func readObject(depth: Int) throws(WireFault) -> JSONObject {
    index += 1
    var members: [JSONObject.Member] = []
    skipSpace()
    if next == UInt8(ascii: "}") {
      index += 1
      return JSONObject()
    }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fault("a key is due") }
      let key = try readString()
      guard key.utf8.count <= JSONReader.keyLimit else {
        throw fault("a key of more than \(JSONReader.keyLimit) bytes")
      }
      guard members.count < JSONReader.memberLimit else {
        throw fault("more than \(JSONReader.memberLimit) members")
      }
      guard key.utf8.allSatisfy({ $0 < 0x80 }) else { throw fault("a key that is not ASCII") }
      // No set: hashes could be made to collide.
      guard !members.contains(where: { $0.key == key }) else {
        throw fault("the key \(excerpt(key)) is there twice")
      }
      skipSpace()
      try expect(UInt8(ascii: ":"))
      members.append(.init(key: key, value: try readValue(depth: depth + 1)))
      skipSpace()
      if next == UInt8(ascii: "}") { break }
      try expect(UInt8(ascii: ","))
    }
    index += 1
    return JSONObject(members: members)
  }
}

extension JSONReader {
  /// The largest integer that every reader of JSON keeps exactly.
  package static let largestInteger: Int64 = 1 << 53

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  private mutating func readNumber() throws(WireFault) -> JSON {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    let digits = index
    try readDigits()
    if bytes[digits] == UInt8(ascii: "0"), index > digits + 1 {
      throw fault("a number begins with 0")
    }
    var isInteger = true
    if next == UInt8(ascii: ".") {
      isInteger = false
      index += 1
      try readDigits()
    }
    if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      try readDigits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    // Minus zero is not an integer: 0 has one form.
    guard isInteger, text != "-0" else { return .fraction(text) }
    guard let value = Int64(text), value.magnitude <= JSONReader.largestInteger.magnitude else {
      throw fault("an integer beyond 2^53")
    }
    return .integer(value)
  }

  private mutating func readDigits() throws(WireFault) {
    let start = index
    while let byte = next, JSONReader.digits.contains(byte) { index += 1 }
    guard index > start else { throw fault("a digit is due") }
  }

  /// Reads from quotation mark to quotation mark.
  private mutating func readString() throws(WireFault) -> String {
    index += 1
    let start = index
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      index += 1
    }
    if next == UInt8(ascii: "\"") {
      defer { index += 1 }
      return try validated(bytes[start..<index])
    }
    var text = Array(bytes[start..<index])
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault("a control character in a string") }
      index += 1
      if byte == UInt8(ascii: "\\") {
        text += String(try readEscape()).utf8
      } else {
        text.append(byte)
      }
    }
    guard next != nil else { throw fault("the text ends within a string") }
    index += 1
    return try validated(text[...])
  }

  private func validated(_ slice: ArraySlice<UInt8>) throws(WireFault) -> String {
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw fault("a string that is not UTF-8")
    }
    return text
  }

  private mutating func readEscape() throws(WireFault) -> UnicodeScalar {
    guard let byte = next else { throw fault("the text ends within a string") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UnicodeScalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw fault("an unknown escape")
    }
    let first = try readUnit()
    if let scalar = UnicodeScalar(first) { return scalar }
    guard first < 0xdc00, next == UInt8(ascii: "\\"), index + 1 < bytes.count,
      bytes[index + 1] == UInt8(ascii: "u")
    else { throw fault("half of a surrogate pair") }
    index += 2
    let second = try readUnit()
    guard 0xdc00...0xdfff ~= second else { throw fault("half of a surrogate pair") }
    let value = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
    guard let scalar = UnicodeScalar(value) else { throw fault("half of a surrogate pair") }
    return scalar
  }

  private mutating func readUnit() throws(WireFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap(Hex.value(of:)) else {
        throw fault("four hexadecimal digits are due")
      }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }
}

/// The beginning of a text from outside, in quotation marks, safe to show on a terminal.
package func excerpt(_ text: String) -> String {
  let shown = text.utf8.prefix(24).map { 0x20..<0x7f ~= $0 ? $0 : UInt8(ascii: "?") }
  return "\"" + String(decoding: shown, as: UTF8.self) + (text.utf8.count > 24 ? "..." : "") + "\""
}
