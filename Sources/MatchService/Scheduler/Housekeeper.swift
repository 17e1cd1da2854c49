package import Logging
package import MatchInterfaces

/// A housekeeper's knobs.
package struct HousekeeperSettings: Hashable, Sendable {
  /// How often partitions are made and useless rows are deleted, in seconds.
  package var roundSeconds: Double = 3_600
  /// How soon a round that failed is tried again, in seconds.
  package var retrySeconds: Double = 60
  /// How often it asks between two rounds whether the store is there, in seconds; nil: never.
  package var lookSeconds: Double? = 5
  /// The longest wait of one step.
  package var idleWait: Duration = .milliseconds(200)

  package init() {}
}

/// Makes the partitions of the days ahead and deletes useless rows. It has a connection of its own,
/// so that no tick waits for a table that it waits for.
///
/// There may be many; each step is safe beside another's.
package final class Housekeeper: Role {
  private let store: SchedulerStore
  private let clock: WallClock
  private let settings: HousekeeperSettings
  private let log: Logger
  private var nextRound: UInt64 = 0
  private var nextLook: UInt64 = 0
  private var lastRound: UInt64?
  private var disorder = Incident(
    Incident.Messages(
      began: "the house is not in order", lasts: "the house is still not in order",
      ended: "the house is in order again"))

  /// Puts a housekeeper together; it does nothing before its first step.
  package init(
    store: SchedulerStore, clock: WallClock, settings: HousekeeperSettings = .init(), log: Logger
  ) {
    self.store = store
    self.clock = clock
    self.settings = settings
    self.log = log
  }

  /// Does a round if it is due, else waits. In between it asks for the time, so that a store that is
  /// gone does not show at the next round only.
  /// - Returns: how many rounds were done.
  /// - Throws: `Interruption`.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    let uptime = clock.uptimeNanoseconds()
    guard uptime >= nextRound else {
      if let pause = settings.lookSeconds, uptime >= nextLook {
        nextLook = uptime &+ UInt64(pause * 1_000_000_000)
        try look()
      }
      clock.sleep(min(settings.idleWait, .nanoseconds(Int64(clamping: nextRound &- uptime))))
      return 0
    }
    // A process that has just begun knows nothing of time.
    let worked = uptime &- (lastRound ?? uptime)
    lastRound = uptime
    do throws(StoreError) {
      try store.rotatePartitions(try store.now(), .nanoseconds(Int64(clamping: worked)))
      nextRound = uptime &+ UInt64(settings.roundSeconds * 1_000_000_000)
      log.write(disorder.wentWell(at: uptime))
      return 1
    } catch {
      guard !error.concernsTheStore else { throw .store(error) }
      nextRound = uptime &+ UInt64(settings.retrySeconds * 1_000_000_000)
      log.write(disorder.failed(at: uptime), metadata: ["reason": "\(error)"])
      return 0
    }
  }

  private func look() throws(Interruption) {
    do throws(StoreError) { _ = try store.now() } catch {
      if error.concernsTheStore { throw .store(error) }
    }
  }

  /// Nothing is held between two steps.
  package func leave() {}
}
