import HTTPServer
import MatchCore
import MatchInterfaces
import MatchWire

extension Responder {
  /// The service's data, with its time.
  func serviceInfo(_ exchange: Exchange) throws(Problem) -> HTTPResponse {
    let uptime = gateway.clock.uptimeNanoseconds()
    guard gateway.service.isAnswered(at: uptime), var info = gateway.service.info(at: uptime)
    else { throw missing }
    let content = AnswerBytes.content(AnswerCodec.encode(info, query: nil)) ?? []
    // The tag is that of everything but the time.
    info.now = Instant(microseconds: 0)
    let timeless = AnswerBytes.content(AnswerCodec.encode(info, query: nil)) ?? []
    return tagged(
      content, tag: "W/\(PublicCache.tag(of: timeless))", control: "no-cache", seconds: 0, exchange)
  }

  /// The answer to a public question.
  func publicAnswer(
    _ route: Route, _ path: [Substring], _ exchange: Exchange
  ) async throws(Problem) -> HTTPResponse {
    guard let now = gateway.service.info(at: gateway.clock.uptimeNanoseconds())?.now else {
      throw missing
    }
    let asked = try PublicQuestion.read(
      route, path, exchange.parameters, today: Day(containing: now))
    guard let asked else { throw .notFound }
    try limited { () throws(Wall.Refusal) in try gateway.wall.enter(.wait, exchange.address) }
    defer { gateway.wall.leave(.wait, exchange.address) }
    let answer = await gateway.cache.answer(
      to: asked.kind, freshFor: .seconds(asked.seconds), for: exchange.connection,
      trace: exchange.trace)
    switch answer {
    case .content(let content, let tag):
      return tagged(content, tag: tag, seconds: asked.seconds, exchange)
    case .refused(let bytes, let result):
      var response = HTTPResponse(status: result.status, body: bytes)
      response.fields = [("Cache-Control", "no-store")]
      if let seconds = result.retryAfter { response.fields.append(("Retry-After", "\(seconds)")) }
      return response
    case .problem(let problem): throw problem
    }
  }
}
