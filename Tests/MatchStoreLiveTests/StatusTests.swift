import Dispatch
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import RealServers
import Testing

@Suite("The status while the database is in trouble")
struct StatusTests {
  /// Runs a body with a store that waits a moment only, and another session.
  private func run(_ body: (OperatorStore, PostgreSQLConnection, LiveStores) throws -> Void) throws
  {
    try LiveStores.run { stores in
      let hurried = try stores.connect { $0.lockTimeout = .milliseconds(100) }
      let other = try stores.connect {
        $0.applicationName = "somebody"
        $0.idleInTransactionTimeout = .seconds(60)
      }
      try body(.live(hurried), other, stores)
    }
  }

  /// Has a session of its own wait for the lock of a statement, and returns once it does.
  private static func letWait(_ statement: String, beside other: PostgreSQLConnection) throws {
    var settings = other.settings
    settings.lockTimeout = .seconds(60)
    settings.statementTimeout = .seconds(60)
    let waiting = settings
    DispatchQueue.global().async { _ = try? PostgreSQLConnection(waiting).query(statement) }
    let waiters = """
      SELECT count(*) FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    while try other.query(waiters).only[0].int64 == 0 {}
  }

  @Test("A table that somebody has locked hides its own part only, and its holder is named")
  func lockedTables() throws {
    try run { operators, other, stores in
      let role = RoleSign(id: RoleID(rawValue: 1), role: "reader", process: "a:1")
      try RoleStore.live(try stores.connect()).beat(role)
      let tables: [(String, ServiceStatus.Part)] = [
        ("workers", .workers), ("roles", .roles), ("queue_clocks", .clocks),
        ("players", .players), ("seats", .matches), ("matches", .matches), ("outbox", .outbox),
        ("rating_queue", .ratings), ("dead_events", .deadLetters), ("dead_jobs", .deadLetters),
        ("service", .service), ("service_time", .time), ("queue_layout", .layout),
        ("registration", .registration),
        ("ranking_queue", .ranking), ("problems", .problems),
        ("events", .replies), ("seats_left", .leavers),
      ]
      // The server tells about itself without a table of the service.
      #expect(Set(tables.map(\.1)).union([.server]) == Set(ServiceStatus.Part.allCases))
      for (table, part) in tables {
        try other.query("BEGIN")
        try other.query("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
        let status = try operators.status()
        #expect(status.unanswered == [part])
        #expect(status.locks.map(\.table) == [table])
        let lock = try #require(status.locks.first)
        #expect(lock.processID == Int(other.serverProcessID) && lock.session == "somebody")
        #expect(try #require(lock.since) < status.now)
        #expect(!lock.awaitsStandby)
        #expect(status.roles.map(\.sign) == (part == .roles ? [] : [role]))
        try other.query("ROLLBACK")
      }
      let status = try operators.status()
      #expect(status.unanswered == [] && status.locks == [])
      #expect(status.connectionCount > 0 && status.connectionCount < status.connectionLimit)
      // No commit waits for a standby that there is not.
      #expect(status.neededStandbyCount == 0 && status.streamingStandbyCount == 0)
    }
  }

  @Test("Refusals are counted by name, those of the last minutes apart from the day before")
  func refusals() throws {
    try run { operators, other, _ in
      let refused = #"{"v":1,"event":"00000000","refused":{"name":"unknownTurn","values":{}}}"#
      let accepted = #"{"v":1,"event":"00000000","accepted":{"refused":{"name":""}}}"#
      for (minutes, replies) in [
        (0.1, [refused, refused, accepted]), (9, [refused]), (10.5, [accepted, refused]),
        (1_440, [accepted]), (1_460, [refused]),
      ] {
        for (number, reply) in replies.enumerated() {
          try other.script(
            """
            INSERT INTO events (player, id, handled_at, payload_hash, reply)
            SELECT '00000000-0000-0000-0000-000000000001', (lpad(to_hex((
              extract(epoch FROM clock_timestamp() - \(minutes) * interval '1 minute') * 1000
              )::bigint), 12, '0') || '7000800000000000000\(number)')::uuid,
              now(), sha256(''), convert_to('\(reply)', 'UTF8')
            """)
        }
      }
      // Bytes that nobody can read hide no others.
      try other.query(
        """
        INSERT INTO events (player, id, handled_at, payload_hash, reply)
        SELECT player, id, now(), payload_hash, '\\xff00fe' FROM (
          SELECT '00000000-0000-0000-0000-000000000002'::uuid AS player, max(id::text)::uuid AS id,
            sha256('') AS payload_hash FROM events) AS e
        """)
      let status = try operators.status()
      #expect(status.replies.recent == ["": 2, "unknownTurn": 3])
      #expect(status.replies.earlier == ["": 2, "unknownTurn": 1])
    }
  }

  @Test("A lock that hinders no question of status is named, too, once it has lasted")
  func otherTables() throws {
    try run { operators, other, _ in
      try Patience.wait(for: "an answer before it has lasted") {
        try other.query("BEGIN")
        try other.query("LOCK TABLE daily_challenges IN ACCESS EXCLUSIVE MODE")
        let locks = try operators.status().locks
        let age = "clock_timestamp() - transaction_timestamp()"
        if try other.query("SELECT \(age) < interval '5 seconds'").only[0].bool {
          #expect(locks == [])
          return true
        }
        try other.query("ROLLBACK")
        return false
      }
      for _ in 0..<3 { try other.query("SELECT pg_sleep(2)") }
      #expect(try operators.status().locks.map(\.table) == ["daily_challenges"])
      try other.query("ROLLBACK")
    }
  }

  @Test("A lock of another user is named, though the time of its transaction is hidden")
  func hiddenTime() throws {
    try LiveStores.run { stores in
      let (holder, asking) = (
        try stores.connect { $0.idleInTransactionTimeout = .seconds(60) },
        try stores.connect { $0.lockTimeout = .milliseconds(100) }
      )
      // Another process of tests may make the same user at the same time.
      let name = "cubist_status_stranger"
      try holder.script(
        """
        DO $$ BEGIN
          CREATE ROLE \(name);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END $$;
        DO $$ BEGIN
          EXECUTE 'GRANT \(name) TO ' || quote_ident(current_user);
        EXCEPTION WHEN duplicate_object OR unique_violation OR internal_error THEN NULL;
        END $$;
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(name)
        """)
      // Each question is asked with the rights of a user that may not see the sessions of others.
      try asking.query("SET ROLE \(name)")
      let operators = OperatorStore.live(asking)
      try holder.query("BEGIN")
      try holder.query("LOCK TABLE daily_challenges IN ACCESS EXCLUSIVE MODE")
      let lock = try #require(try operators.status().locks.first)
      #expect(lock.table == "daily_challenges" && lock.since == nil && lock.blocksReads)
      #expect(lock.processID == Int(holder.serverProcessID))
      // The administrator's sessions are not that user's to end.
      #expect(!lock.mayBeEnded && !lock.user.isEmpty && lock.user != name)
      try holder.query("ROLLBACK")
      #expect(try operators.status().locks == [])
    }
  }

  @Test("A lock that keeps writers out is named while somebody waits for it")
  func writersWait() throws {
    try run { operators, other, stores in
      try other.query("BEGIN")
      try other.query("LOCK TABLE registration IN SHARE MODE")
      for _ in 0..<3 { try other.query("SELECT pg_sleep(2)") }
      #expect(try operators.status().locks == [])
      try Self.letWait("UPDATE registration SET mode = mode", beside: other)
      let status = try operators.status()
      #expect(status.unanswered == [])
      #expect(status.locks.map(\.table) == ["registration"])
      let lock = try #require(status.locks.first)
      #expect(lock.processID == Int(other.serverProcessID) && !lock.blocksReads)
      try other.query("ROLLBACK")
    }
  }

  @Test("The session that holds the table is named behind one that waits for a lock")
  func waitingForLock() throws {
    try run { operators, other, stores in
      let holder = try stores.connect { $0.idleInTransactionTimeout = .seconds(60) }
      try holder.query("BEGIN")
      try holder.query("SELECT count(*) FROM outbox")
      try Self.letWait("ALTER TABLE outbox ADD COLUMN more integer", beside: other)
      let status = try operators.status()
      #expect(status.unanswered == [.outbox])
      #expect(status.locks.map(\.table) == ["outbox"])
      #expect(status.locks.map(\.processID) == [Int(holder.serverProcessID)])
      try holder.query("ROLLBACK")
    }
  }

  @Test("The session that has locked a row is named behind those that wait for it")
  func rows() throws {
    try run { operators, other, stores in
      let change = "UPDATE registration SET mode = mode"
      try other.query("BEGIN")
      try other.query(change)
      for _ in 0..<3 { try other.query("SELECT pg_sleep(2)") }
      #expect(try operators.status().locks == [])
      var settings = other.settings
      settings.lockTimeout = .seconds(60)
      settings.statementTimeout = .seconds(60)
      let waiting = settings
      for _ in 0..<2 {
        DispatchQueue.global().async { _ = try? PostgreSQLConnection(waiting).query(change) }
      }
      let waiters = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
      while try other.query(waiters).only[0].int64 < 2 {
        // Within a transaction the activity is read once.
        try other.query("SELECT pg_stat_clear_snapshot()")
      }
      let locks = try operators.status().locks
      #expect(locks.map(\.processID) == [Int(other.serverProcessID)])
      #expect(locks.map(\.table) == ["registration"])
      #expect(locks.allSatisfy { $0.session == "somebody" && $0.rowWaiterCount > 0 })
      try other.query("ROLLBACK")
    }
  }

  @Test("Signs of life from before a clock was set back are dated now by the next one")
  func clockSetBack() throws {
    try run { operators, other, stores in
      let store = RoleStore.live(try stores.connect())
      let dead = RoleSign(id: RoleID(rawValue: 1), role: "reader", process: "a:1")
      try store.beat(dead)
      _ = try WorkerStore.live(try stores.connect()).heartbeat(WorkerID(rawValue: 9))
      for table in ["roles", "workers"] {
        try other.query(
          """
          UPDATE \(table) SET started_at = clock_timestamp() + interval '3 hours',
            heartbeat_at = clock_timestamp() + interval '4 hours'
          """)
      }
      var status = try operators.status()
      #expect(status.roles.allSatisfy { $0.heartbeatAt > status.now.adding(seconds: 14_000) })
      try store.beat(RoleSign(id: RoleID(rawValue: 2), role: "push", process: "a:1"))
      status = try operators.status()
      #expect(status.roles.count == 2 && status.workers.count == 1)
      let times =
        status.roles.flatMap { [$0.startedAt, $0.heartbeatAt] }
        + status.workers.flatMap { [$0.startedAt, $0.heartbeatAt] }
      #expect(times.allSatisfy { $0 <= status.now })
    }
  }
}
