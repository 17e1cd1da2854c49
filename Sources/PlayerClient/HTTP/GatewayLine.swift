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
    let cancellation = Cancellation(task: task)
    #if canImport(FoundationNetworking)
      transfers.add(receiver, to: task, again: again(request, receiver, cancellation))
    #else
      transfers.add(receiver, to: task)
    #endif
    task.resume()
    return cancellation
  }

  #if canImport(FoundationNetworking)
    /// Begins a transfer once more that was refused for the brackets of its address; nil: there are
    /// none.
    ///
    /// Up to Swift 6.3 FoundationNetworking on Linux takes no literal address of IPv6: it compares
    /// libcurl's word of the host, which has brackets, with its own, which has none. Percent-encoded
    /// brackets are in both, and libcurl decodes them. Later versions take them as they are.
    /// Source: https://github.com/swiftlang/swift-corelibs-foundation/issues/5496
    private func again(
      _ request: URLRequest, _ receiver: any Receiver, _ cancellation: Cancellation
    ) -> (@Sendable () -> Bool)? {
      guard let url = request.url?.encodingBrackets else { return nil }
      var encoded = request
      encoded.url = url
      return { [weak self, encoded] in
        guard let self, cancellation.isWanted else { return false }
        let task = session.dataTask(with: encoded)
        transfers.add(receiver, to: task)
        task.resume()
        cancellation.turn(to: task)
        return true
      }
    }
  #endif

  /// Breaks a transfer off; the receiver hears its end.
  final class Cancellation: Sendable {
    private struct State {
      var task: URLSessionDataTask
      var isWanted = true
    }

    private let state: Mutex<State>

    fileprivate init(task: URLSessionDataTask) { state = Mutex(State(task: task)) }

    fileprivate var isWanted: Bool { state.withLock { $0.isWanted } }

    /// Another task has taken the transfer over.
    fileprivate func turn(to task: URLSessionDataTask) {
      let isWanted = state.withLock { state in
        state.task = task
        return state.isWanted
      }
      if !isWanted { task.cancel() }
    }

    func callAsFunction() {
      state.withLock { state in
        state.isWanted = false
        return state.task
      }.cancel()
    }
  }
}

extension URL {
  /// The same with percent-encoded brackets around a literal address of IPv6; nil: it has none.
  var encodingBrackets: URL? {
    let text = absoluteString
    guard let start = text.firstRange(of: "://[")?.upperBound,
      let end = text[start...].firstIndex(of: "]")
    else { return nil }
    let scheme = text[..<start].dropLast()
    let host = text[start..<end].replacing(":", with: "%3A")
    return URL(string: "\(scheme)%5B\(host)%5D\(text[end...].dropFirst())")
  }
}

/// The transfers of one session, by their tasks.
private final class Transfers: NSObject, URLSessionDataDelegate {
  private struct Transfer {
    var receiver: any GatewayLine.Receiver
    /// Begins it once more, and gives whether it has; nil: there is no other way.
    var again: (@Sendable () -> Bool)?
    var hasSent = false
    var isWanted = true
  }

  private let open = Mutex<[Int: Transfer]>([:])

  func add(
    _ receiver: any GatewayLine.Receiver, to task: URLSessionTask,
    again: (@Sendable () -> Bool)? = nil
  ) {
    open.withLock { $0[task.taskIdentifier] = Transfer(receiver: receiver, again: again) }
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
    let isRefused = (error as? URLError)?.code == .badURL && !transfer.hasSent
    if isRefused, transfer.again?() == true { return }
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
