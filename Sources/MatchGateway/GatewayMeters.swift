import Logging
import Metrics
import ServiceMetrics
import Synchronization

/// The gateway's metrics, each made once. Every label's values come from a closed set.
package struct GatewayMeters: Sendable {
  /// How often each limit held somebody off, and when this was last logged.
  private final class Bites: Sendable {
    let state = Mutex((counts: [Limit: Int](), loggedAt: UInt64(0)))
  }

  /// A limit that bites is logged once in so many nanoseconds, so that nobody fills the disk.
  private static let logInterval: UInt64 = 60_000_000_000

  private struct Answered: Hashable {
    var route: String
    var status: Int
  }

  private let bites = Bites()
  private let requests = MeterFamily<Answered, Counter> {
    Counter(.gatewayRequests, [("route", $0.route), ("status", String($0.status))])
  }
  private let requestTimes = MeterFamily<String, Timer> {
    Timer(.gatewayRequestSeconds, [("route", $0)])
  }
  private let replyTime = Timer(.gatewayReplySeconds)
  private let limits = MeterFamily<Limit, Counter> {
    Counter(.gatewayLimited, [("limit", $0.rawValue)])
  }
  private let problems = MeterFamily<String, Counter> {
    Counter(.gatewayProblems, [("problem", $0)])
  }
  private let refusals = MeterFamily<String, Counter> {
    Counter(.gatewayRefused, [("refusal", $0)])
  }
  private let holes = Counter(.gatewayHoles)
  private let connections = Gauge(.gatewayConnections)
  private let streams = Gauge(.gatewayStreams)
  private let waits = Gauge(.gatewayWaits)

  package init() {}

  /// Names the limits that held somebody off since the last time, if it is time.
  func logLimits(_ log: Logger, at uptime: UInt64) {
    let counts = bites.state.withLock { state -> [Limit: Int] in
      guard uptime &- state.loggedAt >= GatewayMeters.logInterval, !state.counts.isEmpty else {
        return [:]
      }
      defer { state = ([:], uptime) }
      return state.counts
    }
    guard !counts.isEmpty else { return }
    log.notice(
      "limits held clients off",
      metadata: Logger.Metadata(
        uniqueKeysWithValues: counts.map { ($0.key.rawValue, .stringConvertible($0.value)) }))
  }

  /// A request was answered.
  func answered(_ route: String, status: Int, nanoseconds: UInt64) {
    requests[Answered(route: route, status: status)].increment()
    requestTimes[route].recordNanoseconds(Int64(clamping: nanoseconds))
  }

  /// An event has got its reply so long after it was handed to the broker's connection.
  func replied(nanoseconds: UInt64) { replyTime.recordNanoseconds(Int64(clamping: nanoseconds)) }

  /// A limit held somebody off.
  func limited(_ limit: Limit) {
    bites.state.withLock { $0.counts[limit, default: 0] += 1 }
    limits[limit].increment()
  }

  /// A problem of the gateway's own was told.
  func problem(_ problem: Problem) { problems[problem.name].increment() }

  /// A message was refused before the broker saw it.
  func refused(_ refusal: String) { refusals[refusal].increment() }

  /// A hole in the numbers of notices was seen.
  func hole() { holes.increment() }

  /// What is open now.
  func open(connections: Int, streams: Int, waits: Int) {
    self.connections.record(connections)
    self.streams.record(streams)
    self.waits.record(waits)
  }
}
