import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("The store's failures are never the event's fault", .serialized)
struct StoreTroubleTests {
  /// Trouble that PostgreSQL makes whenever replies are to be stored, until it has made enough.
  struct Trouble: CustomTestStringConvertible, Sendable {
    var testDescription: String
    fileprivate var action: String
    fileprivate var count: Int

    init(_ sqlState: String, _ description: String, count: Int = 14) {
      self.init(
        "\(sqlState), \(description)",
        doing: "RAISE EXCEPTION 'trouble' USING ERRCODE = '\(sqlState)';", count: count)
    }

    init(_ description: String, doing action: String, count: Int = 14) {
      (testDescription, self.action, self.count) = (description, action, count)
    }

    static let all = [
      Trouble("53100", "the disk is full"), Trouble("53200", "out of memory"),
      Trouble("57014", "a statement is cancelled"), Trouble("55P03", "a lock is not to be had"),
      Trouble("25006", "the server only reads"), Trouble("58030", "a file cannot be written"),
      Trouble("40001", "not serializable", count: 100),
      Trouble("CB001", "a version has changed", count: 100),
      Trouble("the session is ended", doing: "PERFORM pg_terminate_backend(pg_backend_pid());"),
      Trouble("a statement takes too long", doing: "PERFORM pg_sleep(30);"),
    ]

    /// Makes it from now on.
    fileprivate func begin(_ connection: PostgreSQLConnection) throws {
      try connection.script(
        """
        CREATE SEQUENCE troubles;
        GRANT USAGE ON SEQUENCE troubles TO PUBLIC;
        CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('troubles') <= \(count) THEN \(action) END IF;
          RETURN NULL;
        END
        $$;
        CREATE TRIGGER trouble BEFORE INSERT ON events
        FOR EACH STATEMENT EXECUTE FUNCTION trouble();
        """)
    }
  }

  private static let solo = Event.Action.matchRequested(
    MatchRequest(opponent: .nobody, turnLimitSeconds: nil))

  // Failure: StoreError.unavailable
  @Test(
    "Every event is judged once and answered through any store failures, and none is dead",
    arguments: Trouble.all)
  func troubled(_ trouble: Trouble) async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      var wiring = try lab.wiring()
      wiring.limitWaits(statement: .milliseconds(500))
      wiring.workerSettings.longestStoreWait = .milliseconds(300)
      let worker = try lab.start(.worker, wiring)
      try lab.waitUntilWorking()
      let players = try ["Ann", "Bob", "Cyd"].map(lab.player)
      let before = try lab.replies().count
      let connection = try lab.connection()
      defer { connection.close() }
      try trouble.begin(connection)
      let sent = try players.flatMap { player in
        try [player.sign(StoreTroubleTests.solo), player.sign(StoreTroubleTests.solo)]
      }
      try lab.publish(sent.map { ($0.slot, $0.envelope) })
      try waitUntil("every event is judged") {
        let dead = try lab.deadEventCount()
        guard dead == 0 else { throw LabFailure("\(dead) dead events") }
        return try lab.replies().count == before + sent.count
      }
      #expect(try Set(lab.matches()) == Set(sent.map(\.newMatch)))
      try waitUntil("the worker works") { worker.runner.state == .working }
      // The queue is empty: repeated events get the stored reply.
      for (player, event) in zip(players, [sent[0], sent[2], sent[4]]) {
        #expect(try player.send(event).ticket?.match == event.newMatch)
      }
      #expect(try lab.deadEventCount() == 0)
    }
  }
}
