import Logging
import Metrics
import Synchronization

/// The gateway's metrics. Every label's values come from a closed set.
package struct GatewayMeters: Sendable {
  /// How often each limit held somebody off, and when this was last logged.
  private final class Bites: Sendable {
    let state = Mutex((counts: [Limit: Int](), loggedAt: UInt64(0)))
  }

  /// A limit that bites is logged once in so many nanoseconds, so that nobody fills the disk.
  private static let logInterval: UInt64 = 60_000_000_000

  private let bites = Bites()

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
  func answered(_ route: String, status: Int, seconds: Double) {
    Counter(
      label: "cubist_gateway_requests_total",
      dimensions: [("route", route), ("status", String(status))]
    ).increment()
    Recorder(label: "cubist_gateway_request_seconds").record(seconds)
  }

  /// A limit held somebody off.
  func limited(_ limit: Limit) {
    bites.state.withLock { $0.counts[limit, default: 0] += 1 }
    Counter(label: "cubist_gateway_limited_total", dimensions: [("limit", limit.rawValue)])
      .increment()
  }

  /// A problem of the gateway's own was told.
  func problem(_ problem: Problem) {
    Counter(label: "cubist_gateway_problems_total", dimensions: [("problem", problem.name)])
      .increment()
  }

  /// A message was refused before the broker saw it.
  func refused(_ refusal: String) {
    Counter(label: "cubist_gateway_refused_total", dimensions: [("refusal", refusal)]).increment()
  }

  /// A hole in the numbers of notices was seen.
  func hole() { Counter(label: "cubist_gateway_holes_total").increment() }

  /// What is open now.
  func open(connections: Int, streams: Int, waits: Int) {
    Gauge(label: "cubist_gateway_connections").record(connections)
    Gauge(label: "cubist_gateway_streams").record(streams)
    Gauge(label: "cubist_gateway_waits").record(waits)
  }
}
