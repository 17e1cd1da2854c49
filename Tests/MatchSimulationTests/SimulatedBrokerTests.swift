import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchSimulation

@Suite("Faults of the simulated broker")
struct SimulatedBrokerTests {
  let clock = VirtualClock(World.start)

  private func broker(_ fault: Fault? = nil, seed: UInt64 = 1) throws -> SimulatedBroker {
    let random = SeededRandom(seed: seed)
    return SimulatedBroker(
      layout: try #require(QueueLayout(queueCount: 1)),
      faults: FaultPlan(Set([fault].compactMap(\.self)), random: random.fork()), random: random,
      clock: clock)
  }

  private func message(_ number: Int, of publisher: UInt8 = 0) -> SimulatedBroker.Message {
    SimulatedBroker.Message(body: [publisher, UInt8(number / 256), UInt8(number % 256)])
  }

  private func pass(seconds: Int64, _ broker: SimulatedBroker) {
    clock.advance(microseconds: seconds * 1_000_000)
    broker.advance()
  }

  @Test(
    "Messages of one channel keep their order, late or reordered, and those of several do not",
    arguments: [Fault.delay, .reorderPublishers])
  func order(fault: Fault) throws {
    let broker = try broker(fault)
    let links = [try #require(broker.openLink()), try #require(broker.openLink())]
    var receipts: [SimulatedBroker.Receipt] = []
    var sent: [[UInt8]] = []
    for number in 0..<600 {
      let publisher = number % 2
      let message = message(number, of: UInt8(publisher))
      sent.append(message.body)
      receipts.append(try broker.publish(.events(0), message, from: links[publisher]))
      clock.advance(microseconds: 20_000)
      broker.advance()
    }
    pass(seconds: 20, broker)
    let arrived = broker.queues[0].ready.map(\.body)
    #expect(arrived.count == 600)
    #expect(arrived != sent)
    for publisher in UInt8(0)..<2 {
      let isOwn = { (body: [UInt8]) in body[0] == publisher }
      #expect(arrived.filter(isOwn) == sent.filter(isOwn))
    }
    #expect(receipts.allSatisfy { $0.verdict(at: clock.now) == .confirmed })
    #expect(broker.faults.counts[fault, default: 0] > 0)
  }

  @Test(
    "Messages of a high priority are delivered before others, two for one, as RabbitMQ 4 does it")
  func priorities() throws {
    let broker = try broker()
    let link = try #require(broker.openLink())
    for number in 0..<9 {
      var message = message(number)
      message.priority = number < 4 ? [nil, 0, 4, 3][number] : [5, 9, 255, 7, 5][number - 4]
      _ = try broker.publish(.events(0), message, from: link)
    }
    let connection = try #require(broker.connect())
    let first = broker.worker(connection)
    try first.consume([0])
    let taken = try first.receive(5, .zero)
    #expect(taken.map { $0.body[2] } == [4, 5, 0, 6, 7])
    #expect(taken.map(\.priority) == [5, 9, nil, 255, 7])
    first.close()
    let second = broker.worker(try #require(broker.connect()))
    try second.consume([0])
    #expect(try Set(second.receive(10, .zero).map { $0.body[2] }) == Set(0...8))
  }

  @Test("An alarm holds publishers up and lets consumers go on")
  func alarm() throws {
    let broker = try broker()
    let link = try #require(broker.openLink())
    let consumer = broker.worker(try #require(broker.connect()))
    try consumer.consume([0])
    _ = try broker.publish(.events(0), message(1), from: link)
    broker.raiseAlarm(for: 5_000_000)
    #expect(try consumer.receive(10, .zero).count == 1)
    let receipt = try broker.publish(.events(0), message(2), from: link)
    #expect(throws: SimulatedBroker.Obstacle.blocked) {
      try broker.publish(.events(0), message(3), from: link)
    }
    #expect(receipt.verdict(at: clock.now) == nil)
    #expect(try consumer.receive(10, .zero).isEmpty)
    pass(seconds: 6, broker)
    #expect(receipt.verdict(at: clock.now) == .confirmed)
    #expect(try consumer.receive(10, .zero).map(\.body) == [message(2).body])
    _ = try broker.publish(.events(0), message(4), from: link)
    #expect(try consumer.receive(10, .zero).count == 1)
  }

  @Test("A full queue refuses, one that is not there returns, and a publisher hears of both")
  func refusals() throws {
    let broker = try broker()
    let link = try #require(broker.openLink())
    broker.queues[0].fill(until: clock.now.adding(seconds: 5))
    let refused = try broker.publish(.events(0), message(1), from: link)
    #expect(refused.verdict(at: clock.now) == .refused)
    pass(seconds: 6, broker)
    broker.queues[0].isBound = false
    let returned = try broker.publish(.events(0), message(2), from: link)
    #expect(returned.verdict(at: clock.now) == .returned)
    let scheduler = broker.scheduler(try #require(broker.connect()))
    let slot = try #require(broker.layout.slots(of: 0).first)
    #expect(throws: BusError.unroutable("no queue takes slot \(slot)")) {
      try scheduler.publish([(slot, [1])])
    }
    #expect(broker.queues[0].ready.isEmpty)
  }

  @Test("A restart closes every connection and keeps the queues, with their counts of deliveries")
  func restart() throws {
    let broker = try broker()
    let link = try #require(broker.openLink())
    let connection = try #require(broker.connect())
    let consumer = broker.worker(connection)
    try consumer.consume([0])
    for number in 0..<3 { _ = try broker.publish(.events(0), message(number), from: link) }
    #expect(try consumer.receive(2, .zero).count == 2)
    broker.restart(downFor: 1_000_000)
    #expect(!link.isOpen && !connection.isOpen)
    #expect(broker.connect() == nil && broker.openLink() == nil)
    #expect(throws: BusError.self) { try consumer.receive(1, .zero) }
    pass(seconds: 2, broker)
    let next = broker.worker(try #require(broker.connect()))
    try next.consume([0])
    let deliveries = try next.receive(10, .zero)
    #expect(deliveries.map(\.body) == (0..<3).map { message($0).body })
    // The third one had been handed out, but not read.
    #expect(deliveries.map(\.deliveryCount) == [2, 2, 2])
  }

  @Test("A cut-off worker still holds the next consumer's deliveries")
  func overlap() throws {
    let broker = try broker()
    let link = try #require(broker.openLink())
    let connections = [try #require(broker.connect()), try #require(broker.connect())]
    let consumers = connections.map(broker.worker)
    for consumer in consumers { try consumer.consume([0]) }
    _ = try broker.publish(.events(0), message(1), from: link)
    let first = try consumers[0].receive(10, .zero)
    #expect(try consumers[1].receive(10, .zero).isEmpty)
    broker.cut(connections[0])
    #expect(try consumers[1].receive(10, .zero).map(\.body) == first.map(\.body))
    #expect(throws: BusError.self) { try consumers[0].acknowledge(first[0].tag) }
  }
}
