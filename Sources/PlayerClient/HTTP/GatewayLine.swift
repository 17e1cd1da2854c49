import Dispatch
import Foundation
import Synchronization
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One client's connections to a gateway. Calls block their thread; any thread may call.
///
/// Redirects are not followed, since a signed message goes nowhere else. Nothing is kept between
/// requests but connections: no cookies, no cache, no credentials.
final class GatewayLine: Sendable {
  /// Hears of everything that a transfer brings, one call after the other.
  protocol Receiver: AnyObject, Sendable {
    /// - Returns: Whether to go on.
    func receive(_ head: HTTPHead) -> Bool
    /// - Returns: Whether to go on.
    func receive(_ bytes: Data) -> Bool
    func finish(_ end: End)
  }

  /// How a transfer ended.
  enum End: Hashable, Sendable {
    case complete
    /// It broke. `isUnsent`: the body certainly did not leave this machine.
    case broken(String, isUnsent: Bool)
  }

  private let session: URLSession
  private let transfers: Transfers

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = 4
    // The callers have time-outs of their own.
    configuration.timeoutIntervalForRequest = 86_400
    configuration.timeoutIntervalForResource = 86_400 * 365
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    transfers = Transfers()
    session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: queue)
  }

  deinit { session.invalidateAndCancel() }

  /// Begins a POST.
  /// - Returns: The way to break it off.
  func post(
    _ body: [UInt8], to url: URL, headers: [String: String], _ receiver: any Receiver
  ) -> Cancellation {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(body)
    return begin(request, headers: headers, receiver)
  }

  /// Begins a GET.
  /// - Returns: The way to break it off.
  func get(
    _ url: URL, headers: [String: String], _ receiver: any Receiver
  ) -> Cancellation {
    begin(URLRequest(url: url), headers: headers, receiver)
  }

  private func begin(
    _ request: URLRequest, headers: [String: String], _ receiver: any Receiver
  ) -> Cancellation {
    var request = request
    request.timeoutInterval = 86_400 * 30
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let task = session.dataTask(with: request)
    transfers.add(receiver, to: task)
    task.resume()
    return Cancellation(task: task)
  }

  /// Breaks a transfer off; the receiver hears its end.
  struct Cancellation: Sendable {
    fileprivate let task: URLSessionDataTask

    func callAsFunction() { task.cancel() }
  }
}

/// The transfers of one session, by their tasks.
private final class Transfers: NSObject, URLSessionDataDelegate {
  private struct Transfer {
    var receiver: any GatewayLine.Receiver
    var hasSent = false
    var isWanted = true
  }

  private let open = Mutex<[Int: Transfer]>([:])

  func add(_ receiver: any GatewayLine.Receiver, to task: URLSessionTask) {
    open.withLock { $0[task.taskIdentifier] = Transfer(receiver: receiver) }
  }

  private func receiver(of task: URLSessionTask) -> (any GatewayLine.Receiver)? {
    open.withLock { open in
      open[task.taskIdentifier].flatMap { $0.isWanted ? $0.receiver : nil }
    }
  }

  private func stop(_ task: URLSessionTask) {
    open.withLock { $0[task.taskIdentifier]?.isWanted = false }
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    open.withLock { $0[task.taskIdentifier]?.hasSent = true }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection: HTTPURLResponse,
    newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A gateway asks for no password: a signature is all it wants.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) ->
      Void
  ) {
    #if canImport(FoundationNetworking)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      let isTLS =
        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
      completionHandler(isTLS ? .performDefaultHandling : .cancelAuthenticationChallenge, nil)
    #endif
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(.allow)
    guard let receiver = receiver(of: dataTask) else { return }
    if !receiver.receive(HTTPHead(response)) { stop(dataTask) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let receiver = receiver(of: dataTask) else { return }
    if !receiver.receive(data) { stop(dataTask) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let transfer = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
      return
    }
    guard let error else { return transfer.receiver.finish(.complete) }
    let isUnsent = !transfer.hasSent && TransferError.isUnsent(error)
    transfer.receiver.finish(.broken(TransferError.text(error), isUnsent: isUnsent))
  }
}

extension HTTPHead {
  fileprivate init(_ response: URLResponse) {
    let response = response as? HTTPURLResponse
    func header(_ name: String) -> String? { response?.value(forHTTPHeaderField: name) }
    self.init(
      status: response?.statusCode ?? 0, mediaType: header("Content-Type"),
      retryAfter: header("Retry-After"), location: header("Location"),
      requestID: header("X-Request-Id"))
  }
}

/// The errors of a transfer, in words.
private enum TransferError {
  /// Whether an error, without a byte of the body having been taken, shows that nothing was sent.
  ///
  /// libcurl, which is under FoundationNetworking, takes the body only when the connection is
  /// there. Elsewhere only some errors are certain.
  static func isUnsent(_ error: any Error) -> Bool {
    #if canImport(FoundationNetworking)
      return true
    #else
      switch (error as? URLError)?.code {
      case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
        .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .badURL, .unsupportedURL:
        return true
      default: return false
      }
    #endif
  }

  static func text(_ error: any Error) -> String {
    let said = SafeText.line(error.localizedDescription, limit: 200)
    guard let code = (error as? URLError)?.code else { return said }
    switch code {
    case .cannotConnectToHost: return "nothing listens there"
    case .cannotFindHost, .dnsLookupFailed: return "no host has this name"
    case .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      return "its TLS certificate is not valid: \(said)"
    case .secureConnectionFailed: return "no TLS connection comes about: \(said)"
    case .networkConnectionLost: return "the connection broke"
    case .cancelled: return "it was broken off"
    default: return said
    }
  }
}
