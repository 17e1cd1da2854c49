extension Responder {
  /// The welcome: the page for browsers, a few words for programs.
  func root(_ exchange: Exchange) -> GatewayResponse {
    var response: GatewayResponse
    if Accepting.names("text/html", exchange.values("accept")) {
      response = page(WebPage.shared.index, control: "no-cache", exchange)
    } else {
      response = tagged(Responder.welcome, control: "no-cache", seconds: 0, exchange)
      response.mediaType = "text/plain"
    }
    response.fields.append(("Vary", "Accept"))
    return response
  }

  /// The page's service worker. A browser asks for it at each visit.
  func pageWorker(_ exchange: Exchange) -> GatewayResponse {
    page(WebPage.shared.worker, control: "no-cache", exchange)
  }

  /// A file of the page. Its address changes with its content.
  func pageFile(_ parameters: [Substring], _ exchange: Exchange) throws(Problem) -> GatewayResponse
  {
    guard let file = WebPage.shared.file(in: parameters[0], parameters[1]) else { throw .notFound }
    return page(file, control: "public, max-age=31536000, immutable", exchange)
  }

  private func page(
    _ file: WebPage.File, control: String, _ exchange: Exchange
  ) -> GatewayResponse {
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
