import Hummingbird

typealias FieldName = HTTPFields.Element.Name

/// A whole answer.
struct GatewayResponse: Sendable {
  var status: Int
  var fields: [(name: String, value: String)] = []
  var mediaType = "application/json"
  var body: [UInt8]

  init(status: Int, body: [UInt8], mediaType: String = "application/json") {
    self.status = status
    self.body = body
    self.mediaType = mediaType
  }

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

  /// The head, with fields that every answer has.
  func head(with common: [(name: String, value: String)], closing: Bool) -> HTTPResponse {
    var head = HTTPResponse(status: .init(code: status))
    for (name, value) in fields + common {
      guard let name = FieldName(name) else { continue }
      head.headerFields.append(.init(name: name, value: value))
    }
    if ![204, 304].contains(status) {
      head.headerFields[.contentType] = mediaType
      head.headerFields[.contentLength] = "\(body.count)"
    }
    if closing { head.headerFields[.connection] = "close" }
    return head
  }
}
