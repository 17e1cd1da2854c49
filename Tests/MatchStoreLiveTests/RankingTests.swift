import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Ranks as they are counted in the database")
struct RankingTests {
  @Test(
    "Whatever comes, goes and changes, rank and count are those of a plain sort",
    .timeLimit(.minutes(2)), arguments: [1, 2, 3])
  func property(seed: UInt64) throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      var random = SplitMix(state: seed)
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
            "SELECT cubist_put_rank('board', $1, $2, NULL, NULL, NULL, NULL)",
            [.uuid(UInt128(player)), .int64(points[player].map(Int64.init))])
        }
        let different = Set(points.values).sorted(by: >)
        for (player, made) in points {
          let row = try connection.query(
            "SELECT rank, out_of FROM cubist_place('board', $1)", [.int64(Int64(made))]
          ).only
          #expect(
            try row[0].int64 == Int64(different.firstIndex(of: made) ?? -1) + 1,
            "seed \(seed), step \(step), player \(player)")
          #expect(try row[1].int64 == Int64(points.count), "seed \(seed), step \(step)")
        }
        try connection.query("SELECT cubist_recount('other')")
      }
      let before = try counts(connection)
      try connection.query("SELECT cubist_recount('board')")
      #expect(try counts(connection) == before, "seed \(seed)")
    }
  }

  private func counts(_ connection: Connection) throws -> [String] {
    try [
      "SELECT c::text FROM ranked_counts AS c ORDER BY 1",
      "SELECT b::text FROM ranked_buckets AS b WHERE players > 0 ORDER BY 1",
    ].flatMap { try connection.query($0).map { row in try row[0].text } }
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

  @Test(
    "A board that does not show what the games say is found, and counted anew",
    .timeLimit(.minutes(1)))
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
          SELECT DISTINCT b FROM solo_scores AS s
          CROSS JOIN LATERAL cubist_stale_boards(player, kind, mode, language, NULL) AS b
          ORDER BY 1
          """
        ).map { row in try row[0].text }
      }
      #expect(try stale() == [])
      for (damage, board) in [
        ("UPDATE ranked SET points = 1 WHERE board = 'solo/timed/en/points/all'", "points/all"),
        ("DELETE FROM ranked WHERE board = 'solo/timed/en/words/week'", "words/week"),
        (
          "UPDATE ranked_counts SET players = 7 WHERE board = 'solo/timed/en/words/day'",
          "words/day"
        ),
        (
          "UPDATE ranked_buckets SET scores = 7 WHERE board = 'solo/timed/en/points/day'",
          "points/day"
        ),
      ] {
        try connection.script(damage)
        #expect(try stale() == ["solo/timed/en/\(board)"], "\(damage)")
        try connection.script(
          """
          INSERT INTO ranking_queue (player, kind, mode, language)
          SELECT player, kind, mode, language FROM solo_scores
          """)
        #expect(try stale() == [], "what waits to be ranked is not wrong yet")
        while try scheduler.rank(100) {}
        try connection.query("SELECT cubist_recount('solo/timed/en/\(board)')")
        #expect(try stale() == [], "\(damage)")
      }
    }
  }
}
