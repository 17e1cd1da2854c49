/// A request to a server.
package struct CurlRequest {
  /// The method of a request. `get` and `delete` send no body.
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"

    var hasBody: Bool { self == .post || self == .put }
  }

  /// Judges an address of 16 bytes, an IPv4 address as `::ffff:a.b.c.d`, and a port: the reason to
  /// refuse it, or nil.
  package typealias Gate = (_ address: UInt128, _ port: Int) -> String?

  package var method: Method
  package var url: String
  /// Names and values. One with a line break is refused.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// HTTP/2 over TLS if the server speaks it; else HTTP/1.1.
  package var isHTTP2 = false
  /// Only HTTPS, and no user in the URL.
  package var isSecureOnly = false
  /// Asked before a connection is made, and before a kept one is used. Nil: every address may be
  /// reached.
  package var gate: Gate?
  /// The path of a file with authorities that may vouch for the server. Nil: the client's.
  package var certificateAuthority: String?

  package init(
    _ method: Method, _ url: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}
