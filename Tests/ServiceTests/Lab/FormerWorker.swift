import Chaos
import EventBusLive
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import TestedService

@testable import cubistd

/// A worker of a build before schema 10, as the broker sees it: it consumes the former queues of
/// its share, and no others.
final class FormerWorker: Sendable {
  private let runner: RoleRunner
  private let stop = StopSignal()

  init(in lab: ServiceLab) throws {
    let wiring = try lab.wiring()
    let id = WorkerID(rawValue: Randomness.live.next128())
    runner = RoleRunner(
      name: "former worker", stop: stop, clock: .live, randomness: .live, log: ServiceLab.log,
      make: { () throws(Interruption) -> any Role in
        do {
          let connection = try lab.connection()
          return TurnWorker(
            id: id, identity: wiring.keys.identity, layout: wiring.layout,
            lexicons: wiring.lexicons,
            store: .live(connection), bus: try FormerWorker.bus(lab), clock: .live,
            verifier: wiring.verifier, settings: wiring.workerSettings, log: ServiceLab.log)
        } catch {
          throw .bus(.disconnected("\(error)"))
        }
      })
    try runner.start()
  }

  /// Has it leave in good order.
  func leave() throws {
    stop.ask()
    try waitUntil("the former worker has left") { runner.state == .stopped }
  }

  private static func bus(_ lab: ServiceLab) throws -> WorkerBus {
    let live = try WorkerBus.live(lab.context(), layout: lab.layout)
    let settings = try RabbitMQSettings(url: lab.serviceURL)
    var consumer = try RabbitMQConnection(settings)
    var isConsuming = false
    var bus = live
    bus.consume.answer { queues throws(BusError) in
      try calling {
        if isConsuming {
          consumer.close()
          consumer = try RabbitMQConnection(settings)
        }
        isConsuming = !queues.isEmpty
        guard isConsuming else { return }
        try consumer.setPrefetch(256)
        for queue in queues {
          try consumer.consume(FormerTopology.name(of: queue), tag: "\(queue)")
        }
      }
    }
    bus.receive.answer { limit, wait throws(BusError) in
      live.serveHeartbeats()
      return try calling {
        try consumer.poll(maxCount: limit, maxBytes: 16 * 1_024 * 1_024, wait: wait).map {
          EventDelivery(
            queue: Int($0.consumerTag) ?? 0, tag: $0.tag, body: $0.body,
            deliveryCount: $0.timesDelivered, replyTo: $0.properties.replyTo,
            correlationID: $0.properties.correlationID)
        }
      }
    }
    bus.acknowledge.answer { tag throws(BusError) in
      try calling { try consumer.acknowledge(tag, multiple: true) }
    }
    bus.close.answer {
      consumer.close()
      live.close()
    }
    return bus
  }

  private static func calling<Result>(_ body: () throws -> Result) throws(BusError) -> Result {
    do { return try body() } catch { throw .disconnected("\(error)") }
  }
}
