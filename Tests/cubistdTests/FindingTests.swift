import BrokerManagement
import CustomDump
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import cubistd

@Suite("Findings of status")
struct FindingTests {
  private func names(_ report: StatusReport) -> [String] { report.findings().map(\.name) }

  @Test("A person reads the name of each finding, and no two marks in a row")
  func lines() throws {
    var report = try StatusTests.report()
    report.nodes = [StatusTests.node()]
    report.failures = [
      .store(.unavailable("refused. Is the server accepting TCP/IP connections?"))
    ]
    let text = report.text()
    #expect(text.contains("\n! [brokerAlarm] RabbitMQ: node a"))
    #expect(text.contains("\n! [databaseUnanswered] PostgreSQL cannot be reached: refused"))
    #expect(text.contains("TCP/IP connections? Start it"))
    let finding = Finding("x", "accepting TCP/IP connections?", "Start it")
    #expect(finding.sentence == "accepting TCP/IP connections? Start it")
    #expect(Finding("x", "down", "Start it").sentence == "down: Start it")
  }

  @Test("A locked table is named with its holder, and unknown facts are not made up")
  func locked() throws {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    status.unanswered = [.workers, .roles, .matches, .deadLetters]
    (status.workers, status.roles) = ([], [])
    status.locks = [
      .init(table: "matches", processID: 12, session: "psql", since: status.now),
      .init(table: "roles", processID: 13, awaitsStandby: true),
    ]
    report.status = status
    expectNoDifference(names(report), ["tableLocked", "tableLocked", "databasePartUnanswered"])
    let said = report.findings()
    #expect(said[0].cause.contains("matches") && said[0].cause.contains("psql"))
    #expect(said[0].cause.contains("since \(status.now)"))
    #expect(said[0].remedy.contains("`SELECT pg_terminate_backend(12)`"))
    #expect(said[0].remedy.contains("SyncRep"))
    #expect(!said[1].remedy.contains("pg_terminate_backend"))
    #expect(said[2].cause.contains("workers, roles, matches, dead letters"))
    let text = report.text()
    for line in ["matches   ?", "dead      ?", "workers   ?", "roles     ?", "players   12;"] {
      #expect(text.contains(line), "\(line)")
    }
    let json = try report.json()
    #expect(!json.contains("\"matches\":40"))
    for key in ["currentMatches", "deadEvents", "deadJobs", "workers", "roles"] {
      #expect(!json.contains("\"\(key)\":"), "\(key)")
    }
    #expect(json.contains("\"players\":12"))
  }

  @Test("Signs of life from before the clock was set back make nobody live, and are named")
  func clockAhead() throws {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    let now = status.now
    status.roles = RoleName.signing.enumerated().map {
      StatusTests.role($1, $0 + 1, since: -7_300, heard: -7_200, at: now)
    }
    for index in status.workers.indices {
      status.workers[index].heartbeatAt = now.adding(seconds: 7_199)
    }
    report.status = status
    #expect(report.livingWorkers == [])
    #expect(report.text().contains("dead"))
    expectNoDifference(
      names(report),
      [
        "clockAhead", "workerAbsent", "schedulerAbsent", "readerAbsent", "stewardAbsent",
        "relayAbsent", "pushAbsent", "raterAbsent",
      ])
    #expect(report.findings()[0].cause.contains("2 h ahead"))
    // A heartbeat that came while the answer was on its way is no sign of a wrong clock.
    report = try StatusTests.report()
    report.status?.roles[0].heartbeatAt = now.adding(seconds: 1)
    #expect(names(report) == [])
  }

  @Test(
    "A jump of the clock is named as long as it has consequences, and for an hour; queues are not late"
  )
  func clockJumped() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    let hour: Int64 = 3_600_000_000
    /// The finding so many seconds after a jump, with the clock that is ahead by so much.
    func finding(after seconds: Int64, jump: Int64, added: Int64) throws -> Finding? {
      report = try StatusTests.report()
      let service = now.adding(microseconds: added)
      report.status?.addedMicroseconds = added
      report.status?.clockJump = .init(microseconds: jump, at: service.adding(seconds: -seconds))
      let clocks = report.status?.clocks ?? [:]
      for queue in clocks.keys { report.status?.clocks[queue] = QueueClock(time: service) }
      let found = report.findings()
      #expect(!found.contains { $0.name == "clockBehind" })
      return found.first { $0.name == "clockJumped" }
    }
    let ahead = try #require(try finding(after: 7_200, jump: hour, added: -hour))
    #expect(
      ahead.cause.contains("jumped 1 h ahead") && ahead.cause.hasSuffix("1 h behind that clock"))
    #expect(ahead.severity == .warning && ahead.command == "chronyc tracking")
    let back = try #require(try finding(after: 7_200, jump: -hour, added: hour))
    #expect(back.cause.contains("jumped 1 h back") && back.remedy.contains("a hundredth slower"))
    let over = try #require(try finding(after: 60, jump: -hour, added: 0))
    #expect(over.severity == .notice)
    #expect(try finding(after: 3_600, jump: -hour, added: 0) == nil)
  }

  @Test("A row of the service's time that no scheduler writes is named, with the way back")
  func oddTime() throws {
    let day: Int64 = 86_400_000_000
    func finding(added: Int64, jumpAfter seconds: Int64?) throws -> Finding? {
      var report = try StatusTests.report()
      let service = try #require(report.status).now.adding(microseconds: added)
      report.status?.addedMicroseconds = added
      report.status?.clockJump = seconds.map {
        .init(microseconds: -added, at: service.adding(seconds: $0))
      }
      return report.findings().first { $0.name == "clockJumped" }
    }
    for odd in [
      try finding(added: day, jumpAfter: nil), try finding(added: -day, jumpAfter: nil),
      try finding(added: -day, jumpAfter: 3_600),
    ] {
      let odd = try #require(odd)
      #expect(odd.cause.hasSuffix("somebody has changed the table service_time"), "\(odd)")
      #expect(odd.remedy.contains("UPDATE service_time"), "\(odd)")
    }
    #expect(try finding(added: 0, jumpAfter: nil) == nil)
    let usual = try #require(try finding(added: -day, jumpAfter: -3_600))
    #expect(!usual.remedy.contains("UPDATE"))
  }

  @Test("Housekeeping that fails for minutes is named, and one round that failed is not")
  func housekeeping() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    func names(after seconds: Int64) -> [String] {
      report.status?.problems = [
        .init(
          part: ServiceStatus.Problem.housekeeping, subject: "\(PlayerID(rawValue: 0))",
          since: now.adding(seconds: -seconds), reason: "canceling statement due to lock timeout")
      ]
      return self.names(report)
    }
    #expect(names(after: 60) == [])
    #expect(names(after: 301) == ["housekeepingFails"])
    #expect(report.findings()[0].cause.contains("lock timeout"))
  }

  @Test("A damaged match is named with its reason, and the command that looks at it")
  func damagedMatch() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    report.status?.problems = [
      .init(
        part: ServiceStatus.Problem.records, subject: "\(MatchID(rawValue: 9))", since: now,
        reason: "its record does not hold")
    ]
    #expect(names(report) == ["matchDamaged"])
    let found = try #require(report.findings().first)
    #expect(found.cause.contains("does not hold") && found.severity == .critical)
    let restore = "cubistd matches restore \(MatchID(rawValue: 9)) --from-database"
    #expect(found.remedy.contains(restore))
    #expect(found.command == "cubistd rebuild --match \(MatchID(rawValue: 9))")
  }

  @Test("A database that is slow is named, with the statement and what blocks it")
  func slowDatabase() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    report.status?.problems = [
      .init(
        part: ServiceStatus.Problem.database, subject: "\(PlayerID(rawValue: 0))", since: now,
        reason: "statement updateMatches had taken 1200 ms: blocked by process 7 (psql)")
    ]
    // The session has ended, or its transaction has.
    #expect(names(report) == ["databaseSlow"])
    #expect(report.findings()[0].cause.contains("updateMatches"))
    #expect(!report.findings()[0].cause.contains("process 7"))
    #expect(report.findings()[0].severity == .warning)
    report.status?.lockHolders = [7, 8]
    let found = try #require(report.findings().first)
    #expect(found.cause.contains("blocked by process 7 (psql)"))
    #expect(found.severity == .critical)
    #expect(found.command == "psql \"$CUBIST_DATABASE\" -c 'SELECT pg_terminate_backend(7)'")
    #expect(found.remedy.contains("SyncRep"))
    // A lock that is known says the same.
    report.status?.locks = [.init(table: "matches", processID: 7)]
    #expect(names(report) == ["tableLocked"])
    // Sessions of the service wait for one another for moments.
    report.status?.locks = []
    report.status?.problems[0].reason =
      "statement updateMatches had taken 1200 ms: blocked by process 7 (cubistd worker, active)"
    #expect(report.findings()[0].severity == .warning)
  }

  @Test("Another number of queues than the database's is named, and the database's are shown")
  func layout() throws {
    var report = try StatusTests.report()
    let (two, three) = (
      try #require(QueueLayout(queueCount: 2)), try #require(QueueLayout(queueCount: 3))
    )
    report.status?.layout = StoredLayout(two)
    report.layout = three
    #expect(names(report) == ["layoutDiffers"])
    #expect(report.findings()[0].remedy.contains("set CUBIST_QUEUES=2"))
    #expect(report.queueRows().filter(\.isOfEvents).count == 2)
    report.layout = two
    #expect(names(report) == [])
    report.status?.layout?.unmoved = [three]
    #expect(names(report) == ["layoutUnfinished"])
  }

  @Test("A queue that the broker does not have is missing, and not without a consumer")
  func missingQueue() throws {
    var report = try StatusTests.report()
    report.counts = [QueueCount(name: "cubist.slots.00", ready: 0, consumers: 1)]
    report.queues = report.queues?.filter { $0.name != "cubist.slots.01" }
    report.queues?.append(StatusTests.queue("cubist.slots.01"))
    report.missingQueues = ["cubist.slots.01"]
    #expect(names(report) == ["queueMissing"])
    #expect(report.findings()[0].cause.contains("cubist.slots.01"))
    #expect(report.findings()[0].remedy.contains("`cubistd setup`"))
  }

  @Test("A key file that is lost or unreadable is named with the remedy; settings may name none")
  func keyFile() throws {
    var report = try StatusTests.report()
    report.keyFile = .lost(path: "/k")
    #expect(names(report) == ["keyFileLost"])
    #expect(report.findings()[0].remedy.contains("backup"))
    report.status?.service = nil
    #expect(report.findings()[0].remedy.contains("`cubistd setup`"))
    report.keyFile = .unreadable(path: "/k", reason: "its mode is 0644")
    #expect(names(report) == ["keyFileUnreadable"])
    #expect(report.findings()[0].remedy.contains("chmod 600 /k"))
    // Also where the database cannot say when the key's time is over.
    report.status = nil
    #expect(names(report) == ["keyFileUnreadable"])

    try withFolder { folder in
      func state(_ path: String) -> StatusReport.KeyFile {
        .init(of: ServiceSettings(database: "", broker: "", serviceKeys: path))
      }
      let path = "\(folder)/keys.json"
      #expect(state("") == .unnamed)
      #expect(state(path) == .lost(path: path))
      let keys = try ServiceKeyFile.create(now: WallClock.live.now(), randomness: .live).keys
      try keys.create(at: path)
      #expect(state(path) == .read(try keys.identity().term))
      // The database is another service's.
      let owner = try ServiceKeyFile.create(now: WallClock.live.now(), randomness: .live).keys
      report = try StatusTests.report()
      report.keyFile = .init(
        of: ServiceSettings(database: "", broker: "", serviceKeys: path),
        owner: ServiceRow(service: owner.service, rootKey: owner.rootKey, certificates: []))
      #expect(names(report) == ["keysForeign"])
      let finding = report.findings()[0]
      for part in [path, "\(keys.service)", "\(owner.service)"] {
        #expect(finding.cause.contains(part), "\(finding.cause)")
      }
      #expect(finding.severity == .critical && finding.command == "cubistd setup --check")
      try Files.write(try Files.read(path), to: path, mode: 0o644)
      guard case .unreadable(path, let reason) = state(path) else {
        Issue.record("\(state(path))")
        return
      }
      #expect(reason.contains("chmod 600"))
      try Files.write([1], to: path, mode: 0o600)
      guard case .unreadable = state(path) else {
        Issue.record("\(state(path))")
        return
      }
    }
  }

  @Test("A row that is locked names its holder and how many wait")
  func rowLocked() throws {
    var report = try StatusTests.report()
    let lock = ServiceStatus.TableLock(
      table: "registration", processID: 12, session: "psql", rowWaiterCount: 3)
    report.status?.locks = [lock]
    let found = try #require(report.findings().first)
    #expect(found.name == "rowLocked" && found.remedy.contains("pg_terminate_backend(12)"))
    #expect(
      found.cause
        == "a row of the table registration is locked by the session of process 12 (psql), "
        + "and 3 sessions wait for it")
    #expect(found.command == "psql \"$CUBIST_DATABASE\" -c 'SELECT pg_terminate_backend(12)'")
  }

  @Test("More consumers than the database knows roles of are named; those of the dead are not")
  func strangers() throws {
    var report = try StatusTests.report()
    report.queues = [
      StatusTests.queue("cubist.jobs", consumers: 2),
      StatusTests.queue("cubist.queries", consumers: 3),
      StatusTests.queue("cubist.slots.00", consumers: 2),
      StatusTests.queue("cubist.slots.01", consumers: 3),
    ]
    let found = try #require(report.findings().first { $0.name == "strangeConsumers" })
    for (queue, isNamed) in [
      ("cubist.jobs", true), ("cubist.queries", true), ("cubist.slots.00", false),
      ("cubist.slots.01", true),
    ] {
      #expect(found.cause.contains(queue) == isNamed, "\(queue)")
    }
  }
}
