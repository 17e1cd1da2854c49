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
  /// Two queues, a worker that lives and one that does not, everything in order.
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
    return StatusReport(
      service: ServiceID(rawValue: 0xabc), registrationNeedsCode: false, status: status,
      layout: try #require(QueueLayout(queueCount: 2)),
      queues: [
        queue("cubist.jobs", consumers: 1), queue("cubist.queries", consumers: 1),
        queue("cubist.slots.00", ready: 4, consumers: 1),
        queue("cubist.slots.01", consumers: 1),
      ], alarms: [])
  }

  static func queue(
    _ name: String, ready: Int = 0, consumers: Int = 0, absentMembers: [String] = []
  ) -> BrokerAdministration.QueueReport {
    BrokerAdministration.QueueReport(
      name: name, ready: ready, unacknowledged: 0, bytes: 0, consumers: consumers,
      isRunning: true, absentMembers: absentMembers)
  }

  @Test("A person reads who holds which queue, how long queues are and how late their clocks")
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

      worker    since                     heartbeat  queues
      00000001  2026-09-21T14:11:50.000Z  1 s ago         2
      00000002  2026-09-21T14:11:41.000Z  30 s ago     dead

      queue            ready  unacked  consumers  worker    clock
      cubist.slots.00      4        0          1  00000001   -1 s
      cubist.slots.01      0        0          1  00000001   -0 s
      cubist.jobs          0        0          1  -             -
      cubist.queries       0        0          1  -             -

      All is well.

      """)
  }

  @Test("A program reads the same, keys sorted")
  func json() throws {
    expectNoDifference(
      try StatusTests.report().json(),
      #"{"attention":[],"currentMatches":3,"databaseSchema":1,"deadEvents":0,"deadJobs":0,"matches":40,"#
        + #""outbox":{"jobs":0},"players":12,"queues":["#
        + #"{"consumers":1,"lagSeconds":1,"name":"cubist.slots.00","ready":4,"unacknowledged":0,"#
        + #""worker":"00000000-0000-0000-0000-000000000001"},"#
        + #"{"consumers":1,"lagSeconds":0,"name":"cubist.slots.01","ready":0,"unacknowledged":0,"#
        + #""worker":"00000000-0000-0000-0000-000000000001"},"#
        + #"{"consumers":1,"name":"cubist.jobs","ready":0,"unacknowledged":0},"#
        + #"{"consumers":1,"name":"cubist.queries","ready":0,"unacknowledged":0}],"#
        + #""ratingQueue":{"matches":0},"#
        + #""registration":"open","schema":"cubistd.status/1","#
        + #""service":"00000000-0000-0000-0000-000000000abc","time":"2026-09-21T14:13:20.000Z","#
        + #""workers":[{"heartbeatSeconds":1,"id":"00000000-0000-0000-0000-000000000001","#
        + #""isLiving":true,"since":"2026-09-21T14:11:50.000Z"},"#
        + #"{"heartbeatSeconds":30,"id":"00000000-0000-0000-0000-000000000002","#
        + #""isLiving":false,"since":"2026-09-21T14:11:41.000Z"}]}"# + "\n")
  }

  @Test("Everything that needs a person is named, with the command that helps")
  func attention() throws {
    var report = try StatusTests.report()
    let now = report.status.now
    report.alarms = ["node a is short of memory"]
    report.status.workers.removeFirst()
    report.status.clocks[1] = QueueClock(time: now.adding(seconds: -16))
    report.status.outboxCount = 7
    report.status.outboxOldestAt = now.adding(seconds: -61)
    report.status.ratingQueueCount = 3
    report.status.ratingQueueOldestAt = now.adding(seconds: -62)
    report.status.unrankable = [
      .init(player: PlayerID(rawValue: 7), failureCount: 5, problem: "no\nplace")
    ]
    report.status.deadEventCount = 2
    report.status.deadJobCount = 4
    report.queues = [
      StatusTests.queue("cubist.dead", ready: 5, absentMembers: ["rabbit@b", "rabbit@c"]),
      StatusTests.queue("cubist.slots.00", ready: 10_001, consumers: 1),
      StatusTests.queue("cubist.slots.01", absentMembers: ["rabbit@c"]),
    ]
    expectNoDifference(
      report.attention(),
      [
        "RabbitMQ: node a is short of memory; nobody can publish",
        "no worker lives: start `cubistd run worker`",
        "a replica is not there: cubist.slots.01, cubist.dead; start RabbitMQ's node rabbit@b, "
          + "rabbit@c",
        "queues of a former build are still there: cubist.dead, with 5 messages; roles of this one "
          + "drain them, then `cubistd setup` removes them",
        "without a consumer: cubist.slots.01",
        "clocks behind: cubist.slots.01; is `cubistd run scheduler` running, and are workers?",
        "long queues: cubist.slots.00",
        "a push job has waited 61 s: is `cubistd run relay` running, and has the queue cubist.jobs "
          + "room?",
        "a match that ended has waited 62 s to be rated: is `cubistd run rater` running?",
        "player \(PlayerID(rawValue: 7)) cannot be ranked, 5 times in a row: no\u{fffd}place; it is tried "
          + "again, and others are ranked meanwhile",
        "2 dead events: `cubistd dead-letters list`",
        "4 dead push jobs: `cubistd dead-letters list`",
        "5 messages in queue cubist.dead that a former build could not handle: `cubistd "
          + "dead-letters list`",
      ])
    #expect(try report.json().contains(#""absentMembers":["rabbit@c"]"#))
    #expect(report.text().contains("7 push jobs not confirmed, the oldest for 61 s"))
  }

  @Test("A queue whose former one is still consumed lacks no consumer")
  func former() throws {
    var report = try StatusTests.report()
    report.queues = [
      StatusTests.queue("cubist.dead"), StatusTests.queue("cubist.events.01", consumers: 1),
      StatusTests.queue("cubist.slots.00"), StatusTests.queue("cubist.slots.01"),
    ]
    expectNoDifference(
      report.attention(),
      [
        "queues of a former build are still there: cubist.dead, cubist.events.01, with 0 messages; "
          + "roles of this one drain them, then `cubistd setup` removes them",
        "without a consumer: cubist.slots.00",
      ])
  }

  @Test("Without the management API queues are shown by what the database knows of them")
  func withoutBroker() throws {
    var report = try StatusTests.report()
    report.queues = nil
    #expect(report.attention() == [])
    #expect(report.queueRows().map(\.ready) == [nil, nil])
    #expect(report.queueRows().map(\.lagSeconds) == [1, 0])
    #expect(report.text().contains("cubist.slots.00      ?        ?          ?  00000001   -1 s"))
  }
}
