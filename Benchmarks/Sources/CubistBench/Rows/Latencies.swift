/// Latencies in milliseconds.
struct Latencies: Codable {
  var p50: Double
  var p95: Double
  var p99: Double
  var max: Double

  /// The percentiles of at least one latency.
  init(microseconds: [UInt64]) {
    let sorted = microseconds.sorted()
    func at(_ percent: Int) -> Double {
      Double(sorted[(sorted.count * percent + 99) / 100 - 1]) / 1_000
    }
    (p50, p95, p99, max) = (at(50), at(95), at(99), at(100))
  }

  /// The run in the middle by the 99th percentile.
  static func middle(_ runs: [Latencies]) -> Latencies? {
    runs.isEmpty ? nil : runs.sorted { $0.p99 < $1.p99 }[runs.count / 2]
  }
}
