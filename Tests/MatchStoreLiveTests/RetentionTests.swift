import Conformance
import CustomDump
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
        INSERT INTO deliveries (job, player, recorded_at, kind, fate) VALUES (
          gen_random_uuid(), gen_random_uuid(), now() - interval '\(age) days', 'matchEnded',
          'delivered');
        INSERT INTO owed_jobs (job, player, owed_at, kind) VALUES (
          gen_random_uuid(), gen_random_uuid(), now() - interval '\(age) days', 'test');
        INSERT INTO dead_jobs (id, at, reason, body) VALUES (
          gen_random_uuid(), now() - interval '\(age) days', '', '');
        INSERT INTO dead_events (at, player, event, queue, reason, body) VALUES (
          now() - interval '\(age) days', gen_random_uuid(), gen_random_uuid(), 0, '', '');
        """)
    }
  }

  /// How many of them are left, by table.
  private func kept(_ retention: Retention) throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect(), keeping: retention)
      try fill(connection)
      // As after all the rounds until then.
      try connection.script("UPDATE housekeeping SET horizon = now()")
      try scheduler.rotatePartitions(try scheduler.now(), .seconds(3_600))
      for table in [
        "operator_acts", "reports", "events", "deliveries", "owed_jobs", "dead_jobs",
        "dead_events",
      ] {
        counts[table] = try connection.query("SELECT count(*) FROM \(table)").only[0].int64
      }
    }
    return counts
  }

  @Test("Rows are kept as long as the settings say")
  func settings() throws {
    expectNoDifference(
      try kept(.standard),
      [
        "operator_acts": 6, "reports": 4, "events": 1, "deliveries": 2, "owed_jobs": 2,
        "dead_jobs": 2, "dead_events": 2,
      ])
    var long = Retention()
    (long.replies, long.jobs, long.reports, long.acts) = (60, 60, 300, 150)
    expectNoDifference(
      try kept(long),
      [
        "operator_acts": 4, "reports": 5, "events": 3, "deliveries": 3, "owed_jobs": 3,
        "dead_jobs": 3, "dead_events": 3,
      ])
  }

  /// So many games alone that are over, in the order of their ids.
  private func playAlone(_ count: Int, _ stores: LiveStores) throws -> [MatchID] {
    let lab = StoreLab(.live(try stores.connect()))
    let (crowd, first) = try lab.soloGames(min(count, 100))
    var games = Array(zip(crowd, first))
    while games.count < count {
      let request = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
      let asked = try crowd.map { try lab.event(.matchRequested(request), by: $0) }
      try lab.send(asked)
      games += zip(crowd, asked.map(\.newMatch))
    }
    try lab.send(games.map { try lab.event(.matchForfeited($1), by: $0) })
    return games.map(\.1).sorted()
  }

  private static let games: Retention = {
    var retention = Retention()
    retention.games = retention.leastGames
    return retention
  }()
  private static let later: Int64 = 33 * 86_400

  @Test("Games go in portions, and of a game that went nothing is left between two of them")
  func portions() throws {
    try LiveStores.run { stores in
      let ids = try playAlone(300, stores)
      let (connection, session) = (try stores.connect(), StoreSession(try stores.connect()))
      let check = CheckStore.live(connection)
      func count(_ table: String) throws -> Int64 {
        try connection.query("SELECT count(*) FROM \(table)").only[0].int64
      }
      let (entries, past) = (try count("entries"), try count("past_games"))
      let scores = try count("solo_scores")
      let end = try check.now().adding(seconds: 86_400)
      let last = try session.dropGames(endedBefore: end, after: MatchID(rawValue: 0))
      #expect(last == ids[249])
      #expect(try check.matches(nil, 300) == Array(ids[250...]))
      #expect(try check.orphans(nil, nil) == [])
      #expect(try count("entries") * 6 == entries && count("past_games") * 6 == past)
      let rest = try session.dropGames(endedBefore: end, after: ids[249])
      #expect(rest == nil)
      #expect(try check.count(nil) == 0)
      #expect(try count("entries") == 0 && count("past_games") == 0)
      #expect(try count("solo_scores") == scores)
    }
  }

  @Test("A game that somebody still needs stays, and so does one that cannot be read")
  func needed() throws {
    try LiveStores.run { stores in
      let ids = try playAlone(6, stores)
      let connection = try stores.connect()
      let check = CheckStore.live(try stores.connect())
      let worker = try stores.connect()
      try worker.script("BEGIN; SELECT FROM matches WHERE id = '\(ids[0])' FOR UPDATE")
      try connection.script(
        """
        INSERT INTO rematch_offers VALUES ('\(ids[1])', gen_random_uuid(), gen_random_uuid(),
          now() + interval '33 days', 0, decode(repeat('00', 32), 'hex'), '', '');
        INSERT INTO deliveries (job, player, recorded_at, match, kind, fate) VALUES (
          gen_random_uuid(), gen_random_uuid(), now() + interval '33 days', '\(ids[2])',
          'matchEnded', 'delivered');
        UPDATE entries SET accepted_at = now() + interval '2 days'
        WHERE match = '\(ids[3])';
        DELETE FROM entries WHERE match = '\(ids[4])';
        """)
      // Its reply is kept for longer.
      var replies = Self.games
      replies.replies = 60
      try stores.keepHouse(replies, later: Self.later)
      #expect(try check.matches(nil, 9) == ids)
      try stores.keepHouse(Self.games, later: Self.later)
      #expect(try check.matches(nil, 9) == Array(ids[..<5]))
      try worker.script("COMMIT")
      try connection.script("DELETE FROM rematch_offers; DELETE FROM deliveries")
      try stores.keepHouse(Self.games, later: Self.later)
      #expect(try check.matches(nil, 9) == [ids[3], ids[4]])
    }
  }
}
