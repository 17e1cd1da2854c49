import Conformance
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
    @Test("A queue that does not exist is unroutable, a lost broker disconnected promptly")
    func failures() async throws {
      try await BusLab.with { lab in
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        #expect(try busError { try bus.consume([0, 2]) }?.kind == "unroutable")
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
