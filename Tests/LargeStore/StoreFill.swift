package import LibPQ

/// Fills a database with rows as a service has them after years, at random from a fixed seed.
///
/// The schema has to be there, and the tables empty but for players of other names.
package struct StoreFill {
  private let connection: PostgreSQLConnection
  private let size: StoreSize
  private let boardDays: Int
  private let report: (String) throws -> Void

  /// Prepares to fill.
  /// - Parameters:
  ///   - boardDays: After how many days a player leaves the boards of the week.
  ///   - report: Called with the name of each step before it.
  package init(
    _ connection: PostgreSQLConnection, _ size: StoreSize, boardDays: Int = 7,
    report: @escaping (String) throws -> Void
  ) {
    self.connection = connection
    self.size = size
    self.boardDays = boardDays
    self.report = report
  }

  /// Fills everything, and lets the database count it.
  package func all() throws {
    try lasting()
    try dailies()
    try openSeats()
    try step("statistics", "VACUUM ANALYZE")
  }

  /// Fills the rows that do not age: players, past games, scores, boards and the ladder.
  package func lasting() throws {
    try connection.script("SELECT setseed(0.5)")
    try players()
    try pastGames()
    try scores()
    try board()
    try ladder()
  }

  private func players() throws {
    try step(
      "\(size.players) players",
      """
      INSERT INTO players (id, registered_at, name, name_key)
      SELECT \(Self.player("n")), now() - random() * interval '700 days', 'player-' || n,
        'player-' || n
      FROM generate_series(1, \(size.players)) AS n
      """)
  }

  private func pastGames() throws {
    // Every tenth is one of player 1's until there are enough of them; two in a hundred tie.
    let share = size.pastGames / size.ownPastGames
    let columns =
      "player, ended_at, match, opponent, points, opponent_points, turn_limit_seconds, "
      + "daily_day, daily_mode, kind, language, result, reason"
    // Making the indexes afterwards takes a tenth of the time.
    try step(
      "\(size.pastGames) past games",
      """
      CREATE TEMPORARY TABLE dropped AS SELECT indexname, indexdef FROM pg_indexes
      WHERE tablename = 'past_games' AND indexname <> 'past_games_pkey';
      DO $$ DECLARE i record; BEGIN
        FOR i IN SELECT * FROM dropped LOOP EXECUTE format('DROP INDEX %I', i.indexname); END LOOP;
      END $$;
      INSERT INTO past_games (\(columns))
      SELECT CASE WHEN n % \(share) = 0 THEN \(Self.player("1"))
          ELSE \(Self.player(some(size.players))) END,
        now() - random() * interval '700 days', gen_random_uuid(),
        CASE WHEN kind IN ('solo', 'daily') THEN NULL
          ELSE \(Self.player("2 + (random() * 500)::int")) END,
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
  }

  private func scores() throws {
    try step(
      "\(size.scores) scores on the boards of solo and daily games",
      """
      INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
        word_points)
      SELECT gen_random_uuid(), \(Self.player(some(size.players))),
        now() - random() * interval '21 days',
        1 + (random() ^ 3 * 20000)::int, kind, mode, 'en', ARRAY['WORD', 'CAB'],
        ARRAY[28 + (random() ^ 3 * 2000)::int, 27]
      FROM generate_series(1, \(size.scores)) AS n
      CROSS JOIN LATERAL (SELECT (ARRAY['solo', 'daily'])[1 + n % 2] AS kind,
        (ARRAY['timed', 'unlimited'])[1 + n / 2 % 2] AS mode) AS k
      """)
  }

  private func board() throws {
    // One board of a million players. So many could not have played here.
    try step(
      "a board of \(size.scores) players",
      """
      INSERT INTO players (id, registered_at, name, name_key)
      SELECT \(Self.player("n")), now(), 'player-' || n, 'player-' || n
      FROM generate_series(\(size.players + 1), \(size.scores)) AS n;
      INSERT INTO board_places (board, player, points, ended_at, expires_at, match, word)
      SELECT b.id, \(Self.player("n")), 1 + (random() ^ 3 * 20000)::int, now(),
        now() + interval '\(boardDays) days', gen_random_uuid(),
        CASE WHEN b.measure = 'words' THEN 'WORD' END
      FROM generate_series(1, \(size.scores)) AS n
      CROSS JOIN (
        SELECT measure, cubist_made_board('solo', 'timed', 'en', measure, 'week', NULL) AS id
        FROM unnest(ARRAY['points', 'words']) AS m (measure)) AS b;
      SELECT cubist_recount(id) FROM boards WHERE day IS NULL
      """)
  }

  private func ladder() throws {
    try step(
      "a ladder of \(size.scores) players",
      """
      INSERT INTO ratings (player, rating_no, rated_at, rating, deviation, volatility, match_count)
      SELECT \(Self.player("n")), n, now(),
        (700 + random() * 800 + random() * 800)::bigint * 1000000,
        (40 + random() * 200)::bigint * 1000000, 60000000, (random() * 300)::int
      FROM generate_series(1, \(size.scores)) AS n;
      INSERT INTO ladder_counts (points, players)
      SELECT points, count(*) FROM ratings WHERE NOT is_bot AND deviation < 110500000
      GROUP BY points
      """)
  }

  /// Fills the dailies of today and of the 30 days before, in place of those that are there.
  package func dailies() throws {
    try step(
      "31 dailies, today's begun by \(size.dailyPlayers)",
      """
      DELETE FROM daily_challenges;
      DELETE FROM daily_scores;
      DELETE FROM board_places WHERE board IN (SELECT id FROM boards WHERE day IS NOT NULL);
      DELETE FROM board_counts WHERE board IN (SELECT id FROM boards WHERE day IS NOT NULL);
      DELETE FROM board_buckets WHERE board IN (SELECT id FROM boards WHERE day IS NOT NULL);
      INSERT INTO daily_challenges (day, mode, language, lexicon, letters)
      SELECT current_date - n, mode, 'en', '', '' FROM generate_series(0, 30) AS n
      CROSS JOIN unnest(ARRAY['timed', 'unlimited']) AS m (mode);
      INSERT INTO daily_scores (day, mode, language, player, points)
      SELECT current_date, 'timed', 'en', \(Self.player("n")), (random() ^ 3 * 20000)::int
      FROM generate_series(1, \(size.dailyPlayers)) AS n;
      INSERT INTO daily_scores (day, mode, language, player, points)
      SELECT current_date - d, mode, 'en', \(Self.player("n")), (random() ^ 3 * 20000)::int
      FROM generate_series(1, \(size.dailyPlayers / 100)) AS n
      CROSS JOIN generate_series(1, 30) AS d
      CROSS JOIN unnest(ARRAY['timed', 'unlimited']) AS m (mode);
      SELECT cubist_made_board('daily', mode, language, NULL, NULL, day) FROM daily_challenges;
      INSERT INTO board_places (board, player, points)
      SELECT b.id, s.player, s.points FROM daily_scores AS s
      JOIN boards AS b ON b.day = s.day AND b.mode = s.mode AND b.language = s.language;
      SELECT cubist_recount(id) FROM boards WHERE day IS NOT NULL
      """)
  }

  /// Fills the seats that wait for anyone.
  package func openSeats() throws {
    try step(
      "\(size.openSeats) open seats",
      """
      INSERT INTO open_seats
        (match, player, since, turn_limit_seconds, language, has_turn, rating)
      SELECT gen_random_uuid(), \(Self.player(some(size.players))),
        now() - random() * interval '7 days', (ARRAY[3600, 86400, 259200])[1 + n % 3], 'en',
        n % 2 = 0, 1000 + (random() * 1000)::int
      FROM generate_series(1, \(size.openSeats)) AS n
      """)
  }

  private func step(_ what: String, _ sql: String) throws {
    try report(what)
    try connection.script(sql)
  }

  /// The id of a player of that number, as SQL.
  package static func player(_ number: String) -> String {
    "('00000000-0000-0000-0000-' || lpad(to_hex(\(number)), 12, '0'))::uuid"
  }

  private func some(_ count: Int) -> String { "1 + (random() * \(count - 1))::int" }
}
