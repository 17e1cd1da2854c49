import CubistBasics
import Foundation
import MatchCore
public import MatchInterfaces
import MatchWire
import SystemCalls

extension PlayerBus {
  /// The bus of a player by HTTP, through a service's gateway.
  ///
  /// A call blocks its thread, never longer than its time-out and a moment. An error means that the
  /// broker certainly does not have the message: `disconnected` or `timedOut` if there was no
  /// connection, `refused` by a limit of the gateway, `unroutable` if no gateway is there. A
  /// refusal for a few seconds is waited out within the time-out. Redirects are not followed. The
  /// environment's proxies are used as libcurl uses them (`https_proxy`, `http_proxy`, `no_proxy`).
  ///
  /// Up to Swift 6.3 FoundationNetworking on Linux ends the program if a server closes a connection
  /// within the head of an answer, or sends trailers. Pending events are kept, as at any end.
  /// Source: https://github.com/swiftlang/swift-corelibs-foundation/issues/5285
  ///
  /// - Parameter log: Hears each request and each answer in a line, without their contents.
  public static func http(
    _ address: GatewayAddress, log: @escaping @Sendable (String) -> Void = { _ in }
  ) -> PlayerBus {
    let gateway = GatewayConnection(address: address, log: log)
    var bus = PlayerBus.failing
    bus.request.answer(with: gateway.request(_:timeout:))
    bus.answerChanges(with: gateway.changes(_:timeout:))
    bus.close.answer { gateway.close() }
    return bus
  }
}

private final class GatewayConnection {
  /// How often a gateway is asked that cannot send now.
  private static let attempts = 3
  /// The longest wait that a limit of the gateway is waited out.
  private static let longestPause: Int64 = 5
  /// The most seconds that a gateway waits for an answer.
  private static let longestWait: (events: Int64, queries: Int64) = (25, 30)

  private let address: GatewayAddress
  private let log: @Sendable (String) -> Void
  private var line: GatewayLine?

  init(address: GatewayAddress, log: @escaping @Sendable (String) -> Void) {
    self.address = address
    self.log = log
  }

  func close() { line = nil }

  private func opened() -> GatewayLine {
    if let line { return line }
    let opened = GatewayLine()
    line = opened
    return opened
  }

  func request(_ message: PlayerMessage, timeout: Duration) throws(BusError) -> PlayerAnswer {
    let start = MonotonicClock.now
    let isQuery = message.destination == .queries
    var attempt = 1
    let place = isQuery ? "/v1/queries" : "/v1/events"
    while true {
      let rest = timeout - elapsed(since: start)
      let outcome = try exchange(message.body, place, within: rest, isQuery: isQuery)
      guard case .answered(let answer) = outcome else {
        return try meaning(of: outcome, isQuery)
      }
      guard let problem = GatewayProblem(answer), problem.isUnsent,
        let pause = problem.retryAfter, pause <= GatewayConnection.longestPause,
        .seconds(max(pause, 1)) < timeout - elapsed(since: start),
        answer.head.status == 429 || attempt < GatewayConnection.attempts
      else { return try answer.meaning(for: message.destination, at: address) }
      attempt += 1
      Thread.sleep(forTimeInterval: Double(max(pause, 1)))
    }
  }

  private func exchange(
    _ body: [UInt8], _ place: String, within rest: Duration, isQuery: Bool
  ) throws(BusError) -> GatewayLine.Outcome {
    let limits = GatewayConnection.longestWait
    // A moment less than here, so that the gateway's word comes in time.
    let seconds = min(
      max((rest - .milliseconds(900)).components.seconds, 1),
      isQuery ? limits.queries : limits.events)
    let start = MonotonicClock.now
    let outcome = opened().exchange(
      body, to: try url(place),
      headers: headers(accept: "application/json").merging(["Prefer": "wait=\(seconds)"]) { $1 },
      timeout: rest)
    log("POST \(place): \(outcome.summary) after \(elapsed(since: start).wholeMilliseconds) ms")
    return outcome
  }

  private func headers(accept: String) -> [String: String] {
    [
      "Content-Type": "application/octet-stream", "Accept": accept,
      "User-Agent": "cubist/\(ProgramVersion.current)",
    ]
  }

  private func url(_ place: String) throws(BusError) -> URL {
    guard let url = address.url(of: place) else {
      throw .disconnected("\(address) is no address that this system can use")
    }
    return url
  }

  private func meaning(
    of outcome: GatewayLine.Outcome, _ isQuery: Bool
  ) throws(BusError) -> PlayerAnswer {
    guard case .failed(let reason, let isUnsent, let isTimeOut) = outcome else { return .unknown }
    guard isUnsent || isQuery && !isTimeOut else { return .unknown }
    let text = "\(address): \(reason)"
    throw isTimeOut ? .timedOut(text) : .disconnected(text)
  }

  private func elapsed(since start: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: MonotonicClock.now &- start))
  }
}

extension GatewayConnection {
  fileprivate func changes(
    _ query: [UInt8], timeout: Duration
  ) throws(BusError) -> ChangesAnswer {
    let end =
      MonotonicClock.now &+ UInt64(clamping: min(timeout, .seconds(3_600)).wholeMilliseconds)
      &* 1_000_000
    #if canImport(FoundationNetworking)
      opened().warmUp(
        try url("/v1/service"), headers: headers(accept: "application/json"),
        timeout: min(timeout / 2, .seconds(5)))
    #endif
    let feed = ChangeFeed()
    let cancel = opened().post(
      query, to: try url("/v1/changes"), headers: headers(accept: "text/event-stream"), feed)
    while feed.opening == nil, feed.wait(until: end) {}
    switch feed.opening {
    case .stream?:
      log("POST /v1/changes: a stream")
      let held = HeldStream(feed: feed, cancel: cancel, line: line)
      return .stream(
        ChangeStream(
          next: { timeout throws(BusError) in try held.feed.next(timeout) },
          close: { held.close() }))
    case .answered(let answer)?:
      log("POST /v1/changes: \(answer.head.status)")
      guard case .reply(let bytes) = try answer.meaning(for: .queries, at: address) else {
        throw .timedOut("\(address): no stream of changes in time")
      }
      return .answer(bytes)
    case .failed(let reason)?:
      log("POST /v1/changes: \(reason)")
      throw .disconnected("\(address): \(reason)")
    case nil:
      feed.close()
      cancel()
      throw .timedOut("\(address): no stream of changes in time")
    }
  }
}

/// A stream with its connection. It ends when nobody holds it any more.
private final class HeldStream: Sendable {
  let feed: ChangeFeed
  private let cancel: GatewayLine.Cancellation
  private let line: GatewayLine?

  init(feed: ChangeFeed, cancel: GatewayLine.Cancellation, line: GatewayLine?) {
    self.feed = feed
    self.cancel = cancel
    self.line = line
  }

  deinit { close() }

  func close() {
    feed.close()
    cancel()
  }
}

extension GatewayLine.Outcome {
  /// For a log.
  fileprivate var summary: String {
    switch self {
    case .answered(let answer):
      "\(answer.head.status), \(answer.body.count) bytes"
        + (answer.head.requestID.map { ", request \($0)" } ?? "")
    case .failed(let reason, _, _): reason
    }
  }
}
