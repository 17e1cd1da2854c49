import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Metrics

/// Sends events, and waits for no queue: a queue that takes nothing does not hold up the others.
final class EventSender {
  private let bus: SchedulerBus
  private let layout: QueueLayout
  private let meters: SchedulerMeters
  private let clock: WallClock
  private let log: Logger
  private var refusal = Incident(
    Incident.Messages(
      began: "the broker takes nothing", lasts: "the broker still takes nothing",
      ended: "the broker takes events again"))
  private var refusals = Incidents<Int>(
    Incident.Messages(
      began: "queue takes nothing", lasts: "queue still takes nothing",
      ended: "queue takes events again"), calm: .seconds(10))
  /// The queues that get nothing more until their events are confirmed.
  private(set) var silentQueues: Set<Int> = []

  init(
    _ bus: SchedulerBus, layout: QueueLayout, meters: SchedulerMeters, clock: WallClock,
    log: Logger
  ) {
    (self.bus, self.layout, self.meters) = (bus, layout, meters)
    (self.clock, self.log) = (clock, log)
  }

  /// Sends the events, except those for silent queues.
  /// - Returns: the queues that took nothing.
  func send(_ events: [(slot: Slot, body: [UInt8])]) throws(Interruption) -> Set<Int> {
    let events = events.filter { !silentQueues.contains(layout.queue(of: $0.slot)) }
    guard !events.isEmpty else { return [] }
    do throws(BusError) {
      try bus.send(events)
      if refusal.isOpen { log.write(refusal.wentWell(at: clock.uptimeNanoseconds())) }
      return []
    } catch {
      guard case .refused(let reason) = error else { throw .bus(error) }
      meters.refused.increment()
      log.write(
        refusal.failed(at: clock.uptimeNanoseconds()), metadata: ["reason": "\(reason)"])
      return Set(events.map { layout.queue(of: $0.slot) })
    }
  }

  /// Finds the queues that take nothing, and logs the beginning and the end of that.
  func readTroubles() throws(Interruption) -> Set<Int> {
    silentQueues = []
    let now = clock.uptimeNanoseconds()
    let troubles = try onBus(try bus.troubles())
    for (slot, error) in troubles.sorted(by: { $0.key.number < $1.key.number }) {
      let queue = layout.queue(of: slot)
      if case .timedOut = error, !silentQueues.insert(queue).inserted { continue }
      meters.refused.increment()
      log.write(
        refusals.failed(queue, at: now),
        metadata: ["queue": .stringConvertible(queue), "reason": "\(error)"])
    }
    let queues = Set(troubles.keys.map(layout.queue(of:)))
    for queue in refusals.keys.subtracting(queues).sorted() {
      log.write(
        refusals.wentWell(queue, at: now), metadata: ["queue": .stringConvertible(queue)])
    }
    return queues
  }
}
