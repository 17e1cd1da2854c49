import Conformance
import CustomDump
import Foundation
import LibRabbitMQ
import MatchInterfaces
import MatchWire
import RealServers
import Synchronization
import Testing

@testable import EventBusLive

extension LiveBusTests {
  @Suite("Player bus")
  struct PlayerBusTests {
    /// An event to a queue; the echo serves queue 0.
    private func message(_ lab: BusLab, _ body: [UInt8], queue: Int = 0) -> PlayerMessage {
      PlayerMessage(destination: .events(lab.slot(of: queue)), body: body)
    }

    @Test("An event that nobody handles is confirmed, persistent and mandatory")
    func confirmed() async throws {
      try await BusLab.with { lab in
        let bus = try lab.player()
        defer { bus.close() }
        #expect(try bus.request(message(lab, [1]), BusLab.unanswered) == .confirmed)
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.consume("cubist.slots.00")
        let delivery = try #require(try connection.poll(maxCount: 1, wait: .seconds(120)).first)
        #expect(delivery.properties.isPersistent && delivery.body == [1])
        #expect(delivery.routingKey == lab.slot(of: 0).routingKey)
      }
    }

    @Test("A late reply to an earlier request is not taken for this one's")
    func lateReply() async throws {
      try await BusLab.with { lab in
        async let worked: Void = onThread {
          let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
          defer { bus.close() }
          try bus.consume([0])
          // Both are answered in their order, once the second has come.
          let deliveries = try bus.receive(2)
          try bus.publish(
            deliveries.map {
              .reply(
                to: $0.replyTo ?? "", correlationID: $0.correlationID ?? "",
                body: $0.body.reversed())
            } + [.push(.numbered(1))])
          _ = try bus.awaitConfirmed(1)
        }
        async let asked: Void = onThread {
          let bus = try lab.player()
          defer { bus.close() }
          #expect(try bus.request(message(lab, [1, 0]), BusLab.unanswered) == .confirmed)
          #expect(try bus.request(message(lab, [2, 0]), .seconds(120)) == .reply([0, 2]))
        }
        try await worked
        try await asked
      }
    }

    // Failure: BusError.disconnected: The connection broke. The fate of unconfirmed messages is
    //   unknown.
    @Test(
      "A connection cut in mid-request leaves the fate unknown, and the next request works")
    func cut() async throws {
      try await BusLab.with { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        try await lab.withEcho {
          let bus = try lab.player(url)
          defer { bus.close() }
          #expect(try bus.request(message(lab, [1, 0]), .seconds(120)) == .reply([0, 1]))
          // From now on the broker's words no longer come through.
          proxy.stall(.toClient)
          Thread.detachNewThread {
            defer { proxy.cut() }
            // The event has come through when its queue has it.
            guard let connection = try? lab.connect() else { return }
            defer { connection.close() }
            _ = try? awaiting {
              try connection.inspectQueue("cubist.slots.01").messageCount > 0 ? () : nil
            }
          }
          #expect(try bus.request(message(lab, [2], queue: 1), .seconds(120)) == .unknown)
          try proxy.resume()
          #expect(try bus.request(message(lab, [3, 0]), .seconds(120)) == .reply([0, 3]))
        }
      }
    }

    @Test("A connection that broke between requests is replaced")
    func cutBetween() async throws {
      try await BusLab.with { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        try await lab.withEcho {
          let bus = try lab.player(url)
          defer { bus.close() }
          #expect(try bus.request(message(lab, [1, 0]), .seconds(120)) == .reply([0, 1]))
          // A connection that ends in order is seen to have ended before cut returns.
          proxy.cut(resetting: false)
          #expect(try bus.request(message(lab, [2, 0]), .seconds(120)) == .reply([0, 2]))
          proxy.refuse()
          proxy.cut(resetting: false)
          #expect(
            try busError { _ = try bus.request(message(lab, [3]), .seconds(120)) }?.kind
              == "disconnected")
          try proxy.resume()
          #expect(try bus.request(message(lab, [4, 0]), .seconds(120)) == .reply([0, 4]))
          bus.close()
          #expect(try bus.request(message(lab, [5, 0]), .seconds(120)) == .reply([0, 5]))
        }
      }
    }

    // Failure: BusError.timedOut: The broker is silent.
    @Test("A broker that never answers takes no longer than the time-out")
    func stalled() async throws {
      try await BusLab.with { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        proxy.stall()
        let bus = try lab.player(url)
        defer { bus.close() }
        // Well below the ten seconds and more that connecting may take otherwise. A busy machine adds
        // to it, and not every time.
        try Patience.wait(for: "an end in time") {
          let start = ContinuousClock.now
          let error = try busError { _ = try bus.request(message(lab, [1]), .seconds(1)) }
          #expect(error?.kind == "disconnected" || error?.kind == "timed out")
          return ContinuousClock.now - start < .seconds(8)
        }
      }
    }

    // Failure: BusError.refused: A full queue, an alarm or an oversized message. The broker does
    //   not have the message.
    @Test("A full queue refuses by name")
    func refused() async throws {
      var limits = TopologyLimits()
      limits.events.messages = 1
      try await BusLab.with(limits: limits) { lab in
        let bus = try lab.player()
        defer { bus.close() }
        var error: BusError?
        // A busy broker may not even be connected to in so little time.
        try Patience.wait(for: "a refusal", found: "\(String(describing: error))") {
          error = try busError { _ = try bus.request(message(lab, [1]), .milliseconds(500)) }
          return error?.kind == "refused"
        }
      }
    }

    @Test(
      "A connection that is refused is kept for five seconds and then replaced")
    func refusedForLong() async throws {
      var limits = TopologyLimits()
      limits.events.messages = 1
      try await BusLab.with(limits: limits) { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let uptime = Atomic<UInt64>(0)
        var clock = WallClock.live
        clock.uptimeNanoseconds = { uptime.load(ordering: .relaxed) }
        let bus = PlayerBus.live(try lab.address(url), clock: clock, log: BusLab.log)
        defer { bus.close() }
        var error: BusError?
        try Patience.wait(for: "a refusal", found: "\(String(describing: error))") {
          error = try busError { _ = try bus.request(message(lab, [1]), .milliseconds(500)) }
          return error?.kind == "refused"
        }
        #expect(proxy.connectionCount == 1)
        uptime.store(RefusalPatience.nanoseconds, ordering: .relaxed)
        error = try busError { _ = try bus.request(message(lab, [1]), BusLab.unanswered) }
        #expect(error?.kind == "refused")
        while proxy.connectionCount > 0 { await Task.yield() }
        error = try busError { _ = try bus.request(message(lab, [1]), BusLab.unanswered) }
        #expect(error?.kind == "refused")
        #expect(proxy.connectionCount == 1)
      }
    }

    @Test("A message beyond the broker's limit is refused")
    func tooLarge() async throws {
      try await BusLab.with { lab in
        let bus = try lab.player()
        defer { bus.close() }
        let body = [UInt8](repeating: 0, count: 200_000)
        let error = try busError { _ = try bus.request(message(lab, body), .seconds(120)) }
        #expect(error?.kind == "refused")
      }
    }

    // Failure: BusError.unroutable: No queue takes the message.
    @Test("A request without topology or binding is unroutable")
    func unroutable() async throws {
      try await BusLab.with { lab in
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.unbindQueue(
          "cubist.slots.00", exchange: "cubist.events", routingKey: lab.slot(of: 0).routingKey)
        try connection.deleteQueue("cubist.queries")
        let bus = try lab.player()
        defer { bus.close() }
        let query = PlayerMessage(destination: .queries, body: [1])
        for message in [message(lab, [1]), query] {
          let error = try busError { _ = try bus.request(message, .seconds(120)) }
          #expect(error?.kind == "unroutable")
        }
        for exchange in ["cubist.events", "cubist.queries"] {
          try connection.deleteExchange(exchange)
        }
        for message in [message(lab, [1]), query] {
          let error = try busError { _ = try bus.request(message, .seconds(120)) }
          #expect(error?.kind == "unroutable")
        }
        // Each of these ended the connection; the next request gets a new one.
        try lab.topology.declare(at: lab.address())
        let again = try bus.request(message(lab, [1]), BusLab.unanswered)
        #expect(again == .confirmed)
      }
    }

    // Failure: BusError.notPermitted: The password is wrong or a right is missing.
    @Test("A wrong password and a missing right are not permitted")
    func notPermitted() async throws {
      try await BusLab.with { lab in
        let none = try lab.host.addUser("none", configure: "^$", write: "^$", read: "^$")
        let wrong = none.url.replacing(":\(none.password)@", with: ":wrong@")
        for url in [none.url, wrong] {
          let bus = try lab.player(url)
          let error = try #require(
            try busError { _ = try bus.request(message(lab, [1]), .seconds(120)) })
          #expect(error.kind == "not permitted")
          #expect(!"\(error)".contains(none.password))
          bus.close()
        }
      }
    }

    @Test("A broker that no authority of the player's vouches for gets no message")
    func untrusted() async throws {
      try await BusLab.with { lab in
        try await lab.withEcho {
          let bus = try lab.player()
          defer { bus.close() }
          #expect(try bus.request(message(lab, [1, 0]), .seconds(120)) == .reply([0, 1]))
          // The broker's authority is not one of the system's.
          let stranger = try lab.player(String(lab.host.url.prefix { $0 != "?" }))
          let error = try busError { _ = try stranger.request(message(lab, [1]), .seconds(120)) }
          #expect(error?.kind == "disconnected")
        }
      }
    }
  }
}
