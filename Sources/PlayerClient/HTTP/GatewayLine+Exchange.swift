import Dispatch
import Foundation
import Synchronization

extension GatewayLine {
  /// The outcome of a request.
  enum Outcome: Hashable, Sendable {
    case answered(HTTPAnswer)
    /// Nothing that could be read came back in time. `isUnsent`: the request certainly did not leave
    /// this machine.
    case failed(String, isUnsent: Bool, isTimeOut: Bool)
  }

  /// The most bytes of an answer: the largest one of the service, and room to spare.
  static let answerLimit = 256 * 1_024

  /// Sends a request and waits for the whole answer.
  func exchange(
    _ body: [UInt8], to url: URL, headers: [String: String], timeout: Duration
  ) -> Outcome {
    let exchange = Exchange()
    let cancel = post(body, to: url, headers: headers, exchange)
    if let outcome = exchange.wait(timeout) { return outcome }
    cancel()
    // The end of the transfer says whether anything was sent.
    guard case .failed(_, let isUnsent, _)? = exchange.wait(.seconds(1)) else {
      return .failed("no answer in time", isUnsent: false, isTimeOut: true)
    }
    return .failed("no answer in time", isUnsent: isUnsent, isTimeOut: true)
  }
}

#if canImport(FoundationNetworking)
  extension GatewayLine {
    /// Makes a connection that a long request can take over.
    ///
    /// FoundationNetworking keeps asking whether the socket of a connection can be written to, from
    /// its making to the end of its first request (`_SocketSources` in its `MultiHandle.swift` drops
    /// no write source earlier). It always can. So a request that makes its own connection and stays
    /// open uses up a processor. A later request on the same connection does not.
    func warmUp(_ url: URL, headers: [String: String], timeout: Duration) {
      let exchange = Exchange()
      let cancel = get(url, headers: headers, exchange)
      if exchange.wait(timeout) == nil { cancel() }
    }
  }
#endif

/// One request: collects its answer.
final class Exchange: GatewayLine.Receiver {
  private struct State {
    var head: HTTPHead?
    var body: [UInt8] = []
    var isTooLarge = false
    var outcome: GatewayLine.Outcome?
  }

  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  /// The outcome, if it comes within a time.
  func wait(_ timeout: Duration) -> GatewayLine.Outcome? {
    _ = semaphore.wait(timeout: .now() + timeout.forDispatch)
    return state.withLock { $0.outcome }
  }

  func receive(_ head: HTTPHead) -> Bool {
    state.withLock { $0.head = head }
    return true
  }

  func receive(_ bytes: Data) -> Bool {
    state.withLock { state in
      guard state.body.count + bytes.count <= GatewayLine.answerLimit else {
        state.isTooLarge = true
        return false
      }
      state.body += bytes
      return true
    }
  }

  func finish(_ end: GatewayLine.End) {
    state.withLock { state in
      state.outcome =
        switch (end, state.head) {
        case _ where state.isTooLarge:
          .failed(
            "the answer is larger than \(GatewayLine.answerLimit) bytes", isUnsent: false,
            isTimeOut: false)
        case (.complete, let head?): .answered(HTTPAnswer(head: head, body: state.body))
        case (.complete, nil):
          .failed("the answer has no head", isUnsent: false, isTimeOut: false)
        case (.broken(let reason, let isUnsent), _):
          .failed(reason, isUnsent: isUnsent, isTimeOut: false)
        }
    }
    semaphore.signal()
  }
}

extension Duration {
  /// The same for a wait, never below zero and never more than a day.
  var forDispatch: DispatchTimeInterval {
    let (seconds, attoseconds) = min(max(self, .zero), .seconds(86_400)).components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
