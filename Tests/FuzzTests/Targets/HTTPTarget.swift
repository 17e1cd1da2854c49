@testable import HTTPServer

extension FuzzTarget {
  static let httpTargets = [FuzzTarget(name: "httpRequests", run: requests)]

  private static let limits = RequestReader.Limits(
    headBytes: 512, fieldCount: 8, bodyBytes: 128)

  /// The requests of a connection: the same ones, and the same refusal, wherever the bytes are split.
  @Sendable private static func requests(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    let size = Int(input.byte() % 64) + 1
    let rest = input.remainder()
    let whole = try read(rest, inPartsOf: rest.count)
    let parts = try read(rest, inPartsOf: size)
    try hold(whole.refusal == parts.refusal, "\(whole.refusal as Any), \(parts.refusal as Any)")
    try hold(whole.events == parts.events, "\(whole.events) become \(parts.events)")
  }

  private static func read(
    _ bytes: [UInt8], inPartsOf size: Int
  ) throws -> (events: [String], refusal: HTTPRefusal?) {
    var reader = RequestReader(limits)
    var events: [String] = []
    var rest = bytes[...]
    do {
      while !rest.isEmpty {
        rest.prefix(size).withUnsafeBytes { reader.append($0) }
        rest = rest.dropFirst(size)
        while let event = try reader.next() {
          guard case .request(let request) = event else {
            events.append("head")
            continue
          }
          try check(request)
          let hosts = request.fields.values("host")
          events.append("\(request.method) \(request.target) \(hosts) \(request.body)")
        }
      }
    } catch let refusal as HTTPRefusal { return (events, refusal) }
    return (events, nil)
  }

  private static func check(_ request: HTTPRequest) throws {
    try hold(request.fields.count(of: "host") == 1, "it has no host, or several")
    try hold(request.body.count <= limits.bodyBytes, "a body of \(request.body.count)")
    try hold(request.target.hasPrefix("/") || request.target == "*", "target \(request.target)")
    try hold(!request.target.utf8.contains { $0 <= 0x20 || $0 >= 0x7f }, "blanks in a target")
    let lengths = request.fields.count(of: "content-length")
    let codings = request.fields.count(of: "transfer-encoding")
    try hold(lengths + codings <= 1, "\(lengths) lengths, \(codings) codings")
  }
}
