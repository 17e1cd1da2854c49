import Conformance
import CubistBasics
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Ranks as they are counted in the database")
struct RankingTests {
  @Test("Rank and count are those of a plain sort through all changes", arguments: [1, 2, 3])
  func property(seed: UInt64) throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        "SELECT cubist_made_board('solo', 'timed', 'en', m, 'all', NULL) "
          + "FROM unnest('{points,words}'::text[]) AS m")
      var random = SplitMix64(state: seed)
      var points: [Int: Int] = [:]
      for step in 0..<30 {
        for _ in 0..<20 {
          let player = Int.random(in: 0..<80, using: &random)
          // Across many buckets, many equal, and both sides of a bucket's edge.
          let made = [
            Int.random(in: 1...3_000, using: &random), 256 * Int.random(in: 0...4, using: &random),
            255, 7,
          ].randomElement(using: &random)
          points[player] = Bool.random(using: &random) || step < 5 ? made : nil
          try connection.query(
            "SELECT cubist_put_rank(1, $1, $2, NULL, NULL, NULL, NULL)",
            [.uuid(UInt128(player)), .int64(points[player].map(Int64.init))])
        }
        let different = Set(points.values).sorted(by: >)
        for (player, made) in points {
          let row = try connection.query(
            "SELECT rank, out_of FROM cubist_place(1, $1)", [.int64(Int64(made))]
          ).only
          #expect(
            try row[0].int64 == Int64(different.firstIndex(of: made) ?? -1) + 1,
            "seed \(seed), step \(step), player \(player)")
          #expect(try row[1].int64 == Int64(points.count), "seed \(seed), step \(step)")
        }
        try connection.query("SELECT cubist_recount(2)")
      }
      let before = try counts(connection)
      try connection.query("SELECT cubist_recount(1)")
      #expect(try counts(connection) == before, "seed \(seed)")
    }
  }

  private static let players = """
    INSERT INTO players (id, registered_at, name, name_key)
    SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, now(), 'Ann' || n, 'ann' || n
    FROM generate_series(1, 3) AS n;
    """

  @Test("A player that cannot be ranked holds up nobody else, and is tried again later")
  func oneFails() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        \(Self.players)
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        SELECT gen_random_uuid(), id, now(), 10, 'solo', 'timed', 'en', '{OK}', '{5}' FROM players;
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT player, kind, mode, language FROM solo_scores ORDER BY player;
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
          $$BEGIN RAISE EXCEPTION 'no place for %', NEW.player; END$$;
        CREATE TRIGGER fails BEFORE INSERT ON board_places FOR EACH ROW
          WHEN (NEW.player = '00000000-0000-0000-0000-000000000001') EXECUTE FUNCTION fail();
        """)
      let scheduler = SchedulerStore.live(connection)
      func ranked() throws -> Int64 {
        try connection.query("SELECT count(DISTINCT player) FROM board_places").only[0].int64
      }
      #expect(try scheduler.rank(50))
      #expect(try ranked() == 2)
      #expect(try !scheduler.rank(50), "not at once")
      let failed = try connection.query(
        "SELECT failures, problem, next_try_at > now() FROM ranking_queue"
      ).only
      #expect(try failed[0].int == 1)
      #expect(try failed[1].text.contains("no place for"))
      #expect(try failed[2].bool)
      // Not sooner for another game either.
      try connection.script(
        """
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT player, kind, mode, language FROM ranking_queue;
        """)
      #expect(try scheduler.rank(50))
      #expect(try connection.query("SELECT failures FROM ranking_queue").only[0].int == 1)
      try connection.script("UPDATE ranking_queue SET next_try_at = now()")
      #expect(try scheduler.rank(50))
      #expect(try connection.query("SELECT failures FROM ranking_queue").only[0].int == 2)
      try connection.script("UPDATE ranking_queue SET next_try_at = now()")
      #expect(try scheduler.rank(50))
      let operators = OperatorStore.live(try stores.connect())
      let unrankable = try #require(try operators.status().unrankable.first)
      #expect(unrankable.player == PlayerID(rawValue: 1) && unrankable.failureCount == 3)
      #expect(unrankable.problem.contains("no place for"))
      try connection.script(
        "DROP TRIGGER fails ON board_places; UPDATE ranking_queue SET next_try_at = now()")
      #expect(try scheduler.rank(50))
      #expect(try ranked() == 3)
      #expect(try connection.query("SELECT FROM ranking_queue").count == 0)
    }
  }

  /// The number of rows of games that ranking the waiting players reads.
  private static let counted = """
    CREATE FUNCTION fetched() RETURNS bigint LANGUAGE sql VOLATILE AS $$
      SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables
      WHERE relname = 'solo_scores' AND schemaname = current_schema()
    $$;
    CREATE FUNCTION counted() RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE
      -- The work of this connection within the last second may still be among them.
      earlier bigint := fetched();
    BEGIN
      PERFORM cubist_rank_next(50);
      RETURN fetched() - earlier;
    END$$;
    """

  @Test("Ranking does not read all games of a player if the latest are the best")
  func latestGames() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        \(Self.players)
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        SELECT gen_random_uuid(), id, now() - n * interval '1 second', 9000 - n, 'solo', 'timed',
          'en', ARRAY['W' || n, 'OK'], ARRAY[9000 - n, 5]
        FROM players, generate_series(1, 4500) AS n WHERE name = 'Ann1';
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT DISTINCT player, kind, mode, language FROM solo_scores;
        ANALYZE solo_scores;
        \(Self.counted)
        """)
      #expect(try connection.query("SELECT counted()").only[0].int64 < 500)
      let best = try best(connection)
      #expect(
        best == [
          "solo/timed/en/points/all 8999 ", "solo/timed/en/points/day 8999 ",
          "solo/timed/en/points/week 8999 ", "solo/timed/en/words/all 8999 W1",
          "solo/timed/en/words/day 8999 W1", "solo/timed/en/words/week 8999 W1",
        ])
    }
  }

  @Test("Few old games are looked at to rank a new one, of any number")
  func manyGames() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        \(Self.players)
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        SELECT gen_random_uuid(), id, now() - interval '30 days' - n * interval '1 second', 900,
          'solo', 'timed', 'en', '{GOOD}', '{90}'
        FROM players, generate_series(1, 40000) AS n WHERE name = 'Ann1';
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        VALUES (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', now(), 3, 'solo',
          'timed', 'en', '{POOR}', '{3}');
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT DISTINCT player, kind, mode, language FROM solo_scores;
        ANALYZE solo_scores;
        \(Self.counted)
        """)
      #expect(try connection.query("SELECT counted()").only[0].int64 < 30_000)
      let best = try best(connection)
      #expect(
        best == [
          "solo/timed/en/points/all 900 ", "solo/timed/en/points/day 3 ",
          "solo/timed/en/points/week 3 ", "solo/timed/en/words/all 90 GOOD",
          "solo/timed/en/words/day 3 POOR", "solo/timed/en/words/week 3 POOR",
        ])
    }
  }

  /// The places on all leaderboards, with their boards.
  private func best(_ connection: PostgreSQLConnection) throws -> [String] {
    try connection.query(
      """
      SELECT concat_ws('/', b.kind, b.mode, b.language, b.measure, b.time_window) AS name, p.points,
        coalesce(p.word, '') FROM board_places AS p JOIN boards AS b ON b.id = p.board ORDER BY name
      """
    ).map { row in "\(try row[0].text) \(try row[1].int64) \(try row[2].text)" }
  }

  private func counts(_ connection: PostgreSQLConnection) throws -> [String] {
    try [
      "SELECT c::text FROM board_counts AS c ORDER BY 1",
      "SELECT b::text FROM board_buckets AS b WHERE players > 0 ORDER BY 1",
    ].flatMap { try connection.query($0).map { row in try row[0].text } }
  }

  @Test("The words of a daily come onto their boards when its day is over, by themselves")
  func wordsOfDaily() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // Whatever the time is, the game of tomorrow can still be played.
      try connection.script(
        """
        \(Self.players)
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        SELECT cubist_first_id((now() AT TIME ZONE 'UTC')::date + day), id, now(), points, 'daily',
          'unlimited', 'en', ARRAY[word], ARRAY[points]
        FROM players, (VALUES (-2, 50, 'OLD'), (1, 90, 'NEW')) AS g (day, points, word)
        WHERE name = 'Ann1';
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT DISTINCT player, kind, mode, language FROM solo_scores;
        """)
      let scheduler = SchedulerStore.live(connection)
      while try scheduler.rank(10) {}
      func places(_ word: String, _ points: Int) -> [String] {
        ["all", "day", "week"].map { "daily/unlimited/en/points/\($0) 90 " }
          + ["all", "day", "week"].map { "daily/unlimited/en/words/\($0) \(points) \(word)" }
      }
      #expect(try best(connection) == places("OLD", 50))
      let waiting = try connection.query(
        """
        SELECT count(*) FROM board_places AS p JOIN boards AS b ON b.id = p.board
        WHERE b.measure = 'points' AND b.time_window = 'all'
          AND p.expires_at > now() AND p.expires_at <= now() + interval '24 hours'
        """)
      #expect(try waiting.only[0].int64 == 1, "looked at again when the day is over")
      // As if the days had passed.
      try connection.script(
        """
        UPDATE solo_scores SET match = cubist_first_id((now() AT TIME ZONE 'UTC')::date - 1)
        WHERE words = '{NEW}';
        UPDATE board_places SET expires_at = now() WHERE board IN (
          SELECT id FROM boards WHERE measure = 'points' AND time_window = 'all');
        """)
      let wrong =
        "SELECT count(*) FROM players AS p "
        + "CROSS JOIN LATERAL cubist_wrong_boards(p.id, 'daily', 'unlimited', 'en', NULL)"
      #expect(try connection.query(wrong).only[0].int64 == 0, "what is just over is not wrong yet")
      while try scheduler.rank(10) {}
      #expect(try best(connection) == places("NEW", 90))
      #expect(try connection.query(wrong).only[0].int64 == 0)
    }
  }

  @Test("A running daily's words stay out, however far ahead the database's clock is")
  func wordsByServiceTime() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // By the clock the day of the daily is over; by the service's time it is yet to come.
      try connection.script(
        """
        UPDATE service_time SET added_microseconds = -2 * 86400 * 1000000::bigint;
        \(Self.players)
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        SELECT cubist_first_id((s.now AT TIME ZONE 'UTC')::date + 1), id, s.now, 90, 'daily',
          'unlimited', 'en', '{NEW}', '{90}'
        FROM players, service_clock AS s WHERE name = 'Ann1';
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT player, kind, mode, language FROM solo_scores;
        """)
      let scheduler = SchedulerStore.live(connection)
      let wrong =
        "SELECT count(*) FROM players AS p "
        + "CROSS JOIN LATERAL cubist_wrong_boards(p.id, 'daily', 'unlimited', 'en', NULL)"
      while try scheduler.rank(10) {}
      let points = ["all", "day", "week"].map { "daily/unlimited/en/points/\($0) 90 " }
      #expect(try best(connection) == points)
      #expect(try connection.query(wrong).only[0].int64 == 0)
      // The day passes.
      try connection.script("UPDATE service_time SET added_microseconds = 0")
      while try scheduler.rank(10) {}
      #expect(try best(connection).contains("daily/unlimited/en/words/all 90 NEW"))
      #expect(try connection.query(wrong).only[0].int64 == 0)
    }
  }

  @Test("A word that is hidden leaves the boards, and another one takes its place until it is back")
  func hiddenWord() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        INSERT INTO players (id, registered_at, name, name_key)
        SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, now(), 'Ann' || n, 'ann' || n
        FROM generate_series(1, 2) AS n;
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        VALUES
          (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', now(), 90, 'solo', 'timed',
            'en', '{RUDE,NICE,OK}', '{60,25,5}'),
          (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', now(), 70, 'solo', 'timed',
            'en', '{FINE,RUDE}', '{30,20}'),
          (gen_random_uuid(), '00000000-0000-0000-0000-000000000002', now(), 10, 'solo', 'timed',
            'en', '{RUDE}', '{40}');
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT DISTINCT player, kind, mode, language FROM solo_scores;
        """)
      let (reader, scheduler) = (ReaderStore.live(connection), SchedulerStore.live(connection))
      func words() throws -> [String?] {
        while try scheduler.rank(10) {}
        let board = Leaderboard(
          games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .week)
        return try reader.leaderboard(board, PlayerID(rawValue: 1), 100).rows.map(\.word)
      }
      #expect(try words() == ["RUDE", "RUDE"])
      try connection.query("INSERT INTO hidden_words (language, word) VALUES ('en', 'RUDE')")
      let board = Leaderboard(
        games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .week)
      #expect(
        try reader.leaderboard(board, PlayerID(rawValue: 1), 100).rows == [],
        "shown until it is ranked anew")
      #expect(try words() == ["FINE"])
      try connection.query("DELETE FROM hidden_words")
      #expect(try words() == ["RUDE", "RUDE"])
    }
  }

  @Test("A board that differs from the games is found, and counted anew")
  func stale() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
          word_points)
        SELECT gen_random_uuid(), ('00000000-0000-0000-0000-00000000000' || n)::uuid, now(), n * 100,
          'solo', 'timed', 'en', '{WORD}', ARRAY[n] FROM generate_series(1, 9) AS n;
        INSERT INTO ranking_queue (player, kind, mode, language)
        SELECT player, kind, mode, language FROM solo_scores;
        """)
      let scheduler = SchedulerStore.live(connection)
      while try scheduler.rank(100) {}
      func stale() throws -> [String] {
        try connection.query(
          """
          SELECT DISTINCT b.measure || '/' || b.time_window FROM solo_scores AS s
          CROSS JOIN LATERAL cubist_wrong_boards(player, kind, mode, language, NULL) AS b
          ORDER BY 1
          """
        ).map { row in try row[0].text }
      }
      #expect(try stale() == [])
      for (damage, measure, window) in [
        ("UPDATE board_places SET points = 1", "points", "all"),
        ("DELETE FROM board_places", "words", "week"),
        ("UPDATE board_counts SET players = 7", "words", "day"),
        ("UPDATE board_buckets SET scores = 7", "points", "day"),
      ] {
        let board = "cubist_board('solo', 'timed', 'en', '\(measure)', '\(window)', NULL)"
        try connection.script("\(damage) WHERE board = \(board)")
        #expect(try stale() == ["\(measure)/\(window)"], "\(damage)")
        try connection.script(
          """
          INSERT INTO ranking_queue (player, kind, mode, language)
          SELECT player, kind, mode, language FROM solo_scores
          """)
        #expect(try stale() == [], "what waits to be ranked is not wrong yet")
        while try scheduler.rank(100) {}
        try connection.query("SELECT cubist_recount(\(board))")
        #expect(try stale() == [], "\(damage)")
      }
    }
  }
}
