import Testing

@testable import HTTPServer

/// What a reader makes of bytes.
struct Reading: Hashable {
  var events: [String] = []
  var refusal: HTTPRefusal?

  static let limits = RequestReader.Limits(headBytes: 1_024, fieldCount: 8, bodyBytes: 64)

  /// - Parameter sizes: The sizes of the parts in which the bytes come, again and again; nil: all at
  ///   once.
  init(_ bytes: [UInt8], inPartsOf sizes: [Int]? = nil) {
    var reader = RequestReader(Reading.limits)
    var (rest, turn) = (bytes[...], 0)
    do throws(HTTPRefusal) {
      repeat {
        let size = sizes.map { $0[turn % $0.count] } ?? bytes.count
        turn += 1
        rest.prefix(size).withUnsafeBytes { reader.append($0) }
        rest = rest.dropFirst(size)
        while let event = try reader.next() { events.append(Reading.text(event)) }
      } while !rest.isEmpty
    } catch { refusal = error }
  }

  init(_ text: String) { self.init(Array(text.utf8)) }

  private static func text(_ event: RequestReader.Event) -> String {
    switch event {
    case .head(let expectsContinue): return expectsContinue ? "head, waits" : "head"
    case .request(let request):
      let names = ["host", "x", "accept"].flatMap { name in
        request.fields.values(name).map { " \(name)=\($0)" }
      }
      let body = String(decoding: request.body, as: UTF8.self)
      return "\(request.method) \(request.target)\(names.joined()) \(body)"
        + (request.isLast ? " last" : "")
    }
  }
}

/// Requests and what is none.
enum Sample {
  static let good: [(text: String, events: [String])] = [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["head", "GET / host=a "]),
    ("\r\n\r\nGET / HTTP/1.1\r\nHost:\r\n\r\n", ["head", "GET / host= "]),
    (
      "GET /p?q=1 HTTP/1.1\r\nHOST: a\r\nX:1\r\nx: \t2 3\t \r\n\r\n",
      ["head", "GET /p?q=1 host=a x=1 x=2 3 "]
    ),
    ("GET http://b.example/p HTTP/1.1\r\nHost: a\r\n\r\n", ["head", "GET /p host=a "]),
    ("GET HTTPS://b.example HTTP/1.1\r\nHost: a\r\n\r\n", ["head", "GET / host=a "]),
    ("GET http://b?q=/x HTTP/1.1\r\nHost: a\r\n\r\n", ["head", "GET /?q=/x host=a "]),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ["head", "OPTIONS * host=a "]),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{e4}\r\n\r\n", ["head", "GET / host=a x=\u{c3}\u{a4} "]),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        + "GET /next HTTP/1.1\r\nHost: b\r\n\r\n",
      ["head", "POST / host=a abc", "head", "GET /next host=b "]
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 003\r\nExpect: 100-Continue\r\n\r\nabc",
      ["head, waits", "POST / host=a abc"]
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
        + "3\r\nabc\r\n00a;n=\"v\"\r\n0123456789\r\n0\r\nX: y\r\n\r\n"
        + "GET / HTTP/1.1\r\nHost: b\r\n\r\n",
      ["head", "POST / host=a abc0123456789", "head", "GET / host=b "]
    ),
    (
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Close\r\n\r\nGET /no HTTP/1.1\r\n",
      ["head", "GET / host=a  last"]
    ),
    (
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\nPRI * HTTP/2.0\r\n\r\n",
      ["head", "GET / host=a  last"]
    ),
  ]

  private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"
  private static let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

  static let bad: [(text: String, refusal: HTTPRefusal)] = [
    // Two lengths, or a length and chunks.
    (post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", .malformed),
    (post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", .malformed),
    (post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", .malformed),
    (post + "Content-Length: 3, 3\r\n\r\n", .malformed),
    (post + "Content-Length: +3\r\n\r\n", .malformed),
    (post + "Content-Length: -0\r\n\r\n", .malformed),
    (post + "Content-Length: 0x3\r\n\r\n", .malformed),
    (post + "Content-Length: 3 3\r\n\r\n", .malformed),
    (post + "Content-Length:\r\n\r\n", .malformed),
    (post + "Content-Length: 99999999999999999999\r\n\r\n", .malformed),
    (post + "Content-Length: 65\r\n\r\n", .bodyTooLarge),
    // Codings.
    (post + "Transfer-Encoding: gzip, chunked\r\n\r\n", .codingNotImplemented),
    (post + "Transfer-Encoding: xchunked\r\n\r\n", .codingNotImplemented),
    // Kelvin's sign is a "k" in lower case.
    (post + "Transfer-Encoding: chun\u{212a}ed\r\n\r\n", .codingNotImplemented),
    (post + "Expect: 100-\u{37f}ontinue\r\n\r\n", .expectationFailed),
    (
      post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      .codingNotImplemented
    ),
    (post + "Transfer-Encoding:\u{b}chunked\r\n\r\n", .malformed),
    (post + "Transfer-Encoding : chunked\r\n\r\n", .malformed),
    // Chunks.
    (chunked + "zz\r\n", .malformed), (chunked + "\r\n", .malformed),
    (chunked + ";a\r\n", .malformed), (chunked + "-1\r\n", .malformed),
    (chunked + "0x1\r\na\r\n", .malformed), (chunked + "1 \r\na\r\n", .malformed),
    (chunked + " 1\r\na\r\n", .malformed), (chunked + "1\na\n", .malformed),
    (chunked + "1\r\nab\r\n", .malformed), (chunked + "1\r\na\n", .malformed),
    (chunked + "1\r\naX\r\n", .malformed),
    (chunked + "ffffffffffffffff\r\n", .malformed),
    (chunked + "fffffffffffffff\r\n", .bodyTooLarge),
    (chunked + "10000000000000000003\r\nabc", .malformed), (chunked + "41\r\n", .bodyTooLarge),
    (chunked + "40\r\n\(String(repeating: "x", count: 64))\r\n1\r\n", .bodyTooLarge),
    (chunked + "1;\(String(repeating: "x", count: 300))", .malformed),
    (chunked + "1;a\rb\r\n", .malformed), (chunked + "0\r\nX : y\r\n\r\n", .malformed),
    (chunked + "0\r\n X: y\r\n\r\n", .malformed),
    (chunked + "0\r\n" + String(repeating: "X: y\r\n", count: 300), .headTooLarge),
    // Lines and fields.
    ("GET / HTTP/1.1\nHost: a\n\n", .malformed), ("GET / HTTP/1.1\r\nHost: a\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\rX: b\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nX(: x\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7f}b\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", .malformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n", .expectationFailed),
    // The first line.
    ("NONSENSE\r\n", .malformed), ("GET /\r\n", .malformed), ("GET  / HTTP/1.1\r\n", .malformed),
    ("GET / HTTP/1.1 \r\n", .malformed), (" GET / HTTP/1.1\r\n", .malformed),
    ("GET\t/\tHTTP/1.1\r\n", .malformed), ("GET /a b HTTP/1.1\r\n", .malformed),
    ("GET /\u{e4} HTTP/1.1\r\n", .malformed), ("G@T / HTTP/1.1\r\n", .malformed),
    ("GET a.example HTTP/1.1\r\n", .malformed), ("GET ftp://a/ HTTP/1.1\r\n", .malformed),
    ("GET http:///p HTTP/1.1\r\n", .malformed), ("CONNECT a:443 HTTP/1.1\r\n", .malformed),
    ("GET / http/1.1\r\n", .malformed), ("GET / HTTP/1.x\r\n", .malformed),
    ("GET / HTTP/11\r\n", .malformed), ("GET / HTTP/1.10\r\n", .malformed),
    ("GET / HTTP/1.0\r\n", .versionNotSupported), ("GET / HTTP/3.7\r\n", .versionNotSupported),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", .malformed),
    // Sizes.
    ("GET /\(String(repeating: "x", count: 1_100))", .headTooLarge),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 1_100))", .headTooLarge),
    (
      "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 8), .headTooLarge
    ),
  ]
}
