import LibPQ

/// Rows as a service has them after years, made in the database by chance from a fixed seed.
enum LargeStore {
  struct Size {
    var players: Int
    var pastGames: Int
    /// Past games of player 1, who plays more than anybody.
    var ownPastGames: Int
    var scores: Int
    var dailyPlayers: Int
    var openSeats: Int

    init(percent: Int) {
      players = 3_000 * percent
      pastGames = 100_000 * percent
      ownPastGames = 1_000 * percent
      scores = 10_000 * percent
      dailyPlayers = 3_000 * percent
      openSeats = 1_000 * percent
    }
  }

  static func fill(_ connection: Connection, _ size: Size) throws {
    func step(_ what: String, _ sql: String) throws {
      print("filling: \(what)")
      try connection.script(sql)
    }
    try connection.script("SELECT setseed(0.5)")
    try step(
      "\(size.players) players",
      """
      INSERT INTO players (id, registered_at, name, name_key)
      SELECT \(player("n")), now() - random() * interval '700 days', 'player-' || n, 'player-' || n
      FROM generate_series(1, \(size.players)) AS n
      """)
    // Every tenth is one of player 1's until there are enough of them; two in a hundred tie.
    let share = size.pastGames / size.ownPastGames
    let columns =
      "player, ended_at, match, opponent, points, opponent_points, turn_limit_seconds, "
      + "daily_day, daily_mode, kind, language, result, reason"
    // Indexes that are made afterwards are made in a tenth of the time.
    try step(
      "\(size.pastGames) past games",
      """
      CREATE TEMPORARY TABLE dropped AS SELECT indexname, indexdef FROM pg_indexes
      WHERE tablename = 'past_games' AND indexname <> 'past_games_pkey';
      DO $$ DECLARE i record; BEGIN
        FOR i IN SELECT * FROM dropped LOOP EXECUTE format('DROP INDEX %I', i.indexname); END LOOP;
      END $$;
      INSERT INTO past_games (\(columns))
      SELECT CASE WHEN n % \(share) = 0 THEN \(player("1")) ELSE \(player(some(size.players))) END,
        now() - random() * interval '700 days', gen_random_uuid(),
        CASE WHEN kind IN ('solo', 'daily') THEN NULL ELSE \(player("2 + (random() * 500)::int")) END,
        (random() * 3000)::int, (random() * 3000)::int, 86400,
        CASE WHEN kind = 'daily' THEN current_date - n % 700 END,
        CASE WHEN kind IN ('solo', 'daily') THEN 'timed' END, kind, 'en',
        CASE WHEN kind IN ('solo', 'daily') THEN 'completed' WHEN n % 50 = 0 THEN 'tied'
          WHEN n % 2 = 0 THEN 'won' ELSE 'lost' END, 'cleared'
      FROM (SELECT n, (ARRAY['random', 'invitation', 'open', 'rematch', 'solo', 'daily'])
          [1 + (random() * 5)::int] AS kind
        FROM generate_series(1, \(size.pastGames)) AS n) AS games;
      DO $$ DECLARE i record; BEGIN
        FOR i IN SELECT * FROM dropped LOOP EXECUTE i.indexdef; END LOOP;
      END $$
      """)
    try step(
      "\(size.scores) scores on the boards of solo and daily games",
      """
      INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
        word_points)
      SELECT gen_random_uuid(), \(player(some(size.players))), now() - random() * interval '21 days',
        1 + (random() ^ 3 * 20000)::int, kind, mode, 'en', ARRAY['WORD', 'CAB'],
        ARRAY[28 + (random() ^ 3 * 2000)::int, 27]
      FROM generate_series(1, \(size.scores)) AS n
      CROSS JOIN LATERAL (SELECT (ARRAY['solo', 'daily'])[1 + n % 2] AS kind,
        (ARRAY['timed', 'unlimited'])[1 + n / 2 % 2] AS mode) AS k
      """)
    // One board of a million players, whom nobody could have played together here.
    try step(
      "a board of \(size.scores) players",
      """
      INSERT INTO players (id, registered_at, name, name_key)
      SELECT \(player("n")), now(), 'player-' || n, 'player-' || n
      FROM generate_series(\(size.players + 1), \(size.scores)) AS n;
      INSERT INTO ranked (board, player, points, ended_at, expires_at, match, word)
      SELECT board, \(player("n")), 1 + (random() ^ 3 * 20000)::int, now(),
        now() + interval '7 days', gen_random_uuid(),
        CASE WHEN board LIKE '%words%' THEN 'WORD' END
      FROM generate_series(1, \(size.scores)) AS n
      CROSS JOIN unnest(ARRAY['solo/timed/en/points/week', 'solo/timed/en/words/week']) AS b (board);
      SELECT cubist_recount(board) FROM unnest(ARRAY['solo/timed/en/points/week',
        'solo/timed/en/words/week']) AS b (board)
      """)
    try step(
      "a ladder of \(size.scores) players",
      """
      INSERT INTO ratings (player, rating_no, rated_at, rating, deviation, volatility, match_count)
      SELECT \(player("n")), n, now(), (700 + random() * 800 + random() * 800)::bigint * 1000000,
        (40 + random() * 200)::bigint * 1000000, 60000000, (random() * 300)::int
      FROM generate_series(1, \(size.scores)) AS n;
      INSERT INTO ladder_counts (points, players)
      SELECT points, count(*) FROM ratings GROUP BY points
      """)
    try step(
      "31 dailies, today's begun by \(size.dailyPlayers)",
      """
      INSERT INTO daily_challenges (day, mode, language, lexicon, letters)
      SELECT current_date - n, mode, 'en', '', '' FROM generate_series(0, 30) AS n
      CROSS JOIN unnest(ARRAY['timed', 'unlimited']) AS m (mode);
      INSERT INTO daily_scores (day, mode, language, player, points)
      SELECT current_date, 'timed', 'en', \(player("n")), (random() ^ 3 * 20000)::int
      FROM generate_series(1, \(size.dailyPlayers)) AS n;
      INSERT INTO daily_scores (day, mode, language, player, points)
      SELECT current_date - d, mode, 'en', \(player("n")), (random() ^ 3 * 20000)::int
      FROM generate_series(1, \(size.dailyPlayers / 100)) AS n CROSS JOIN generate_series(1, 30) AS d
      CROSS JOIN unnest(ARRAY['timed', 'unlimited']) AS m (mode);
      INSERT INTO ranked (board, player, points)
      SELECT concat_ws('/', 'daily', mode, language, to_char(day, 'YYYY-MM-DD')), player, points
      FROM daily_scores;
      SELECT cubist_recount(concat_ws('/', 'daily', mode, language, to_char(day, 'YYYY-MM-DD')))
      FROM daily_challenges
      """)
    try step(
      "\(size.openSeats) open seats",
      """
      INSERT INTO open_seats
        (match, player, since, turn_limit_seconds, language, has_turn, rating)
      SELECT gen_random_uuid(), \(player(some(size.players))), now() - random() * interval '7 days',
        (ARRAY[3600, 86400, 259200])[1 + n % 3], 'en', n % 2 = 0, 1000 + (random() * 1000)::int
      FROM generate_series(1, \(size.openSeats)) AS n
      """)
    try step("statistics", "VACUUM ANALYZE")
  }

  /// The id of a player of that number, as SQL.
  static func player(_ number: String) -> String {
    "('00000000-0000-0000-0000-' || lpad(to_hex(\(number)), 12, '0'))::uuid"
  }

  private static func some(_ count: Int) -> String { "1 + (random() * \(count - 1))::int" }
}
