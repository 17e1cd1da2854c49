import LibCurl
import MatchService
import Synchronization

extension WebhookTransport {
  /// Over libcurl, one message after another on a connection that is kept.
  /// - Parameter certificateAuthority: The path of a file with authorities; nil: the system's.
  static func curl(
    certificateAuthority: String?, timeout: Duration = .seconds(8)
  ) throws(CurlError) -> WebhookTransport {
    var settings = CurlSettings()
    settings.certificateAuthority = certificateAuthority
    settings.timeout = timeout
    settings.userAgent = "cubistd/\(Wiring.version)"
    let client = SharedClient(try CurlClient(settings))
    return WebhookTransport { request throws(Failure) in try client.post(request) }
  }
}

/// A client that one thread uses at a time.
private final class SharedClient: Sendable {
  private let client: Mutex<CurlClient>

  init(_ client: sending CurlClient) { self.client = Mutex(client) }

  func post(
    _ request: WebhookTransport.Request
  ) throws(WebhookTransport.Failure) -> WebhookTransport.Response {
    let headers = request.headers.sorted { $0.key < $1.key }
    do throws(CurlError) {
      let response = try client.withLock { client throws(CurlError) in
        try client.post(
          request.url, headers: headers.map { ($0.key, $0.value) }, body: request.body)
      }
      return WebhookTransport.Response(
        status: response.status, retryAfter: response.retryAfter)
    } catch {
      throw WebhookTransport.Failure(reason: error.description)
    }
  }
}
