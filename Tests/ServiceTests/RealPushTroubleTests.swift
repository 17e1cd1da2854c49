import Chaos
import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("PostgreSQL's own failures are never a push job's fault", .serialized)
struct RealPushTroubleTests {
  /// The number of failures of a push worker's store.
  private static let strikes = 12

  /// A test's acts meanwhile; `publish` brings so many more jobs.
  private typealias Trouble =
    @Sendable (ServiceLab, PostgreSQLConnection, _ publish: (Int) throws -> Void) throws -> Void

  /// Makes trouble while jobs wait, and expects afterwards that each was handed over once and
  /// recorded, and that none was given up.
  private func troubled(servers: ServerEnvironment? = nil, _ trouble: Trouble) async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], servers: servers)) { lab in
      var wiring = try lab.wiring()
      wiring.limitWaits(statement: .milliseconds(500), lock: .milliseconds(100))
      wiring.pushSettings.longestStoreWait = .milliseconds(200)
      let worker = try lab.start(.push, wiring)
      try lab.waitUntilWorking()
      let relay = try RelayBus.live(lab.context())
      defer { relay.close() }
      var settings = try lab.database.patientSettings()
      settings.idleInTransactionTimeout = .seconds(120)
      let connection = try PostgreSQLConnection(settings)
      defer { connection.close() }
      var published: [PushJob] = []
      try trouble(lab, connection) { count in
        let jobs = (0..<count).map { number in
          PushJob(
            id: PushJobID(rawValue: Randomness.live.next128()), kind: .matchEnded,
            player: PlayerID(rawValue: UInt128(number % 3 + 1)))
        }
        published += jobs
        guard try relay.publish(jobs).count == count else { throw LabFailure("not confirmed") }
      }
      try waitUntil("every job is handed over") {
        lab.pushes.taken.count >= published.count
      }
      // The last of them all comes after any that came again.
      let fates = try lab.jobs()
      let taken = lab.pushes.taken.filter { $0.day != Day(number: 1) }
      #expect(taken.map(\.id).sorted() == published.map(\.id).sorted(), "each once")
      #expect(fates.filter { $0.fate == .delivered }.count == published.count)
      #expect(try connection.query("SELECT count(*) FROM dead_jobs").only[0].int64 == 0)
      try waitUntil("the worker works") { worker.runner.state == .working }
    }
  }

  // Failure: PushStore.record
  @Test(
    "The table of deliveries is locked for longer than anybody waits for a lock, again and again",
    arguments: ["EXCLUSIVE", "ACCESS EXCLUSIVE"])
  func locked(_ mode: String) async throws {
    try await troubled { lab, connection, publish in
      let observer = try lab.connection()
      defer { observer.close() }
      // The first one lets jobs be looked at and handed over, and not be recorded.
      try connection.script("BEGIN; LOCK TABLE deliveries IN \(mode) MODE")
      try publish(40)
      var waited: Set<String> = []
      try waitUntil("enough transactions have waited") {
        let rows = try observer.query(
          """
          SELECT l.virtualtransaction FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
          WHERE NOT l.granted AND c.relname = 'deliveries'
          """)
        for row in rows { waited.insert(try row[0].text) }
        return waited.count >= RealPushTroubleTests.strikes
      }
      // At least the sixteen jobs of the first message.
      #expect((mode == "EXCLUSIVE" ? 16...40 : 0...0).contains(lab.pushes.taken.count))
      try publish(40)
      try connection.script("COMMIT")
    }
  }

  // Failure: PushStore.record
  @Test("Sessions are ended by another one while they record, and at any other moment")
  func ended() async throws {
    try await troubled { _, connection, publish in
      // To record takes long enough to be met.
      try connection.script(
        """
        CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_sleep(0.3);
          RETURN NULL;
        END
        $$;
        CREATE TRIGGER linger AFTER INSERT ON deliveries
        FOR EACH STATEMENT EXECUTE FUNCTION linger();
        """)
      try publish(40)
      var ended: Set<Int32> = []
      try waitUntil("enough sessions were ended") {
        let rows = try connection.query(
          """
          WITH recording AS MATERIALIZED (
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'PgSleep')
          SELECT pid FROM recording WHERE pg_terminate_backend(pid)
          """)
        for row in rows { ended.insert(try row[0].int32) }
        return ended.count >= RealPushTroubleTests.strikes
      }
      try connection.script("ALTER TABLE deliveries DISABLE TRIGGER linger")
      // At any point of its work, even when it has recorded and not said so.
      for number in 0..<60 {
        try publish(3)
        try connection.query(
          """
          WITH workers AS MATERIALIZED (
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name LIKE 'cubistd push%')
          SELECT pg_terminate_backend(pid), pg_sleep($1 * 0.002::float8) FROM workers
          """, [.int32(Int32(number % 12))])
      }
    }
  }

  @Test("No table and no index can grow on a full disk, at any number of attempts")
  func full() async throws {
    try await FullDisk.with { disk in
      try await troubled(servers: disk.environment) { _, connection, publish in
        func failures() throws -> Int64 {
          try connection.query(
            "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"
          ).only[0].int64
        }
        let before = try failures()
        try disk.isFull(true)
        // More than the pages that are there have room for.
        try publish(300)
        try waitUntil("enough transactions have failed") {
          try failures() >= before + Int64(RealPushTroubleTests.strikes)
        }
        try disk.isFull(false)
      }
    }
  }

  @Test("An idle worker gives signs of life again after the end of its session")
  func idle() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [.push])) { lab in
      let connection = try lab.connection()
      defer { connection.close() }
      func beats() throws -> Int64 {
        try connection.query("SELECT count(*) FROM roles WHERE role = 'push' AND problem IS NULL")
          .only[0].int64
      }
      try waitUntil("it has given one") { try beats() == 1 }
      try connection.query(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'cubistd push%'
        """)
      try connection.script("DELETE FROM roles")
      try waitUntil("it gives another one") { try beats() == 1 }
    }
  }
}
