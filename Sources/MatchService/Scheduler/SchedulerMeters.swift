import Logging
import MatchInterfaces
import Metrics
import ServiceMetrics

/// The counters of a scheduler and its steward.
struct SchedulerMeters {
  let ticks = Counter(.schedulerTicks)
  let deadlines = Counter(.schedulerDeadlines)
  let mergers = Counter(.schedulerMergers)
  let refused = Counter(.schedulerRefused)
  let failures = Counter(.schedulerFailures)

  func merged(_ count: Int) { mergers.increment(by: count) }

  /// Does a piece of work that may fail without stopping the other work.
  /// - Returns: why it failed; nil: it did not.
  @discardableResult
  func surviving(
    _ what: String, _ log: Logger, _ body: () throws(StoreError) -> Void
  ) throws(Interruption) -> StoreError? {
    do throws(StoreError) {
      try body()
      return nil
    } catch {
      guard !error.concernsTheStore else { throw .store(error) }
      failures.increment()
      log.error("scheduler cannot \(what)", metadata: ["reason": "\(error)"])
      return error
    }
  }
}
