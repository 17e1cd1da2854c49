package import Metrics
import Synchronization

/// Where the process keeps its metrics: a factory for swift-metrics, which has none for Prometheus
/// on this platform.
///
/// Metrics that are not on the list of ``Metric``, and labels that are not a metric's own, are not
/// kept.
package final class MetricsRegistry: MetricsFactory, Sendable {
  /// The most series of one metric. All further ones count as one, with the value `other` for each
  /// label.
  package static let seriesLimit = 512

  /// The values of the labels, in the order of ``Metric/labels``; nil: without that label.
  typealias LabelValues = [String?]

  private let series = Mutex<[Metric: [LabelValues: Series]]>([:])

  package init() {}

  /// Sets a gauge, or a counter that somebody else counts.
  package func set(_ metric: Metric, _ labels: [(String, String)] = [], to value: Double) {
    find(metric.rawValue, labels)?.set(value)
  }

  /// All series, sorted.
  var snapshot: [(metric: Metric, series: [(labels: LabelValues, value: Series.Value)])] {
    let all = series.withLock { $0 }
    return Metric.allCases.compactMap { metric in
      guard let found = all[metric], !found.isEmpty else { return nil }
      let sorted = found.sorted { first, second in
        first.key.lexicographicallyPrecedes(second.key) { ($0 ?? "") < ($1 ?? "") }
      }
      return (metric, sorted.map { ($0.key, $0.value.value) })
    }
  }

  private func find(_ label: String, _ dimensions: [(String, String)]) -> Series? {
    guard let metric = Metric(rawValue: label) else { return nil }
    let names = metric.labels
    var values = names.map { name in dimensions.last { $0.0 == name }?.1 }
    return series.withLock { series in
      if let found = series[metric]?[values] { return found }
      if series[metric]?.count ?? 0 >= MetricsRegistry.seriesLimit - 1 {
        values = names.map { _ in "other" }
        if let found = series[metric]?[values] { return found }
      }
      let made = Series(metric.kind)
      series[metric, default: [:]][values] = made
      return made
    }
  }

  private func forget(_ handler: AnyObject) {
    guard let gone = handler as? Series else { return }
    series.withLock { series in
      for (metric, found) in series where found.contains(where: { $0.value === gone }) {
        series[metric] = found.filter { $0.value !== gone }
      }
    }
  }
}

extension MetricsRegistry {
  package func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler {
    find(label, dimensions) ?? NOOPMetricsHandler.instance
  }

  package func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    find(label, dimensions) ?? NOOPMetricsHandler.instance
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, dimensions) ?? NOOPMetricsHandler.instance
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    find(label, dimensions) ?? NOOPMetricsHandler.instance
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, dimensions) ?? NOOPMetricsHandler.instance
  }

  package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
  package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
    forget(handler)
  }
  package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
  package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
  package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }
}
