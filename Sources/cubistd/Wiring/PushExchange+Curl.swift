import LibCurl
import MatchInterfaces
import MatchService

extension PushExchange {
  /// Over libcurl, many requests at a time on connections that are kept.
  /// - Parameters:
  ///   - gate: The addresses that a request may lead to if a client chose its URL.
  ///   - timeout: The longest that a request may take.
  static func live(
    gate: PushGate, settings worker: PushWorkerSettings = .init(),
    timeout: Duration = .seconds(8), clock: WallClock = .live
  ) throws(CurlError) -> PushExchange {
    var settings = CurlSettings()
    settings.timeout = timeout
    settings.userAgent = "cubistd/\(Release.number)"
    let multi = try CurlMulti(
      settings, connections: worker.flightLimit, hostConnections: worker.originLimit)
    let reach = PushReach(gate, perMinute: worker.strangePerMinute, clock: clock)
    return PushExchange(
      send: { number, request in multi.begin(number, CurlRequest(request, reach)) },
      answers: { wait in
        multi.poll(wait).map { answer in
          (answer.number, answer.result.map(PushResponse.init).mapError(PushFailure.init))
        }
      })
  }
}

extension CurlRequest {
  fileprivate init(_ request: PushRequest, _ reach: PushReach) {
    let headers = request.headers.sorted { $0.key < $1.key }
    self.init(
      .post, request.url, headers: headers.map { ($0.key, $0.value) }, body: request.body)
    isHTTP2 = request.isHTTP2
    isSecureOnly = request.isForeign
    certificateAuthority = request.certificateAuthority
    if request.isForeign { gate = { reach.refusal(of: $0, port: $1, for: request.url) } }
  }
}

extension PushResponse {
  fileprivate init(_ response: CurlResponse) {
    self.init(status: response.status, body: response.body, retryAfter: response.retryAfter)
  }
}

extension PushFailure {
  fileprivate init(_ error: CurlError) {
    let mayHaveArrived =
      switch error.code {
      case .timedOut, .cutOff, .unusable: true
      case .unreachable, .tlsRefused, .addressRefused: false
      }
    self.init(reason: error.description, mayHaveArrived: mayHaveArrived)
  }
}
