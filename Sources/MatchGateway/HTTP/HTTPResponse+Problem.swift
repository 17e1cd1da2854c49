import HTTPServer

extension HTTPResponse {
  /// A problem of the gateway's own.
  init(_ problem: Problem) {
    self.init(
      status: problem.status, body: problem.body, mediaType: "application/problem+json")
    fields.append(("Cache-Control", "no-store"))
    if let seconds = problem.retryAfter { fields.append(("Retry-After", "\(seconds)")) }
    if case .methodNotAllowed(let methods) = problem {
      fields.append(("Allow", methods.joined(separator: ", ")))
    }
  }
}

extension Problem {
  /// - Parameter bodyLimit: The most bytes of a body.
  init(_ refusal: HTTPRefusal, bodyLimit: Int) {
    self =
      switch refusal {
      case .malformed: .malformedRequest
      case .headTooLarge: .headersTooLarge
      case .bodyTooLarge: .bodyTooLarge(limit: bodyLimit)
      case .versionNotSupported: .versionNotSupported
      case .codingNotImplemented: .notImplemented
      case .expectationFailed: .expectationFailed
      case .headTimeout, .bodyTimeout: .requestTimeout
      case .pipelining: .limited(.pipelining, retryAfter: nil)
      }
  }

  init(_ refusal: Wall.Refusal) {
    self = .limited(refusal.limit, retryAfter: refusal.retryAfter)
  }
}
