import Conformance
import CustomDump
import EventBusLive
import InMemoryLogging
import LibRabbitMQ
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

extension LiveBusTests {
  @Suite("Worker bus: publishing")
  struct WorkerPublishingTests {
    @Test(
      "A push job is stored under its id before it counts as confirmed")
    func pushJob() async throws {
      try await BusLab.with { lab in
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        let jobs = (1...3).map { PushJob.numbered($0) }
        try bus.publish(jobs.map { .push($0) })
        expectNoDifference(Set(try bus.awaitConfirmed(3)), Set(jobs.map(\.id)))
        #expect(try bus.confirmed() == [])
        let connection = try lab.connect()
        defer { connection.close() }
        let together = try #require(try connection.get("cubist.jobs"))
        #expect(together.properties.isPersistent)
        expectNoDifference(PushJobMessage.parts(of: together.body).map(\.job), jobs)
        try bus.publish([.push(jobs[0])])
        #expect(try bus.awaitConfirmed(1) == [jobs[0].id])
        let alone = try #require(try connection.get("cubist.jobs"))
        #expect(alone.properties.messageID == "\(jobs[0].id)")
        #expect(alone.properties.isPersistent)
        #expect(try PushJobCodec.decode(alone.body) == jobs[0])
      }
    }

    @Test("Jobs beyond the window are left to the relay")
    func window() async throws {
      try await BusLab.with { lab in
        var settings = WorkerBusSettings()
        settings.unconfirmedJobLimit = 20
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout, settings: settings)
        defer { bus.close() }
        let jobs = (1...40).map { PushJob.numbered($0) }
        // One burst: nothing is read within it, so that the window fills.
        try bus.publish(jobs.map { .push($0) })
        expectNoDifference(Set(try bus.awaitConfirmed(32)), Set(jobs.prefix(32).map(\.id)))
        try bus.publish([.push(jobs[39])])
        #expect(try bus.awaitConfirmed(1) == [jobs[39].id])
      }
    }

    @Test("A job without a queue for it is not confirmed")
    func unroutable() async throws {
      try await BusLab.with { lab in
        let connection = try lab.connect()
        defer { connection.close() }
        try connection.deleteQueue("cubist.jobs")
        try connection.declareQueue("behind", durable: false, exclusive: true)
        try connection.bindQueue("behind", exchange: "cubist.outcomes", routingKey: "#")
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        try bus.publish([.push(.numbered(1))])
        try bus.publish([.outcome(routingKey: "match.1", body: [1])])
        // The broker has the outcome, so it has looked for the job's queue before.
        _ = try #require(
          try awaiting {
            _ = try bus.receive(1, .milliseconds(20))
            return try connection.get("behind")
          })
        // The topology comes back.
        try lab.topology.declare(at: lab.address())
        try bus.publish([.push(.numbered(2))])
        #expect(try bus.awaitConfirmed(1) == [PushJob.numbered(2).id])
      }
    }

    @Test("A broker that takes nothing holds no worker up")
    func stalled() async throws {
      try await BusLab.with { lab in
        let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
        defer { proxy.close() }
        let bus = try WorkerBus.live(lab.context(url), layout: lab.topology.layout)
        defer { bus.close() }
        try bus.consume([0])
        try bus.publish([.push(.numbered(1))])
        #expect(try bus.awaitConfirmed(1).count == 1)
        proxy.stall()
        // Far more than all buffers on the way hold.
        let body = [UInt8](repeating: 0, count: 4_096)
        let flood: [WorkerBus.Outgoing] = [
          .reply(to: "amq.rabbitmq.reply-to.nobody", correlationID: "1", body: body),
          .outcome(routingKey: "match.1", body: body),
        ]
        for _ in 0..<40 {
          try bus.publish((0..<256).flatMap { _ in flood })
          bus.serveHeartbeats()
        }
        try bus.publish([.push(.numbered(2))])
        #expect(try bus.receive(1, .zero) == [])
        try proxy.resume()
        var confirmed: [PushJobID] = []
        let deadline = ContinuousClock.now + .seconds(120)
        while !confirmed.contains(PushJob.numbered(3).id), ContinuousClock.now < deadline {
          try bus.publish([.push(.numbered(3))])
          _ = try bus.receive(1, .milliseconds(50))
          confirmed += try bus.confirmed()
        }
        #expect(confirmed.contains(PushJob.numbered(3).id))
        #expect(!confirmed.contains(PushJob.numbered(2).id))
      }
    }

    @Test("The loss of all publishing connections of a worker is one line of the log")
    func oneLine() async throws {
      try await BusLab.with { lab in
        let kept = InMemoryLogHandler()
        var context = try lab.context()
        context.log = Logger(label: "publishing") { _ in kept }
        let bus = try WorkerBus.live(context, layout: lab.topology.layout)
        defer { bus.close() }
        let names = Set(
          ["publishing", "replying", "replying to strangers"].map { "cubist worker, \($0)" })
        let lost = try awaiting { () throws -> [VirtualHost.BrokerConnection]? in
          let found = try lab.host.connections().filter { names.contains($0.clientName ?? "") }
          return Set(found.compactMap(\.clientName)) == names ? found : nil
        }
        for connection in try #require(lost) { try lab.host.close(connection) }
        let former = Set(lost?.map(\.name) ?? [])
        let isOpen = try awaiting { () throws -> Bool? in
          // Each use reads what has come, and connects anew. Strangers get nothing here.
          try bus.publish([.push(.numbered(1)), .reply(to: "x", correlationID: "x", body: [])])
          bus.serveHeartbeats()
          let open = try lab.host.connections().filter { !former.contains($0.name) }
          let isBack = Set(open.compactMap(\.clientName)).isSuperset(
            of: names.subtracting(["cubist worker, replying to strangers"]))
          return isBack ? true : nil
        }
        #expect(isOpen == true)
        let lines = kept.entries.map { "\($0.message)" }
        #expect(lines.filter { $0 == "publishing connection lost" }.count == 1, "\(lines)")
      }
    }

    @Test(
      "A lost publishing connection is opened anew and the consumer does not notice")
    func reopening() async throws {
      try await BusLab.with { lab in
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        try bus.consume([0])
        let scheduler = try SchedulerBus.live(lab.context())
        defer { scheduler.close() }
        try scheduler.publish([(lab.slot(of: 0), [1])])
        let delivery = try #require(try bus.receive(1).first)
        try bus.publish([.push(.numbered(1))])
        #expect(try bus.awaitConfirmed(1).count == 1)
        let publishing = try awaiting {
          try lab.host.connections().first { $0.clientName == "cubist worker, publishing" }
        }
        try lab.host.close(try #require(publishing))
        var confirmed: [PushJobID] = []
        let deadline = ContinuousClock.now + .seconds(120)
        while !confirmed.contains(PushJob.numbered(2).id), ContinuousClock.now < deadline {
          try bus.publish([.push(.numbered(2))])
          #expect(try bus.receive(1, .milliseconds(50)) == [])
          confirmed += try bus.confirmed()
        }
        #expect(confirmed.contains(PushJob.numbered(2).id))
        try bus.acknowledge(delivery.tag)
        try scheduler.publish([(lab.slot(of: 0), [2])])
        #expect(try bus.receive(1).map(\.deliveryCount) == [1])
      }
    }
  }
}
