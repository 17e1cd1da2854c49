import HTTPServer
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Answers requests.
struct Responder: Sendable {
  let gateway: Gateway

  /// The status by which logs and metrics know a request whose client left before there was an answer,
  /// as nginx writes it: nothing of the service failed.
  private static let leftStatus = 499

  /// What a request is answered with.
  enum Answer: Sendable {
    case whole(HTTPResponse)
    /// A stream that is open.
    case stream(Changes.StreamID, ChangeStream)
  }

  func respond(_ request: HTTPRequest, _ connection: ClientConnection) async -> HTTPAnswer {
    let began = gateway.clock.uptimeNanoseconds()
    let exchange = Exchange(
      request, connection, randomness: gateway.randomness, isProxy: gateway.wall.isProxy)
    if let peer = exchange.unnamedProxy { gateway.unnamedProxies.warn(of: peer, gateway.log) }
    let found = Route.find(exchange.path)
    let answer: Answer
    var problem: Problem?
    var hasLeft = false
    do throws(Problem) {
      answer = try await self.answer(request, exchange, found)
    } catch {
      (answer, problem) = (.whole(HTTPResponse(error)), error)
      hasLeft = error == .noAnswer && connection.isGone
      if !hasLeft { gateway.meters.problem(error) }
      if case .limited(let limit, _) = error { gateway.meters.limited(limit) }
    }
    let name = found?.route.name ?? "none"
    switch answer {
    case .whole(var response):
      response.fields += common(exchange, found?.route)
      response.isLast = !gateway.life.isServing
      let status = hasLeft ? Responder.leftStatus : response.status
      note(exchange, name, status, problem, since: began)
      return .whole(response)
    case .stream(let id, let stream):
      note(exchange, name, 200, nil, since: began)
      connection.whenGone { stream.close() }
      // The request is kept no longer than it is answered.
      return .stream(
        streamHead(exchange),
        HTTPStream(next: { stream.next(orWake: $0) }) { [address = exchange.address] in
          connection.forgetHandler()
          leave(id, from: address)
        })
    }
  }

  private func answer(
    _ request: HTTPRequest, _ exchange: Exchange, _ found: (route: Route, parameters: [Substring])?
  ) async throws(Problem) -> Answer {
    try limited { () throws(Wall.Refusal) in try gateway.wall.request(from: exchange.address) }
    try check(exchange.values("host").first ?? "", exchange.connection)
    guard let (route, parameters) = found else { throw .notFound }
    guard route.methods.contains(exchange.method) else {
      throw .methodNotAllowed(route.methods)
    }
    if exchange.method == "OPTIONS" { return .whole(options(route)) }
    guard gateway.life.isServing else { throw .leaving }
    let accepted = exchange.values("accept")
    guard
      route.mediaTypes.isEmpty
        || route.mediaTypes.contains(where: { Accepting.allows($0, accepted) })
    else { throw .notAcceptable }
    switch route {
    case .root: return .whole(root(exchange))
    case .page: return .whole(try pageFile(parameters, exchange))
    case .pageWorker: return .whole(pageWorker(exchange))
    case .pageInvitation: return .whole(pageInvitation(exchange))
    case .pageShared: return .whole(await pageShared(parameters[0], exchange))
    case .openAPI: return .whole(tagged(OpenAPI.document, seconds: 3_600, exchange))
    case .events: return .whole(try await event(try envelope(request, exchange), exchange))
    case .queries: return .whole(try await query(try envelope(request, exchange), exchange))
    case .changes: return try await stream(try envelope(request, exchange), exchange)
    case .service: return .whole(try serviceInfo(exchange))
    default: return .whole(try await publicAnswer(route, parameters, exchange))
    }
  }

  // MARK: Requests

  /// Refuses a request that comes by a name which is none of the gateway's.
  private func check(_ host: String, _ client: ClientConnection) throws(Problem) {
    guard !gateway.ownNames.contain(host), !gateway.wall.isProxy(client.address) else { return }
    gateway.ownNames.warn(of: host, help: Responder.namesHelp, gateway.log)
    throw .misdirected
  }

  /// The body of a request with an envelope.
  private func envelope(_ request: HTTPRequest, _ exchange: Exchange) throws(Problem) -> [UInt8] {
    let lengths = exchange.values("content-length") + exchange.values("transfer-encoding")
    guard !lengths.isEmpty else { throw .lengthRequired }
    let types = exchange.values("content-type")
    guard types.count <= 1,
      types.allSatisfy({
        $0.prefix { $0 != ";" && $0 != " " }.lowercased() == "application/octet-stream"
      })
    else { throw .unsupportedMediaType }
    return request.body
  }

  func limited<Result>(
    _ body: () throws(Wall.Refusal) -> Result
  ) throws(Problem) -> Result {
    do throws(Wall.Refusal) { return try body() } catch {
      throw .limited(error.limit, retryAfter: error.retryAfter)
    }
  }

  private func options(_ route: Route) -> HTTPResponse {
    var response = HTTPResponse(status: 204, body: [])
    response.fields = [("Allow", route.methods.joined(separator: ", "))]
    if gateway.settings.origins != .none { response.fields += CORS.preflight(route.methods) }
    return response
  }

  // MARK: Answers

  /// The fields of every answer.
  private func common(
    _ exchange: Exchange, _ route: Route?
  ) -> [(name: String, value: String)] {
    var fields = [("X-Request-Id", exchange.trace.requestID)]
    if let parent = exchange.trace.parent { fields.append(("Traceparent", parent)) }
    fields.append(("X-Content-Type-Options", "nosniff"))
    if route?.isShown == true { fields += WebPage.guards }
    let origins = exchange.values("origin")
    return fields
      + CORS.fields(gateway.settings.origins, origin: origins.count == 1 ? origins[0] : nil)
  }

  /// Content that may be kept for a while, or only the word that the client has it.
  func tagged(
    _ content: [UInt8], tag: String? = nil, control: String? = nil, seconds: Int,
    _ exchange: Exchange
  ) -> HTTPResponse {
    let tag = tag ?? PublicCache.tag(of: content)
    let isKnown = EntityTag.matches(tag, exchange.values("if-none-match"))
    var response = HTTPResponse(status: isKnown ? 304 : 200, body: isKnown ? [] : content)
    response.fields = [
      ("ETag", tag), ("Cache-Control", control ?? "public, max-age=\(seconds)"),
    ]
    return response
  }

  private func streamHead(_ exchange: Exchange) -> HTTPResponse {
    var response = HTTPResponse(status: 200, mediaType: "text/event-stream")
    response.fields = [("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")]
    response.fields += common(exchange, .changes)
    return response
  }

  private func note(
    _ exchange: Exchange, _ route: String, _ status: Int, _ problem: Problem?, since began: UInt64
  ) {
    let now = gateway.clock.uptimeNanoseconds()
    let nanoseconds = now &- began
    gateway.meters.answered(route, status: status, nanoseconds: nanoseconds)
    gateway.failedRequests.note(status, at: now, gateway.log) {
      var metadata: Logger.Metadata = [
        "route": "\(route)", "status": .stringConvertible(status),
        "milliseconds": .stringConvertible(nanoseconds / 1_000_000),
      ]
      if let problem { metadata["problem"] = "\(problem.name)" }
      if let event = exchange.event.id { metadata["event"] = "\(event)" }
      return Optional(exchange.trace).marks(metadata)
    }
  }

  private static let namesHelp =
    "if players come by it, set \(SettingName.gatewayURL.rawValue), or "
    + "\(SettingName.gatewayProxies.rawValue) to the address of the proxy before this gateway"

  static let welcome = Array(
    """
    Cubist: a game of words on a cube of cubes. This is the gateway of its service, for programs.
    GET /v1/openapi.json describes it.

    """.utf8)
}
