/// A whole answer, or the head of a stream. The server adds the fields about the connection and the
/// length, and the date.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var fields: [(name: String, value: String)] = []
  package var mediaType: String
  package var body: [UInt8]
  /// Whether the connection ends with it. It may end for other reasons, too.
  package var isLast = false

  package init(status: Int, body: [UInt8] = [], mediaType: String = "application/json") {
    (self.status, self.body, self.mediaType) = (status, body, mediaType)
  }

  /// The line and the fields, to their end.
  /// - Parameter isStream: Whether the content comes in chunks.
  func head(date: String, isLast: Bool, isStream: Bool = false) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(HTTPResponse.reasons[status] ?? "")\r\n"
    text.reserveCapacity(512 + body.count)
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if ![204, 304].contains(status) {
      text += "Content-Type: \(mediaType)\r\n"
      text += isStream ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(body.count)\r\n"
    }
    if isLast { text += "Connection: close\r\n" }
    text += "Date: \(date)\r\n\r\n"
    return Array(text.utf8)
  }

  private static let reasons = [
    200: "OK", 202: "Accepted", 204: "No Content", 304: "Not Modified", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 411: "Length Required",
    413: "Content Too Large", 415: "Unsupported Media Type", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}

/// Content that comes bit by bit.
package struct HTTPStream: Sendable {
  package enum Piece: Sendable {
    case bytes([UInt8])
    /// Nothing yet. The server is woken when there is something.
    case later
    case end
  }

  /// Takes what is there. After `later` it calls `wake` once, on any thread.
  package let next: @Sendable (_ wake: @escaping @Sendable () -> Void) -> Piece
  /// Called once, when nothing more is taken.
  package let ended: @Sendable () -> Void

  package init(
    next: @escaping @Sendable (_ wake: @escaping @Sendable () -> Void) -> Piece,
    ended: @escaping @Sendable () -> Void
  ) {
    (self.next, self.ended) = (next, ended)
  }
}

/// What a request is answered with.
package enum HTTPAnswer: Sendable {
  case whole(HTTPResponse)
  case stream(HTTPResponse, HTTPStream)
}
