import CubistBasics

/// One JSON object on one line: keys sorted, every control character escaped. So a stranger's text
/// can never begin a line of its own or reach a terminal.
struct JSONLine: Hashable, Sendable {
  /// The value of a field.
  enum Value: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case object(JSONLine)
    case array([JSONLine])
  }

  private var fields: [String: Value]

  /// An object of these fields.
  init(_ fields: [String: Value] = [:]) { self.fields = fields }

  subscript(key: String) -> Value? {
    get { fields[key] }
    set { fields[key] = newValue }
  }

  /// UTF-8, ended by a line break.
  var bytes: [UInt8] { object + "\n".utf8 }

  /// UTF-8 without the line break.
  var object: [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    bytes.reserveCapacity(256)
    for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONLine.append(field.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      switch field.value {
      case .text(let text): JSONLine.append(text, to: &bytes)
      case .number(let number): bytes += String(number).utf8
      case .flag(let isTrue): bytes += (isTrue ? "true" : "false").utf8
      case .object(let line): bytes += line.object
      case .array(let lines):
        bytes.append(UInt8(ascii: "["))
        bytes += lines.map(\.object).joined(separator: [UInt8(ascii: ",")])
        bytes.append(UInt8(ascii: "]"))
      }
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// The bytes of a text between its quotation marks.
  static func escapedCount(_ text: String) -> Int {
    if isPlain(text) { return text.utf8.count }
    var bytes: [UInt8] = []
    appendEscaped(text, to: &bytes)
    return bytes.count
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if isPlain(text) { bytes += text.utf8 } else { appendEscaped(text, to: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a text is printable ASCII with nothing to escape. Almost every text is.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c }
  }

  private static func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5c:
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(scalar.value))
      case 0x0a: bytes += "\\n".utf8
      // C0, DEL, C1, and the line and paragraph separators, which some readers take for line
      // breaks.
      case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029:
        bytes += "\\u\(Hex.encode(UInt64(scalar.value), digits: 4))".utf8
      default: bytes += UTF8.encode(scalar).map { Array($0) } ?? []
      }
    }
  }
}
