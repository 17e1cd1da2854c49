import FoundationEssentials
import MatchInterfaces
import MatchWire

/// The head of an answer by HTTP.
struct HTTPHead: Hashable, Sendable {
  var status: Int
  /// The media type in lower case, without parameters.
  var mediaType: String
  /// The seconds of `Retry-After`; nil if the header is not there or holds anything else.
  var retryAfter: Int64?
  /// The target of a redirect.
  var location: String?
  /// The id by which the request is found in the service's logs.
  var requestID: String?

  init(
    status: Int, mediaType: String?, retryAfter: String? = nil, location: String? = nil,
    requestID: String? = nil
  ) {
    self.status = status
    self.mediaType =
      mediaType?.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased() ?? ""
    self.retryAfter = retryAfter.flatMap { text in
      guard text.utf8.count <= 9, let seconds = Int64(text), seconds >= 0 else { return nil }
      return seconds
    }
    self.location = location
    self.requestID = requestID.flatMap { RequestTrace.isRequestID($0) ? $0 : nil }
  }

  var isJSON: Bool { mediaType == "application/json" }
}

/// A whole answer by HTTP.
struct HTTPAnswer: Hashable, Sendable {
  var head: HTTPHead
  var body: [UInt8]
}

/// An error that a gateway tells of itself. Source: RFC 9457.
struct GatewayProblem: Hashable, Sendable {
  /// A stable name, as in `urn:cubist:problem:NAME`.
  var name: String
  /// A sentence for a person.
  var detail: String
  /// Whether the message certainly did not go to the broker.
  var isUnsent: Bool
  var retryAfter: Int64?
  /// The id by which the gateway's log names the request, if the service failed.
  var requestID: String?

  private struct Body: Decodable {
    var type: String?
    var title: String?
    var detail: String?
    var sent: Bool?
  }

  private static let prefix = "urn:cubist:problem:"
  private static let textLimit = 300

  /// Reads an answer; nil for one that is no problem of a gateway.
  init?(_ answer: HTTPAnswer) {
    guard answer.head.mediaType == "application/problem+json",
      let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body)),
      let type = body.type, type.hasPrefix(GatewayProblem.prefix)
    else { return nil }
    name = SafeText.line(type.dropFirst(GatewayProblem.prefix.count), limit: 60)
    detail = SafeText.line(body.detail ?? body.title ?? name, limit: GatewayProblem.textLimit)
    isUnsent = body.sent == false
    retryAfter = answer.head.retryAfter
    requestID = answer.head.status >= 500 ? answer.head.requestID : nil
  }

  /// The problem as a clause, with its name.
  var text: String { "\(ClientError.withoutPeriod(detail)) (\(mark))" }

  /// The name, and the request by which operators find it in the gateway's log.
  var mark: String { name + (requestID.map { "\(GatewayProblem.requestMark)\($0)" } ?? "") }

  /// The words before a request's id.
  static let requestMark = ", request "
}

extension HTTPAnswer {
  private struct Pending: Decodable {
    var pending: String
  }

  /// The meaning of an answer to an event or a query.
  ///
  /// An error means that the broker certainly does not have the event. Whether it has a query is of
  /// no interest, so that other answers to a query are errors that say more.
  func meaning(
    for destination: PlayerMessage.Destination, at address: GatewayAddress
  ) throws(BusError) -> PlayerAnswer {
    let isQuery = destination == .queries
    switch head.status {
    case 202 where !isQuery:
      guard head.isJSON, let told = try? JSONDecoder().decode(Pending.self, from: Data(body))
      else { return .unknown }
      return told.pending == "confirmed" ? .confirmed : .unknown
    case 300..<400:
      guard isQuery else { return .unknown }
      let target = SafeText.line(head.location ?? "somewhere else", limit: 200)
      throw .unroutable(
        "\(address) redirects to \(target), and a signed message goes nowhere else by itself")
    default: break
    }
    if head.isJSON { return .reply(body) }
    if let problem = GatewayProblem(self) { return try meaning(of: problem, isQuery, address) }
    guard isQuery else { return .unknown }
    let what =
      "\(address) answered \(head.status) with "
      + (head.mediaType.isEmpty ? "no type" : SafeText.line(head.mediaType, limit: 60))
    switch head.status {
    case 502, 503, 504: throw .disconnected("\(what): the gateway behind it is away")
    case 429: throw .unavailable("\(what): too many requests", retryAfterSeconds: head.retryAfter)
    default: throw .unroutable("\(what), as no gateway of Cubist does. Check the address")
    }
  }

  private func meaning(
    of problem: GatewayProblem, _ isQuery: Bool, _ address: GatewayAddress
  ) throws(BusError) -> PlayerAnswer {
    guard problem.isUnsent || isQuery else { return .unknown }
    if problem.name == "noAnswer" {
      return .unanswered("\(address): nobody answered (\(problem.mark))")
    }
    let text = "\(address): \(problem.text)"
    switch head.status {
    case 404, 405: throw .unroutable(text)
    // The queue of one message takes nothing; others may.
    case 503 where problem.name == "brokerRefused": throw .refused(text)
    case 429, 503: throw .unavailable(text, retryAfterSeconds: problem.retryAfter)
    default: throw .refused(text)
    }
  }
}

/// Text from outside, made fit for a message to a person.
enum SafeText {
  /// One line without control characters, cut to so many characters.
  static func line(_ text: some StringProtocol, limit: Int) -> String {
    let line = text.unicodeScalars.prefix(limit + 1).map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        ? " " : Character(scalar)
    }
    return line.count > limit ? String(line.prefix(limit)) + "…" : String(line)
  }
}
