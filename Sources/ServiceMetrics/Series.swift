import Metrics
import Synchronization

/// The values of one metric with the same labels.
final class Series: Sendable {
  /// The count so far.
  enum Value: Equatable {
    case number(Double)
    /// The count of each bucket by itself, the one without a bound last, and the sum of all values.
    case histogram(bounds: [Double], counts: [UInt64], sum: Double)
  }

  private struct Histogram {
    var counts: [UInt64]
    var sum = 0.0
  }

  private let bounds: [Double]?
  /// The bits of a gauge's value.
  private let level = Atomic<UInt64>(0)
  private let count = Atomic<Int64>(0)
  private let histogram: Mutex<Histogram>

  init(_ kind: Metric.Kind) {
    if case .histogram(let bounds) = kind {
      self.bounds = bounds
      histogram = Mutex(Histogram(counts: Array(repeating: 0, count: bounds.count + 1)))
    } else {
      bounds = nil
      histogram = Mutex(Histogram(counts: []))
    }
  }

  var value: Value {
    guard let bounds else {
      let level = Double(bitPattern: level.load(ordering: .relaxed))
      return .number(level + Double(count.load(ordering: .relaxed)))
    }
    return histogram.withLock { .histogram(bounds: bounds, counts: $0.counts, sum: $0.sum) }
  }

  func set(_ value: Double) { level.store(value.bitPattern, ordering: .relaxed) }

  private func observe(_ value: Double) {
    guard let bounds else { return set(value) }
    // Not a number is no measurement.
    guard !value.isNaN else { return }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    histogram.withLock {
      $0.counts[bucket] &+= 1
      $0.sum += value
    }
  }

  private func add(_ amount: Double) {
    var old = level.load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (exchanged, original) = level.weakCompareExchange(
        expected: old, desired: new, ordering: .relaxed)
      if exchanged { return }
      old = original
    }
  }
}

extension Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
  TimerHandler
{
  /// A counter never goes back.
  func increment(by amount: Int64) {
    count.wrappingAdd(max(0, amount), ordering: .relaxed)
  }
  func increment(by amount: Double) {
    // A gauge goes both ways, and a counter of swift-metrics adds no negative amount.
    if amount.isFinite { add(amount) }
  }
  func decrement(by amount: Double) { if amount.isFinite { add(-amount) } }
  func reset() {
    count.store(0, ordering: .relaxed)
    level.store(0, ordering: .relaxed)
  }
  func set(_ value: Int64) { set(Double(value)) }
  func record(_ value: Int64) { observe(Double(value)) }
  func record(_ value: Double) { observe(value) }
  func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
