internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let storedRatingQueue = SQL(
    "storedRatingQueue",
    "SELECT match, player, ended_at, result FROM rating_queue WHERE match = ANY($1)")
  static let storedRatingResults = SQL(
    "storedRatingResults",
    """
    SELECT r.match, r.player, r.rating_no, r.result,
      r.rating, r.deviation, r.volatility, r.rated_at, r.match_count,
      r.rating_before, r.deviation_before, r.volatility_before, r.rated_at_before,
      r.match_count - CASE r.result WHEN 'none' THEN 0 ELSE 1 END,
      p.rating, p.deviation, p.volatility, p.rated_at, p.match_count,
      EXISTS (
        SELECT FROM rating_results AS n WHERE n.player = r.player AND n.rating_no > r.rating_no),
      s.rating, s.deviation, s.volatility, s.rated_at, s.match_count, s.rating_no,
      CASE r.result WHEN 'none' THEN (
        SELECT m.rated_at FROM rating_results AS t
        JOIN rating_results AS m ON m.player = r.player
        JOIN rating_results AS o ON o.match = m.match AND o.player = t.player
        WHERE t.match = r.match AND t.player <> r.player
          AND m.rating_no < r.rating_no AND m.result <> 'none'
        ORDER BY m.rating_no DESC OFFSET \(RatingLedger.meetingLimit - 1) LIMIT 1) END
    FROM rating_results AS r
    LEFT JOIN LATERAL (
      SELECT * FROM rating_results AS b WHERE b.player = r.player AND b.rating_no < r.rating_no
      ORDER BY b.rating_no DESC LIMIT 1
    ) AS p ON true
    LEFT JOIN ratings AS s ON s.player = r.player
    WHERE r.match = ANY($1) ORDER BY r.match, r.player
    """)
}

extension StoredRating {
  /// Takes a row of `SQL.storedRatingQueue`.
  mutating func takeWaiting(_ row: Rows.Row) throws(PostgreSQLError) {
    var match = RatedMatch(match: try row[0].id(), endedAt: try row[2].instant, results: [:])
    if let waiting { match = waiting }
    match.results[try row[1].id()] = try row[3].case()
    waiting = match
  }

  /// Takes a row of `SQL.storedRatingResults`.
  mutating func takeResult(_ row: Rows.Row) throws(PostgreSQLError) {
    let standing: Standing
    if try row[19].bool {
      standing = .superseded
    } else if try row[20].ifPresent != nil {
      standing = .last(try PlayerRating(row, at: 20), number: try row[25].int64)
    } else {
      standing = .missing
    }
    results.append(
      Row(
        result: RatingResult(
          number: try row[2].int64, match: try row[0].id(), player: try row[1].id(),
          result: try row[3].case(), before: try PlayerRating(row, at: 9),
          after: try PlayerRating(row, at: 4)),
        previous: try row[14].ifPresent == nil ? nil : try PlayerRating(row, at: 14),
        standing: standing, boundSince: try row[26].ifPresent?.instant))
  }
}
