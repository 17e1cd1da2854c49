import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Metrics

/// Sends events, and waits for no queue: a queue that takes nothing does not hold up the others.
final class EventSender {
  private let bus: SchedulerBus
  private let layout: QueueLayout
  private let meters = SchedulerMeters()
  private let log: Logger
  /// The queues that get nothing more until their events are confirmed.
  private(set) var silentQueues: Set<Int> = []

  init(_ bus: SchedulerBus, layout: QueueLayout, log: Logger) {
    (self.bus, self.layout, self.log) = (bus, layout, log)
  }

  /// Sends the events, except those for silent queues.
  /// - Returns: the queues that took nothing.
  func send(_ events: [(slot: Slot, body: [UInt8])]) throws(Interruption) -> Set<Int> {
    let events = events.filter { !silentQueues.contains(layout.queue(of: $0.slot)) }
    guard !events.isEmpty else { return [] }
    do throws(BusError) {
      try bus.send(events)
      return []
    } catch {
      guard case .refused(let reason) = error else { throw .bus(error) }
      meters.refused.increment()
      log.warning("the broker takes nothing", metadata: ["reason": "\(reason)"])
      return Set(events.map { layout.queue(of: $0.slot) })
    }
  }

  /// Finds the queues that take nothing, and logs them.
  func readTroubles() throws(Interruption) -> Set<Int> {
    silentQueues = []
    let troubles = try onBus(try bus.troubles())
    for (slot, error) in troubles.sorted(by: { $0.key.number < $1.key.number }) {
      let queue = layout.queue(of: slot)
      if case .timedOut = error, !silentQueues.insert(queue).inserted { continue }
      meters.refused.increment()
      log.warning(
        "queue takes nothing", metadata: ["queue": "\(queue)", "reason": "\(error)"])
    }
    return Set(troubles.keys.map(layout.queue(of:)))
  }
}
