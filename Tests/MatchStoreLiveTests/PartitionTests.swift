import Conformance
import CustomDump
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import RealServers
import Synchronization
import Testing

@Suite("Partitions by day")
struct PartitionTests {
  private static let noon = required(Day("2026-05-20")).start.adding(seconds: 43_200)

  /// Writes a reply to an event made at a time, and a dead event given up then.
  private func write(_ time: Instant, _ worker: WorkerStore) throws -> EventKey {
    var write = BatchWrite(now: time)
    let key = EventKey(
      player: TestPlayer.ann.id, event: EventID(at: time, random: UInt128(time.microseconds)))
    write.replies = [
      .init(key: key, reply: StoredReply(payloadHash: .zero, reply: [1]))
    ]
    write.dead = [
      DeadEvent(queue: 0, player: key.player, event: key.event, reason: "test", body: [])
    ]
    try worker.commit(write)
    return key
  }

  /// Puts the house in order at a time, as after all the rounds until then.
  private func rotateUntilDue(
    _ time: Instant, _ scheduler: SchedulerStore, _ connection: PostgreSQLConnection
  ) throws {
    try connection.query(
      "UPDATE housekeeping SET horizon = $1", [.timestamp(microseconds: time.microseconds)])
    try scheduler.rotatePartitions(time, .seconds(3_600))
  }

  private func partitions(of table: String, _ connection: PostgreSQLConnection) throws -> [String] {
    try connection.query(
      """
      SELECT inhrelid::regclass::text FROM pg_inherits
      WHERE inhparent = to_regclass($1) ORDER BY 1
      """, [.text(table)]
    ).map { row in try row[0].text }
  }

  private func count(_ table: String, _ connection: PostgreSQLConnection) throws -> Int64 {
    try connection.query("SELECT count(*) FROM \(table)").only[0].int64
  }

  @Test("Partitions are made ahead, and dropped when their time is over")
  func rotation() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      try scheduler.rotatePartitions(Self.noon, .seconds(3_600))
      let events = try partitions(of: "events", connection)
      #expect(events.count == 12)
      #expect(events.first == "events_20260512")
      #expect(events.contains("events_20260522"))
      #expect(events.last == "events_default")
      #expect(
        try partitions(of: "dead_events", connection) == [
          "dead_events_20260520", "dead_events_20260521", "dead_events_20260522",
          "dead_events_default",
        ])
      try scheduler.rotatePartitions(Self.noon, .seconds(3_600))
      #expect(try partitions(of: "events", connection) == events)

      try rotateUntilDue(Self.noon.adding(seconds: 86_400), scheduler, connection)
      #expect(try partitions(of: "events", connection).first == "events_20260513")
      try rotateUntilDue(Self.noon.adding(seconds: 40 * 86_400), scheduler, connection)
      #expect(try partitions(of: "events", connection).first == "events_20260621")
      #expect(
        try partitions(of: "dead_events", connection) == [
          "dead_events_20260629", "dead_events_20260630", "dead_events_20260701",
          "dead_events_default",
        ])
    }
  }

  @Test("A clock that is set forth by years drops no reply and no dead event")
  func clockSetForth() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let worker = WorkerStore.live(try stores.connect())
      let scheduler = SchedulerStore.live(try stores.connect())
      let now = try scheduler.now()
      try scheduler.rotatePartitions(now, .seconds(3_600))
      let key = try write(now, worker)
      let later = now.adding(seconds: 3_650 * 86_400)
      for _ in 0..<24 { try scheduler.rotatePartitions(later, .seconds(3_600)) }
      var lookup = Lookup()
      lookup.events = [key]
      #expect(try worker.lookUp(lookup).replies[key] != nil)
      worker.abandon()
      #expect(try count("dead_events", connection) == 1)
      // Set right again, it goes on from there.
      try scheduler.rotatePartitions(now, .seconds(3_600))
      let isRight = try connection.query(
        "SELECT horizon <= $1 FROM housekeeping", [.timestamp(microseconds: now.microseconds)])
      #expect(try isRight.only[0].bool)
      // Days later its time has come.
      try rotateUntilDue(now.adding(seconds: 10 * 86_400), scheduler, connection)
      #expect(try worker.lookUp(lookup).replies[key] == nil)
      worker.abandon()
    }
  }

  @Test("A housekeeper that begins again and again on a clock that is set forth makes nothing old")
  func crashLoop() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      func horizon() throws -> Instant {
        let row = try connection.query("SELECT horizon FROM housekeeping").only
        return Instant(microseconds: try row[0].timestampMicroseconds)
      }
      let before = try horizon()
      let later = try scheduler.now().adding(seconds: 3_650 * 86_400)
      for _ in 0..<50 { try scheduler.rotatePartitions(later, .zero) }
      #expect(try horizon() == before)
      try scheduler.rotatePartitions(later, .seconds(60))
      #expect(try horizon() == before.adding(seconds: 120))
      try scheduler.rotatePartitions(later, .seconds(86_400))
      #expect(try horizon() == before.adding(seconds: 7_320))
    }
  }

  // Failure: SchedulerStore.rotatePartitions
  @Test("Partitions are neither made nor dropped during a long read, and no writer waits")
  func longReader() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let now = try SchedulerStore.live(connection).now()
      try rotateUntilDue(
        now.adding(seconds: -20 * 86_400), SchedulerStore.live(connection), connection)
      let old = try partitions(of: "events", connection)
      try connection.query(
        "UPDATE housekeeping SET horizon = $1", [.timestamp(microseconds: now.microseconds)])
      let reader = try stores.connect { $0.idleInTransactionTimeout = .seconds(120) }
      try reader.script("BEGIN; SELECT count(*) FROM events; SELECT count(*) FROM dead_events")
      let isDone = Mutex(false)
      let written = Atomic(0)
      let counts = OnThreads.run(2) { number -> Int in
        guard number > 0 else {
          defer { isDone.withLock { $0 = true } }
          var clock = WallClock.live
          // Writers have their turn between two attempts.
          clock.sleep = { _ in
            let goal = written.load(ordering: .relaxed) + 10
            _ = Patience.comes(within: waitLimit) { written.load(ordering: .relaxed) >= goal }
          }
          // It has a limit of its own: by the session's every writer would wait too long.
          func patient() throws -> PostgreSQLConnection {
            try stores.connect { $0.lockTimeout = .seconds(60) }
          }
          #expect(try !Partitions.add(patient(), attempts: 3, clock: clock))
          let scheduler = SchedulerStore.live(try patient())
          #expect(try storeError { try scheduler.rotatePartitions(now, .zero) }.isConflict)
          return 0
        }
        let worker = WorkerStore.live(try stores.connect { $0.lockTimeout = .seconds(20) })
        var count = 0
        while !isDone.withLock({ $0 }) {
          count += 1
          _ = try write(now.adding(microseconds: Int64(count)), worker)
          written.add(1, ordering: .relaxed)
        }
        return count
      }
      #expect(try counts.map { try $0.get() }.max() ?? 0 > 10)
      #expect(try partitions(of: "events", connection) == old)
      let operators = OperatorStore.live(connection)
      #expect(try operators.status().problems.map(\.part) == ["housekeeping"])
      try reader.script("ROLLBACK")
      #expect(try Partitions.add(connection))
      #expect(try partitions(of: "events", connection).count > old.count)
      try SchedulerStore.live(connection).rotatePartitions(now, .zero)
      #expect(try operators.status().problems == [])
      #expect(try Set(old).isDisjoint(with: partitions(of: "events", connection).dropLast()))
    }
  }

  @Test("Any number of replies dated ahead is moved in portions when their day gets its partition")
  func manyDatedAhead() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect { $0.statementTimeout = .seconds(60) }
      let ahead = Self.noon.adding(seconds: 2 * 86_400)
      // A vacuum that runs just then puts it off to the next round.
      try connection.script("ALTER TABLE events_default SET (autovacuum_enabled = false)")
      try connection.query(
        """
        INSERT INTO events (player, id, handled_at, payload_hash, reply)
        SELECT lpad(to_hex(n / 1000), 32, '0')::uuid,
          (lpad(to_hex($1::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
          now(), decode(repeat('00', 32), 'hex'), '\\x01'
        FROM generate_series(1, 200000) AS n
        """, [.int64(ahead.microseconds / 1_000)])
      try SchedulerStore.live(stores.connect()).rotatePartitions(Self.noon, .zero)
      #expect(try count("events_default", connection) == 0)
      #expect(try count("events_20260522", connection) == 200_000)
      let transactions = try connection.query(
        "SELECT count(DISTINCT xmin::text) FROM events_20260522")
      #expect(try transactions.only[0].int64 >= 20)
    }
  }

  @Test("Housekeeping that cannot even begin, or may not, is noted")
  func hindered() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let operators = OperatorStore.live(connection)
      let hasty = SchedulerStore.live(try stores.connect { $0.lockTimeout = .milliseconds(200) })
      let other = try stores.connect { $0.idleInTransactionTimeout = .seconds(60) }
      try other.script("BEGIN; SELECT horizon FROM housekeeping FOR UPDATE")
      #expect(try storeError { try hasty.rotatePartitions(Self.noon, .zero) }.isConflict)
      #expect(try operators.status().problems.map(\.part) == ["housekeeping"])
      try other.script("ROLLBACK")
      try hasty.rotatePartitions(Self.noon, .zero)
      #expect(try operators.status().problems == [])
      try connection.script("ALTER TABLE trials RENAME TO former_trials")
      #expect(try storeError { try hasty.rotatePartitions(Self.noon, .zero) }.isUnusable)
      #expect(try operators.status().problems.map(\.part) == ["housekeeping"])
    }
  }

  @Test("Rows written while their partition was missing are found and still unique")
  func missing() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let worker = WorkerStore.live(try stores.connect())
      let scheduler = SchedulerStore.live(try stores.connect())
      let day: Int64 = 86_400
      let edges = [
        Day(containing: Self.noon).start, Day(containing: Self.noon).end.adding(microseconds: -1),
        Self.noon.adding(seconds: 5 * day), Self.noon.adding(seconds: -9 * day),
      ]
      let keys = try edges.map { try write($0, worker) }
      #expect(try count("events_default", connection) == 4)
      try scheduler.rotatePartitions(Self.noon, .seconds(3_600))
      // Rows of a day that has begun stay in the default partition; rows that are too old are gone.
      #expect(try count("events_default", connection) == 3)
      #expect(try count("dead_events_default", connection) == 4)
      #expect(try !partitions(of: "events", connection).contains("events_20260520"))
      #expect(try partitions(of: "events", connection).contains("events_20260521"))
      var lookup = Lookup()
      lookup.events = keys
      #expect(try Set(worker.lookUp(lookup).replies.keys) == Set(keys.prefix(3)))
      #expect(try storeError { _ = try write(edges[0], worker) }.isConflict)
      #expect(try storeError { _ = try write(edges[2], worker) }.isConflict)
      // Rows with future dates are moved two days before their time.
      try scheduler.rotatePartitions(Self.noon.adding(seconds: 3 * day), .zero)
      #expect(try count("events_20260525", connection) == 1)
      #expect(try count("dead_events_20260525", connection) == 1)
      #expect(try storeError { _ = try write(edges[2], worker) }.isConflict)
      // A day without a partition is forgotten in its time like any other.
      try rotateUntilDue(Self.noon.adding(seconds: 9 * day), scheduler, connection)
      #expect(try count("events_default", connection) == 0)
    }
  }

  @Test("Old words on push jobs and dead ones are forgotten after 30 days, old workers after one")
  func deliveries() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let push = PushStore.live(try stores.connect())
      let scheduler = SchedulerStore.live(try stores.connect())
      let jobs = (0..<3).map {
        PushJob(dailyReady: DailyKey(day: Day(number: $0)), to: TestPlayer.ann.id)
      }
      try push.record(.init(jobs.map { .init($0, .delivered) }))
      try connection.query(
        "UPDATE deliveries SET recorded_at = recorded_at - interval '31 days' WHERE job <> $1",
        [.uuid(jobs[0].id.rawValue)])
      try push.bury([DeadJob(reason: "", body: [1]), DeadJob(reason: "", body: [2])])
      try connection.query(
        "UPDATE dead_jobs SET at = at - interval '31 days' WHERE body = $1", [.bytes([1])])
      let worker = WorkerStore.live(try stores.connect())
      _ = try worker.heartbeat(WorkerID(rawValue: 1))
      let now = try scheduler.now()
      try scheduler.rotatePartitions(now, .seconds(3_600))
      #expect(try count("dead_jobs", connection) == 1)
      #expect(try push.brief(jobs).filter { $0.value == .handled }.map(\.key) == [jobs[0].id])
      #expect(try count("workers", connection) == 1)
      try rotateUntilDue(now.adding(seconds: 2 * 86_400), scheduler, connection)
      #expect(try count("workers", connection) == 0)
    }
  }

  @Test("A day that has no partition is named, today's and those ahead")
  func named() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      #expect(try Partitions.add(connection))
      #expect(try Partitions.missing(connection) == [])
      func days(of table: String) throws -> [String] {
        try partitions(of: table, connection).filter { !$0.hasSuffix("default") }
      }
      let last = try #require(try days(of: "events").last)
      let first = try #require(try days(of: "dead_events").first)
      try connection.query("DROP TABLE \(last)")
      try connection.query("ALTER TABLE dead_events DETACH PARTITION \(first)")
      #expect(try Partitions.missing(connection) == [first, last])
      #expect(try Partitions.add(connection))
      #expect(try Partitions.missing(connection) == [])
    }
  }
}
