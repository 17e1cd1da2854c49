import MatchCore
import MatchInterfaces
import MatchWire

// The daily challenge, leaderboards and a player's week in review.

extension QueryHandler {
  /// How far a player is with today's challenge.
  func dailyStatus(
    of asker: PlayerID, _ mode: SoloMode, _ now: Instant
  ) throws(Failure) -> DailyStatus {
    let key = DailyKey(day: Day(containing: now), mode: mode)
    let challenge = try ask(try store.daily(key))
    var own = try match(MatchID(daily: key, player: asker))
    if let first = own, first.isOverlong, first.outcome != nil {
      // It had more time than others, and may be made up for.
      own = try match(MatchID(dailyAgain: key, player: asker))
    }
    return DailyStatus(
      daily: key, isDealt: challenge != nil, endsAt: own?.deadline?.at ?? key.day.end,
      match: own?.id, isOver: own?.outcome != nil, points: own?.points.first)
  }

  /// The results of a day's challenge.
  func standings(
    _ key: DailyKey, for asker: PlayerID, _ now: Instant
  ) throws(Failure) -> Standings {
    guard try ask(try store.daily(key)) != nil else {
      throw .refused(.dailyNotDealt(key.day))
    }
    guard key.day >= Standings.firstDay(now) else { throw .refused(.standingsGone(key.day)) }
    let ranking = try ask(try store.dailyResults(key, asker, Standings.limit))
    return Standings(daily: key, ranking)
  }

  /// How many have begun today's challenges.
  func dailyPlayers(
    for asker: PlayerID, _ now: Instant
  ) throws(Failure) -> [ServiceInfo.DailyPlayers] {
    var counts: [ServiceInfo.DailyPlayers] = []
    for mode in SoloMode.allCases {
      let key = DailyKey(day: Day(containing: now), mode: mode)
      let ranking = try ask(try store.dailyResults(key, asker, 0))
      counts.append(ServiceInfo.DailyPlayers(daily: key, players: ranking.outOf))
    }
    return counts
  }

  /// A player's results in the last days' challenges.
  func dailyHistory(of asker: PlayerID, _ now: Instant) throws(Failure) -> DailyHistory {
    let first = Day(number: Day(containing: now).number - Int32(DailyHistory.dayCount))
    return DailyHistory(
      results: try ask(try store.dailyHistory(asker, first)))
  }

  /// The best players on a leaderboard.
  func leaderboard(
    _ board: Leaderboard, for asker: PlayerID
  ) throws(Failure) -> LeaderboardView {
    let ranking = try ask(try store.leaderboard(board, asker, Standings.limit))
    return LeaderboardView(board, ranking)
  }

  /// A player's last seven days.
  func review(of asker: PlayerID, _ now: Instant) throws(Failure) -> WeekInReview {
    let since = now.adding(seconds: -WeekInReview.seconds)
    let tallies = try ask(try store.tallies(asker, since, WeekInReview.countLimit))
    var review = WeekInReview(since: since, until: now, games: [], places: [])
    for kind in MatchKind.allCases {
      // A match that counts for nobody is no game.
      guard let results = tallies[kind]?.filter({ $0.key != .none }), !results.isEmpty else {
        continue
      }
      review.games.append(
        WeekInReview.Tally(
          kind: kind, count: results.values.reduce(0, +), won: results[.won] ?? 0,
          lost: results[.lost] ?? 0, tied: results[.tied] ?? 0))
    }
    for kind in SoloGames.Kind.allCases {
      for mode in SoloMode.allCases {
        for measure in Leaderboard.Measure.allCases {
          let board = Leaderboard(
            games: SoloGames(kind: kind, mode: mode), measure: measure, window: .week)
          let ranking = try ask(try store.leaderboard(board, asker, 0))
          if let own = ranking.own { review.places.append(.init(board, own)) }
        }
      }
    }
    return review
  }
}
