import BrokerManagement
import Conformance
import CustomDump
import EventBusLive
import LibRabbitMQ
import MatchInterfaces
import MatchWire
import RealServers
import Testing

extension LiveBusTests {
  @Suite("Topology")
  struct TopologyTests {
    @Test("Declaring again changes nothing, and nothing is missing then")
    func twice() async throws {
      try await BusLab.with(queueCount: 3, allSlots: true) { lab in
        let administration = try Administrator.make()
        let before = try administration.eventBindings(in: lab.host.name)
        expectNoDifference(before, EventBinding.all(of: lab.topology.layout))
        try lab.topology.declare(at: lab.address())
        expectNoDifference(try lab.topology.missing(at: lab.address()), [])
        let after = try administration.eventBindings(in: lab.host.name)
        expectNoDifference(after, before)
        expectNoDifference(lab.topology.problems(in: after), [])
      }
    }

    @Test("Every missing exchange and queue is named, and none is made")
    func missing() throws {
      try RealServers.withVirtualHost { (host: VirtualHost) throws in
        let address = try BrokerAddress(url: host.url)
        let topology = Topology(layout: try #require(QueueLayout(queueCount: 2)))
        let expected = [
          "exchange cubist.events is missing", "exchange cubist.queries is missing",
          "exchange cubist.gateways is missing", "exchange cubist.outcomes is missing",
          "queue cubist.slots.00 is missing", "queue cubist.slots.01 is missing",
          "queue cubist.queries is missing", "queue cubist.gateways is missing",
          "queue cubist.jobs is missing",
          "queue cubist.jobs.retry.1 is missing", "queue cubist.jobs.retry.10 is missing",
          "queue cubist.jobs.retry.60 is missing", "queue cubist.jobs.retry.300 is missing",
          "queue cubist.jobs.retry.1800 is missing", "queue cubist.jobs.retry.7200 is missing",
          "queue cubist.jobs.retry.18000 is missing",
        ]
        expectNoDifference(try topology.missing(at: address), expected)
        expectNoDifference(try topology.missing(at: address), expected)
        #expect(try Administrator.make().eventBindings(in: host.name) == [])
      }
    }

    @Test(
      "Another number of queues moves slots without leaving one unbound")
    func anotherNumber() async throws {
      try await BusLab.with(queueCount: 3, allSlots: true) { lab in
        let administration = try Administrator.make()
        let former = lab.topology.layout
        let next = Topology(layout: try #require(QueueLayout(queueCount: 4)))
        expectNoDifference(
          next.problems(in: try administration.eventBindings(in: lab.host.name)),
          [
            "766 of 1024 slots are not bound, the first is slot 3 to queue 3",
            "766 slots lead to a wrong queue too, the first is slot 3 to queue 0",
          ])
        try next.declare(
          at: lab.address(), removing: EventBinding.stale(of: former, under: next.layout))
        expectNoDifference(
          try administration.eventBindings(in: lab.host.name), EventBinding.all(of: next.layout))
      }
    }

    @Test("Bindings of the present layout survive being named as stale")
    func removingTooMuch() async throws {
      try await BusLab.with(allSlots: true) { lab in
        try lab.topology.declare(
          at: lab.address(),
          removing: EventBinding.all(of: lab.topology.layout) + [
            // A queue that went long ago.
            EventBinding(slot: lab.slot(of: 0), queue: 77)
          ])
        let bindings = try Administrator.make().eventBindings(in: lab.host.name)
        expectNoDifference(lab.topology.problems(in: bindings), [])
      }
    }

    // Failure: ManagementError.refused: The API refuses the request.
    @Test("A queue that was declared otherwise is refused by name")
    func contradiction() async throws {
      try await BusLab.with { lab in
        var other = lab.topology
        other.limits.push.messages += 1
        let error = try busError { try other.declare(at: lab.address()) }
        #expect(error?.kind == "refused")
        #expect("\(try #require(error))".contains("cubist.jobs"))
      }
    }

    @Test("A wrong password and an unreachable broker are told apart")
    func unreachable() throws {
      let url = try RealServers.environment().amqp
      let colon = try #require(url.lastIndex(of: ":"))
      let at = try #require(url.lastIndex(of: "@"))
      let user = try #require(url.firstIndex(of: "/"))
      let stranger = "\(url[...user])/cubist:wrong\(url[at...])"
      let nobody = "\(url[..<colon]):1/"
      for (url, expected) in [(stranger, "not permitted"), (nobody, "disconnected")] {
        let address = try BrokerAddress(url: url)
        #expect(try busError { try Topology().declare(at: address) }?.kind == expected)
        #expect(try busError { _ = try Topology().missing(at: address) }?.kind == expected)
      }
    }

    @Test("Stale bindings are those that the present layout leads elsewhere")
    func stale() throws {
      let three = try #require(QueueLayout(queueCount: 3))
      let six = try #require(QueueLayout(queueCount: 6))
      #expect(EventBinding.stale(of: three, under: three) == [])
      let stale = EventBinding.stale(of: three, under: six)
      #expect(stale.count == 511)
      #expect(stale.allSatisfy { $0.slot.number % 6 == $0.queue + 3 })
      #expect(EventBinding.all(of: six).map(\.slot.number) == Array(0..<1_024))
    }

    // Failure: BrokerAddressError: The URL is not one of a broker.
    @Test("An address shows no password, and a bad URL repeats nothing of itself")
    func secrets() throws {
      let address = try BrokerAddress(url: "amqp://ann:secret@host:1234/games?heartbeat=5")
      #expect(address.virtualHost == "games")
      #expect(address.user == "ann")
      for text in ["\(address)", String(reflecting: address), String(customDumping: address)] {
        #expect(!text.contains("secret"))
        #expect(text.contains("ann"))
      }
      #expect {
        try BrokerAddress(url: "http://ann:secret@host")
      } throws: { error in
        !"\(error)".contains("secret") && "\(error)".contains("amqp://")
      }
    }
  }
}
