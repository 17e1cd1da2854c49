internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

// The search for opponents. Each row `u` is a player who looks for one: claimant, rating, since,
// terms, and how many are wanted in each direction. Both indexes on ratings are read from the
// rating on, upwards and downwards, for the nearest few. Nobody comes back to a seat that was left.
extension SQL {
  /// The players that one player `u.claimant` plays against or has met in the last of the games
  /// that ended lately.
  private static let metPlayers = """
    SELECT g.opponent AS player FROM (
      SELECT opponent FROM past_games
      WHERE player = u.claimant
        AND ended_at > \(statementTime) - \(Pairing.latelySeconds) * interval '1 second'
      ORDER BY ended_at DESC, match DESC LIMIT \(Pairing.latelyGames)
    ) AS g WHERE g.opponent IS NOT NULL
    UNION
    SELECT t.player FROM seats AS s JOIN seats AS t ON t.match = s.match AND t.player <> s.player
    WHERE s.player = u.claimant
    """

  /// Seats that are looked at in each direction for one row `u`, at most: the nearest by rating. So
  /// blocked players cost the search no more, however many of them wait.
  private static let nearest = 1_000
  /// Of those, so many are chosen from players without a block in either direction. So a few who
  /// block everybody do not hide the others.
  private static let nearestUnblocked = 100

  /// Those of a seat's player `s.player` and a claimant `u.claimant` who are bots, if the two play as
  /// many matches as a bot plays with one player. They are counted for bots alone: the condition on
  /// `r` keeps the planner from counting for every candidate.
  private static let fullBots = """
    SELECT FROM bots AS r WHERE r.player IN (s.player, u.claimant) AND (
      SELECT count(*) FROM (SELECT match FROM seats WHERE player = u.claimant OFFSET 0) AS a
      CROSS JOIN LATERAL (
        SELECT FROM seats WHERE match = a.match AND player = s.player AND r.player IS NOT NULL
        OFFSET 0) AS t) >= \(BotLimits.matchesOfPlayer) OFFSET 0
    """

  /// The seats that fit, of the nearest from the claimant's rating on in one direction: so many as
  /// are wanted, and as many of players that the claimant has not met lately. OFFSET 0 keeps the
  /// planner from reading all blocks of a player if a look at each candidate's is enough.
  private static func fitting(above: Bool) -> String {
    """
    (SELECT f.match, f.player, f.rating, f.since, f.has_turn FROM (
      SELECT n.*, row_number() OVER (ORDER BY n.place) AS of_all,
        row_number() OVER (PARTITION BY n.is_met ORDER BY n.place) AS of_kind
      FROM (
        SELECT o.*, row_number() OVER () AS place, o.player = ANY (met.players) AS is_met
        FROM (
          SELECT s.* FROM (
            SELECT match, player, rating, since, has_turn, leavers FROM open_seats
            WHERE language = u.language AND is_casual = u.is_casual
              AND turn_limit_seconds = u.turn_limit_seconds AND player <> u.claimant
              AND rating \(above ? ">=" : "<") u.rating
            ORDER BY rating\(above ? "" : " DESC"), since, match LIMIT \(nearest)
          ) AS s
          WHERE NOT EXISTS (
            SELECT FROM blocks AS b WHERE b.player = u.claimant AND b.blocked = s.player OFFSET 0)
          AND NOT EXISTS (
            SELECT FROM blocks AS b WHERE b.player = s.player AND b.blocked = u.claimant OFFSET 0)
          AND NOT EXISTS (\(SQL.allKeysRevoked(of: "ARRAY[s.player, u.claimant]")) OFFSET 0)
          AND NOT EXISTS (\(fullBots))
          AND u.claimant <> ALL (s.leavers) AND s.player <> ALL (u.leavers)
          LIMIT \(nearestUnblocked)
        ) AS o
      ) AS n
      WHERE (least(n.since, u.since)
          <= \(statementTime) - \(Pairing.openAfterSeconds) * interval '1 second'
        OR abs(n.rating - u.rating) <= \(Pairing.firstWindow) + \(Pairing.growthPerSecond) * floor(
          extract(epoch FROM \(statementTime) - least(n.since, u.since))))
    ) AS f
    WHERE f.of_all <= u.wanted OR NOT f.is_met AND f.of_kind <= u.wanted)
    """
  }

  /// The seats that fit each row `u`; if none does, one row without a match.
  private static let candidates = """
    CROSS JOIN LATERAL (SELECT ARRAY(\(metPlayers)) AS players) AS met
    LEFT JOIN LATERAL (
    \(fitting(above: true))
    UNION ALL
    \(fitting(above: false))
    ) AS o ON true
    """

  static let waitingSeats = SQL(
    "waitingSeats",
    """
    SELECT u.place, u.rating, met.players, o.match, o.player, o.rating, o.since, o.has_turn
    FROM (
      SELECT c.*, \(statementTime) AS since, cubist_rating(c.claimant) AS rating,
        '{}'::uuid[] AS leavers
      FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY
        AS c (language, turn_limit_seconds, claimant, wanted, is_casual, place)
    ) AS u
    \(candidates)
    """)
  // Of the next waiting matches, the first that are not alone on their terms; at the end the last
  // one that was looked at, so that the next page begins there. A match that waits alone costs one
  // look into an index.
  static let movers = SQL(
    "movers",
    """
    WITH page AS MATERIALIZED (
      SELECT match, player, rating, since, language, turn_limit_seconds, is_casual, leavers
      FROM open_seats WHERE NOT has_turn AND (since, match) > ($1, $2)
      ORDER BY since, match LIMIT $5),
    accompanied AS MATERIALIZED (
      SELECT * FROM page AS p WHERE EXISTS (
        SELECT FROM open_seats AS o
        WHERE o.language = p.language AND o.is_casual = p.is_casual
          AND o.turn_limit_seconds = p.turn_limit_seconds AND o.player <> p.player OFFSET 0)
      ORDER BY since, match LIMIT $3)
    SELECT u.match, u.claimant, u.rating, u.since, met.players, o.match, o.player, o.rating,
      o.since, o.has_turn
    FROM (
      SELECT match, player AS claimant, rating, since, language, turn_limit_seconds, is_casual,
        leavers, $4::bigint AS wanted
      FROM (
        SELECT * FROM accompanied
        UNION
        (SELECT * FROM page WHERE (SELECT count(*) FROM accompanied) < $3
        ORDER BY since DESC, match DESC LIMIT 1)
      ) AS looked_at
    ) AS u
    \(candidates)
    ORDER BY u.since, u.match
    """)
}

extension StoreSession {
  /// How many candidates are wanted in each direction for a claim at most, and for a mover.
  static let candidateLimit = 16
  static let moverCandidateLimit = 4

  /// Reads match, player, rating, since and whether there is a turn, from a column on; nil if there
  /// is no match.
  private static func waiting(
    _ row: Rows.Row, from column: Int
  ) throws(PostgreSQLError) -> Pairing.Waiting? {
    guard let match = try row[column].ifPresent else { return nil }
    return Pairing.Waiting(
      match: try match.id(),
      seeker: Pairing.Seeker(
        player: try row[column + 1].id(), rating: try row[column + 2].int,
        since: try row[column + 3].instant), hasTurn: try row[column + 4].bool)
  }

  /// Reads the rows of `SQL.waitingSeats`, by place from 1 on.
  static func waiters(_ rows: Rows) throws(PostgreSQLError) -> [Int: ClaimFacts.Waiters] {
    var waiters: [Int: ClaimFacts.Waiters] = [:]
    for row in rows {
      let place = try row[0].int
      if waiters[place] == nil {
        waiters[place] = .init(rating: try row[1].int, met: try row[2].ids())
      }
      if let waiting = try waiting(row, from: 3) { waiters[place]?.waiting.append(waiting) }
    }
    return waiters
  }

  /// Matches after one that wait without a turn and are not alone on their terms, the longest
  /// waiting first, with the matches they might be merged with; and the last one that was looked
  /// at.
  func movers(
    _ after: Pairing.Waiting?, _ limit: Int
  ) throws(StoreError) -> [Pairing.Mover] {
    let rows = try rows(
      SQL.movers(
        .instant(after?.seeker.since ?? Instant(microseconds: 0)),
        .id(after?.match ?? MatchID(rawValue: 0)), .int64(Int64(limit)),
        .int64(Int64(StoreSession.moverCandidateLimit)),
        .int64(Int64(limit) * SchedulerStore.moversLookedAt)))
    return try reading { () throws(PostgreSQLError) in
      var movers: [Pairing.Mover] = []
      for row in rows {
        let own = Pairing.Waiting(
          match: try row[0].id(),
          seeker: Pairing.Seeker(
            player: try row[1].id(), rating: try row[2].int, since: try row[3].instant))
        if movers.last?.own != own {
          movers.append(.init(own: own, others: [], met: try row[4].ids()))
        }
        if let other = try StoreSession.waiting(row, from: 5) {
          movers[movers.count - 1].others.append(other)
        }
      }
      return movers
    }
  }
}
