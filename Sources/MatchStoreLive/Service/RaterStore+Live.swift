package import LibPQ
internal import MatchCore
package import MatchInterfaces

extension SQL {
  static let tryRater = SQL(
    "tryRater", "SELECT pg_try_advisory_xact_lock(hashtextextended('cubist/rater', 0))")
  static let lockRater = SQL(
    "lockRater", "SELECT pg_advisory_xact_lock(hashtextextended('cubist/rater', 0))")
  static let ratingClock = SQL("ratingClock", "SELECT last_no FROM rating_clock")
  static let ratingWork = SQL(
    "ratingWork",
    """
    SELECT q.match, q.ended_at, q.player, q.result,
      EXISTS (SELECT FROM rating_results AS d WHERE d.match = q.match) AS is_rated,
      r.rating, r.deviation, r.volatility, r.rated_at, r.match_count
    FROM (
      SELECT match FROM rating_queue
      WHERE next_try_at IS NULL OR next_try_at <= statement_timestamp()
      GROUP BY ended_at, match ORDER BY ended_at, match LIMIT $1
    ) AS m
    JOIN rating_queue AS q ON q.match = m.match
    LEFT JOIN ratings AS r ON r.player = q.player
    ORDER BY q.ended_at, q.match, q.player
    """)
  // Of the first of two players, the last 200 matches at most: one may play thousands a day.
  static let ratingMeetings = SQL(
    "ratingMeetings",
    """
    WITH due AS MATERIALIZED (
      SELECT match, ended_at FROM rating_queue
      WHERE next_try_at IS NULL OR next_try_at <= statement_timestamp()
      GROUP BY ended_at, match ORDER BY ended_at, match LIMIT $1),
    pairs AS (
      SELECT DISTINCT a.player AS first, b.player AS second
      FROM due AS d JOIN rating_queue AS a ON a.match = d.match
      JOIN rating_queue AS b ON b.match = d.match AND b.player > a.player)
    SELECT p.first, p.second, r.rated_at FROM pairs AS p
    CROSS JOIN LATERAL (
      SELECT match, rated_at, result, rating_no FROM rating_results WHERE player = p.first
      ORDER BY rating_no DESC LIMIT 200) AS r
    JOIN rating_results AS o ON o.match = r.match AND o.player = p.second
    WHERE r.result <> 'none'
      AND r.rated_at > (SELECT min(ended_at) FROM due) - $2 * interval '1 second'
    ORDER BY p.first, p.second, r.rating_no
    """)
  static let insertResults = SQL(
    "insertResults",
    """
    INSERT INTO rating_results (rating_no, match, player, result, match_count, rated_at, rating,
      deviation, volatility, rated_at_before, rating_before, deviation_before, volatility_before)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    """)
  /// Inserts players with where they stand: player, number, matches, time, rating, deviation and
  /// volatility.
  static let insertsStandings = """
    INSERT INTO ratings AS r (player, rating_no, match_count, rated_at, rating, deviation,
      volatility)
    """
  /// Moves players with a rating to the standing that `insertsStandings` gives.
  static let replacesStanding = """
    ON CONFLICT (player) DO UPDATE SET rating_no = excluded.rating_no,
      match_count = excluded.match_count, rated_at = excluded.rated_at,
      rating = excluded.rating, deviation = excluded.deviation,
      volatility = excluded.volatility
    """
  static let putRatings = SQL(
    "putRatings",
    """
    \(insertsStandings)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)
    \(replacesStanding)
    """)
  static let moveCounts = SQL(
    "moveCounts",
    """
    INSERT INTO ladder_counts AS c (points, players)
    SELECT u.points, sum(u.change)::integer FROM unnest($1, $2, $3) AS u (player, points, change)
    WHERE NOT EXISTS (SELECT FROM ratings AS r WHERE r.player = u.player AND r.is_bot)
    GROUP BY u.points
    ON CONFLICT (points) DO UPDATE SET players = c.players + excluded.players
    """)
  /// Whether a row of `ratings` has a place on the ladder: as the index `ratings_ranked` says it.
  static let isRanked = "NOT is_bot AND deviation < \(Rating.provisionalMillionths)"
  static let retireBots = SQL("retireBots", "SELECT cubist_retire_bots($1)")
  static let leaveRatingQueue = SQL(
    "leaveRatingQueue",
    """
    DELETE FROM rating_queue WHERE (match, player) IN (
      SELECT match, player FROM rating_queue WHERE match = ANY($1)
      ORDER BY match, player FOR UPDATE)
    """)
  static let setAside = SQL(
    "setAside",
    """
    UPDATE rating_queue SET next_try_at = statement_timestamp() + interval '1 hour'
    WHERE (match, player) IN (
      SELECT match, player FROM rating_queue WHERE match = ANY($1)
      ORDER BY match, player FOR NO KEY UPDATE)
    """)
  static let moveRatingClock = SQL("moveRatingClock", "UPDATE rating_clock SET last_no = $1")
  static let recount = SQL(
    "recount",
    """
    INSERT INTO ladder_counts (points, players)
    SELECT coalesce(r.points, c.points), coalesce(r.players, 0)
    FROM (SELECT points, count(*)::integer AS players
      FROM ratings WHERE \(isRanked) GROUP BY points) AS r
    FULL JOIN ladder_counts AS c ON c.points = r.points
    WHERE coalesce(c.players, 0) <> coalesce(r.players, 0)
    ON CONFLICT (points) DO UPDATE SET players = excluded.players
    """)
}

extension RaterStore {
  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// After `StoreError.unavailable` the connection is closed: make a new one, and a new store of
  /// it. The server ends a transaction that is not finished within its
  /// `idle_in_transaction_session_timeout`.
  package static func live(_ connection: PostgreSQLConnection) -> RaterStore {
    let session = StoreSession(connection)
    var store = RaterStore.failing
    store.take.answer(with: session.takeRatingWork)
    store.finish.answer(with: session.finishRating)
    store.setAside.answer { match, reason throws(StoreError) in
      try session.setAside([(match, reason)])
    }
    store.recount.answer { () throws(StoreError) in
      let results = try session.run(
        [SQL.lockRater(), SQL.retireBots(.ids([PlayerID]())), SQL.recount()], .whole)
      return results[2].affectedRowCount
    }
    return store
  }
}

extension StoreSession {
  fileprivate func takeRatingWork(limit: Int) throws(StoreError) -> RatingWork {
    // An unfinished transaction is given up first.
    rollBack()
    // In a transaction of its own: the one that takes matches may be given up again.
    try run([SQL.retireBots(.ids([PlayerID]()))])
    // Each statement sees everything that was committed before it, so the lock comes first.
    let results = try run(
      [
        SQL.tryRater(), SQL.ratingClock(), SQL.ratingWork(.int(limit)),
        SQL.ratingMeetings(.int(limit), .int64(RatingLedger.meetingSeconds)),
      ], .begins())
    do throws(StoreError) {
      let (work, broken) = try reading { () throws(PostgreSQLError) in
        guard try results[0].only[0].bool else {
          return (work: RatingWork(), broken: [(id: MatchID, reason: String)]())
        }
        var work = RatingWork(lastNumber: try results[1].only[0].int64)
        var broken: [(id: MatchID, reason: String)] = []
        for row in results[2] {
          let match: MatchID = try row[0].id()
          guard broken.last?.id != match else { continue }
          do throws(PostgreSQLError) { try work.take(row) } catch {
            // The others go on.
            work.matches.removeAll { $0.match == match }
            broken.append((match, "\(error)"))
          }
        }
        for row in results[3] {
          let players: [PlayerID] = [try row[0].id(), try row[1].id()]
          work.meetings[players, default: []].append(try row[2].instant)
        }
        return (work, broken)
      }
      if !broken.isEmpty {
        rollBack()
        try setAside(broken)
        return try takeRatingWork(limit: limit)
      }
      // No transaction is held open for nothing.
      if work.matches.isEmpty, work.already.isEmpty { rollBack() }
      return work
    } catch {
      rollBack()
      throw error
    }
  }

  fileprivate func setAside(
    _ matches: [(id: MatchID, reason: String)]
  ) throws(StoreError) {
    rollBack()
    try run([
      SQL.setAside(.ids(matches.map(\.id))),
      SQL.noteProblems(.text("ratings"), matches.uuids(\.id), matches.texts(\.reason)),
    ])
  }

  fileprivate func finishRating(
    _ results: [RatingResult], _ already: [MatchID]
  ) throws(StoreError) {
    guard isInTransaction else {
      if results.isEmpty, already.isEmpty { return }
      throw .conflict("the matches were given up")
    }
    do throws(StoreError) {
      try run(SQL.finishRating(results, already), .ends)
    } catch {
      rollBack()
      throw error
    }
  }
}

extension RatingWork {
  /// Takes a row of `SQL.ratingWork`: those of a match follow one another.
  fileprivate mutating func take(_ row: Rows.Row) throws(PostgreSQLError) {
    let match: MatchID = try row[0].id()
    if try row[4].bool {
      if already.last != match { already.append(match) }
      return
    }
    if matches.last?.match != match {
      matches.append(RatedMatch(match: match, endedAt: try row[1].instant, results: [:]))
    }
    let player: PlayerID = try row[2].id()
    matches[matches.count - 1].results[player] = try row[3].case()
    if try row[5].ifPresent != nil {
      ratings[player] = try PlayerRating(row, at: 5)
    }
  }
}

extension PlayerRating {
  /// Reads rating, deviation, volatility, the last match's end and the number of matches.
  init(_ row: Rows.Row, at column: Int) throws(PostgreSQLError) {
    self.init(
      rating: Rating(
        valueMillionths: try row[column].int64, deviationMillionths: try row[column + 1].int64,
        volatilityBillionths: try row[column + 2].int64),
      ratedAt: try row[column + 3].ifPresent?.instant, matchCount: try row[column + 4].int)
  }
}

extension SQL {
  /// The statements that write the results of rated matches.
  fileprivate static func finishRating(_ results: [RatingResult], _ already: [MatchID]) -> [Call] {
    var calls: [Call] = []
    if let last = results.last {
      var latest: [PlayerID: RatingResult] = [:]
      for result in results { latest[result.player] = result }
      let standings = latest.values.sorted { $0.player < $1.player }
      let moves = results.countMoves
      calls = [
        insert(results), put(standings),
        moveCounts(moves.uuids(\.player), moves.int32s(\.points), moves.int32s(\.change)),
        retireBots(.ids(standings.map(\.player))), moveRatingClock(.int64(last.number)),
      ]
    }
    calls.append(leaveRatingQueue(.ids(Set(results.map(\.match)).sorted() + already)))
    return calls
  }

  private static func insert(_ results: [RatingResult]) -> Call {
    insertResults(
      results.int64s(\.number), results.uuids(\.match), results.uuids(\.player),
      results.texts(\.result.rawValue), results.int32s(\.after.matchCount),
      results.instants(\.after.ratedAt), results.int64s(\.after.rating.valueMillionths),
      results.int64s(\.after.rating.deviationMillionths),
      results.int64s(\.after.rating.volatilityBillionths), results.instants(\.before.ratedAt),
      results.int64s(\.before.rating.valueMillionths),
      results.int64s(\.before.rating.deviationMillionths),
      results.int64s(\.before.rating.volatilityBillionths))
  }

  private static func put(_ standings: [RatingResult]) -> Call {
    putRatings(
      standings.uuids(\.player), standings.int64s(\.number),
      standings.int32s(\.after.matchCount), standings.instants(\.after.ratedAt),
      standings.int64s(\.after.rating.valueMillionths),
      standings.int64s(\.after.rating.deviationMillionths),
      standings.int64s(\.after.rating.volatilityBillionths))
  }
}

extension [RatingResult] {
  /// Changes of counts: one player more, or fewer, has so many points.
  fileprivate var countMoves: [(player: PlayerID, points: Int, change: Int)] {
    flatMap { result in
      [(result.before, -1), (result.after, 1)].compactMap { standing, change in
        standing.isRanked ? (result.player, standing.rating.points, change) : nil
      }
    }
  }
}
