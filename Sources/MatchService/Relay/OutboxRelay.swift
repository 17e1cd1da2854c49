package import Logging
import MatchCore
package import MatchInterfaces
import Metrics
import ServiceMetrics

/// A relay's knobs.
package struct OutboxRelaySettings: Hashable, Sendable {
  /// How old a row of the outbox is before its worker counts as gone.
  package var age: Duration = .seconds(5)
  /// Rows taken at once.
  package var limit = 500
  /// How long to wait if there is nothing to relay, or the broker does not take it.
  package var idleWait: Duration = .milliseconds(500)

  package init() {}
}

/// Publishes the push jobs that a worker owed and did not live to publish.
///
/// A job may be published twice, by its worker and by the relay; its id tells.
package final class OutboxRelay: Role {
  private let store: RelayStore
  private let bus: RelayBus
  private let clock: WallClock
  private let settings: OutboxRelaySettings
  private let log: Logger
  private let relayed = Counter(.relayJobs)
  private let unconfirmed = Counter(.relayUnconfirmed)
  private var refusal = Incident(
    Incident.Messages(
      began: "push jobs not confirmed", lasts: "push jobs are still not confirmed",
      ended: "push jobs are confirmed again"))

  /// Puts a relay together; it does nothing before its first step.
  package init(
    store: RelayStore, bus: RelayBus, clock: WallClock,
    settings: OutboxRelaySettings = .init(), log: Logger
  ) {
    self.store = store
    self.bus = bus
    self.clock = clock
    self.settings = settings
    self.log = log
  }

  /// Relays the jobs that have waited too long, or waits.
  /// - Returns: how many jobs the broker has confirmed.
  /// - Throws: `Interruption`.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    let jobs = try onStore(try store.claim(settings.age, settings.limit))
    let confirmed = try publish(jobs)
    try onStore(try store.finish(confirmed))
    relayed.increment(by: confirmed.count)
    if confirmed.count < jobs.count {
      unconfirmed.increment(by: jobs.count - confirmed.count)
      log.write(
        refusal.failed(at: clock.uptimeNanoseconds()),
        metadata: [
          "jobs": .stringConvertible(jobs.count),
          "confirmed": .stringConvertible(confirmed.count),
        ])
    } else if refusal.isOpen, !jobs.isEmpty {
      log.write(refusal.wentWell(at: clock.uptimeNanoseconds()))
    }
    if confirmed.isEmpty { clock.sleep(settings.idleWait) }
    return confirmed.count
  }

  /// Closes the connection.
  package func leave() { bus.close() }

  private func publish(_ jobs: [PushJob]) throws(Interruption) -> [PushJobID] {
    guard !jobs.isEmpty else { return [] }
    do throws(BusError) {
      return try bus.publish(jobs)
    } catch {
      // Another relay may have the rows now. If this fails, too, they are free once the connection
      // is gone.
      try? store.finish([])
      throw .bus(error)
    }
  }
}
