import Conformance
import CustomDump
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

@testable import EventBusLive

extension LiveBusTests {
  @Suite("Worker bus: consuming")
  struct WorkerBusTests {
    @Test("A deleted queue is left out while the others are served, and consumed once it is there")
    func deletedQueue() async throws {
      try await BusLab.with { lab in
        let client = try lab.connect()
        defer { client.close() }
        let publisher = try Publisher<Int>(client)
        func send(to queue: Int, _ number: UInt8) throws {
          try publisher.publish(
            id: Int(number), exchange: "cubist.events", routingKey: lab.slot(of: queue).routingKey,
            properties: MessageProperties(), body: [number], timeout: .seconds(60))
          try publisher.flush(timeout: .seconds(60))
        }
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        try bus.consume([0, 1])
        let administrator = try lab.connect()
        defer { administrator.close() }
        try administrator.deleteQueue("cubist.slots.01")
        // The broker cancels the consumer. The owner makes a new bus.
        #expect(try busError { while true { _ = try bus.receive(1, .seconds(1)) } } != nil)
        bus.close()
        let next = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { next.close() }
        try next.consume([1, 0])
        try send(to: 0, 1)
        let first = try next.receive(1)
        #expect(first.map(\.body) == [[1]] && first.map(\.queue) == [0])
        // Setup makes it anew, with its bindings.
        try lab.topology.declare(
          at: lab.address(),
          binding: Array(EventBinding.all(of: lab.topology.layout).prefix(2)), removing: [])
        try send(to: 1, 2)
        try send(to: 0, 3)
        // Each queue goes on in its order, and nothing came twice.
        let rest = try next.receive(2)
        #expect(Set(rest.map(\.body)) == [[2], [3]])
        #expect(rest.first { $0.queue == 1 }?.body == [2])
        try next.acknowledge(rest.map(\.tag).max() ?? 0)
      }
    }

    @Test("A queue that does not exist is unroutable, a lost broker disconnected promptly")
    func failures() async throws {
      try await BusLab.with { lab in
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        #expect(try busError { try bus.consume([2]) }?.kind == "unroutable")
        // The connection has ended, and says why.
        #expect(try busError { _ = try bus.receive(1, .zero) }?.kind == "unroutable")

        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let cut = try WorkerBus.live(lab.context(url), layout: lab.topology.layout)
        try cut.consume([0])
        proxy.refuse()
        proxy.cut()
        #expect(try busError { _ = try cut.receive(1, .seconds(50)) }?.kind == "disconnected")
        #expect(try busError { try cut.acknowledge(1) }?.kind == "disconnected")
        #expect(try busError { try cut.consume([1]) }?.kind == "disconnected")
        // None of these may fail for want of a connection.
        cut.serveHeartbeats()
        try cut.publish([.outcome(routingKey: "match.1", body: []), .push(.numbered(1))])
        #expect(try cut.confirmed() == [])
        cut.close()
        #expect(
          try busError { _ = try WorkerBus.live(lab.context(url), layout: lab.topology.layout) }?
            .kind == "disconnected")
      }
    }
  }
}
