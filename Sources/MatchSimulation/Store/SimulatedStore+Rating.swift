import MatchCore
import MatchInterfaces

/// Ratings in the store in memory.
struct SimulatedRatings {
  /// Matches that wait to be rated.
  var queue: [MatchID: RatedMatch] = [:]
  /// The results of rated matches.
  var results: [MatchID: [RatingResult]] = [:]
  /// The last result of every player.
  var standings: [PlayerID: RatingResult] = [:]
  /// The number of players for each number of points.
  var counts: [Int: Int] = [:]
  /// The players without a place on the ladder.
  private(set) var bots: Set<PlayerID> = []
  /// The number of the last match that was rated.
  var lastNumber: Int64 = 0

  /// The waiting matches in the order of their ends, up to a limit.
  func next(_ limit: Int) -> RatingWork {
    let waiting = queue.values.sorted { ($0.endedAt, $0.match) < ($1.endedAt, $1.match) }
      .prefix(limit)
    var work = RatingWork(lastNumber: lastNumber)
    for match in waiting {
      if results[match.match] != nil {
        work.already.append(match.match)
        continue
      }
      work.matches.append(match)
      for player in match.results.keys { work.ratings[player] = standings[player]?.after }
    }
    if let first = work.matches.first {
      let since = first.endedAt.adding(seconds: -RatingLedger.meetingSeconds)
      for match in work.matches {
        let players = match.results.keys.sorted()
        let times = meetings(of: players).compactMap(\.after.ratedAt).filter { $0 > since }
        if !times.isEmpty { work.meetings[players] = times }
      }
    }
    return work
  }

  /// The results of matches of just these players that counted, each that of the first of them, in
  /// the order in which they were rated.
  private func meetings(of players: [PlayerID]) -> [RatingResult] {
    results.values.compactMap { rows in
      guard rows.map(\.player).sorted() == players else { return nil }
      return rows.first { $0.player == players.first && $0.result != .none }
    }.sorted { $0.number < $1.number }
  }

  /// Takes the results of matches.
  mutating func take(_ results: [RatingResult], _ already: [MatchID]) {
    for result in results {
      if !bots.contains(result.player) {
        if let before = standings[result.player], before.after.isRanked {
          counts[before.after.rating.points, default: 0] -= 1
        }
        if result.after.isRanked { counts[result.after.rating.points, default: 0] += 1 }
      }
      standings[result.player] = result
      self.results[result.match, default: []].append(result)
      queue[result.match] = nil
      lastNumber = result.number
    }
    for match in already { queue[match] = nil }
  }

  /// Takes a player off the ladder for good. False: it is so already.
  mutating func declareBot(_ player: PlayerID) -> Bool {
    guard bots.insert(player).inserted else { return false }
    if let standing = standings[player], standing.after.isRanked {
      counts[standing.after.rating.points, default: 0] -= 1
    }
    return true
  }

  /// Counts anew.
  mutating func recount() -> Int {
    var right: [Int: Int] = [:]
    for standing in standings.values
    where !bots.contains(standing.player) && standing.after.isRanked {
      right[standing.after.rating.points, default: 0] += 1
    }
    let wrong = Set(counts.keys).union(right.keys).filter {
      counts[$0, default: 0] != right[$0, default: 0]
    }
    for points in wrong { counts[points] = right[points, default: 0] }
    return wrong.count
  }

  /// The stored rating of a match.
  func stored(_ match: MatchID) -> StoredRating {
    var stored = StoredRating()
    stored.waiting = queue[match]
    stored.results = (results[match] ?? []).map { result in
      let all = results.values.joined().filter { $0.player == result.player }
      let previous = all.filter { $0.number < result.number }.max { $0.number < $1.number }
      let standing: StoredRating.Standing =
        all.contains { $0.number > result.number }
        ? .superseded
        : standings[result.player].map { .last($0.after, number: $0.number) } ?? .missing
      let bound =
        result.result == .none
        ? meetings(of: (results[match] ?? []).map(\.player).sorted())
          .filter { $0.number < result.number }.suffix(RatingLedger.meetingLimit) : []
      return StoredRating.Row(
        result: result, previous: previous?.after, standing: standing,
        boundSince: bound.count == RatingLedger.meetingLimit ? bound.first?.after.ratedAt : nil)
    }
    return stored
  }
}

extension SimulatedStore {
  /// The store for the rater, over one connection.
  func rater(_ session: Session) -> RaterStore {
    var store = RaterStore.failing
    store.take.answer { limit throws(StoreError) in
      try self.checkWritable(session)
      guard self.raterSession == nil || self.raterSession == session.number else {
        return RatingWork()
      }
      let work = self.ratings.next(limit)
      self.raterSession = work.matches.isEmpty && work.already.isEmpty ? nil : session.number
      return work
    }
    store.finish.answer { results, already throws(StoreError) in
      try self.checkOpen(session)
      guard self.raterSession == session.number else {
        if results.isEmpty, already.isEmpty { return }
        throw .conflict("the matches were given up")
      }
      try self.checkWritable(session)
      guard results.allSatisfy({ self.ratings.results[$0.match] == nil }) else {
        self.rollBack(session)
        throw .conflict("a match has been rated")
      }
      self.ratings.take(results, already)
      self.rollBack(session)
    }
    store.setAside.answer { _, _ throws(StoreError) in try self.checkWritable(session) }
    store.recount.answer { () throws(StoreError) in
      try self.checkWritable(session)
      return self.ratings.recount()
    }
    return store
  }
}

extension SimulatedStore {
  /// A part of the ladder.
  func ladder(_ question: LadderQuestion) -> LadderPage {
    let places = ratings.standings.values.filter { !isBot($0.player) && $0.after.isRanked }
      .sorted { ($0.after.rating.points, $0.player) > ($1.after.rating.points, $1.player) }
      .map(\.player)
    var page = LadderPage(
      first: places.prefix(question.limit).compactMap(playerRow),
      playerCount: ratings.counts.values.reduce(0, +))
    guard let place = places.firstIndex(of: question.player),
      let points = ratings.standings[question.player]?.after.rating.points
    else { return page }
    let limit = question.neighborLimit
    page.above = places[..<place].suffix(limit).compactMap(playerRow)
    page.own = playerRow(question.player)
    page.below = places[(place + 1)...].prefix(limit).compactMap(playerRow)
    page.higherCount = ratings.counts.count { $0.key > points && $0.value > 0 }
    return page
  }
}
