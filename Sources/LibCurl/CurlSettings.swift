/// How a client reaches its servers.
package struct CurlSettings: Hashable, Sendable {
  /// The longest that a connection may take, name and TLS included.
  package var connectTimeout: Duration = .seconds(3)
  /// The longest that a request may take, from the connection to the end of the answer; nil: as long
  /// as it needs.
  package var timeout: Duration? = .seconds(8)
  /// The longest time without a byte of the answer, in whole seconds; nil: as long as the request.
  package var idleTimeout: Duration?
  /// Bytes of an answer's body that are kept; the rest is not read.
  package var bodyLimit = 16_384
  /// The path of a file with authorities, in PEM, that may vouch for a server; nil: the system's.
  package var certificateAuthority: String?
  /// The client's name in the header `User-Agent`.
  package var userAgent = "cubist"

  package init() {}
}

/// A server's response.
package struct CurlResponse: Hashable, Sendable {
  /// The status, such as 200.
  package var status: Int
  /// The body, or its beginning up to the limit.
  package var body: [UInt8]
  /// How long the server wants to be left alone; nil where it does not say.
  package var retryAfter: Duration?

  package init(status: Int, body: [UInt8] = [], retryAfter: Duration? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}

/// Why there is no answer.
package struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: Hashable, Sendable {
    /// There is no connection to be had.
    case unreachable
    /// It took too long. The server may have the request.
    case timedOut
    /// The server is not the expected one, or does not speak TLS.
    case tlsRefused
    /// The connection ended before the answer did. The server may have the request.
    case cutOff
    /// The gate of the request refused every address of the server.
    case addressRefused
    /// The answer is invalid, or the URL or the file of authorities cannot be used.
    case unusable
  }

  package var code: Code
  /// The failure, for a person, with host and port where they are known.
  package var description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
