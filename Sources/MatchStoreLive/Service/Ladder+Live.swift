internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // One statement, so that all of it is as of one instant. Points are whole and bounded: there are
  // at most some thousand counts, however many players there are. Plans are made without knowing
  // the parameters. A limit that is no parameter tells the planner how few rows there will be.
  // Otherwise it reads all players to find the names of a hundred.
  static let ladder = SQL(
    "ladder",
    """
    WITH own AS MATERIALIZED (
      SELECT points, player FROM ratings WHERE player = $1 AND \(isRanked)),
    rows AS (
      (SELECT 0 AS part, r.* FROM (
          SELECT * FROM ratings WHERE \(isRanked) ORDER BY points DESC, player DESC LIMIT 100
        ) AS r ORDER BY r.points DESC, r.player DESC LIMIT $2)
      UNION ALL
      SELECT 1, r.* FROM own CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT * FROM ratings AS a
          WHERE \(isRanked) AND (a.points, a.player) > (own.points, own.player)
          ORDER BY a.points, a.player LIMIT 100
        ) AS a ORDER BY a.points, a.player LIMIT $3
      ) AS r
      UNION ALL
      SELECT 2, r.* FROM own JOIN ratings AS r ON r.player = own.player
      UNION ALL
      SELECT 3, r.* FROM own CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT * FROM ratings AS b
          WHERE \(isRanked) AND (b.points, b.player) < (own.points, own.player)
          ORDER BY b.points DESC, b.player DESC LIMIT 100
        ) AS b ORDER BY b.points DESC, b.player DESC LIMIT $3
      ) AS r
    )
    SELECT p.id, p.name, p.registered_at, r.rating, r.deviation, r.volatility, r.rated_at,
      r.match_count, r.part,
      (SELECT count(*) FROM ladder_counts AS c
        WHERE c.points > (SELECT points FROM own) AND c.players > 0),
      (SELECT coalesce(sum(c.players), 0)::bigint FROM ladder_counts AS c)
    FROM rows AS r JOIN players AS p ON p.id = r.player
    ORDER BY r.part, r.points DESC, r.player DESC
    """)
}

extension StoreSession {
  func ladder(_ question: LadderQuestion) throws(StoreError) -> LadderPage {
    let rows = try rows(
      SQL.ladder(.id(question.player), .int(question.limit), .int(question.neighborLimit)))
    return try reading { () throws(PostgreSQLError) in
      var page = LadderPage()
      for row in rows {
        let player = try ReaderStore.PlayerRow(row)
        switch try row[8].int {
        case 0: page.first.append(player)
        case 1: page.above.append(player)
        case 2: page.own = player
        default: page.below.append(player)
        }
        (page.higherCount, page.playerCount) = (try row[9].int, try row[10].int)
      }
      return page
    }
  }
}
