import MatchCore
import MatchInterfaces
import MatchWire
import ServiceMetrics
import Testing

@testable import MatchService

@Suite("Gauges of the whole service")
struct FleetMetersTests {
  private func values(
    _ status: ServiceStatus, _ queues: [QueueCount]? = nil, faults: [String] = []
  ) throws -> [FleetMeters.Name: Double] {
    FleetMeters.values(
      status, queues.map { FleetMeters.Broker(queues: $0, faults: faults) },
      layout: try #require(QueueLayout(queueCount: 2)))
  }

  @Test("A queue that the broker lacks is told by name, and nothing is where nobody asked it")
  func missing() throws {
    let status = ServiceStatus(now: .noon, schemaVersion: 1)
    let names = Names()
    let all =
      [
        names.events(queue: 0), names.queries, names.gatewayQueries, names.push,
      ] + PushBus.RetryDelay.allCases.map { names.pushRetry(seconds: $0.rawValue) }
    let found = try values(
      status, all.map { QueueCount(name: $0, ready: 0, consumers: 1) }, faults: ["a", "b"])
    let missing = found.filter { $0.key.metric == .queueMissing }
    #expect(missing.count == all.count + 1)
    #expect(
      missing.filter { $0.value == 1 }.keys.map(\.label) == [names.events(queue: 1)])
    #expect(found[.init(metric: .topologyFaults)] == 2)
    let unasked = try values(status)
    #expect(!unasked.keys.contains { [.queueMissing, .topologyFaults].contains($0.metric) })
  }

  @Test("Problems are counted by their part, and a part that nobody knows is left out")
  func problems() throws {
    var status = ServiceStatus(now: .noon, schemaVersion: 1)
    status.problems = ["records", "ratings", "ratings", "made up"].enumerated().map {
      .init(part: $1, subject: "\(MatchID(rawValue: UInt128($0)))", since: .noon, reason: "no")
    }
    let values = try values(status).filter { $0.key.metric == .problems }
    #expect(values[.init(metric: .problems, label: "records")] == 1)
    #expect(values[.init(metric: .problems, label: "ratings")] == 2)
    #expect(values[.init(metric: .problems, label: "housekeeping")] == 0)
    #expect(values.count == 7)
  }

  @Test("Clocks of queues lag behind the service's time, whatever the database's clock shows")
  func jumped() throws {
    var status = ServiceStatus(now: Instant.noon.adding(seconds: 3_600), schemaVersion: 1)
    status.addedMicroseconds = -3_600_000_000
    status.clocks = [1: QueueClock(time: .noon)]
    let values = try values(status)
    #expect(values[.init(metric: .clockLag, label: Names().events(queue: 1))] == 0)
    #expect(values[.init(metric: .clockAdded)] == -3_600)
  }

  @Test("A look tells lags and ages in seconds, by the store's clock")
  func ages() throws {
    var status = ServiceStatus(now: .noon, schemaVersion: 1)
    status.clocks = [
      1: QueueClock(time: Instant.noon.adding(microseconds: -2_500_000), creditMicroseconds: 0)
    ]
    (status.outboxCount, status.outboxOldestAt) = (3, Instant.noon.adding(seconds: -90))
    status.deadJobCount = 2
    let values = try values(status, [QueueCount(name: "q", ready: 7, consumers: 1)])
    let lag = FleetMeters.Name(metric: .clockLag, label: Names().events(queue: 1))
    #expect(values[lag] == 2.5)
    #expect(values.keys.count { $0.metric == .clockLag } == 1, "no tick, no lag")
    #expect(values[.init(metric: .outboxJobs)] == 3)
    #expect(values[.init(metric: .outboxAge)] == 90)
    #expect(values[.init(metric: .ratingWait)] == 0)
    #expect(values[.init(metric: .deadLetters, label: "jobs")] == 2)
    #expect(values[.init(metric: .queueMessages, label: "q")] == 7)
    #expect(values[.init(metric: .standbyLag)] == nil)
    #expect(values[.init(metric: .databaseSize)] == nil, "the server did not tell")
  }

  @Test("A queue of the service has its limit by the settings, and any other queue has none")
  func limits() throws {
    var capacity = QueueCapacity.standard
    capacity.events.messages = 700
    let names = Names()
    let queues = [
      names.events(queue: 0), names.queries, names.gatewayQueries, names.push,
      names.pushRetry(seconds: 5), "q",
    ].map { QueueCount(name: $0, ready: 7, consumers: 1) }
    let values = FleetMeters.values(
      ServiceStatus(now: .noon, schemaVersion: 1), FleetMeters.Broker(queues: queues),
      layout: try #require(QueueLayout(queueCount: 2)), capacity: capacity)
    let limits = queues.map { values[.init(metric: .queueLimit, label: $0.name)] }
    #expect(limits == [700, 10_000, 10_000, 200_000, 200_000, nil])
  }

  @Test("A role is absent if none of its kind has given a sign of life lately")
  func roles() throws {
    var status = ServiceStatus(now: .noon, schemaVersion: 1)
    func role(_ name: String, secondsAgo: Int64) -> ServiceStatus.Role {
      let at = Instant.noon.adding(seconds: -secondsAgo)
      return ServiceStatus.Role(
        sign: RoleSign(id: RoleID(rawValue: 1), role: name, process: "a:1", problem: nil),
        startedAt: at, heartbeatAt: at)
    }
    status.roles = [role("reader", secondsAgo: 3), role("relay", secondsAgo: 60)]
    let values = try values(status)
    #expect(values[.init(metric: .rolesAbsent, label: "reader")] == 0)
    #expect(values[.init(metric: .rolesAbsent, label: "relay")] == 1)
  }

  @Test("Parts that the database did not tell have no gauge")
  func unanswered() throws {
    var status = ServiceStatus(now: .noon, schemaVersion: 1)
    status.unanswered = ServiceStatus.Part.allCases
    #expect(Set(try values(status).keys.map(\.metric)) == [.sampleTimestamp])
  }

  // Failure: SchedulerStore.workload: The sample is left out, and its timestamp grows old. The
  //   steward's other work goes on.
  // Failure: SchedulerBus.queueCounts: The sample has no counts of queues. The steward's other work
  //   goes on.
  // Failure: SchedulerBus.topologyFaults: The sample has nothing of the broker. The steward's other
  //   work goes on.
  @Test(
    "A steward samples when it is time, and one that cannot goes on with its work",
    arguments: ["queueCounts", "topologyFaults"])
  func sampling(failing: String) throws {
    let lab = SchedulerLab()
    lab.stewardSettings.samplePause = .seconds(15)
    var samples = 0
    lab.store.workload.answer { () throws(StoreError) in
      samples += 1
      guard samples > 1 else { throw .conflict("locked") }
      return ServiceStatus(now: .noon, schemaVersion: 1)
    }
    if failing == "queueCounts" {
      lab.bus.queueCounts.answer { _ throws(BusError) in throw .disconnected("gone") }
    } else {
      lab.bus.queueCounts.answer { _ in [] }
      lab.bus.topologyFaults.answer { _ throws(BusError) in throw .disconnected("gone") }
    }
    for _ in 0..<14 { try lab.stewardSecond() }
    #expect(samples == 1)
    #expect(lab.steward.trouble == nil)
    for _ in 0..<3 { try lab.stewardSecond() }
    #expect(samples == 2)
  }
}
