import CustomDump
import EventBusLive
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

extension LiveBusTests {
  @Suite("Worker bus: consuming")
  struct WorkerBusTests {
    /// Publishes numbered events to a queue.
    private func fill(_ lab: BusLab, queue: Int, _ numbers: ClosedRange<UInt8>) throws {
      let scheduler = try SchedulerBus.live(lab.context())
      defer { scheduler.close() }
      try scheduler.publish(numbers.map { (lab.slot(of: queue), [$0]) })
    }

    @Test("Events come in the order of their queue and are gone once acknowledged")
    func order() async throws {
      try await BusLab.with { lab in
        try fill(lab, queue: 0, 1...40)
        try fill(lab, queue: 1, 101...140)
        let bus = try WorkerBus.live(lab.context())
        try bus.consume([0, 1])
        let deliveries = try bus.receive(80)
        for queue in 0...1 {
          let bodies = deliveries.filter { $0.queue == queue }.map { $0.body[0] }
          expectNoDifference(bodies, Array(queue == 0 ? 1...40 : 101...140))
        }
        #expect(zip(deliveries, deliveries.dropFirst()).allSatisfy { $0.tag < $1.tag })
        #expect(deliveries.allSatisfy { $0.deliveryCount == 1 && $0.replyTo == nil })
        try bus.acknowledge(deliveries[79].tag)
        bus.close()
        for queue in 0...1 { try fill(lab, queue: queue, 200...200) }
        let next = try WorkerBus.live(lab.context())
        defer { next.close() }
        try next.consume([0, 1])
        let rest = try next.receive(2)
        #expect(rest.map { $0.body[0] } == [200, 200] && rest.allSatisfy { $0.deliveryCount == 1 })
      }
    }

    @Test("No more is given than asked for", .timeLimit(.minutes(1)))
    func limit() async throws {
      try await BusLab.with { lab in
        try fill(lab, queue: 0, 1...20)
        let bus = try WorkerBus.live(lab.context())
        defer { bus.close() }
        try bus.consume([0])
        var bodies: [UInt8] = []
        while bodies.count < 20 {
          let deliveries = try bus.receive(7, .seconds(10))
          #expect((1...7).contains(deliveries.count))
          bodies += deliveries.map { $0.body[0] }
        }
        #expect(bodies == Array(1...20))
      }
    }

    @Test(
      "What was not acknowledged comes again in order, counted, after a close",
      .timeLimit(.minutes(1)))
    func closing() async throws {
      try await BusLab.with { lab in
        try fill(lab, queue: 0, 1...100)
        let first = try WorkerBus.live(lab.context())
        try first.consume([0])
        let given = try first.receive(100)
        try first.acknowledge(given[9].tag)
        first.close()
        let second = try WorkerBus.live(lab.context())
        defer { second.close() }
        try second.consume([0])
        let again = try second.receive(90)
        expectNoDifference(again.map { $0.body[0] }, Array(11...100))
        #expect(again.allSatisfy { $0.deliveryCount == 2 })
      }
    }

    @Test(
      "Consuming other queues gives everything back first; consuming none too",
      .timeLimit(.minutes(1)))
    func otherQueues() async throws {
      try await BusLab.with { lab in
        try fill(lab, queue: 0, 1...3)
        try fill(lab, queue: 1, 4...4)
        let bus = try WorkerBus.live(lab.context())
        defer { bus.close() }
        try bus.consume([0])
        #expect(try bus.receive(3).count == 3)
        try bus.consume([1])
        #expect(try bus.receive(1).map(\.body) == [[4]])
        try bus.consume([])
        #expect(try bus.receive(1, .zero) == [])
        try bus.consume([0])
        let again = try bus.receive(3)
        #expect(again.map { $0.body[0] } == [1, 2, 3])
        #expect(again.allSatisfy { $0.deliveryCount == 2 && $0.queue == 0 })
      }
    }

    @Test("A queue has one consumer; the next one begins where it stopped", .timeLimit(.minutes(1)))
    func singleActiveConsumer() async throws {
      try await BusLab.with { lab in
        let first = try WorkerBus.live(lab.context())
        try first.consume([0])
        let second = try WorkerBus.live(lab.context())
        defer { second.close() }
        try second.consume([0, 1])
        try fill(lab, queue: 0, 1...10)
        let given = try first.receive(10)
        // What comes by the other queue shows that the second one listens.
        try fill(lab, queue: 1, 99...99)
        #expect(try second.receive(1).map(\.body) == [[99]])
        #expect(try second.receive(1, .zero) == [])
        try first.acknowledge(given[3].tag)
        first.close()
        expectNoDifference(try second.receive(6).map { $0.body[0] }, Array(5...10))
      }
    }

    @Test("A queue that does not exist is unroutable, a lost broker disconnected promptly")
    func failures() async throws {
      try await BusLab.with { lab in
        let bus = try WorkerBus.live(lab.context())
        defer { bus.close() }
        #expect(try busError { try bus.consume([0, 2]) }?.name == "unroutable")
        // The connection has ended, and says why.
        #expect(try busError { _ = try bus.receive(1, .zero) }?.name == "unroutable")

        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let cut = try WorkerBus.live(lab.context(url))
        try cut.consume([0])
        proxy.refuse()
        proxy.cut()
        #expect(try busError { _ = try cut.receive(1, .seconds(50)) }?.name == "disconnected")
        #expect(try busError { try cut.acknowledge(1) }?.name == "disconnected")
        #expect(try busError { try cut.consume([1]) }?.name == "disconnected")
        // None of these may fail for want of a connection.
        cut.serveHeartbeats()
        try cut.publish([.outcome(routingKey: "match.1", body: []), .push(.sample(1))])
        #expect(try cut.confirmed() == [])
        cut.close()
        #expect(try busError { _ = try WorkerBus.live(lab.context(url)) }?.name == "disconnected")
      }
    }
  }
}
