import BrokerManagement
import Conformance
import CustomDump
@testable import EventBusLive
import Foundation
import LibRabbitMQ
import MatchInterfaces
import MatchWire
import RealServers
import Synchronization
import SystemCalls
import Testing

extension LiveBusTests {
  @Suite("Buses of a gateway")
  struct GatewayBusTests {
    private static let event: [UInt8] = [1, 2, 3]

    @Test("Another thread's wake ends a wait")
    func wake() async throws {
      try await BusLab.with { lab in
        let wakeup = try Wakeup()
        let bus = try GatewayBus.live(lab.context(), wakeup: wakeup)
        defer { bus.close() }
        let thread = Thread {
          // Nothing shows that the other thread waits by now.
          Patience.pause(0.3)
          wakeup.wake()
        }
        thread.start()
        let began = ContinuousClock.now
        #expect(try bus.receive(.seconds(60)) == [])
        #expect(ContinuousClock.now - began < .seconds(120))
        // The wake is used up.
        #expect(try bus.receive(.milliseconds(1)) == [])
      }
    }

    @Test("Events are persistent and never expire, queries are neither")
    func properties() async throws {
      try await BusLab.with { lab in
        let bus = try GatewayBus.live(lab.context(), wakeup: Wakeup())
        defer { bus.close() }
        let destinations: [GatewayBus.Outgoing.Destination] = [
          .events(lab.slot(of: 0)), .queries, .gatewayQueries,
        ]
        try bus.send(
          destinations.enumerated().map {
            .init(number: UInt64($0), destination: $1, body: Self.event, life: .seconds(3_600))
          })
        let connection = try lab.connect()
        defer { connection.close() }
        let found = try ["cubist.slots.00", "cubist.queries", "cubist.gateways"].map { queue in
          try connection.consume(queue, noAck: true)
          return try #require(
            try awaiting { try connection.poll(wait: .milliseconds(50)).first }
          ).properties
        }
        expectNoDifference(found.map(\.isPersistent), [true, false, false])
        expectNoDifference(found.map(\.expiration), [nil, "60000", "60000"])
        expectNoDifference(found.map(\.priority), [nil, nil, nil])
      }
    }

    @Test("After a refusal on an old connection the next messages go by another, and none is lost")
    func refusedOnOld() async throws {
      var limits = TopologyLimits()
      limits.events.messages = 1
      try await BusLab.with(limits: limits) { lab in
        let later = Atomic<UInt64>(0)
        var context = try lab.context()
        context.clock.uptimeNanoseconds = {
          WallClock.live.uptimeNanoseconds() &+ later.load(ordering: .relaxed)
        }
        let bus = try GatewayBus.live(context, wakeup: Wakeup())
        let worker = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer {
          bus.close()
          worker.close()
        }
        try worker.consume([1])
        var number: UInt64 = 0
        func send(to queue: Int) throws {
          number += 1
          let slot = lab.slot(of: queue)
          try bus.send([
            .init(number: number, destination: .events(slot), body: Self.event, life: .zero)
          ])
        }
        var fates: [GatewayBus.Incoming] = []
        func isRefused() throws -> Bool {
          fates += try bus.receive(.milliseconds(50))
          return fates.contains { if case .failed(_, .refused) = $0 { true } else { false } }
        }
        try send(to: 1)
        let first = try #require(try worker.receive(1).first)
        // A connection that is younger is not left after a refusal.
        later.store(RefusalPatience.nanoseconds, ordering: .relaxed)
        while try !isRefused(), number < 200 { try send(to: 0) }
        #expect(try isRefused())
        // The open message is answered over the old connection, the next one over the new one.
        try send(to: 1)
        let last = number
        let second = try #require(try worker.receive(1).first)
        #expect(first.replyTo != second.replyTo)
        try worker.acknowledge(second.tag)
        try worker.publish(
          [first, second].map {
            .reply(to: $0.replyTo ?? "", correlationID: $0.correlationID ?? "", body: [7])
          })
        _ = try awaiting {
          fates += try bus.receive(.milliseconds(50))
          return fates.contains(.reply(1, [7])) && fates.contains(.reply(last, [7])) ? () : nil
        }
        #expect(fates.contains(.reply(1, [7])) && fates.contains(.reply(last, [7])))
      }
    }

    @Test("With a gateway's rights everything works that a gateway does")
    func rights() async throws {
      try await BusLab.with { lab in
        let url = try Administrator.make().addUser("gateway", .gateway(), to: lab.host)
        #expect(GatewayAccess(at: try lab.address(url)).problems() == [])
        let bus = try GatewayBus.live(lab.context(url), wakeup: Wakeup())
        let notices = try NoticeBus.live(lab.context(url), settings: .often)
        let (worker, reader) = (
          try WorkerBus.live(lab.context(), layout: lab.topology.layout),
          try ReaderBus.live(lab.context())
        )
        defer {
          bus.close()
          notices.close()
          worker.close()
          reader.close()
        }
        try worker.consume([0])
        try bus.send([
          .init(
            number: 1, destination: .events(lab.slot(of: 0)), body: Self.event, life: .zero),
          .init(number: 2, destination: .gatewayQueries, body: [7], life: .seconds(9)),
        ])
        let event = try #require(try worker.receive(1).first)
        try worker.publish([
          .reply(to: event.replyTo ?? "", correlationID: event.correlationID ?? "", body: [9]),
          .outcome(routingKey: Names.changedMatches, body: [8]),
        ])
        let answer: ReaderBus.Answer? = try awaiting {
          for case .gatewayQuery([7], let replyTo?, let id?, nil) in try reader.receive(
            9, .milliseconds(50))
          { return .init(replyTo: replyTo, correlationID: id, body: [6]) }
          return nil
        }
        try reader.answer([try #require(answer)])
        var fates: Set<GatewayBus.Incoming> = []
        _ = try awaiting {
          fates.formUnion(try bus.receive(.milliseconds(50)))
          return fates.isSuperset(of: [.reply(1, [9]), .reply(2, [6])]) ? () : nil
        }
        #expect(fates.isSuperset(of: [.reply(1, [9]), .reply(2, [6])]))
        #expect(try awaiting { try notices.receive(1, .milliseconds(50)).first } == [8])
      }
    }

    @Test("A gateway's user can neither read queues, answer, announce nor make other things")
    func forbidden() async throws {
      try await BusLab.with { lab in
        let url = try Administrator.make().addUser("gateway", .gateway(), to: lab.host)
        // The broker deletes the queue of a closed connection some time after that.
        let forbidden: [(String, (RabbitMQConnection) throws -> Void)] = [
          ("declare a queue", { try $0.declareQueue("mine") }),
          ("declare a queue like its own", { try $0.declareQueue("cubist.gateways.zz") }),
          ("declare outcomes", { try $0.declareExchange("cubist.outcomes", kind: .fanout) }),
          ("delete the queue of questions", { try $0.deleteQueue("cubist.gateways") }),
          ("consume questions", { try $0.consume("cubist.gateways") }),
          ("consume queries", { try $0.consume("cubist.queries") }),
          ("take events", { _ = try $0.get("cubist.slots.00") }),
          ("take push jobs", { _ = try $0.get("cubist.jobs") }),
          ("announce", { try Self.publish("cubist.outcomes", Names.changedMatches, on: $0) }),
          ("publish push jobs", { try Self.publish("", "cubist.jobs", on: $0) }),
          ("answer", { try Self.publish("", "amq.rabbitmq.reply-to.somebody.else", on: $0) }),
          (
            "hear the scheduler's queries, by a pattern",
            {
              try $0.declareQueue("cubist.gateways.1", exclusive: true)
              try $0.bindQueue("cubist.gateways.1", exchange: "cubist.outcomes", routingKey: "#")
            }
          ),
          (
            "hear the scheduler's queries, by their key",
            {
              try $0.declareQueue("cubist.gateways.2", exclusive: true)
              try $0.bindQueue(
                "cubist.gateways.2", exchange: "cubist.outcomes", routingKey: Names.ownQueries)
            }
          ),
          (
            "hear of events",
            {
              try $0.declareQueue("cubist.gateways.3", exclusive: true)
              try $0.bindQueue("cubist.gateways.3", exchange: "cubist.events", routingKey: "0")
            }
          ),
        ]
        for (what, act) in forbidden {
          let connection = try lab.connect(url)
          defer { connection.close() }
          #expect("a gateway may \(what)") {
            try act(connection)
          } throws: { error in
            (error as? RabbitMQError)?.replyCode == 403
          }
        }
      }
    }

    @Test("A lasting queue that a gateway's user makes holds little")
    func lastingQueue() async throws {
      try await BusLab.with { lab in
        let administration = try Administrator.make()
        let url = try administration.addUser("gateway", .gateway(), to: lab.host)
        #expect(try !administration.policies(in: lab.host.name).contains(.gateways()))
        try administration.apply(.gateways(), in: lab.host.name)
        #expect(try administration.policies(in: lab.host.name).contains(.gateways()))
        let (gateway, service) = (try lab.connect(url), try lab.connect())
        defer {
          gateway.close()
          service.close()
        }
        try gateway.declareQueue("cubist.gateways.ab")
        for _ in 1...100 {
          try service.publish(
            exchange: "", routingKey: "cubist.gateways.ab", properties: .init(),
            body: Array(repeating: 1, count: 100_000), mandatory: false)
        }
        let bytes = try awaiting {
          try administration.queues(in: lab.host.name)
            .first { $0.name == "cubist.gateways.ab" && $0.ready > 30 }?.bytes
        }
        #expect(try #require(bytes) <= 4 * 1_024 * 1_024)
      }
    }

    @Test("A gateway's user without its rights, or with another password, is told of by name")
    func access() async throws {
      try await BusLab.with { lab in
        let administration = try Administrator.make()
        let url = try administration.addUser("gateway", .player(), to: lab.host)
        let problems = GatewayAccess(at: try lab.address(url)).problems()
        #expect(problems.count == 2, "\(problems)")
        #expect(problems.first?.hasPrefix("gateways cannot publish to cubist.gateways") == true)
        #expect(problems.last?.hasPrefix("gateways cannot hear of changes") == true)
        try administration.createUser("\(lab.host.name)-gateway", password: "another")
        let refused = GatewayAccess(at: try lab.address(url)).problems()
        #expect(refused.count == 1 && refused[0].hasPrefix("gateways cannot log in"), "\(refused)")
      }
    }

    @Test("A listener binds its queue anew if readers made the exchange anew, and ends without it")
    func deletions() async throws {
      try await BusLab.with { lab in
        let notices = try NoticeBus.live(lab.context(), settings: .often)
        let worker = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        let connection = try lab.connect()
        defer {
          notices.close()
          worker.close()
          connection.close()
        }
        try connection.deleteExchange("cubist.outcomes")
        try connection.declareExchange("cubist.outcomes", kind: .topic)
        let heard = try awaiting {
          try worker.publish([.outcome(routingKey: Names.changedMatches, body: [1])])
          return try notices.receive(9, .milliseconds(50)).first
        }
        #expect(heard == [1])
        try connection.deleteExchange("cubist.outcomes")
        let missing = try awaiting { try busError { _ = try notices.receive(9, .zero) } }
        #expect(missing?.kind == "unroutable")
        #expect(try busError { _ = try NoticeBus.live(lab.context()) }?.kind == "unroutable")
      }
    }

    private static func publish(
      _ exchange: String, _ key: String, on connection: RabbitMQConnection
    ) throws {
      let publisher = try Publisher<Int>(connection)
      try publisher.publish(
        id: 1, exchange: exchange, routingKey: key, properties: .init(), body: [],
        timeout: .seconds(120))
      try publisher.flush(timeout: .seconds(120))
    }
  }
}

extension NoticeBusSettings {
  /// Checks its binding without a pause.
  fileprivate static var often: NoticeBusSettings {
    var settings = NoticeBusSettings()
    settings.bindingInterval = .milliseconds(50)
    return settings
  }
}
