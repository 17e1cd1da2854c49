import Metrics

/// The gateway's metrics. Every label's values come from a closed set.
package struct GatewayMeters: Sendable {
  package init() {}

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
