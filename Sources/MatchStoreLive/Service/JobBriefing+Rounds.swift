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
      ON g.player = u.player AND g.ended_at > \(statementTime) - interval '7 days'
    WHERE g.result <> 'none' GROUP BY u.player
    """)
  static let standingOffers = SQL(
    "standingOffers",
    """
    SELECT o.match FROM rematch_offers AS o JOIN unnest($1, $2) AS u (match, player)
      ON o.match = u.match AND o.to_player = u.player
    WHERE o.at > \(statementTime) - $3 * interval '1 second'
    """)
}

extension JobBriefing {
  /// The briefings of digests, reviews and offers of a rematch, where they differ from those that
  /// are known: nothing waits any more, or the player's week is known.
  func rounds(
    _ due: [(job: PushJob, details: PushStore.Details)]
  ) throws(StoreError) -> [PushJobID: PushStore.Briefing] {
    var changed: [PushJobID: PushStore.Briefing] = [:]
    for (job, details) in due where job.kind == .digest && details.waiting?.count == 0 {
      changed[job.id] = .stale(.answered)
    }
    let reviews = due.filter { $0.job.kind == .weekInReview }
    let offers = due.map(\.job).filter {
      $0.kind == .rematchWaits || $0.kind == .rematchRequested
    }
    guard !reviews.isEmpty || !offers.isEmpty else { return changed }
    let results = try session.run([
      SQL.weeksOfPlayers(.ids(Set(reviews.map(\.job.player)).sorted())),
      SQL.standingOffers(
        offers.uuids(\.match), offers.uuids(\.player), .int64(Match.invitationSeconds)),
    ])
    try reading { () throws(PostgreSQLError) in
      var weeks: [PlayerID: PushStore.WeekReview] = [:]
      for row in results[0] {
        weeks[try row[0].id()] = PushStore.WeekReview(
          played: try row[1].int, won: try row[2].int, bestPoints: try row[3].ifPresent?.int)
      }
      for (job, details) in reviews {
        var details = details
        details.week = weeks[job.player] ?? PushStore.WeekReview(played: 0, won: 0)
        changed[job.id] = .due(details)
      }
      var standing: Set<MatchID> = []
      for row in results[1] { standing.insert(try row[0].id()) }
      for job in offers where job.match.map({ !standing.contains($0) }) ?? true {
        changed[job.id] = .stale(.answered)
      }
    }
    return changed
  }
}
