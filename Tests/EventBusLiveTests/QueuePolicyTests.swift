import BrokerManagement
import CustomDump
import LibRabbitMQ
import MatchInterfaces
import MatchWire
import RealServers
import Testing

@testable import EventBusLive

extension LiveBusTests {
  @Suite("The limits of queues as policies")
  struct QueuePolicyTests {
    private static func topology(events: Int) throws -> Topology {
      var limits = TopologyLimits()
      limits.events.messages = events
      return Topology(layout: try #require(QueueLayout(queueCount: 1)), limits: limits)
    }

    private static func apply(_ topology: Topology, in host: String) throws {
      let administration = try Administrator.make()
      for policy in BrokerPolicy.queues(of: topology) {
        try administration.apply(policy, in: host)
      }
    }

    /// Publishes until the queue refuses, up to `count` messages, on a connection of its own.
    /// - Returns: How many the broker confirmed.
    private static func publish(_ count: Int, to queue: String, _ lab: BusLab) throws -> Int {
      let publisher = try Publisher<Int>(lab.connect(), window: 1)
      defer { publisher.close() }
      for id in 0..<count {
        try publisher.publish(
          id: id, exchange: "", routingKey: queue, properties: .init(), body: [1])
        try publisher.flush(timeout: .seconds(120))
      }
      return publisher.takeResults().count { $0.outcome == .confirmed }
    }

    @Test("A changed limit holds for a queue with messages, and none of them is lost")
    func changed() async throws {
      try await BusLab.withVirtualHost { host in
        let small = try Self.topology(events: 5)
        let lab = BusLab(host: host, topology: small)
        try await onThread {
          let queue = small.names.events(queue: 0)
          try Self.apply(small, in: host.name)
          try small.declare(
            at: lab.address(), binding: [], removing: [], limitedBy: .policies)
          let connection = try lab.connect()
          defer { connection.close() }
          func count() throws -> Int { Int(try connection.inspectQueue(queue).messageCount) }

          // The broker refuses a message or two before or after the limit.
          let first = try Self.publish(20, to: queue, lab)
          #expect(4...7 ~= first)
          #expect(try count() == first)
          try Self.apply(try Self.topology(events: 1_000), in: host.name)
          var more = 0
          _ = try awaiting {
            more += try Self.publish(20, to: queue, lab)
            return more > 20 ? true : nil
          }
          #expect(try more > 20 && count() == first + more)
          // Lower than what is there: everything stays, and nothing more comes in.
          try Self.apply(small, in: host.name)
          let isRefused = try awaiting {
            let taken = try Self.publish(1, to: queue, lab)
            more += taken
            return taken == 0 ? true : nil
          }
          #expect(try isRefused == true && count() == first + more)
        }
      }
    }

    @Test("Queues of a former setup keep their arguments, and the lower limit holds")
    func formerArguments() async throws {
      try await BusLab.with(queueCount: 1) { lab in
        try await onThread {
          let (host, queue) = (lab.host.name, lab.topology.names.events(queue: 0))
          let administration = try Administrator.make()
          let small = try Self.topology(events: 5)
          try Self.apply(small, in: host)
          try small.declare(
            at: lab.address(), binding: [], removing: [], limitedBy: .policies)
          let queues = try administration.queues(in: host)
          #expect(queues.allSatisfy { $0.maxMessages != nil && $0.maxBytes != nil })
          #expect(queues.first { $0.name == queue }?.maxMessages == 50_000)
          let taken = try awaiting {
            let taken = try Self.publish(20, to: queue, lab)
            return taken < 20 ? taken : nil
          }
          #expect(taken != nil)
          // A higher limit than the arguments cannot hold, and is named.
          let large = try Self.topology(events: 60_000)
          let said = BrokerPolicy.queues(of: large).compactMap {
            $0.tighterArguments(among: queues)
          }
          #expect(said.count == 1)
          #expect(said[0].contains("\(queue) (1)") && said[0].contains("50000 messages"))
          #expect(
            BrokerPolicy.queues(of: small).allSatisfy { $0.tighterArguments(among: queues) == nil })
        }
      }
    }

    @Test("Without the management API the queues of a setup with it stay as they are")
    func withoutManagement() async throws {
      try await BusLab.withVirtualHost { host in
        let topology = try Self.topology(events: 5)
        let lab = BusLab(host: host, topology: topology)
        try await onThread {
          try topology.declare(at: lab.address(), binding: [], removing: [], limitedBy: .policies)
          try topology.declare(at: lab.address(), binding: [], removing: [])
          let queues = try Administrator.make().queues(in: host.name)
          #expect(!queues.isEmpty && queues.allSatisfy { $0.maxMessages == nil })
        }
      }
    }

    @Test("A policy that is missing, differs or is hidden by another one is named")
    func problems() async throws {
      try await BusLab.withVirtualHost { host in
        let topology = try Self.topology(events: 5)
        let lab = BusLab(host: host, topology: topology)
        try await onThread {
          let administration = try Administrator.make()
          try topology.declare(at: lab.address(), binding: [], removing: [], limitedBy: .policies)
          func problems(_ topology: Topology) throws -> [String] {
            let policies = try administration.policies(in: host.name)
            let queues = try administration.queues(in: host.name)
            return BrokerPolicy.queues(of: topology).flatMap { policy in
              [policy.difference(among: policies)].compactMap(\.self)
                + policy.problems(among: policies, queues: queues)
            }
          }
          expectNoDifference(
            try problems(topology),
            [
              "the policy cubist.slots, which limits queues such as cubist.slots.00, is missing",
              "the policy cubist.queries, which limits queues such as cubist.gateways, is missing",
              "the policy cubist.jobs, which limits queues such as cubist.jobs, is missing",
            ])
          try Self.apply(topology, in: host.name)
          expectNoDifference(try problems(topology), [])
          expectNoDifference(
            try problems(try Self.topology(events: 6)),
            ["the policy cubist.slots, which limits queues, differs from the settings"])
          var other = try #require(
            BrokerPolicy.queues(of: topology).first { $0.name == topology.names.push })
          other.name = "somebody's"
          try administration.apply(other, in: host.name)
          expectNoDifference(
            try problems(topology),
            [
              "the policy somebody's hides the policy cubist.jobs from queues such as cubist.jobs: "
                + "give it a priority below 10, or delete it"
            ])
          try administration.deletePolicy(other.name, in: host.name)
          expectNoDifference(try problems(topology), [])
        }
      }
    }

    @Test("Queues whose arguments limit them enough need no policy")
    func enough() async throws {
      try await BusLab.with(queueCount: 1) { lab in
        try await onThread {
          let queues = try Administrator.make().queues(in: lab.host.name)
          for policy in BrokerPolicy.queues(of: lab.topology) {
            expectNoDifference(policy.problems(among: [], queues: queues), [])
          }
        }
      }
    }
  }
}
