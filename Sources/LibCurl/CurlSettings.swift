/// How a client reaches its servers.
public struct CurlSettings: Hashable, Sendable {
  /// The longest that a connection may take, name and TLS included.
  public var connectTimeout: Duration = .seconds(3)
  /// The longest that a request may take, from the connection to the end of the answer; nil: as long
  /// as it needs.
  public var timeout: Duration? = .seconds(8)
  /// The longest time without a byte of the answer, in whole seconds; nil: as long as the request.
  public var idleTimeout: Duration?
  /// Bytes of an answer's body that are kept; the rest is not read.
  public var bodyLimit = 16_384
  /// The path of a file with authorities, in PEM, that may vouch for a server; nil: the system's.
  public var certificateAuthority: String?
  /// The client's name in the header `User-Agent`.
  public var userAgent = "cubist"

  public init() {}
}

/// A server's response.
public struct CurlResponse: Hashable, Sendable {
  /// The status, such as 200.
  public var status: Int
  /// The body, or its beginning up to the limit.
  public var body: [UInt8]
  /// How long the server wants to be left alone; nil where it does not say.
  public var retryAfter: Duration?

  public init(status: Int, body: [UInt8] = [], retryAfter: Duration? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}

/// Why there is no answer.
public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// There is no connection to be had.
    case unreachable
    /// It took too long. The server may have the request.
    case timedOut
    /// The server is not the expected one, or does not speak TLS.
    case tlsRefused
    /// The connection ended before the answer did. The server may have the request.
    case cutOff
    /// The answer is invalid, or the URL or the file of authorities cannot be used.
    case unusable
  }

  public var code: Code
  /// The failure, for a person, with host and port where they are known.
  public var description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
