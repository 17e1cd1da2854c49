import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("PostgreSQL's own failures are never the event's fault", .serialized)
struct RealStoreTroubleTests {
  private static let solo = Event.Action.matchRequested(
    MatchRequest(opponent: .nobody, turnLimitSeconds: nil))
  /// The number of failures of a batch: more than an event ever had tries before it was given up.
  private static let strikes = 12

  /// An event that is sent while there is trouble, and its sender.
  private typealias Sent = (player: LabPlayer, event: LabPlayer.Sent)

  /// Makes trouble while turns and requests are sent, and expects afterwards that each was judged
  /// once and answered, and that nothing was given up.
  private func troubled(
    servers: ServerEnvironment? = nil, solos: Int = 4,
    _ trouble:
      @Sendable (ServiceLab, PostgreSQLConnection, _ publish: () throws -> Void) throws -> Void
  ) async throws {
    let options = ServiceLab.Options(workers: 0, roles: [], servers: servers)
    try await ServiceLab.run(options) { lab in
      var wiring = try lab.wiring()
      wiring.limitWaits(statement: .milliseconds(500), lock: .milliseconds(100))
      wiring.workerSettings.longestStoreWait = .milliseconds(200)
      let worker = try lab.start(.worker, wiring)
      try lab.waitUntilWorking()
      let (ann, bob) = try lab.pair()
      let matches = try (0..<4).map { _ in try lab.begin(ann, bob) }
      var sent: [Sent] = try matches.map { match in
        (ann, try ann.sign(.turnPlayed(match, lab.turn(lab.match(match)))))
      }
      sent += try (0..<solos).map { _ in (bob, try bob.sign(RealStoreTroubleTests.solo)) }
      let before = try lab.replies().count
      var settings = try lab.database.patientSettings()
      settings.idleInTransactionTimeout = .seconds(120)
      let connection = try PostgreSQLConnection(settings)
      defer { connection.close() }
      try trouble(lab, connection) {
        try lab.publish(sent.map { ($0.event.slot, $0.event.envelope) })
      }
      try waitUntil("every event is judged") {
        let dead = try lab.deadEventCount()
        guard dead == 0 else { throw LabFailure("\(dead) dead events") }
        return try lab.replies().count == before + sent.count
      }
      // The queue is empty: a player who asks again gets the stored reply.
      for (number, sent) in sent.enumerated() {
        let reply = try sent.player.send(sent.event)
        if number < matches.count {
          #expect(reply.receipt?.match == matches[number])
        } else {
          #expect(reply.ticket?.match == sent.event.newMatch)
        }
      }
      for match in matches { #expect(try lab.match(match).turnNumber == 2) }
      #expect(try lab.matches().count == matches.count + solos)
      try waitUntil("the worker works") { worker.runner.state == .working }
      for table in ["dead_events", "dead_jobs"] {
        let count = try connection.query("SELECT count(*) FROM \(table)").only[0].int64
        #expect(count == 0, "\(table)")
      }
      let wrong = try lab.looking { store in
        var check = StoreCheck(store, identity: lab.identity, lexicons: lab.lexicons)
        return try check.run()
      }
      #expect(wrong == [])
    }
  }

  // Failure: StoreError.unavailable
  @Test(
    "A table is locked for longer than anybody waits for a lock, again and again",
    arguments: ["matches", "entries", "events", "outbox"])
  func locked(_ table: String) async throws {
    try await troubled { lab, connection, publish in
      let observer = try lab.connection()
      defer { observer.close() }
      try connection.script("BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
      try publish()
      var waited: Set<String> = []
      try waitUntil("enough transactions have waited") {
        let rows = try observer.query(
          """
          SELECT l.virtualtransaction FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
          WHERE NOT l.granted AND (c.relname = $1 OR c.relname LIKE $1 || '\\_%')
          """, [.text(table)])
        for row in rows { waited.insert(try row[0].text) }
        return waited.count >= RealStoreTroubleTests.strikes
      }
      try connection.script("COMMIT")
    }
  }

  // Failure: StoreError.unavailable
  @Test("Sessions are ended by another one while they commit, and at any other moment")
  func ended() async throws {
    try await troubled(solos: 24) { lab, connection, publish in
      // A commit takes long enough to be met.
      try connection.script(
        """
        CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF current_setting('test.lingered', true) IS DISTINCT FROM txid_current()::text THEN
            PERFORM set_config('test.lingered', txid_current()::text, false), pg_sleep(0.3);
          END IF;
          RETURN NULL;
        END
        $$;
        CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON entries
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger();
        """)
      try publish()
      var ended: Set<Int32> = []
      try waitUntil("enough sessions were ended") {
        let rows = try connection.query(
          """
          WITH committing AS MATERIALIZED (
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'PgSleep')
          SELECT pid FROM committing WHERE pg_terminate_backend(pid)
          """)
        for row in rows { ended.insert(try row[0].int32) }
        return ended.count >= RealStoreTroubleTests.strikes
      }
      try connection.script("ALTER TABLE entries DISABLE TRIGGER linger")
      // At any point of its work, even when it has committed and not said so.
      for number in 0..<60 {
        try connection.query(
          """
          WITH workers AS MATERIALIZED (
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name LIKE 'cubistd worker%')
          SELECT pg_terminate_backend(pid), pg_sleep($1 * 0.002::float8) FROM workers
          """, [.int32(Int32(number % 12))])
      }
    }
  }

  // Failure: StoreError.unavailable
  @Test("No table and no index can grow on a full disk, at any number of attempts")
  func full() async throws {
    try await FullDisk.with { disk in
      // More than the pages that are there have room for.
      try await troubled(servers: disk.environment, solos: 200) { lab, connection, publish in
        func failures() throws -> Int64 {
          try connection.query(
            "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"
          ).only[0].int64
        }
        let before = try failures()
        try disk.isFull(true)
        try publish()
        try waitUntil("enough transactions have failed") {
          try failures() >= before + Int64(RealStoreTroubleTests.strikes)
        }
        try disk.isFull(false)
      }
    }
  }
}
