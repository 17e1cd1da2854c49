import Chaos
import Conformance
import CustomDump
@testable import EventBusLive
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

extension LiveBusTests {
  @Suite("Buses of the scheduler, the relay, the reader and the push worker")
  struct RoleBusTests {
    // MARK: Scheduler and relay

    @Test("The scheduler's events reach the queue of each slot")
    func scheduler() async throws {
      try await BusLab.with(allSlots: true) { lab in
        let scheduler = try SchedulerBus.live(lab.context())
        defer { scheduler.close() }
        try scheduler.publish([])
        let slots = (0..<300).compactMap { Slot(number: $0) }
        try scheduler.publish(slots.map { ($0, [UInt8($0.number % 256)]) })
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        try bus.consume([0, 1])
        let deliveries = try bus.receive(300)
        for queue in 0...1 {
          expectNoDifference(
            deliveries.filter { $0.queue == queue }.map(\.body),
            slots.filter { $0.number % 2 == queue }.map { [UInt8($0.number % 256)] })
        }
      }
    }

    // Failure: SchedulerBus.publish: The caller is told. The scheduler itself never waits for a
    //   confirm.
    @Test(
      "A full queue is refused, an unbound slot and a missing exchange are unroutable")
    func schedulerFailures() async throws {
      var limits = TopologyLimits()
      limits.events.messages = 1
      try await BusLab.with(limits: limits) { lab in
        let scheduler = try SchedulerBus.live(lab.context())
        defer { scheduler.close() }
        var error: BusError?
        for _ in 0..<200 where error == nil {
          error = try busError { try scheduler.publish([(lab.slot(of: 0), [1])]) }
        }
        #expect(error?.kind == "refused")
        // The other queue has room, and the connection is as good as before.
        try scheduler.publish([(lab.slot(of: 1), [1])])
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.unbindQueue(
          "cubist.slots.01", exchange: "cubist.events", routingKey: lab.slot(of: 1).routingKey)
        error = try busError { try scheduler.publish([(lab.slot(of: 1), [1])]) }
        #expect(error?.kind == "unroutable")
        try connection.deleteExchange("cubist.events")
        error = try busError { try scheduler.publish([(lab.slot(of: 1), [1])]) }
        #expect(error?.kind == "unroutable")
      }
    }

    @Test(
      "Sending waits for nobody; a refused or long unconfirmed message is named by its slot"
    )
    func sending() async throws {
      var limits = TopologyLimits()
      limits.events.messages = 1
      try await BusLab.with(limits: limits) { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let scheduler = try SchedulerBus.live(lab.context(url))
        defer { scheduler.close() }
        let (full, other) = (lab.slot(of: 0), lab.slot(of: 1))
        try waitUntil("the queue is full") {
          try busError { try scheduler.publish([(full, [1])]) }?.kind == "refused"
        }
        try scheduler.send([(full, [1])])
        try waitUntil("the full queue is named") {
          try scheduler.troubles()[full]?.kind == "refused"
        }
        #expect(try scheduler.troubles().isEmpty)
        proxy.stall(.toClient)
        try scheduler.send([(other, [1])])
        try waitUntil("the silent slot is named") {
          try scheduler.troubles()[other]?.kind == "timed out"
        }
        #expect(try scheduler.troubles()[full] == nil)
        proxy.cut()
        try proxy.resume()
        try waitUntil("a new connection knows of nothing") { try scheduler.troubles().isEmpty }
        try scheduler.send([(other, [2])])
      }
    }

    @Test("The relay names confirmed messages, and says when there is no queue or no broker")
    func relay() async throws {
      try await BusLab.with { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let relay = try RelayBus.live(lab.context(url))
        defer { relay.close() }
        #expect(try relay.publish([]) == [])
        let jobs = (1...50).map { PushJob.numbered($0) }
        expectNoDifference(Set(try relay.publish(jobs)), Set(jobs.map(\.id)))
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.deleteQueue("cubist.jobs")
        #expect(try busError { _ = try relay.publish(jobs) }?.kind == "unroutable")
        // A connection that broke meanwhile is replaced, if there is one to be had.
        try lab.topology.declare(at: lab.address(), binding: [], removing: [])
        proxy.cut(resetting: false)
        #expect(try relay.publish(jobs).count == 50)
        proxy.refuse()
        proxy.cut(resetting: false)
        #expect(try busError { _ = try relay.publish(jobs) }?.kind == "disconnected")
        #expect(try busError { _ = try RelayBus.live(lab.context(url)) }?.kind == "disconnected")
      }
    }

    // MARK: Reader

    @Test("A query that nobody waits for any more expires")
    func queryExpires() async throws {
      try await BusLab.with { lab in
        let bus = try lab.player()
        defer { bus.close() }
        let answer = try bus.request(
          PlayerMessage(destination: .queries, body: [1]), BusLab.unanswered)
        #expect(answer == .confirmed)
        let connection = try lab.connect()
        defer { connection.close() }
        let isGone: Void? = try awaiting {
          try connection.inspectQueue("cubist.queries").messageCount == 0 ? () : nil
        }
        #expect(isGone != nil)
      }
    }

    @Test(
      "An exchange of outcomes that was deleted is back within seconds, and leads to the readers")
    func outcomesDeleted() async throws {
      try await BusLab.with { lab in
        let settings = ReaderBusSettings()
        let readers = try (0..<2).map { _ in
          try ReaderBus.live(lab.context(), settings: settings)
        }
        defer { for reader in readers { reader.close() } }
        let scheduler = try SchedulerBus.live(lab.context())
        defer { scheduler.close() }
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.deleteExchange("cubist.outcomes")
        var heard: Set<Int> = []
        let isHeard: Void? = try awaiting {
          // Without the exchange the connection that asks is lost.
          try? scheduler.ask([7])
          for (index, reader) in readers.enumerated()
          where try !reader.receive(10, .milliseconds(50)).isEmpty { heard.insert(index) }
          return heard.count == readers.count ? () : nil
        }
        #expect(isHeard != nil)
      }
    }

    @Test("A reader without topology or broker says which")
    func readerFailures() async throws {
      try await BusLab.with { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let reader = try ReaderBus.live(lab.context(url))
        defer { reader.close() }
        proxy.cut()
        #expect(try busError { _ = try reader.receive(1, .seconds(50)) }?.kind == "disconnected")
        try reader.answer([.init(replyTo: "x", correlationID: "", body: [])])
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.deleteQueue("cubist.queries")
        #expect(try busError { _ = try ReaderBus.live(lab.context()) }?.kind == "unroutable")
      }
    }

    // MARK: Push

    @Test(
      "A retry that is not confirmed leaves the delivery as it was")
    func retryFails() async throws {
      try await BusLab.with { lab in
        let relay = try RelayBus.live(lab.context())
        defer { relay.close() }
        #expect(try relay.publish([.numbered(1)]).count == 1)
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.deleteQueue("cubist.jobs.retry.60")
        let bus = try PushBus.live(lab.context())
        let delivery = try #require(try bus.receiveOne())
        #expect(
          try busError { try bus.retry([.init(delivery, after: .oneMinute)]) }?.kind == "unroutable"
        )
        bus.close()
        let next = try PushBus.live(lab.context())
        defer { next.close() }
        #expect(try next.receiveOne()?.job == .numbered(1))
      }
    }

    @Test("A job whose retry queue is full waits in the one of the next shorter delay")
    func fullRetryQueue() async throws {
      var limits = TopologyLimits()
      limits.push.messages = 5
      try await BusLab.with(limits: limits) { [limits] lab in
        let connection = try lab.connect()
        defer { connection.close() }
        let filler = try Publisher<Int>(connection)
        var isFull = false
        for number in 0..<100 where !isFull {
          try filler.publish(
            id: number, exchange: "", routingKey: "cubist.jobs.retry.18000", properties: .init(),
            body: [1])
          try filler.flush(timeout: .seconds(120))
          isFull = filler.takeResults().contains { $0.outcome == .refused }
        }
        try #require(isFull)
        let relay = try RelayBus.live(lab.context())
        defer { relay.close() }
        let bus = try PushBus.live(lab.context())
        defer { bus.close() }
        // A channel may hear of the full queue by its first job only.
        for number in 1...UInt8(limits.push.messages) {
          #expect(try relay.publish([.numbered(number)]).count == 1)
          let delivery = try #require(try bus.receiveOne())
          #expect(delivery.job == .numbered(number))
          try bus.retry([.init(delivery, after: .fiveHours)])
        }
        let isThere: Void? = try awaiting {
          try connection.inspectQueue("cubist.jobs.retry.7200").messageCount > 0 ? () : nil
        }
        #expect(isThere != nil)
      }
    }

    @Test("A message that is no job is delivered as none, with any headers")
    func noJob() async throws {
      try await BusLab.with { lab in
        let connection = try lab.connect()
        defer { connection.close() }
        let headers: [(Argument, Int)] = [(-1, 0), ("7", 0), (.int64(.max), 1_000_000), (3, 3)]
        for (attempts, _) in headers {
          try connection.publish(
            exchange: "", routingKey: "cubist.jobs",
            properties: .init(headers: ["x-cubist-attempts": attempts]), body: [0xff],
            mandatory: false)
        }
        let bus = try PushBus.live(lab.context())
        defer { bus.close() }
        for (_, attempts) in headers {
          let delivery = try #require(try bus.receiveOne())
          #expect(delivery.job == nil && delivery.body == [0xff] && delivery.attempts == attempts)
          try bus.acknowledge([delivery.tag])
        }
      }
    }

    @Test("A push worker without queue or broker says which")
    func pushFailures() async throws {
      try await BusLab.with { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let bus = try PushBus.live(lab.context(url))
        defer { bus.close() }
        proxy.cut()
        #expect(try busError { _ = try bus.receive(1, .seconds(50)) }?.kind == "disconnected")
        let delivery = PushBus.Delivery(tag: 1, job: .numbered(1), attempts: 0, body: [])
        #expect(
          try busError { try bus.retry([.init(delivery, after: .oneSecond)]) }?.kind
            == "disconnected")
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.deleteQueue("cubist.jobs")
        #expect(try busError { _ = try PushBus.live(lab.context()) }?.kind == "unroutable")
      }
    }
  }
}
