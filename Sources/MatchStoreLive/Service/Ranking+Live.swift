internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

// Ranks are counted in the database: see boards in schema.sql. No statement here scans a board.
// Plans are made without knowing the parameters. A limit that is no parameter tells the planner how
// few rows there will be. Otherwise it may read all players to find the names of a hundred.

extension SQL {
  static let rankNext = SQL("rankNext", "SELECT cubist_rank_next($1)")
  static let nextToRank = SQL(
    "nextToRank",
    """
    SELECT id FROM ranking_queue WHERE next_try_at IS NULL OR next_try_at <= statement_timestamp()
    ORDER BY id LIMIT 1
    """)
  static let rankAlone = SQL("rankAlone", "SELECT cubist_rank(ARRAY[$1::bigint])")
  static let putOffRank = SQL(
    "putOffRank",
    """
    SELECT cubist_put_off_rank(player, kind, mode, language, day, $2)
    FROM ranking_queue WHERE id = $1
    """)
  static let queueExpired = SQL("queueExpired", "SELECT cubist_queue_expired($1)")
  static let unrankable = SQL(
    "unrankable",
    """
    SELECT player, failures, coalesce(problem, '') FROM ranking_queue WHERE failures >= $1
    ORDER BY failures DESC, id LIMIT 4
    """)
  static let bestOfBoard = SQL(
    "bestOfBoard",
    """
    SELECT r.player, p.name, r.points, r.word FROM (
      SELECT r.player, r.points, r.word FROM board_places AS r
      WHERE r.board = cubist_board($1, $2, $3, $4, $5, NULL)
        AND (r.word IS NULL OR NOT EXISTS (
          SELECT FROM hidden_words AS h WHERE h.language = $3 AND h.word = r.word))
      ORDER BY r.points DESC, r.player LIMIT 100) AS r
    JOIN players AS p ON p.id = r.player
    ORDER BY r.points DESC, r.player LIMIT $6
    """)
  static let placeOnBoard = SQL(
    "placeOnBoard",
    """
    SELECT r.player, p.name, r.points, r.word, o.rank
    FROM board_places AS r JOIN players AS p ON p.id = r.player
    CROSS JOIN LATERAL cubist_place(r.board, r.points) AS o
    WHERE r.board = cubist_board($1, $2, $3, $4, $5, NULL) AND r.player = $6
      AND (r.word IS NULL OR NOT EXISTS (
        SELECT FROM hidden_words AS h WHERE h.language = $3 AND h.word = r.word))
    """)
  static let countOfBoard = SQL(
    "countOfBoard",
    """
    SELECT coalesce(sum(players), 0)::bigint FROM board_buckets
    WHERE board = cubist_board($1, $2, $3, $4, $5, DATE '1970-01-01' + $6)
    """)
  static let bestOfDaily = SQL(
    "bestOfDaily",
    """
    SELECT s.player, p.name, s.points, NULL::text FROM (
      SELECT s.player, s.points FROM daily_scores AS s
      WHERE s.day = DATE '1970-01-01' + $1 AND s.mode = $2 AND s.language = $3
        AND NOT EXISTS (SELECT FROM bots AS b WHERE b.player = s.player)
      ORDER BY s.points DESC, s.player LIMIT 100) AS s
    JOIN players AS p ON p.id = s.player
    ORDER BY s.points DESC, s.player LIMIT $4
    """)
  static let placeInDaily = SQL(
    "placeInDaily",
    """
    SELECT s.player, p.name, s.points, NULL::text, o.rank
    FROM daily_scores AS s JOIN players AS p ON p.id = s.player
    CROSS JOIN LATERAL cubist_place(
      cubist_board('daily', s.mode, s.language, NULL, NULL, s.day), s.points) AS o
    WHERE s.day = DATE '1970-01-01' + $1 AND s.mode = $2 AND s.language = $3 AND s.player = $4
      AND NOT EXISTS (SELECT FROM bots AS b WHERE b.player = s.player)
    """)
  static let dailyHistory = SQL(
    "dailyHistory",
    """
    SELECT s.day - DATE '1970-01-01', s.mode, s.language, s.points, o.rank, o.out_of
    FROM daily_challenges AS c
    JOIN daily_scores AS s ON s.day = c.day AND s.mode = c.mode AND s.language = c.language
      AND s.player = $1
    CROSS JOIN LATERAL cubist_place(
      cubist_board('daily', c.mode, c.language, NULL, NULL, c.day), s.points) AS o
    WHERE c.day > DATE '1970-01-01' + $2
      AND NOT EXISTS (SELECT FROM bots AS b WHERE b.player = $1)
    ORDER BY c.day DESC, c.mode, c.language
    """)
  // From an index alone, one look for each kind and result: the games themselves lie far apart.
  static let tallies = SQL(
    "tallies",
    """
    SELECT k.kind, r.result, c.count FROM unnest($3) AS k (kind)
    CROSS JOIN unnest($4) AS r (result)
    CROSS JOIN LATERAL (SELECT count(*) FROM (SELECT FROM past_games AS g
      WHERE g.player = $1 AND g.kind = k.kind AND g.result = r.result AND g.ended_at > $2
      LIMIT $5) AS g) AS c
    WHERE c.count > 0
    """)
  static let deleteSoloScores = SQL(
    "deleteSoloScores", "DELETE FROM solo_scores WHERE match = ANY($1)")
  static let putSoloScores = SQL(
    "putSoloScores",
    """
    INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
      word_points)
    SELECT match, player, ended_at, points, kind, mode, language, string_to_array(words, ' '),
      string_to_array(word_points, ' ')::bigint[]
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
      AS u (match, player, ended_at, points, kind, mode, language, words, word_points)
    """)
  static let queueForRanking = SQL(
    "queueForRanking",
    """
    INSERT INTO ranking_queue (player, day, kind, mode, language)
    SELECT player, DATE '1970-01-01' + day, kind, mode, language
    FROM unnest($1, $2, $3, $4, $5) AS u (player, day, kind, mode, language)
    """)
  static let recountBoards = SQL(
    "recountBoards",
    """
    SELECT cubist_recount(
      cubist_board(kind, mode, language, measure, time_window, DATE '1970-01-01' + day))
    FROM unnest($1, $2, $3, $4, $5, $6) AS u (kind, mode, language, measure, time_window, day)
    """)
  static let storedSoloScores = SQL(
    "storedSoloScores",
    """
    SELECT match, player, ended_at, points, kind, mode, language, words, word_points
    FROM solo_scores WHERE match = ANY($1)
    """)
  static let staleBoards = SQL(
    "staleBoards",
    """
    SELECT u.match, u.kind, u.mode, u.language, b.measure, b.time_window,
      b.day - DATE '1970-01-01'
    FROM unnest($1, $2, $3, $4, $5, $6) AS u (match, player, day, kind, mode, language)
    CROSS JOIN LATERAL cubist_wrong_boards(
      u.player, u.kind, u.mode, u.language, DATE '1970-01-01' + u.day) AS b
    """)
}

extension StoreSession {
  func rankNext(_ limit: Int) throws(StoreError) -> Bool {
    try isAny(SQL.rankNext(.int32(Int32(clamping: limit))))
  }

  /// Ranks the next player alone. A player for whom that fails is put off, for any reason:
  /// the database puts failures off by itself, but a statement that took too long has undone that.
  func rankNextAlone() throws(StoreError) -> Bool {
    let rows = try rows(SQL.nextToRank())
    let next = try reading(try rows.first.map { row throws(PostgreSQLError) in try row[0].int64 })
    guard let next else { return false }
    do throws(StoreError) { try run([SQL.rankAlone(.int64(next))]) } catch {
      guard let reason = error.reasonOfOne else { throw error }
      try run([SQL.putOffRank(.int64(next), .text(reason))])
    }
    return true
  }

  /// Queues players of scores that have left their windows; false: there were none.
  func queueExpired(_ limit: Int) throws(StoreError) -> Bool {
    try isAny(SQL.queueExpired(.int32(Int32(clamping: limit))))
  }

  private func isAny(_ count: Call) throws(StoreError) -> Bool {
    let rows = try rows(count)
    return try reading(try rows.only[0].int > 0)
  }

  func dailyResults(
    _ key: DailyKey, _ asker: PlayerID, _ limit: Int
  ) throws(StoreError) -> Ranking {
    let (day, mode) = (Value.int32(key.day.number), Value.text(key.mode.rawValue))
    let language = Value.text(key.language.rawValue)
    let results = try run([
      SQL.bestOfDaily(day, mode, language, .int(limit)),
      SQL.placeInDaily(day, mode, language, .id(asker)),
      SQL.countOfBoard.with(RankedBoard.daily(key).columns),
    ])
    return try reading(try Ranking(results, asker: asker, limit: limit))
  }

  func leaderboard(
    _ leaderboard: Leaderboard, _ asker: PlayerID, _ limit: Int
  ) throws(StoreError) -> Ranking {
    let columns = RankedBoard.leaderboard(leaderboard).columns
    let names = Array(columns.dropLast())
    let results = try run([
      SQL.bestOfBoard.with(names + [.int(limit)]), SQL.placeOnBoard.with(names + [.id(asker)]),
      SQL.countOfBoard.with(columns),
    ])
    return try reading(try Ranking(results, asker: asker, limit: limit))
  }

  func dailyHistory(
    of player: PlayerID, after day: Day
  ) throws(StoreError) -> [DailyHistory.Result] {
    let rows = try rows(SQL.dailyHistory(.id(player), .int32(day.number)))
    return try reading { () throws(PostgreSQLError) in
      try rows.map { row throws(PostgreSQLError) in
        let key = DailyKey(
          day: try row[0].day, mode: try row[1].case(), language: try row[2].case())
        // The counts may be a moment behind.
        let rank = try row[4].int
        return DailyHistory.Result(
          daily: key, points: try row[3].int, rank: rank, outOf: max(rank, try row[5].int))
      }
    }
  }

  func tallies(
    of player: PlayerID, since: Instant, limit: Int
  ) throws(StoreError) -> [MatchKind: [Outcome.Result: Int]] {
    let rows = try rows(
      SQL.tallies(
        .id(player), .instant(since), .textArray(MatchKind.allCases.map(\.rawValue)),
        .textArray(Outcome.Result.allCases.map(\.rawValue)), .int(limit)))
    return try reading { () throws(PostgreSQLError) in
      var tallies: [MatchKind: [Outcome.Result: Int]] = [:]
      for row in rows {
        let (kind, result): (MatchKind, Outcome.Result) = (try row[0].case(), try row[1].case())
        tallies[kind, default: [:]][result] = try row[2].int
      }
      return tallies
    }
  }
}

extension Ranking {
  /// Reads the best scores, the asker's own place, and how many there are.
  fileprivate init(_ results: [Rows], asker: PlayerID, limit: Int) throws(PostgreSQLError) {
    let best = try results[0].map { row throws(PostgreSQLError) in try Score(row) }
    let own = try results[1].first.map { row throws(PostgreSQLError) in
      (try Score(row), try row[4].int)
    }
    self.init(
      best: best, own: own, counted: try results[2].only[0].int, asker: asker, limit: limit)
  }
}

extension Ranking.Score {
  /// Reads player, name, points and word.
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      player: try row[0].id(), name: try row[1].name, points: try row[2].int,
      word: try row[3].ifPresent?.text)
  }
}

/// The changes of a batch to the scores of solo games, and the players to be ranked anew. Matches
/// of more players have neither.
struct RankingChanges {
  private var lost: [MatchID] = []
  private var scores: [(match: MatchID, row: Listing.SoloScoreRow)] = []
  private var reranks: [Listing.Rerank] = []

  mutating func add(_ match: MatchID, _ before: Listing?, _ after: Listing) {
    reranks += after.reranks(after: before)
    guard before?.soloScore != after.soloScore else { return }
    if before?.soloScore != nil { lost.append(match) }
    if let score = after.soloScore { scores.append((match, score)) }
  }

  var calls: [Call] {
    var calls: [Call] = []
    if !lost.isEmpty { calls.append(SQL.deleteSoloScores(.ids(lost))) }
    if !scores.isEmpty {
      calls.append(
        SQL.putSoloScores(
          scores.uuids(\.match), scores.uuids(\.row.player), scores.instants(\.row.endedAt),
          scores.int64s { Int64($0.row.points) }, scores.texts(\.row.games.kind.rawValue),
          scores.texts(\.row.games.mode.rawValue), scores.texts(\.row.games.language.rawValue),
          scores.texts { $0.row.words.map(\.word).joined(separator: " ") },
          scores.texts { $0.row.words.map { String($0.points) }.joined(separator: " ") }))
    }
    if !reranks.isEmpty {
      calls.append(
        SQL.queueForRanking(
          reranks.uuids(\.player), reranks.int32s { $0.day.map { Int($0.number) } },
          reranks.texts(\.games.kind.rawValue), reranks.texts(\.games.mode.rawValue),
          reranks.texts(\.games.language.rawValue)))
    }
    return calls
  }
}

extension StoreSession {
  /// Reads the scores of solo games, and the boards on which their players do not stand as they
  /// have to.
  func readSoloScores(into matches: inout [MatchID: StoredMatch]) throws(StoreError) {
    let alone = matches.filter { $0.value.state.map { SoloGames($0.terms) != nil } ?? false }
    guard !alone.isEmpty else { return }
    let scores = try rows(SQL.storedSoloScores(.ids(alone.keys)))
    try reading { () throws(PostgreSQLError) in
      for row in scores {
        matches[try row[0].id()]?.listing.soloScore = try Listing.SoloScoreRow(row)
      }
    }
    // One match of each player and game speaks for all of them.
    var asked: Set<Listing.Rerank> = []
    var wanted: [(match: MatchID, rerank: Listing.Rerank)] = []
    for (id, match) in alone.sorted(by: { $0.key < $1.key }) {
      guard let state = match.state else { continue }
      for rerank in Listing(of: state).reranks(after: nil) where asked.insert(rerank).inserted {
        wanted.append((id, rerank))
      }
    }
    let stale = try rows(
      SQL.staleBoards(
        wanted.uuids(\.match), wanted.uuids(\.rerank.player),
        wanted.int32s { $0.rerank.day.map { Int($0.number) } },
        wanted.texts(\.rerank.games.kind.rawValue), wanted.texts(\.rerank.games.mode.rawValue),
        wanted.texts(\.rerank.games.language.rawValue)))
    try reading { () throws(PostgreSQLError) in
      for row in stale { matches[try row[0].id()]?.staleBoards.append(try RankedBoard(row)) }
    }
  }
}

extension Listing.SoloScoreRow {
  /// Reads the columns of `SQL.storedSoloScores`.
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    let words = try row[7].textArray.map { $0 ?? "" }
    let points = try row[8].int64Array.map { Int($0 ?? 0) }
    self.init(
      games: SoloGames(
        kind: try row[4].case(), mode: try row[5].case(), language: try row[6].case()),
      player: try row[1].id(), endedAt: try row[2].instant, points: try row[3].int,
      words: zip(words, points).map { WordScore(word: $0, points: $1) })
  }
}
