import BrokerManagement
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("The order of status's findings, and the command of each")
struct StatusOrderTests {
  private func names(_ report: StatusReport) -> [String] { report.findings().map(\.name) }

  /// A service whose roles of a kind cannot work.
  private func report(
    hindering roles: [RoleName], by problem: String
  ) throws -> StatusReport {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    for index in status.roles.indices
    where roles.contains(where: { $0.rawValue == status.roles[index].sign.role }) {
      status.roles[index].sign.problem = problem
    }
    status.clocks[0] = QueueClock(time: status.now.adding(seconds: -60))
    report.status = status
    return report
  }

  /// Workers that died young, one after another.
  private func youngDead(at report: StatusReport) throws -> [ServiceStatus.Role] {
    let now = try #require(report.status).now
    return (10...12).map {
      StatusTests.role(
        .worker, $0, since: 100 + Int64($0) * 40, heard: 60 + Int64($0) * 40, at: now)
    }
  }

  @Test("In a copy of the database the broker is the finding, and its idle roles are none")
  func copy() throws {
    let complaint = "store unusable: the broker at b serves another database: correct it"
    var report = try report(hindering: [.reader], by: complaint)
    report.status?.roles.removeAll { ["worker", "scheduler"].contains($0.sign.role) }
    report.status?.workers = []
    let dead = try youngDead(at: report)
    report.status?.roles += dead
    #expect(!names(report).contains("brokerServesAnother"))
    #expect(names(report).contains("workerAbsent") && names(report).contains("readerHindered"))
    report.servesAnother = true
    #expect(names(report) == ["brokerServesAnother"])
  }

  @Test("A key file of another service comes before the roles that do not work with it")
  func foreignKeys() throws {
    var report = try report(hindering: [.worker], by: "store gave up: something else")
    report.keyFile = .foreign(cause: "another service's", remedy: "bring the right one back")
    #expect(names(report).first == "keysForeign")
  }

  @Test("A queue that was deleted comes before all that follows from it")
  func missingQueue() throws {
    var report = try report(hindering: [.worker], by: "store gave up: something else")
    let dead = try youngDead(at: report)
    report.status?.roles += dead
    report.counts = [QueueCount(name: "cubist.slots.00", ready: 0, consumers: 1)]
    report.missingQueues = ["cubist.slots.01"]
    #expect(names(report).prefix(2) == ["queueMissing", "workerHindered"])
    #expect(names(report).contains("workerDiesYoung"))
    for index in report.status?.roles.indices ?? 0..<0
    where report.status?.roles[index].sign.problem != nil {
      report.status?.roles[index].sign.problem = "event bus unroutable: no queue"
    }
    #expect(!names(report).contains("workerHindered"))
  }

  @Test("A lock comes first with the command that ends it, and roles that wait for it are none")
  func lock() throws {
    var report = try report(
      hindering: [.worker], by: "conflict: canceling statement due to lock timeout")
    #expect(names(report) == ["workerHindered", "clockBehind"])
    report.status?.locks = [.init(table: "entries", processID: 12)]
    #expect(names(report) == ["tableLocked", "clockBehind"])
    #expect(
      report.screen().contains(
        "process 12, and everybody else waits for it\n"
          + "    psql \"$CUBIST_DATABASE\" -c 'SELECT pg_terminate_backend(12)'\n"))
    #expect(
      report.findings()[1].command
        == "psql \"$CUBIST_DATABASE\" -c 'SELECT pg_terminate_backend(12)'")
    report.status?.locks[0].blocksReads = false
    #expect(report.findings()[0].cause.hasSuffix("process 12, and nobody else can write to it"))
    // PostgreSQL would confirm a commit that only the primary has.
    report.status?.locks[0].awaitsStandby = true
    #expect(!report.findings()[0].command.contains("pg_terminate_backend"))
  }

  @Test(
    "A role that cannot work has the command that its reason needs",
    arguments: [
      ("event bus disconnected: refused", "systemctl status rabbitmq-server"),
      ("event bus timed out: 3 s", "systemctl status rabbitmq-server"),
      ("event bus not permitted: ACCESS_REFUSED", "cubistd setup"),
      ("event bus unroutable: no queue", "cubistd setup"),
      ("store unusable: ERROR: 42501: permission denied for table entries", "cubistd setup"),
      ("store unavailable: refused", "systemctl status 'postgresql*'"),
      (
        "store gave up: canceling statement due to lock timeout",
        "psql \"$CUBIST_DATABASE\" -c 'SELECT * FROM pg_stat_activity'"
      ),
      ("no certificate covers the working key", "cubistd setup --check"),
      ("store gave up: could not extend file", "journalctl -u 'cubistd@*'"),
    ])
  func commands(problem: String, command: String) throws {
    for role in [RoleName.worker, .push] {
      let found = try #require(
        try report(hindering: [role], by: problem).findings()
          .first { $0.name == "\(role.rawValue)Hindered" })
      #expect(found.command == command)
    }
  }

  @Test("A receiver that takes nothing leads to the answers of providers")
  func receiver() throws {
    let report = try report(hindering: [.push], by: "the receiver answers 503")
    let found = try #require(report.findings().first { $0.name == "pushHindered" })
    #expect(found.command == "cubistd push status")
  }

  @Test(
    "Full queues of push jobs that are tried again are no alarm, but that of the shortest delay")
  func fullRetries() throws {
    var report = try StatusTests.report()
    report.limits.push = .init(messages: 100, bytes: 1_000)
    let first = try #require(report.queues?.first)
    func findings(_ delay: PushBus.RetryDelay) -> [Finding] {
      var (changed, queue) = (report, first)
      queue.name = "cubist.jobs.retry.\(delay.rawValue)"
      queue.ready = 100
      changed.queues?.removeAll { $0.name == queue.name }
      changed.queues?.append(queue)
      return changed.findings()
    }
    let found = findings(.fiveHours)
    #expect(found.map(\.name) == ["queueLong"])
    #expect(found.first?.severity == .warning && found.first?.command == "cubistd push status")
    #expect(found.first?.cause.contains("cubist.jobs.retry.18000 (100 of 100)") == true)
    #expect(findings(.oneSecond).map(\.name) == ["queueFull"])
  }

  @Test("A queue is full at its own limit, and long at a fifth of it, by messages or bytes")
  func full() throws {
    var report = try StatusTests.report()
    report.limits.events = .init(messages: 100, bytes: 1_000)
    func names(
      ready: Int, _ change: (inout StatusReport) -> Void = { _ in }
    ) -> [String] {
      var changed = report
      changed.queues?[2].ready = ready
      change(&changed)
      return self.names(changed)
    }
    #expect(names(ready: 20) == [])
    #expect(names(ready: 21) == ["queueLong"])
    #expect(names(ready: 99) == ["queueLong"])
    #expect(names(ready: 100) == ["queueFull"])
    #expect(names(ready: 1) { $0.queues?[2].readyBytes = 201 } == ["queueLong"])
    #expect(names(ready: 1) { $0.queues?[2].readyBytes = 1_000 } == ["queueFull"])
    // The broker's own word counts, and the lower limit holds.
    #expect(names(ready: 21) { $0.queues?[2].policyMessages = 1_000 } == [])
    #expect(
      names(ready: 50) {
        $0.queues?[2].policyMessages = 1_000
        $0.queues?[2].maxMessages = 50
      } == ["queueFull"])
    // Without the management API the broker still counts messages.
    #expect(
      names(ready: 0) {
        $0.queues = nil
        $0.counts = [QueueCount(name: "cubist.slots.00", ready: 100, consumers: 1)]
      } == ["queueFull"])
    report.queues?[2].ready = 100
    let found = try #require(report.findings().first)
    #expect(found.severity == .critical && found.command == "cubistd run worker")
    #expect(found.cause.contains("cubist.slots.00 (100 of 100)"))
    // Others have other limits and consumers.
    report.queues?[2].ready = 0
    report.queues?[1].ready = 10_000
    #expect(report.findings().map(\.command) == ["cubistd run reader"])
    report.queues?[1].ready = 0
    report.queues?[0].ready = 40_001
    #expect(report.findings().map(\.command) == ["cubistd run push"])
  }

  @Test("Workers that died young are a warning once every queue has one again")
  func dyingYoung() throws {
    var report = try StatusTests.report()
    let dead = try youngDead(at: report)
    report.status?.roles += dead
    #expect(names(report) == ["workerDiesYoung"])
    #expect(report.findings()[0].severity == .warning)
    report.queues?[3].consumers = 0
    #expect(names(report) == ["queueUnconsumed", "workerDiesYoung"])
    #expect(report.findings()[1].severity == .critical)
  }

  @Test("A clock that stands leads to the role that lets it stand")
  func clock() throws {
    func behind(_ report: StatusReport) throws -> Finding {
      try #require(report.findings().first { $0.name == "clockBehind" })
    }
    var report = try report(hindering: [], by: "")
    #expect(try behind(report).command == "journalctl -u 'cubistd@*'")
    #expect(try behind(report).remedy.hasPrefix("a scheduler lives"))
    let hindered = try self.report(hindering: [.worker], by: "event bus not permitted: no")
    #expect(try behind(hindered).command == "cubistd setup")
    #expect(try behind(hindered).remedy.contains("workerHindered"))
    report.status?.roles.removeAll { $0.sign.role == "scheduler" }
    #expect(try behind(report).command == "cubistd run scheduler")
    report.queues?[2].consumers = 0
    #expect(try behind(report).command == "cubistd run worker")
  }

  @Test("Policies that differ from the settings are one warning, and mended by setup")
  func limits() throws {
    var report = try StatusTests.report()
    report.limitProblems = ["cubist.slots", "cubist.jobs"].map {
      "the policy \($0), which limits queues, differs from the settings"
    }
    #expect(names(report) == ["topologyDiffers"])
    #expect(report.findings()[0].severity == .warning)
    #expect(report.findings()[0].cause.contains("cubist.jobs"))
    report.topologyProblems.append("user cubist has no rights")
    #expect(report.findings().map(\.severity) == [.critical, .warning])
  }

  @Test("A cause that ends a sentence is followed by another one")
  func sentences() {
    #expect(
      Finding("x", "The port is right.", "mend that").sentence == "The port is right. Mend that")
  }
}
