internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let distribution = SQL(
    "distribution",
    """
    SELECT points, count(*) FROM daily_scores AS s
    WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3
      AND NOT EXISTS (SELECT FROM bots AS b WHERE b.player = s.player)
    GROUP BY points ORDER BY points DESC
    """)
  static let pointsOfPlayers = SQL(
    "pointsOfPlayers",
    """
    SELECT player, points FROM daily_scores AS s
    WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3 AND player = ANY($4)
      AND NOT EXISTS (SELECT FROM bots AS b WHERE b.player = s.player)
    """)
}

/// The ranks of a day that is over, for many players. The number of players at each number of
/// points is read once, and again after a while.
final class RanksOfDay {
  private let session: StoreSession
  private var key: DailyKey?
  private var ranks: [Int: Int] = [:]
  private var outOf = 0
  private var uses = 0

  /// How often the same ranks are used: the first minutes of a day may still change those of the
  /// day before.
  private static let useLimit = 50

  init(_ session: StoreSession) { self.session = session }

  /// The players' standings in the challenges of their jobs.
  func standings(_ jobs: [PushJob]) throws(StoreError) -> [PushJobID: PushStore.Standing] {
    var standings: [PushJobID: PushStore.Standing] = [:]
    for (key, jobs) in Dictionary(grouping: jobs, by: \.dayBefore) {
      guard let key else { continue }
      let points = try points(jobs.map(\.player), key)
      guard !points.isEmpty else { continue }
      // Points that nobody had when the ranks were read were made since then.
      if self.key != key || uses >= RanksOfDay.useLimit
        || points.values.contains(where: { ranks[$0] == nil })
      {
        try readRanks(key)
      }
      uses += 1
      for job in jobs {
        let rank = points[job.player].flatMap { ranks[$0] }
        standings[job.id] = rank.map { PushStore.Standing(rank: $0, outOf: outOf) }
      }
    }
    return standings
  }

  private func points(
    _ players: [PlayerID], _ key: DailyKey
  ) throws(StoreError) -> [PlayerID: Int] {
    let rows = try session.rows(
      SQL.pointsOfPlayers(
        .int32(key.day.number), .text(key.mode.rawValue), .text(key.language.rawValue),
        .ids(players)))
    return try reading { () throws(PostgreSQLError) in
      var points: [PlayerID: Int] = [:]
      for row in rows { points[try row[0].id()] = try row[1].int }
      return points
    }
  }

  private func readRanks(_ key: DailyKey) throws(StoreError) {
    let rows = try session.rows(
      SQL.distribution(
        .int32(key.day.number), .text(key.mode.rawValue), .text(key.language.rawValue)))
    (self.key, uses, ranks, outOf) = (nil, 0, [:], 0)
    try reading { () throws(PostgreSQLError) in
      for row in rows {
        ranks[try row[0].int] = ranks.count + 1
        outOf += try row[1].int
      }
    }
    self.key = key
  }
}
