import Chaos
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RawHTTP
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("A database that is slow")
struct SlowDatabaseTests {
  /// Each write of an event waits until nobody holds the lock, longer than the service would.
  private static let hindrance = """
    CREATE FUNCTION hinder() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('lock_timeout', '0', true);
      PERFORM pg_advisory_xact_lock_shared(24);
      RETURN NEW;
    END $$;
    CREATE TRIGGER hinder BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION hinder()
    """
  private static let statement = "insertReplies"

  /// A line of the log, as far as it is about a statement.
  private struct Line: Decodable {
    var message: String
    var statement: String?
    var cause: String?
  }

  private static func slowLines(_ log: String) -> [Line] {
    log.split(separator: "\n")
      .compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
      .filter { $0.message == "statement is slow" && $0.statement == statement }
  }

  /// How many round trips of the statement took so many seconds at most.
  private static func count(upTo bound: String, in metrics: String) -> Double? {
    let name =
      "cubist_store_statement_seconds_bucket{statement=\"\(statement)\",le=\"\(bound)\"} "
    return metrics.split(separator: "\n").first { $0.hasPrefix(name) }
      .flatMap { Double($0.dropFirst(name.count)) }
  }

  @Test(
    """
    An event that is written for three seconds is seen in a histogram, in status, and in one line \
    of the log that names the statement and the session that blocks it
    """)
  func blocked() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      let look = try lab.connection()
      defer { look.close() }
      try look.script(Self.hindrance)
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let port = Int(try FreePort.take())
      let worker = try processes.start("worker", ["CUBIST_HEALTH_LISTEN": "127.0.0.1:\(port)"])
      var settings = try lab.database.patientSettings()
      settings.applicationName = "somebody"
      (settings.statementTimeout, settings.idleInTransactionTimeout) = (.seconds(60), .seconds(600))
      let holder = try PostgreSQLConnection(settings)
      defer { holder.close() }
      let blocker = holder.serverProcessID
      try holder.script("BEGIN; SELECT pg_advisory_xact_lock(24)")
      let ann = try LabPlayer("Ann", in: lab)
      async let accepted = ann.must(.playerRegistered(name: ann.name, code: nil))
      try waitUntil("the worker waits for the holder", found: worker.logText) {
        let waiting = try look.query(
          "SELECT pid FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))",
          [.int32(blocker)])
        return !waiting.isEmpty
      }
      // The database is slow for three seconds at least, and until the worker has seen why.
      try holder.script("SELECT pg_sleep(3)")
      try waitUntil("the log names the statement", found: worker.logText) {
        !Self.slowLines(worker.logText).isEmpty
      }
      try holder.script("ROLLBACK")
      _ = try await accepted

      let metrics = try RawClient(port: port).ask("GET", "/metrics").text
      let all = try #require(Self.count(upTo: "+Inf", in: metrics))
      #expect(try all > #require(Self.count(upTo: "2.5", in: metrics)))

      // The worker's user sees no state of a session of somebody else.
      let cause = "blocked by process \(blocker) (somebody)"
      let lines = Self.slowLines(worker.logText)
      #expect(lines.count == 1)
      #expect(lines.first?.cause?.hasPrefix("it waits for Lock advisory; \(cause)") == true)

      let status = try lab.settings()
      // The session that blocked blocks no more, and is not to be ended.
      try waitUntil("status names the statement, and no session") {
        try StatusReport.gather(status).findings().contains {
          $0.name == "databaseSlow" && $0.cause.contains("statement \(Self.statement) had taken ")
            && $0.cause.contains("the session that blocked it holds no lock any more")
            && $0.severity == .warning
        }
      }
    }
  }
}
