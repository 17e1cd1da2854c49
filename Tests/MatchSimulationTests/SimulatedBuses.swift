import Conformance
import MatchCore
import MatchInterfaces
import MatchWire

@testable import MatchSimulation

/// A simulated broker of a test's own, at which nothing strikes.
struct SimulatedBuses {
  let clock = VirtualClock(World.start)
  let broker: SimulatedBroker

  init(_ limits: BusLimits) throws {
    guard let layout = QueueLayout(queueCount: 2) else { throw BusError.unroutable("no layout") }
    let random = SeededRandom(seed: 1)
    var held = SimulatedBroker.Limits()
    (held.events, held.push) = (limits.events, limits.push)
    broker = SimulatedBroker(
      layout: layout, faults: FaultPlan([], random: random), random: random, clock: clock,
      limits: held)
  }

  private func connect() throws -> SimulatedBroker.Connection {
    guard let connection = broker.connect() else { throw BusError.disconnected("it is down") }
    return connection
  }

  /// Buses over connections of their own.
  func set() -> BusSet {
    BusSet(
      worker: { broker.worker(try connect()) }, scheduler: { broker.scheduler(try connect()) },
      relay: { broker.relay(try connect()) }, push: { broker.pushWorker(try connect()) },
      reader: { broker.reader(try connect()) },
      gateway: { _ in
        guard let link = broker.openLink() else { throw BusError.disconnected("it is down") }
        return broker.gateway(link)
      },
      notices: { broker.notices(try connect()) }, ask: ask, send: send,
      slot: { broker.layout.slots(of: $0)[0] },
      tick: {
        clock.advance(microseconds: 100_000)
        broker.advance()
      },
      cut: cut,
      putPush: { body in broker.putPush(SimulatedBroker.Message(body: body)) },
      remove: { removal in
        switch removal {
        case .events(let queue): broker.queues[queue].isBound = false
        case .push: broker.push.isBound = false
        case .gatewayQueries: broker.gatewayQueries.isBound = false
        }
      },
      alarm: { isOn in
        if isOn { return broker.raiseAlarm(for: 600_000_000) }
        broker.wait(broker.alarmUntil ?? clock.now) { broker.alarmUntil == nil }
      })
  }

  private func cut() {
    for connection in broker.connections.values.sorted(by: { $0.number < $1.number }) {
      broker.cut(connection)
      broker.breakOutlet(of: connection)
    }
    for link in broker.links.values { broker.drop(link) }
  }

  private func send(_ message: PlayerMessage, _ properties: PublisherProperties) throws {
    guard let link = broker.openLink() else { throw BusError.disconnected("it is down") }
    defer { broker.drop(link) }
    let headers = properties.headers.map { header in
      switch header.value {
      case .number(let number):
        SenderProperties.Header(name: header.name, value: .number(number))
      case .text(let text): SenderProperties.Header(name: header.name, value: .text(text))
      }
    }
    _ = try broker.publish(
      message,
      with: SenderProperties(
        replyTo: properties.replyTo, correlationID: properties.correlationID,
        expiration: properties.expiration, priority: properties.priority, headers: headers),
      over: link)
  }

  private func ask(
    _ message: PlayerMessage, _ timeout: Duration, _ meanwhile: () throws -> Void
  ) throws -> PlayerAnswer {
    guard let link = broker.openLink() else { throw BusError.disconnected("it is down") }
    defer { broker.drop(link) }
    let limit = clock.now.adding(timeout)
    let isUnderWay = try broker.publish(
      message, correlationID: "1", timeout: timeout, over: link)
    try meanwhile()
    guard isUnderWay else { return .unknown }
    broker.wait(limit) { link.hasWord(on: "1", at: clock.now) }
    return try broker.collect(link).answer(to: "1")
  }
}
