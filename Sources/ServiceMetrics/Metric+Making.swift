package import Metrics
import Synchronization

extension Counter {
  /// A counter of the list. Keep it: making one is a look-up.
  package convenience init(_ metric: Metric, _ labels: [(String, String)] = []) {
    self.init(label: metric.rawValue, dimensions: labels)
  }
}

extension Gauge {
  /// A gauge of the list. Keep it: making one is a look-up.
  package convenience init(_ metric: Metric, _ labels: [(String, String)] = []) {
    self.init(label: metric.rawValue, dimensions: labels)
  }
}

extension Recorder {
  /// A histogram of the list. Keep it: making one is a look-up.
  package convenience init(histogram metric: Metric, _ labels: [(String, String)] = []) {
    self.init(label: metric.rawValue, dimensions: labels, aggregate: true)
  }
}

extension Timer {
  /// A histogram of times, in seconds, of the list. Keep it: making one is a look-up.
  package convenience init(_ metric: Metric, _ labels: [(String, String)] = []) {
    self.init(label: metric.rawValue, dimensions: labels)
  }
}

/// The counters or timers of one metric, each made once, by the values of its labels.
package final class MeterFamily<Key: Hashable & Sendable, Meter: Sendable>: Sendable {
  private let made = Mutex<[Key: Meter]>([:])
  private let make: @Sendable (Key) -> Meter

  package init(_ make: @escaping @Sendable (Key) -> Meter) { self.make = make }

  package subscript(key: Key) -> Meter {
    made.withLock { made in
      if let meter = made[key] { return meter }
      let meter = make(key)
      made[key] = meter
      return meter
    }
  }
}
