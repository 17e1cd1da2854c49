import BrokerManagement
import CustomDump
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import cubistd

@Suite("Status")
struct StatusTests {
  /// Two queues, a living worker and a dead one, everything in order.
  static func report() throws -> StatusReport {
    let now = Instant(microseconds: 1_790_000_000_000_000)
    var status = ServiceStatus(now: now, schemaVersion: 1)
    status.workers = [
      ServiceStatus.Worker(
        id: WorkerID(rawValue: 1), startedAt: now.adding(seconds: -90),
        heartbeatAt: now.adding(seconds: -1)),
      ServiceStatus.Worker(
        id: WorkerID(rawValue: 2), startedAt: now.adding(seconds: -99),
        heartbeatAt: now.adding(seconds: -30)),
    ]
    status.clocks = [
      0: QueueClock(time: now.adding(seconds: -1)), 1: QueueClock(time: now),
    ]
    status.playerCount = 12
    status.matchCount = 40
    status.currentMatchCount = 3
    status.roles = RoleName.signing.enumerated().map { number, role in
      StatusTests.role(role, number + 1, since: 90, heard: 2, at: now)
    }
    let key = try #require(PublicKey(bytes: Array(repeating: 7, count: 32)))
    status.service = ServiceRow(
      service: ServiceID(rawValue: 0xabc), rootKey: key, certificates: [])
    var report = StatusReport(layout: try #require(QueueLayout(queueCount: 2)))
    report.status = status
    report.queues = [
      queue("cubist.jobs", consumers: 1), queue("cubist.queries", consumers: 1),
      queue("cubist.slots.00", ready: 4, consumers: 1),
      queue("cubist.slots.01", consumers: 1),
    ]
    return report
  }

  static func role(
    _ role: RoleName, _ number: Int, since: Int64, heard: Int64, at now: Instant,
    problem: String? = nil
  ) -> ServiceStatus.Role {
    ServiceStatus.Role(
      sign: RoleSign(
        id: RoleID(rawValue: UInt128(number)), role: role.rawValue, process: "host:\(number)",
        problem: problem),
      startedAt: now.adding(seconds: -since), heartbeatAt: now.adding(seconds: -heard))
  }

  static func queue(
    _ name: String, ready: Int = 0, consumers: Int = 0, absentMembers: [String] = []
  ) -> BrokerAdministration.QueueReport {
    BrokerAdministration.QueueReport(
      name: name, ready: ready, unacknowledged: 0, bytes: 0, consumers: consumers,
      isRunning: true, absentMembers: absentMembers)
  }

  /// A node without memory, with room on its disk.
  static func node(_ name: String = "a") -> BrokerAdministration.NodeReport {
    var node = BrokerAdministration.NodeReport(name: name)
    node.isShortOfMemory = true
    (node.freeBytes, node.freeLimit) = (9_000_000_000, 50_000_000)
    (node.fileCount, node.fileLimit) = (40, 1_000)
    return node
  }

  @Test("A person reads the holder of each queue, the queues' lengths and their clocks' lateness")
  func text() throws {
    expectNoDifference(
      try StatusTests.report().text(),
      """
      service   00000000-0000-0000-0000-000000000abc
      database  schema 1, its time is 2026-09-21T14:13:20.000Z
      keys      none certified
      players   12; registration is open to all
      matches   40, of which 3 are not over
      outbox    empty
      ratings   no match waits to be rated
      dead      0 events, 0 push jobs
      gateways  0

      worker    since                     heartbeat  queues
      00000001  2026-09-21T14:11:50.000Z  1 s ago         2
      00000002  2026-09-21T14:11:41.000Z  30 s ago     dead

      role       id        process  since                     heartbeat  state
      worker     00000001  host:1   2026-09-21T14:11:50.000Z  2 s ago    works
      scheduler  00000002  host:2   2026-09-21T14:11:50.000Z  2 s ago    works
      steward    00000003  host:3   2026-09-21T14:11:50.000Z  2 s ago    works
      relay      00000004  host:4   2026-09-21T14:11:50.000Z  2 s ago    works
      reader     00000005  host:5   2026-09-21T14:11:50.000Z  2 s ago    works
      push       00000006  host:6   2026-09-21T14:11:50.000Z  2 s ago    works
      rater      00000007  host:7   2026-09-21T14:11:50.000Z  2 s ago    works

      queue            ready  unacked  consumers  worker    clock
      cubist.slots.00      4        0          1  00000001   -1 s
      cubist.slots.01      0        0          1  00000001   -0 s
      cubist.jobs          0        0          1  -             -
      cubist.queries       0        0          1  -             -

      All is well.

      """)
  }

  @Test("Gateways are counted by their own queues, as far as somebody consumes those")
  func gateways() throws {
    var report = try StatusTests.report()
    report.queues? += [
      StatusTests.queue("cubist.gateways", consumers: 1),
      StatusTests.queue("cubist.gateways.7f", consumers: 1),
      StatusTests.queue("cubist.gateways.80", consumers: 0),
    ]
    #expect(report.text().contains("\ngateways  1\n"))
    report.queues = nil
    #expect(report.text().contains("\ngateways  ?\n"))
  }

  @Test("A program reads the same, keys sorted")
  func json() throws {
    var report = try StatusTests.report()
    report.status?.roles.removeFirst(6)
    report.status?.silentRoles = ["worker", "scheduler", "relay", "reader"]
    expectNoDifference(
      try report.json(),
      #"{"attention":["no push worker gives a sign of life, so that notifications wait: start "#
        + #"`cubistd run push`; if its process runs, /health/ready or its log says why, and "#
        + #"`cubistd setup --check` tries its login"],"#
        + #""currentMatches":3,"databaseSchema":1,"deadEvents":0,"deadJobs":0,"#
        + #""findings":[{"cause":"no push worker gives a sign of life, so that notifications "#
        + #"wait","command":"cubistd run push","name":"pushAbsent","remedy":"start `cubistd run "#
        + #"push`; if its process runs, /health/ready or its log says why, and `cubistd setup --check` "#
        + #"tries its login","severity":"warning"}],"#
        + #""gateways":0,"matches":40,"outbox":{"held":0,"jobs":0},"players":12,"queues":["#
        + #"{"consumers":1,"lagSeconds":1,"name":"cubist.slots.00","ready":4,"unacknowledged":0,"#
        + #""worker":"00000000-0000-0000-0000-000000000001"},"#
        + #"{"consumers":1,"lagSeconds":0,"name":"cubist.slots.01","ready":0,"unacknowledged":0,"#
        + #""worker":"00000000-0000-0000-0000-000000000001"},"#
        + #"{"consumers":1,"name":"cubist.jobs","ready":0,"unacknowledged":0},"#
        + #"{"consumers":1,"name":"cubist.queries","ready":0,"unacknowledged":0}],"#
        + #""ratingQueue":{"matches":0},"#
        + #""registration":"open","roles":[{"heartbeatSeconds":2,"#
        + #""id":"00000000-0000-0000-0000-000000000007","isLiving":true,"process":"host:7","#
        + #""role":"rater","since":"2026-09-21T14:11:50.000Z"}],"schema":"cubistd.status/1","#
        + #""service":"00000000-0000-0000-0000-000000000abc","time":"2026-09-21T14:13:20.000Z","#
        + #""workers":[{"heartbeatSeconds":1,"id":"00000000-0000-0000-0000-000000000001","#
        + #""isLiving":true,"since":"2026-09-21T14:11:50.000Z"},"#
        + #"{"heartbeatSeconds":30,"id":"00000000-0000-0000-0000-000000000002","#
        + #""isLiving":false,"since":"2026-09-21T14:11:41.000Z"}]}"# + "\n")
  }

  @Test("Everything that needs a person is named, with the command that helps")
  func attention() throws {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    let now = status.now
    report.nodes = [StatusTests.node()]
    status.workers.removeFirst()
    status.roles = [
      StatusTests.role(.worker, 1, since: 300, heard: 16, at: now),
      StatusTests.role(.relay, 2, since: 300, heard: 3, at: now, problem: "no\nroom"),
      StatusTests.role(.relay, 3, since: 300, heard: 3, at: now),
    ]
    status.silentRoles = ["scheduler", "reader", "rater"]
    status.clocks[1] = QueueClock(time: now.adding(seconds: -16))
    status.outboxCount = 7
    status.outboxOldestAt = now.adding(seconds: -61)
    status.ratingQueueCount = 3
    status.ratingQueueOldestAt = now.adding(seconds: -62)
    status.unrankable = [
      .init(player: PlayerID(rawValue: 7), failureCount: 5, problem: "no\nplace")
    ]
    status.deadEventCount = 2
    status.deadJobCount = 4
    report.status = status
    report.queues = [
      StatusTests.queue("cubist.dead", ready: 5, absentMembers: ["rabbit@b", "rabbit@c"]),
      StatusTests.queue("cubist.jobs", ready: 28),
      StatusTests.queue("cubist.slots.00", ready: 10_001, consumers: 1),
      StatusTests.queue("cubist.slots.01", absentMembers: ["rabbit@c"]),
    ]
    expectNoDifference(
      report.attention(),
      [
        "RabbitMQ: node a is short of memory; nobody can publish: free memory or disk, or start the "
          + "node; `rabbitmq-diagnostics alarms` says more",
        "no worker gives a sign of life (the last one, at host:1, was heard 16 s ago), so that events "
          + "wait in their queues: start `cubistd run worker`; if its process runs, /health/ready or "
          + "its log says why, and `cubistd setup --check` tries its login",
        "without a consumer: cubist.slots.01: the log of the worker whose share it is says why; else "
          + "start `cubistd run worker`",
        "clocks behind: cubist.slots.01: start `cubistd run worker`; ticks wait in queues that no "
          + "worker serves",
        "1 of 2 relays cannot work, at host:2: no\u{fffd}room: mend that; it goes on by itself",
        "no push worker gives a sign of life, so that notifications wait; 28 messages wait: start "
          + "`cubistd run push`; if its process runs, /health/ready or its log says why, and `cubistd "
          + "setup --check` tries its login",
        "a replica is not there: cubist.slots.01, cubist.dead: start RabbitMQ's node rabbit@b, "
          + "rabbit@c",
        "long queues: cubist.slots.00 (10001 of 50000): start more of `cubistd run worker`",
        "a push job has waited 61 s: is `cubistd run relay` running, and has the queue cubist.jobs "
          + "room?",
        "a match that ended has waited 62 s to be rated: is `cubistd run rater` running?",
        "2 dead events: `cubistd dead-letters list`",
        "4 dead push jobs: `cubistd dead-letters list`",
        "5 messages in queue cubist.dead that a former build could not handle: `cubistd "
          + "dead-letters list`",
        "queues of a former build are still there: cubist.dead, with 5 messages: roles of this one "
          + "drain them, then `cubistd setup` removes them",
        "player \(PlayerID(rawValue: 7)) cannot be ranked, 5 times in a row: no\u{fffd}place: it is "
          + "tried again, and others are ranked meanwhile",
      ])
    #expect(try report.json().contains(#""absentMembers":["rabbit@c"]"#))
    #expect(report.text().contains("7 push jobs not confirmed, the oldest for 61 s"))
  }

  @Test("Each kind of role that gives no sign of life is named, unless a former build runs it")
  func absent() throws {
    for role in RoleName.signing {
      var report = try StatusTests.report()
      report.status?.roles.removeAll { $0.sign.role == role.rawValue }
      // Older builds report workers, too.
      if role == .worker { report.status?.workers = [] }
      #expect(report.findings().map(\.name) == ["\(role.rawValue)Absent"])
      report.status?.silentRoles = [role.runsWith.rawValue]
      #expect(report.findings() == [])
    }
  }

  @Test("A process that has just begun is given twenty seconds; one that dies as young is not")
  func grace() throws {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    let now = status.now
    status.workers = [
      ServiceStatus.Worker(
        id: WorkerID(rawValue: 1), startedAt: now.adding(seconds: -3), heartbeatAt: now)
    ]
    status.roles = [
      StatusTests.role(.worker, 1, since: 3, heard: 1, at: now),
      StatusTests.role(.relay, 2, since: 2, heard: 1, at: now),
      StatusTests.role(.rater, 3, since: 2, heard: 1, at: now),
    ]
    status.clocks[1] = QueueClock(time: now.adding(seconds: -3_600))
    status.outboxOldestAt = now.adding(seconds: -3_600)
    status.ratingQueueOldestAt = now.adding(seconds: -3_600)
    report.status = status
    report.queues = [StatusTests.queue("cubist.slots.00"), StatusTests.queue("cubist.slots.01")]
    #expect(report.findings() == [])

    let dead = [RoleName.worker, .relay, .rater].enumerated().map {
      StatusTests.role($1, 10 + $0, since: 40, heard: 30, at: now)
    }
    report.status?.roles += dead
    expectNoDifference(
      report.findings().map(\.name),
      [
        "schedulerAbsent", "readerAbsent", "queueUnconsumed", "clockBehind", "stewardAbsent",
        "pushAbsent", "pushJobWaits", "ratingWaits",
      ])
    // Its ticks wait in a queue that nobody serves.
    let behind = report.findings().first { $0.name == "clockBehind" }
    #expect(behind?.command == "cubistd run worker")
    report.status = status
    report.status?.roles[1].startedAt = now.adding(seconds: -21)
    #expect(
      report.findings().map(\.name) == [
        "schedulerAbsent", "readerAbsent", "stewardAbsent", "pushAbsent", "pushJobWaits",
      ])
  }

  @Test("A role that crashes again and again is named beside any number of working ones")
  func dyingYoung() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    for number in 10...11 {
      report.status?.roles.append(
        StatusTests.role(.worker, number, since: 300, heard: 200, at: now))
    }
    // Two entries of one process are one death, and a worker that lasted did not die young.
    report.status?.roles += [
      StatusTests.role(.worker, 10, since: 300, heard: 210, at: now),
      StatusTests.role(.worker, 12, since: 300, heard: 180, at: now),
    ]
    #expect(report.findings() == [])
    report.status?.roles.append(StatusTests.role(.worker, 13, since: 60, heard: 30, at: now))
    expectNoDifference(
      report.attention(),
      [
        "3 processes with a worker ended within two minutes of their start, the last at host:13 30 s "
          + "ago: the log of `cubistd run worker` there says why"
      ])
    // In a container each process has the same number.
    report.status?.roles.append(StatusTests.role(.worker, 13, since: 290, heard: 240, at: now))
    #expect(report.attention()[0].hasPrefix("4 processes"))
  }

  @Test(
    "A server that does not answer is named with the remedy, and the rest is there all the same")
  func unanswered() throws {
    var report = try StatusTests.report()
    report.status = nil
    report.failures = [
      .store(.unavailable("gone")), .broker(.disconnected("refused")),
      .management(.unreachable(endpoint: "host:1", reason: "refused")),
    ]
    #expect(
      report.findings().map(\.name) == [
        "databaseUnanswered", "brokerUnanswered", "managementUnanswered",
      ])
    #expect(report.findings().allSatisfy { !$0.cause.isEmpty && !$0.remedy.isEmpty })
    #expect(report.text().contains("cubist.slots.00      4        0          1  -           -"))
    #expect(report.text().contains("PostgreSQL cannot be reached: gone"))
    let json = try report.json()
    #expect(json.contains(#""name":"databaseUnanswered""#) && json.contains(#""ready":4"#))
    #expect(!json.contains(#""players""#))
  }

  @Test("A queue lacks no consumer while its former one is still consumed")
  func former() throws {
    var report = try StatusTests.report()
    report.queues = [
      StatusTests.queue("cubist.dead"), StatusTests.queue("cubist.events.01", consumers: 1),
      StatusTests.queue("cubist.slots.00"), StatusTests.queue("cubist.slots.01"),
    ]
    expectNoDifference(
      report.attention(),
      [
        "without a consumer: cubist.slots.00: the log of the worker whose share it is says why; else "
          + "start `cubistd run worker`",
        "queues of a former build are still there: cubist.dead, cubist.events.01, with 0 messages: "
          + "roles of this one drain them, then `cubistd setup` removes them",
      ])
  }

  @Test("Queues are shown as the database knows them if the management API is missing")
  func withoutBroker() throws {
    var report = try StatusTests.report()
    report.queues = nil
    #expect(report.attention() == [])
    #expect(report.queueRows().map(\.ready) == [nil, nil])
    #expect(report.queueRows().map(\.lagSeconds) == [1, 0])
    #expect(report.text().contains("cubist.slots.00      ?        ?          ?  00000001   -1 s"))
    report.counts = [QueueCount(name: "cubist.slots.00", ready: 3, consumers: 1)]
    #expect(report.text().contains("cubist.slots.00      3        ?          1  00000001   -1 s"))
  }
}
