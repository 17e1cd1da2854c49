import Logging
import MatchInterfaces
import Metrics

/// The counters of a scheduler and its steward.
struct SchedulerMeters {
  let ticks = Counter(label: "cubist_scheduler_ticks_total")
  let deadlines = Counter(label: "cubist_scheduler_deadlines_total")
  let mergers = Counter(label: "cubist_scheduler_mergers_total")
  let refused = Counter(label: "cubist_scheduler_refused_total")
  let failures = Counter(label: "cubist_scheduler_failures_total")

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
