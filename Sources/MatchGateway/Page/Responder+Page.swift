import FoundationEssentials
import HTTPServer
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension Responder {
  /// The welcome: the page for browsers, a few words for programs.
  func root(_ exchange: Exchange) -> HTTPResponse {
    var response: HTTPResponse
    if Accepting.names("text/html", exchange.values("accept")) {
      response = card(.game, exchange)
    } else {
      response = tagged(Responder.welcome, control: "no-cache", seconds: 0, exchange)
      response.mediaType = "text/plain"
    }
    response.fields.append(("Vary", "Accept"))
    return response
  }

  /// The page's service worker. A browser asks for it at each visit.
  func pageWorker(_ exchange: Exchange) -> HTTPResponse {
    page(WebPage.shared.worker, control: "no-cache", exchange)
  }

  /// The page, which finds the code of the invitation in its address.
  func pageInvitation(_ exchange: Exchange) -> HTTPResponse { card(.invitation, exchange) }

  /// The page, which finds the code of the shared game in its address.
  ///
  /// The card of the link names the players. A person who opens it does not wait for that: browsers
  /// say that they navigate, programs that read cards do not.
  func pageShared(_ code: Substring, _ exchange: Exchange) async -> HTTPResponse {
    let isBrowser = !exchange.values("sec-fetch-mode").isEmpty
    var named: WebPage.File?
    if !isBrowser, let code = ShareCode(typed: code) { named = await sharedIndex(code, exchange) }
    var response = page(named ?? index(.sharedGame), control: "no-cache", exchange)
    response.fields.append(("Vary", "Sec-Fetch-Mode"))
    return response
  }

  /// The index with the card of a shared game; nil if the game is not known now.
  private func sharedIndex(_ code: ShareCode, _ exchange: Exchange) async -> WebPage.File? {
    guard gateway.service.isAnswered(at: gateway.clock.uptimeNanoseconds()) else { return nil }
    do throws(Wall.Refusal) {
      try gateway.wall.enter(.wait, exchange.address)
    } catch { return nil }
    defer { gateway.wall.leave(.wait, exchange.address) }
    let answer = await gateway.cache.answer(
      to: .matchByCode(Query.MatchByCode(code)), freshFor: .seconds(2), for: exchange.connection,
      trace: exchange.trace)
    guard case .content(let content, let tag) = answer else { return nil }
    return gateway.cards.file(tag) {
      let match = try? JSONDecoder().decode(MatchView.self, from: Data(content))
      return match.map { index(LinkCard(of: $0)) }
    }
  }

  private func card(_ card: LinkCard, _ exchange: Exchange) -> HTTPResponse {
    page(index(card), control: "no-cache", exchange)
  }

  private func index(_ card: LinkCard) -> WebPage.File {
    gateway.indexes[card]
      ?? WebPage.shared.index(card, at: gateway.settings.publicAddress, isPacked: false)
  }

  /// A file of the page. Its address changes with its content.
  func pageFile(_ parameters: [Substring], _ exchange: Exchange) throws(Problem) -> HTTPResponse {
    guard let file = WebPage.shared.file(in: parameters[0], parameters[1]) else { throw .notFound }
    return page(file, control: "public, max-age=31536000, immutable", exchange)
  }

  private func page(
    _ file: WebPage.File, control: String, _ exchange: Exchange
  ) -> HTTPResponse {
    let packed = Accepting.allowsGzip(exchange.values("accept-encoding")) ? file.packed : nil
    let form = packed ?? file.plain
    var response = tagged(form.bytes, tag: form.tag, control: control, seconds: 0, exchange)
    response.mediaType = file.mediaType
    response.fields.append(("Vary", "Accept-Encoding"))
    if packed != nil, response.status == 200 {
      response.fields.append(("Content-Encoding", "gzip"))
    }
    return response
  }
}
