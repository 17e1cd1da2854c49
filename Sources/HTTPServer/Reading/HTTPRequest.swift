/// A whole request.
package struct HTTPRequest: Sendable {
  package let method: String
  /// Path and query, such as `/path?query`; or `*`.
  package let target: String
  package let fields: HTTPFields
  package let body: [UInt8]
  /// Whether the connection ends with the answer.
  package let isLast: Bool

  init(_ head: RequestHead, body: [UInt8]) {
    (method, target, fields) = (head.method, head.target, head.fields)
    (self.body, isLast) = (body, head.isLast)
  }

  /// The memory of the request.
  var byteCount: Int { target.utf8.count + fields.byteCount + body.count }
}

/// Why a connection is read no further.
package enum HTTPRefusal: Error, Hashable, Sendable, CaseIterable {
  /// The bytes are no request, or could mean different requests to different readers.
  case malformed
  case headTooLarge
  case bodyTooLarge
  case versionNotSupported
  /// A transfer coding other than `chunked`.
  case codingNotImplemented
  case expectationFailed
  case headTimeout
  case bodyTimeout
  /// Too many requests wait for the answer to an earlier one.
  case pipelining
}
