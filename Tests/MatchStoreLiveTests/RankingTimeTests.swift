import LibPQ
import MatchInterfaces
import Testing

@testable import MatchStoreLive

@Suite("Rankings that fail or take long, and the other players")
struct RankingTimeTests {
  /// Three waiting players with a game each.
  private static let waiting = """
    INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
      word_points)
    SELECT gen_random_uuid(), ('00000000-0000-0000-0000-00000000000' || n)::uuid, now(), 10, 'solo',
      'timed', 'en', '{OK}', '{5}' FROM generate_series(1, 3) AS n;
    INSERT INTO ranking_queue (player, kind, mode, language)
    SELECT player, kind, mode, language FROM solo_scores ORDER BY player;
    """

  /// Three players. Their only scores have left the day.
  private static let expired = """
    INSERT INTO board_places (board, player, points, ended_at, expires_at, match, word)
    SELECT cubist_made_board('solo', 'timed', 'en', measure, 'day', NULL),
      ('00000000-0000-0000-0000-00000000000' || n)::uuid, 10, now(),
      now() - n * interval '1 minute', gen_random_uuid(), NULL
    FROM generate_series(1, 3) AS n, unnest('{points,words}'::text[]) AS measure;
    """

  /// Runs a body for each row of board_places that is written, or is deleted.
  private static func trigger(_ body: String, isOf player: String) -> String {
    """
    CREATE FUNCTION hinder() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN \(body); RETURN coalesce(NEW, OLD); END$$;
    CREATE TRIGGER inserting BEFORE INSERT ON board_places FOR EACH ROW
      WHEN (NEW.player::text LIKE '%\(player)') EXECUTE FUNCTION hinder();
    CREATE TRIGGER deleting BEFORE DELETE ON board_places FOR EACH ROW
      WHEN (OLD.player::text LIKE '%\(player)') EXECUTE FUNCTION hinder();
    """
  }

  private func rankAll(_ scheduler: SchedulerStore) throws {
    var rounds = 0
    while try scheduler.rank(50), rounds < 100 { rounds += 1 }
    #expect(rounds < 100)
  }

  @Test(
    "A ranking that never ends holds up no other player, and is tried again later",
    arguments: [waiting, expired])
  func endless(rows: String) throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(rows + Self.trigger("PERFORM pg_sleep(3600)", isOf: "1"))
      let hadRanks = try connection.query("SELECT FROM board_places").count > 0
      let scheduler = SchedulerStore.live(
        try stores.connect { $0.statementTimeout = .seconds(2) })
      func players() throws -> [UInt128] {
        try connection.query("SELECT DISTINCT player FROM board_places ORDER BY 1").map { row in
          try row[0].uuid
        }
      }
      for failures in 1...2 {
        try rankAll(scheduler)
        #expect(try players() == (hadRanks ? [1] : [2, 3]))
        let failed = try connection.query(
          "SELECT player, failures, problem, next_try_at > now() FROM ranking_queue"
        ).only
        #expect(try failed[0].uuid == 1 && failed[1].int == failures)
        #expect(try failed[2].text.contains("statement timeout"))
        #expect(try failed[3].bool)
        try connection.script("UPDATE ranking_queue SET next_try_at = now()")
      }
      try connection.script(
        "DROP TRIGGER inserting ON board_places; DROP TRIGGER deleting ON board_places")
      try rankAll(scheduler)
      #expect(try players() == (hadRanks ? [] : [1, 2, 3]))
      #expect(try connection.query("SELECT FROM ranking_queue").count == 0)
    }
  }

  @Test("Players are ranked a few at a time if all together take too long for a statement")
  func slow() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // Six boards each.
      try connection.script(Self.waiting + Self.trigger("PERFORM pg_sleep(0.2)", isOf: "_"))
      let scheduler = SchedulerStore.live(
        try stores.connect { $0.statementTimeout = .seconds(3) })
      var calls = 0
      while try scheduler.rank(50), calls < 10 { calls += 1 }
      #expect(calls == 3)
      #expect(try connection.query("SELECT DISTINCT player FROM board_places").count == 3)
      #expect(try connection.query("SELECT FROM ranking_queue").count == 0)
    }
  }

  @Test("A standing that leaves its window and cannot be replaced does not come first for ever")
  func expiredFails() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        Self.expired + Self.trigger("RAISE EXCEPTION 'no place'", isOf: "1")
          + """
          DELETE FROM board_places WHERE player::text NOT LIKE '%1'
            AND board = cubist_board('solo', 'timed', 'en', 'words', 'day', NULL)
          """)
      let scheduler = SchedulerStore.live(connection)
      for _ in 0..<8 { _ = try scheduler.rank(1) }
      #expect(try connection.query("SELECT DISTINCT player FROM board_places").count == 1)
      let failed = try connection.query("SELECT player, failures FROM ranking_queue").only
      #expect(try failed[0].uuid == 1 && failed[1].int == 1)
    }
  }
}
