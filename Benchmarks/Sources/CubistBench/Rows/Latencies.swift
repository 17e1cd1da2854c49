import Histogram

/// Latencies in milliseconds.
struct Latencies: Codable {
  var p50: Double
  var p95: Double
  var p99: Double
  var max: Double

  init(_ histogram: Histogram<UInt64>) {
    func at(_ percentile: Double) -> Double {
      Double(histogram.valueAtPercentile(percentile)) / 1_000
    }
    (p50, p95, p99) = (at(50), at(95), at(99))
    max = Double(histogram.maxRecorded) / 1_000
  }

  /// The run in the middle by the 99th percentile.
  static func middle(_ runs: [Latencies]) -> Latencies? {
    runs.isEmpty ? nil : runs.sorted { $0.p99 < $1.p99 }[runs.count / 2]
  }
}
