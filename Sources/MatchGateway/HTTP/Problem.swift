import MatchCore

/// Why the gateway itself did not do as it was asked. The service's refusals are something else.
///
/// It travels as `application/problem+json` (RFC 9457). `sent` is false: the message certainly did
/// not go to the broker.
package enum Problem: Error, Hashable, Sendable {
  /// The bytes are no HTTP.
  case malformedRequest
  case notFound
  case methodNotAllowed([String])
  case notAcceptable
  /// The head or the body took too long.
  case requestTimeout
  case lengthRequired
  case bodyTooLarge(limit: Int)
  case unsupportedMediaType
  case expectationFailed
  /// `Host` is none of the gateway's names.
  case misdirected
  /// A parameter of the path or the query.
  case parameterInvalid(String)
  case headersTooLarge
  case notImplemented
  case versionNotSupported
  case limited(Limit, retryAfter: Int64?)
  /// There is no connection to the broker.
  case brokerUnreachable
  /// The broker did not take the message.
  case brokerRefused
  /// No reader has told yet which service this is.
  case notReady
  case leaving
  /// The query has opened a stream, or is about to.
  case alreadyUsed
  /// A question was asked and not answered. Nothing changed.
  case noAnswer

  /// The end of its type.
  package var name: String {
    switch self {
    case .malformedRequest: "malformedRequest"
    case .notFound: "notFound"
    case .methodNotAllowed: "methodNotAllowed"
    case .notAcceptable: "notAcceptable"
    case .requestTimeout: "requestTimeout"
    case .lengthRequired: "lengthRequired"
    case .bodyTooLarge: "bodyTooLarge"
    case .unsupportedMediaType: "unsupportedMediaType"
    case .expectationFailed: "expectationFailed"
    case .misdirected: "misdirected"
    case .parameterInvalid: "parameterInvalid"
    case .headersTooLarge: "headersTooLarge"
    case .notImplemented: "notImplemented"
    case .versionNotSupported: "versionNotSupported"
    case .limited(let limit, _): limit.rawValue
    case .brokerUnreachable: "brokerUnreachable"
    case .brokerRefused: "brokerRefused"
    case .notReady: "notReady"
    case .leaving: "leaving"
    case .alreadyUsed: "alreadyUsed"
    case .noAnswer: "noAnswer"
    }
  }

  package var status: Int {
    switch self {
    case .malformedRequest, .parameterInvalid: 400
    case .notFound: 404
    case .methodNotAllowed: 405
    case .notAcceptable: 406
    case .requestTimeout: 408
    case .alreadyUsed: 409
    case .lengthRequired: 411
    case .bodyTooLarge: 413
    case .unsupportedMediaType: 415
    case .expectationFailed: 417
    case .misdirected: 421
    case .headersTooLarge: 431
    case .notImplemented: 501
    case .versionNotSupported: 505
    case .limited(let limit, _): limit.isOfAll ? 503 : 429
    case .brokerUnreachable, .brokerRefused, .notReady, .leaving: 503
    // A proxy asks another gateway after a 503. That would double the wait.
    case .noAnswer: 504
    }
  }

  /// Seconds after which another try may go well.
  package var retryAfter: Int64? {
    switch self {
    case .limited(_, let seconds): seconds
    case .brokerUnreachable, .brokerRefused, .notReady, .leaving, .noAnswer: 1
    default: nil
    }
  }

  /// Whether the message may have gone to the broker.
  private var isPerhapsSent: Bool { self == .noAnswer }

  /// A few words.
  var title: String {
    switch self {
    case .malformedRequest: "This is no request of HTTP."
    case .notFound: "There is nothing here."
    case .methodNotAllowed: "Nothing is done by that method here."
    case .notAcceptable: "The answer has another form than is accepted."
    case .requestTimeout: "The request took too long to arrive."
    case .lengthRequired: "The request does not say that it has a body."
    case .bodyTooLarge: "The body is too long."
    case .unsupportedMediaType: "The body is of another type."
    case .expectationFailed: "The expectation is not known."
    case .misdirected: "The gateway is not known by this name."
    case .parameterInvalid: "A parameter is not allowed."
    case .headersTooLarge: "The head of the request is too long."
    case .notImplemented: "That way of sending a body is not known."
    case .versionNotSupported: "Only HTTP/1.1 is spoken here."
    case .limited(let limit, _):
      limit.isOfAll ? "The gateway is full." : "That is more than one may use."
    case .brokerUnreachable, .brokerRefused, .notReady: "The service cannot be reached."
    case .leaving: "The gateway is about to end."
    case .alreadyUsed: "That query has opened a stream."
    case .noAnswer: "Nobody answered in time."
    }
  }

  /// The mistake, and the remedy. `retryAfter` says when to try again.
  var detail: String {
    switch self {
    case .malformedRequest: "Send a request as RFC 9112 has it, with one Host and one length."
    case .notFound: "GET /v1/openapi.json describes everything that there is."
    case .methodNotAllowed(let methods): "Use one of \(methods.joined(separator: ", "))."
    case .notAcceptable: "Accept application/json, and text/event-stream for /v1/changes."
    case .requestTimeout: "Send the whole request at once."
    case .lengthRequired: "Send an envelope with Content-Length."
    case .bodyTooLarge(let limit): "Send at most \(limit) bytes."
    case .unsupportedMediaType: "Send an envelope as application/octet-stream."
    case .expectationFailed: "Expect nothing, or 100-continue."
    case .misdirected: "Ask by an address, or a name that the operator has set. The log says how."
    case .parameterInvalid(let text): text
    case .headersTooLarge: "Send fewer and shorter header fields, and a shorter path."
    case .notImplemented: "Send the body with Content-Length, or chunked and nothing else."
    case .versionNotSupported: "Send the request as HTTP/1.1."
    case .limited(let limit, _): limit.detail
    case .brokerUnreachable: "The gateway has no connection to its broker."
    case .brokerRefused: "The broker took no message."
    case .notReady: "No reader of the service answers the gateway."
    case .leaving: "Another gateway takes over."
    case .alreadyUsed: "A query opens one stream. Sign a new one, with a new id."
    case .noAnswer: "Nothing was changed. Ask again with a new id."
    }
  }

  /// The document. A text in it comes from this file, or is checked: it needs no escapes.
  package var body: [UInt8] {
    var members: [(String, JSON?)] = [
      ("type", .string("urn:cubist:problem:\(name)")), ("title", .string(title)),
      ("status", .number(status)), ("detail", .string(detail)),
    ]
    if !isPerhapsSent { members.append(("sent", .bool(false))) }
    if let retryAfter { members.append(("retryAfter", .number(retryAfter))) }
    return JSON.object(members).serialized
  }
}

extension Limit {
  /// Whether all have used it up together.
  var isOfAll: Bool { [.connections, .streams, .waits].contains(self) }

  /// The remedy, beside trying again where `retryAfter` is told.
  var detail: String {
    switch self {
    case .connections: "The gateway has as many connections as it may."
    case .addressConnections: "Close connections of your address, or use fewer."
    case .addressRequests: "Your address has asked too much within a minute. Wait."
    case .keyRequests: "Your key has signed too much within a minute. Wait."
    case .registrations: "Too many players were registered from your network within an hour. Wait."
    case .streams: "The gateway has as many streams as it may. Ask for changes by queries."
    case .playerStreams: "A newer stream of this player has taken the place."
    case .addressStreams: "Close a stream of your address first."
    case .waits: "Too many requests wait for answers."
    case .addressWaits: "Wait for an answer before you ask on."
    case .pipelining: "Wait for an answer before you send on."
    case .headTime, .bodyTime, .idleTime: "Send the whole request at once."
    case .slowReader: "Read what is sent to you."
    case .headerSize: "Send fewer and shorter header fields."
    case .bodySize: "Send a shorter body."
    }
  }
}
