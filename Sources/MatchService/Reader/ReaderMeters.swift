import Metrics
import ServiceMetrics

/// A reader's counters; labels are from closed sets only.
struct ReaderMeters {
  private struct Labels: Hashable {
    var query: String
    var result: String
  }

  private let waiting = Gauge(.readerWaiting)
  private let answered = MeterFamily<Labels, Counter> {
    Counter(.queries, [("query", $0.query), ("result", $0.result)])
  }

  /// So many queries wait now.
  func waits(_ count: Int) { waiting.record(count) }

  func count(_ query: String, _ result: String) {
    answered[Labels(query: query, result: result)].increment()
  }
}
