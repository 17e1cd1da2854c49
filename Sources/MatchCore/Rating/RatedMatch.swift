/// A match that is over and changes ratings.
public struct RatedMatch: Hashable, Sendable {
  public var match: MatchID
  public var endedAt: Instant
  /// The result for each player: won, lost or tied.
  public var results: [PlayerID: Outcome.Result]

  /// A match as it was stored.
  public init(match: MatchID, endedAt: Instant, results: [PlayerID: Outcome.Result]) {
    self.match = match
    self.endedAt = endedAt
    self.results = results
  }

  /// The players' ratings after the match, from those before. More than two are compared pair by
  /// pair.
  public func ratings(
    from before: (PlayerID) -> PlayerRating
  ) -> [PlayerID: PlayerRating] {
    let players = results.keys.sorted()
    var after: [PlayerID: PlayerRating] = [:]
    for player in players {
      let own = before(player)
      let opponents = players.filter { $0 != player }.map { other in
        Glicko2.Opponent(
          rating: before(other).rating(at: endedAt), score: score(of: player, against: other))
      }
      after[player] = PlayerRating(
        rating: Glicko2.rating(
          own.rating, after: opponents, periods: own.periods(until: endedAt)),
        ratedAt: own.ratedAt.map { max($0, endedAt) } ?? endedAt, matchCount: own.matchCount + 1)
    }
    return after
  }

  private func score(of player: PlayerID, against other: PlayerID) -> Double {
    let (own, theirs) = (place(of: player), place(of: other))
    return own == theirs ? 0.5 : own > theirs ? 1 : 0
  }

  private func place(of player: PlayerID) -> Int {
    switch results[player] {
    case .won: 2
    case .tied: 1
    default: 0
    }
  }
}

extension Match {
  /// The match's results for ratings. Nil while it is not over, and for good if it is casual, has
  /// one seat, or was not played. A player who leaves loses only to one who has played a word, and so
  /// does one whose time runs out: otherwise it is not rated.
  public var rated: RatedMatch? {
    outcome?.wasLeftUnplayed(points: points) == true ? nil : ratedByOutcome
  }

  /// The results by which older builds rated the match: by its outcome alone. What they rated stays.
  public var ratedByOutcome: RatedMatch? {
    guard terms.isRated, case .ended(let outcome, let endedAt) = stage else { return nil }
    var results: [PlayerID: Outcome.Result] = [:]
    for (seat, result) in zip(seats, outcome.results) {
      guard let player = seat.player, [.won, .lost, .tied].contains(result) else { return nil }
      results[player] = result
    }
    guard results.count > 1 else { return nil }
    return RatedMatch(match: id, endedAt: endedAt, results: results)
  }
}

extension RatedMatch {
  /// The results of a match that was rated and then annulled. Its ratings stay. Nil for any other
  /// match.
  public init?(annulled match: Match, _ results: [RatingResult]) {
    guard match.outcome?.reason == .annulled, let endedAt = match.endedAt else { return nil }
    var counted: [PlayerID: Outcome.Result] = [:]
    for result in results where counted[result.player] == nil {
      counted[result.player] = result.result
    }
    self.init(match: match.id, endedAt: endedAt, results: counted)
  }
}

/// The effect of one match on one player's rating, with the values that it was computed from.
public struct RatingResult: Hashable, Sendable {
  /// The match's place in the order in which matches were rated, 1 for the first of all.
  public var number: Int64
  public var match: MatchID
  public var player: PlayerID
  /// Won, lost or tied. None: the match was one too many of its two players, and changed nothing.
  public var result: Outcome.Result
  public var before: PlayerRating
  public var after: PlayerRating

  /// A result as it was stored.
  public init(
    number: Int64, match: MatchID, player: PlayerID, result: Outcome.Result,
    before: PlayerRating, after: PlayerRating
  ) {
    self.number = number
    self.match = match
    self.player = player
    self.result = result
    self.before = before
    self.after = after
  }
}

/// Rates one match after another.
public struct RatingLedger: Sendable {
  /// Matches of the same two players that are rated within `meetingSeconds`. More change nothing, so
  /// that nobody climbs by one willing loser.
  public static let meetingLimit = 5
  public static let meetingSeconds: Int64 = 86_400

  /// The times at which two players' matches were rated, by the players in the order of their ids:
  /// those of the first one's ratings.
  public typealias Meetings = [[PlayerID]: [Instant]]

  /// The number of the last match that was rated; 0: none.
  public private(set) var lastNumber: Int64
  /// The players' ratings. A missing player has the initial one.
  public private(set) var ratings: [PlayerID: PlayerRating]
  private var meetings: Meetings

  /// Goes on after a number.
  /// - Parameter meetings: Those of the last `meetingSeconds` of the players that follow.
  public init(
    lastNumber: Int64 = 0, ratings: [PlayerID: PlayerRating] = [:], meetings: Meetings = [:]
  ) {
    self.lastNumber = lastNumber
    self.ratings = ratings
    self.meetings = meetings
  }

  /// Rates the next match.
  /// - Returns: one result for each player, in the order of ids.
  public mutating func rate(_ match: RatedMatch) -> [RatingResult] {
    lastNumber += 1
    let before = ratings
    let players = match.results.keys.sorted()
    let counts = !isOneTooMany(match, players)
    let after = counts ? match.ratings { before[$0] ?? .initial } : [:]
    for (player, rating) in after { ratings[player] = rating }
    if counts, players.count == 2 {
      meetings[players, default: []].append(after[players[0]]?.ratedAt ?? match.endedAt)
    }
    return players.compactMap { player in
      guard let result = match.results[player] else { return nil }
      let standing = before[player] ?? .initial
      return RatingResult(
        number: lastNumber, match: match.match, player: player, result: counts ? result : .none,
        before: standing, after: after[player] ?? standing)
    }
  }

  private func isOneTooMany(_ match: RatedMatch, _ players: [PlayerID]) -> Bool {
    let since = match.endedAt.adding(seconds: -RatingLedger.meetingSeconds)
    return (meetings[players] ?? []).count { $0 > since } >= RatingLedger.meetingLimit
  }
}
