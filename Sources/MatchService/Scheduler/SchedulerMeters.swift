import Logging
import MatchInterfaces
import Metrics
import ServiceMetrics

/// The counters of a scheduler or a steward, and the work that the store refuses it.
final class SchedulerMeters {
  let ticks = Counter(.schedulerTicks)
  let deadlines = Counter(.schedulerDeadlines)
  let mergers = Counter(.schedulerMergers)
  let refused = Counter(.schedulerRefused)
  let failures = Counter(.schedulerFailures)
  let jumps = Counter(.schedulerClockJumps)
  private let clock: WallClock
  private let log: Logger
  /// By the work. What is tried each second and fails now and then is one incident.
  private var incidents = Incidents<String>(calm: .seconds(10)) { what in
    Incident.Messages(
      began: "scheduler cannot \(what)", lasts: "scheduler still cannot \(what)",
      ended: "scheduler can \(what) again")
  }

  init(clock: WallClock, log: Logger) { (self.clock, self.log) = (clock, log) }

  func merged(_ count: Int) { mergers.increment(by: count) }

  /// Does a piece of work that may fail without stopping the other work.
  /// - Returns: why it failed; nil: it did not.
  @discardableResult
  func surviving(
    _ what: String, _ body: () throws(StoreError) -> Void
  ) throws(Interruption) -> StoreError? {
    do throws(StoreError) {
      try body()
      log.write(incidents.wentWell(what, at: clock.uptimeNanoseconds()))
      return nil
    } catch {
      guard !error.concernsTheStore else { throw .store(error) }
      failures.increment()
      log.write(
        incidents.failed(what, at: clock.uptimeNanoseconds()), metadata: ["reason": "\(error)"])
      return error
    }
  }
}
