/// Writes JSON, one value after another, without Foundation.
package struct JSONText {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// An object, whose fields are written by the closure.
  package mutating func object(_ fields: (inout JSONText) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    fields(&self)
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// The name of the field that is written next.
  package mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func value(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<32:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(Self.digit(byte >> 4))
        bytes.append(Self.digit(byte & 15))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  package mutating func value(_ number: Int) { raw(String(number)) }

  package mutating func value(_ isTrue: Bool) { raw(isTrue ? "true" : "false") }

  package mutating func field(_ name: StaticString, _ text: StaticString) {
    self.name(name)
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  package mutating func field(_ name: StaticString, _ text: String) {
    self.name(name)
    value(text)
  }

  package mutating func field(_ name: StaticString, _ number: Int) {
    self.name(name)
    value(number)
  }

  package mutating func field(_ name: StaticString, _ isTrue: Bool) {
    self.name(name)
    value(isTrue)
  }

  /// A field with an array: its items are written next, then the end.
  package mutating func array(_ name: StaticString) {
    self.name(name)
    bytes.append(UInt8(ascii: "["))
    needsComma = false
  }

  package mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  private mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
