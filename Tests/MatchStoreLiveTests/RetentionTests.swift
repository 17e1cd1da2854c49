import LibPQ
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchStoreLive

@Suite("Retention by settings", .serialized)
struct RetentionTests {
  /// Ages of rows in days.
  private static let ages = [5, 20, 50, 100, 200, 400]

  /// Rows of these ages in every table that a setting is about.
  private func fill(_ connection: PostgreSQLConnection) throws {
    for age in Self.ages {
      try connection.script(
        """
        INSERT INTO operator_acts (at, act, detail)
        VALUES (now() - interval '\(age) days', 'words hidden', '');
        INSERT INTO reports (player, match, other, reason, text, at) VALUES (
          gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'name', NULL,
          now() - interval '\(age) days');
        INSERT INTO events_default (id, player, handled_at, payload_hash, reply) VALUES (
          cubist_first_id((now() AT TIME ZONE 'UTC')::date - \(age)), gen_random_uuid(), now(),
          decode(repeat('00', 32), 'hex'), '');
        """)
    }
  }

  private func kept(
    _ retention: Retention
  ) throws -> (acts: Int64, reports: Int64, replies: Int64) {
    var counts: [Int64] = []
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect(), keeping: retention)
      try fill(connection)
      // As after all the rounds until then.
      try connection.script("UPDATE housekeeping SET horizon = now()")
      try scheduler.rotatePartitions(try scheduler.now(), .seconds(3_600))
      for table in ["operator_acts", "reports", "events"] {
        counts.append(try connection.query("SELECT count(*) FROM \(table)").only[0].int64)
      }
    }
    return (counts[0], counts[1], counts[2])
  }

  @Test("Rows are kept as long as the settings say")
  func settings() throws {
    let standard = try kept(.standard)
    #expect(standard == (acts: 6, reports: 4, replies: 1))
    var long = Retention()
    (long.replies, long.reports, long.acts) = (60, 300, 150)
    let settings = try kept(long)
    #expect(settings == (acts: 4, reports: 5, replies: 3))
  }
}
