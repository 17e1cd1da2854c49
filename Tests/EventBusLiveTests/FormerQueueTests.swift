import BrokerManagement
import Chaos
import Conformance
import EventBusLive
import Foundation
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Synchronization
import Testing

extension LiveBusTests {
  @Suite("Queues of a former build")
  struct FormerQueueTests {
    /// A virtual host as a former build set it up, with a few queues of events.
    private static func withFormer(
      queueCount: Int = 2, _ body: @escaping @Sendable (BusLab) async throws -> Void
    ) async throws {
      try await BusLab.withVirtualHost { host in
        let layout = try #require(QueueLayout(queueCount: queueCount))
        let lab = BusLab(host: host, topology: Topology(layout: layout))
        try await onThread {
          let connection = try lab.connect()
          defer { connection.close() }
          try FormerTopology.declare(on: connection, queueCount: queueCount)
        }
        try await body(lab)
      }
    }

    @Test(
      "Numbers published all the while are handled in the order of their slots, none is missing")
    func order() async throws {
      try await Self.withFormer(queueCount: 32) { lab in
        let end = Flag()
        let log = HandledNumbers()
        async let counts = onThread { try Self.publish(in: lab, until: end) }
        async let handled: Void = onThread { try Self.handle(log, lab) }
        do {
          try await onThread {
            // Without the present queues the former ones are served.
            try waitUntil("former queues are served") { log.count > 200 }
            try lab.topology.declare(at: lab.address())
            try waitUntil("the queues are drained") {
              try Self.isDrained(lab)
            }
            let now = log.count
            try waitUntil("present queues are served") { log.count > now + 200 }
          }
        } catch {
          // The publishers and workers have to end before the error is thrown.
          log.end("\(error)")
        }
        end.set()
        let published = try await counts
        log.expect(published)
        try await handled
        #expect(log.handled == published)
        #expect(log.disorder == nil)
      }
    }

    @Test(
      "A worker that is not the active consumer leaves the slots where they are")
    func standingBy() async throws {
      try await Self.withFormer(queueCount: 8) { lab in
        try lab.topology.declare(at: lab.address())
        let former = try lab.connect()
        defer { former.close() }
        try former.consume(FormerTopology.name(of: 0))
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        try bus.consume([0])
        // It asks, and its marker goes to the other consumer.
        let asked = try awaiting { () -> Delivery? in
          #expect(try bus.receive(10, .milliseconds(50)) == [])
          return try former.poll(wait: .milliseconds(50)).first
        }
        try former.acknowledge(try #require(asked).tag)
        #expect(asked?.exchange == "" && asked?.body == [])
        let bindings = try Administrator.make().eventBindings(in: lab.host.name)
        #expect(bindings.count == 1_024 && bindings.allSatisfy(\.isFormer))
        former.close()
        let scheduler = try SchedulerBus.live(lab.context())
        defer { scheduler.close() }
        try scheduler.publish([(lab.slot(of: 0), [7])])
        let given = try bus.receive(1)
        #expect(given.map(\.body) == [[7]])
        try bus.acknowledge(try #require(given.first).tag)
        let moved = try awaiting { () -> [EventBinding]? in
          #expect(try bus.receive(10, .milliseconds(50)) == [])
          let bindings = try Administrator.make().eventBindings(in: lab.host.name)
          return bindings.filter(\.isFormer).count == 896 ? bindings : nil
        }
        #expect(moved?.filter { !$0.isFormer }.allSatisfy { $0.queue == 0 } == true)
        #expect(moved?.count == 1_024)
      }
    }

    @Test(
      "A former queue with nothing in it holds up its slots for two seconds or so")
    func nothingInThem() async throws {
      try await Self.withFormer(queueCount: 8) { lab in
        try lab.topology.declare(at: lab.address())
        let scheduler = try SchedulerBus.live(lab.context())
        defer { scheduler.close() }
        // Where the slots were moved before, a worker that begins looks after the queues again.
        let moving = try lab.connect()
        defer { moving.close() }
        for slot in lab.topology.layout.slots(of: 0) {
          try moving.bindQueue(
            "cubist.slots.00", exchange: "cubist.events", routingKey: slot.routingKey)
          try moving.unbindQueue(
            FormerTopology.name(of: 0), exchange: "cubist.events", routingKey: slot.routingKey)
        }
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        try scheduler.publish([(lab.slot(of: 0), [7])])
        let begun = ContinuousClock.now
        try bus.consume([0])
        let given = try bus.receive(1)
        #expect(given.map(\.body) == [[7]])
        // A busy machine takes longer; a queue with events in it would never be left.
        #expect(ContinuousClock.now - begun < .seconds(120))
        try bus.acknowledge(try #require(given.first).tag)
      }
    }

    @Test("Push jobs in every former queue are handed out")
    func pushJobs() async throws {
      try await Self.withFormer { lab in
        let connection = try lab.connect()
        defer { connection.close() }
        let queues = ["cubist.push", "cubist.push.retry.1", "cubist.push.retry.10"]
        for (number, queue) in queues.enumerated() {
          try connection.publish(
            exchange: "", routingKey: queue, properties: .init(),
            body: PushJobCodec.encode(.numbered(UInt8(number + 1))), mandatory: false)
        }
        try lab.topology.declare(at: lab.address())
        let bus = try PushBus.live(lab.context())
        defer { bus.close() }
        var jobs: [PushJob?] = []
        for _ in queues {
          let delivery = try #require(try bus.receiveOne())
          jobs.append(delivery.job)
          // A job that is tried again goes to the present queues.
          if jobs.count == 1 {
            try bus.retry([.init(delivery, after: .oneSecond)])
            #expect(try connection.inspectQueue("cubist.push.retry.1").messageCount <= 1)
          } else {
            try bus.acknowledge([delivery.tag])
          }
        }
        let again = try #require(try bus.receiveOne())
        jobs.append(again.job)
        try bus.acknowledge([again.tag])
        #expect(Set(jobs) == Set((1...3).map { .numbered($0) }))
      }
    }

    @Test("Only queues that stay empty and unused may go, that of dead letters last")
    func removable() {
      func report(
        _ name: String, _ total: Int = 0, consumers: Int = 0
      )
        -> BrokerAdministration.QueueReport
      {
        .init(
          name: name, ready: 0, unacknowledged: 0, total: total, bytes: 0, consumers: consumers,
          isRunning: true)
      }
      let others = [report("cubist.dead"), report("cubist.push"), report("cubist.push.retry.1")]
      let present = [report("cubist.slots.00"), report("cubist.jobs")]
      let topology = Topology()
      func names(
        _ reports: [BrokerAdministration.QueueReport], _ bindings: [EventBinding] = []
      ) -> [String] {
        topology.removableFormer(among: reports + present, bindings: bindings)
      }
      #expect(names(others) == ["cubist.push", "cubist.push.retry.1", "cubist.dead"])
      #expect(names(others + [report("cubist.events.01", 1)]) == [])
      #expect(names(others + [report("cubist.events.01", consumers: 1)]) == [])
      let slot = topology.layout.slots(of: 1)[0]
      #expect(
        names(
          others + [report("cubist.events.00"), report("cubist.events.01")],
          [.init(slot: slot, queue: 1, isFormer: true)]) == ["cubist.events.00"])
      #expect(names([report("cubist.dead", 1), report("cubist.push")]) == [])
      #expect(
        names(others + [report("cubist.events.01")])
          == ["cubist.events.01", "cubist.push", "cubist.push.retry.1", "cubist.dead"])
    }

    // MARK: Load

    /// The queues under load. There are many others, so that each has few slots to be moved.
    private static let served = [0, 1, 2]

    /// Publishes numbers to some slots of both queues until it is told to end.
    /// - Returns: how many to each slot.
    private static func publish(in lab: BusLab, until end: Flag) throws -> [Int: Int] {
      let bus = try SchedulerBus.live(lab.context())
      defer { bus.close() }
      let slots = served.compactMap { Slot(number: $0) }
      var count = 0
      while !end.isSet {
        count += 1
        try bus.publish(slots.map { ($0, Array("\($0) \(count)".utf8)) })
        // At a pace of its own, whether anybody handles them or not: less than can be handled.
        Patience.pause(0.03)
      }
      return Dictionary(uniqueKeysWithValues: slots.map { ($0.number, count) })
    }

    /// Handles events like workers that are killed now and then, before or after their writes.
    private static func handle(_ log: HandledNumbers, _ lab: BusLab) throws {
      var random = SystemRandomNumberGenerator()
      while !log.isComplete {
        let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
        defer { bus.close() }
        try bus.consume(served)
        log.begin()
        // Long enough for one queue at least to be moved.
        let life =
          ContinuousClock.now + .milliseconds(Int.random(in: 2_000...20_000, using: &random))
        while ContinuousClock.now < life, !log.isComplete {
          let given = try bus.receive(50, .milliseconds(20))
          guard let last = given.last else { continue }
          log.note(given.map(\.body))
          try bus.acknowledge(last.tag)
        }
        let given = try bus.receive(50, .milliseconds(20))
        if Bool.random(using: &random) { log.note(given.map(\.body)) }
      }
    }

    /// Whether nothing leads to the former queues, and nothing is in them but markers.
    private static func isDrained(_ lab: BusLab) throws -> Bool {
      let administration = try Administrator.make()
      guard
        !(try administration.eventBindings(in: lab.host.name))
          .contains(where: { $0.isFormer && served.contains($0.queue) })
      else { return false }
      let connection = try lab.connect()
      defer { connection.close() }
      return try served.allSatisfy {
        try connection.inspectQueue(FormerTopology.name(of: $0)).messageCount == 0
      }
    }
  }
}

/// The numbers that have been handled, each once: a repetition is recognized.
private final class HandledNumbers: Sendable {
  private struct State {
    var handled: [Int: Int] = [:]
    var expected: [Int: Int]?
    var disorder: String?
    var count = 0
    var busCount = 0
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }
  var busCount: Int { state.withLock { $0.busCount } }
  var handled: [Int: Int] { state.withLock { $0.handled } }
  var disorder: String? { state.withLock { $0.disorder } }
  var isComplete: Bool { state.withLock { $0.disorder != nil || $0.expected == $0.handled } }

  func end(_ reason: String) { state.withLock { $0.disorder = $0.disorder ?? reason } }
  func begin() { state.withLock { $0.busCount += 1 } }
  func expect(_ counts: [Int: Int]) { state.withLock { $0.expected = counts } }

  func note(_ bodies: [[UInt8]]) {
    state.withLock { state in
      for body in bodies {
        let words = String(decoding: body, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let slot = Int(words[0]), let number = Int(words[1]) else {
          state.disorder = "\(body) was delivered"
          continue
        }
        let last = state.handled[slot, default: 0]
        guard number > last else { continue }
        if number != last + 1 {
          state.disorder = state.disorder ?? "\(number) of slot \(slot) came after \(last)"
        }
        state.handled[slot] = number
        state.count += 1
      }
    }
  }
}
