internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // The reasons of games that count for nobody have other results.
  static let weeksOfPlayers = SQL(
    "weeksOfPlayers",
    """
    SELECT u.player, count(*) FILTER (WHERE g.opponent IS NOT NULL),
      count(*) FILTER (WHERE g.opponent IS NOT NULL AND g.result = 'won'), max(g.points)
    FROM unnest($1) AS u (player) JOIN past_games AS g
      ON g.player = u.player AND g.ended_at > statement_timestamp() - interval '7 days'
    WHERE g.result <> 'none' GROUP BY u.player
    """)
}

extension JobBriefing {
  /// The briefings of digests and reviews, where they differ from those that are known: nothing
  /// waits any more, or the player's week is known.
  func rounds(
    _ due: [(job: PushJob, details: PushStore.Details)]
  ) throws(StoreError) -> [PushJobID: PushStore.Briefing] {
    var changed: [PushJobID: PushStore.Briefing] = [:]
    for (job, details) in due where job.kind == .digest && details.waiting?.count == 0 {
      changed[job.id] = .stale(.answered)
    }
    let reviews = due.filter { $0.job.kind == .weekInReview }
    guard !reviews.isEmpty else { return changed }
    let rows = try session.rows(
      SQL.weeksOfPlayers(.ids(Set(reviews.map(\.job.player)).sorted())))
    try reading { () throws(PostgreSQLError) in
      var weeks: [PlayerID: PushStore.WeekReview] = [:]
      for row in rows {
        weeks[try row[0].id()] = PushStore.WeekReview(
          played: try row[1].int, won: try row[2].int, bestPoints: try row[3].ifPresent?.int)
      }
      for (job, details) in reviews {
        var details = details
        details.week = weeks[job.player] ?? PushStore.WeekReview(played: 0, won: 0)
        changed[job.id] = .due(details)
      }
    }
    return changed
  }
}
