/// The head of a request that means one thing to every reader (RFC 9112).
struct RequestHead: Sendable {
  /// How the end of the body is found.
  enum Framing: Hashable, Sendable {
    case length(Int)
    case chunked
  }

  let method: String
  let target: String
  let fields: HTTPFields
  let framing: Framing
  let isLast: Bool
  /// Whether the client waits for `100 Continue` before it sends the body.
  let expectsContinue: Bool

  init(_ line: RequestLine, _ fields: HTTPFields, bodyLimit: Int) throws(HTTPRefusal) {
    guard fields.count(of: "host") == 1 else { throw .malformed }
    framing = try RequestHead.framing(fields, bodyLimit: bodyLimit)
    let expectations = fields.values("expect")
    guard expectations.allSatisfy({ $0.lowercased() == "100-continue" }) else {
      throw .expectationFailed
    }
    expectsContinue = !expectations.isEmpty
    // A client that proposes another protocol gets its answer in this one, and nothing is read
    // after it.
    isLast =
      fields.count(of: "upgrade") > 0 || RequestHead.options(fields).contains("close")
    (method, target, self.fields) = (line.method, line.target, fields)
  }

  private static func framing(
    _ fields: HTTPFields, bodyLimit: Int
  ) throws(HTTPRefusal) -> Framing {
    let codings = fields.values("transfer-encoding")
    let lengths = fields.values("content-length")
    guard codings.isEmpty || lengths.isEmpty, lengths.count <= 1 else { throw .malformed }
    if !codings.isEmpty {
      guard codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw .codingNotImplemented
      }
      return .chunked
    }
    guard let text = lengths.first else { return .length(0) }
    guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let length = Int(text)
    else { throw .malformed }
    guard length <= bodyLimit else { throw .bodyTooLarge }
    return .length(length)
  }

  /// The members of `Connection`.
  private static func options(_ fields: HTTPFields) -> [String] {
    fields.values("connection").flatMap { field in
      field.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    }
  }
}

/// The first line of a request.
struct RequestLine: Hashable, Sendable {
  let method: String
  let target: String

  init(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isOfToken) else {
      throw .malformed
    }
    try RequestLine.check(version: parts[2])
    guard let target = RequestLine.target(parts[1]) else { throw .malformed }
    method = String(decoding: parts[0], as: UTF8.self)
    self.target = target
  }

  private static func check(version: ArraySlice<UInt8>) throws(HTTPRefusal) {
    let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    let (name, number) = (version.prefix(5), Array(version.dropFirst(5)))
    guard name.elementsEqual("HTTP/".utf8), number.count == 3, isDigit(number[0]),
      number[1] == UInt8(ascii: "."), isDigit(number[2])
    else { throw .malformed }
    guard number.elementsEqual("1.1".utf8) else { throw .versionNotSupported }
  }

  /// The path and query of `/path`, `http://host/path` or `*`; nil for another form.
  private static func target(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.allSatisfy({ 0x21...0x7e ~= $0 }) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    if text.hasPrefix("/") || text == "*" { return text }
    for scheme in ["http://", "https://"] where text.lowercased().hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      let path = rest.drop { !"/?#".contains($0) }
      guard path.count < rest.count else { return nil }
      return path.hasPrefix("/") ? String(path) : "/\(path)"
    }
    return nil
  }
}

extension UInt8 {
  static let carriageReturn = UInt8(ascii: "\r")
  static let lineFeed = UInt8(ascii: "\n")

  /// Whether it may stand in a line of a head: visible characters, spaces, tabs, and bytes of
  /// text in another encoding.
  var isOfLine: Bool { self >= 0x20 && self != 0x7f || self == 0x09 }

  /// Whether it is a space or a tab.
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// Whether it may stand in a method or in the name of a field.
  var isOfToken: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
