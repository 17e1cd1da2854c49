import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedStore {
  /// The score that gives a player the place on a board.
  struct Ranked: Hashable {
    var points: Int
    var match: MatchID?
    var expiresAt: Instant?
    var word: String?
  }

  /// Ranks the next players with a rank that may have changed. False: nobody was left.
  func rankNext(_ limit: Int) -> Bool {
    let next = rankingQueue.prefix(limit)
    rankingQueue.removeFirst(next.count)
    var reranks = Set(next)
    for case (.leaderboard(let board), let players) in ranked {
      for (player, row) in players where row.expiresAt.map({ $0 <= now }) ?? false {
        reranks.insert(Listing.Rerank(player: player, games: board.games))
      }
    }
    for rerank in reranks { rank(rerank) }
    return !reranks.isEmpty
  }

  private func rank(_ rerank: Listing.Rerank) {
    guard let day = rerank.day else {
      for (board, row) in standings(of: rerank.player, in: rerank.games) {
        ranked[.leaderboard(board), default: [:]][rerank.player] = row
      }
      return
    }
    let key = DailyKey(day: day, mode: rerank.games.mode, language: rerank.games.language)
    ranked[.daily(key), default: [:]][rerank.player] =
      dailyPoints(of: rerank.player, in: key).map { Ranked(points: $0) }
  }

  /// A player's right places on the boards of some games, by all stored games.
  func standings(
    of player: PlayerID, in games: SoloGames
  ) -> [(board: Leaderboard, row: Ranked?)] {
    let own = rows.compactMap { id, row -> (match: MatchID, score: Listing.SoloScoreRow)? in
      guard let score = row.soloScore, score.player == player, score.games == games,
        !isBot(player)
      else { return nil }
      return (id, score)
    }
    // A word of a daily counts once it helps nobody any more. The player is ranked anew then.
    let helping = own.compactMap { game in
      games.kind == .daily ? DailyKey(of: game.match, in: games).helpsUntil : nil
    }.filter { $0 > now }
    return Leaderboard.Window.allCases.flatMap { window in
      let since = window.seconds.map { now.adding(seconds: -$0) }
      let counting = own.filter { game in since.map { game.score.endedAt > $0 } ?? true }
      return Leaderboard.Measure.allCases.map { measure in
        let rows = counting.compactMap { game -> (at: Instant, row: Ranked)? in
          let best = measure == .points ? nil : shown(game.score, of: game.match).first
          guard let points = measure == .points ? game.score.points : best?.points, points > 0
          else { return nil }
          var expiry = window.seconds.map { game.score.endedAt.adding(seconds: $0) }
          if window == .all, measure == .points { expiry = helping.min() }
          return (
            game.score.endedAt,
            Ranked(points: points, match: game.match, expiresAt: expiry, word: best?.word)
          )
        }
        let best = rows.max {
          ($0.row.points, $0.at, $0.row.match?.rawValue ?? 0)
            < ($1.row.points, $1.at, $1.row.match?.rawValue ?? 0)
        }
        return (Leaderboard(games: games, measure: measure, window: window), best?.row)
      }
    }
  }

  /// The words of a game that may stand on a board.
  private func shown(_ score: Listing.SoloScoreRow, of match: MatchID) -> [WordScore] {
    if score.games.kind == .daily, now < DailyKey(of: match, in: score.games).helpsUntil {
      return []
    }
    return score.words.filter { !isHidden($0.word, score.games.language) }
  }

  private func isHidden(_ word: String, _ language: Language) -> Bool {
    HiddenWord(word, language: language).map(hiddenWords.contains) ?? false
  }

  /// Hides a word from the boards or shows it again, and queues its players. False: it is so
  /// already.
  func setWord(_ word: HiddenWord, isHidden: Bool) -> Bool {
    guard hiddenWords.contains(word) != isHidden else { return false }
    if isHidden { hiddenWords.insert(word) } else { hiddenWords.remove(word) }
    for score in rows.sorted(by: { $0.key < $1.key }).compactMap(\.value.soloScore)
    where score.games.language == word.language
      && score.words.contains(where: { $0.word == word.word })
    {
      rankingQueue.append(Listing.Rerank(player: score.player, games: score.games))
    }
    return true
  }

  private func dailyPoints(of player: PlayerID, in key: DailyKey) -> Int? {
    let score =
      rows[MatchID(daily: key, player: player)]?.dailyScore
      ?? rows[MatchID(dailyAgain: key, player: player)]?.dailyScore
    return score?.key == key && !isBot(player) ? score?.points : nil
  }

  /// Whether an account is declared a bot's.
  func isBot(_ player: PlayerID) -> Bool { ratings.bots.contains(player) }

  /// Declares an account a bot's, and ranks it anew wherever it may lose a place.
  func declareBot(_ player: PlayerID) {
    guard ratings.declareBot(player) else { return }
    for row in rows.sorted(by: { $0.key < $1.key }).map(\.value) {
      if let score = row.soloScore, score.player == player {
        rankingQueue.append(Listing.Rerank(player: player, games: score.games))
      }
      if let score = row.dailyScore, score.player == player {
        let games = SoloGames(kind: .daily, mode: score.key.mode, language: score.key.language)
        rankingQueue.append(Listing.Rerank(player: player, games: games, day: score.key.day))
      }
    }
  }

  // MARK: Reading

  func leaderboard(_ board: Leaderboard, _ asker: PlayerID, _ limit: Int) -> Ranking {
    let scores = (ranked[.leaderboard(board)] ?? [:]).compactMap { player, row -> Ranking.Score? in
      if let word = row.word, isHidden(word, board.games.language) { return nil }
      return players[player].map {
        Ranking.Score(player: player, name: $0.name, points: row.points, word: row.word)
      }
    }
    return Ranking(all: scores, asker: asker, limit: limit)
  }

  func dailyResults(_ key: DailyKey, _ asker: PlayerID, _ limit: Int) -> Ranking {
    let scores = rows.values.compactMap { row -> Ranking.Score? in
      guard let score = row.dailyScore, score.key == key, !isBot(score.player),
        let name = players[score.player]?.name
      else { return nil }
      return Ranking.Score(player: score.player, name: name, points: score.points)
    }
    return Ranking(all: scores, asker: asker, limit: limit)
  }

  func dailyHistory(of player: PlayerID, after day: Day) -> [DailyHistory.Result] {
    let keys = dailies.keys.filter { $0.day > day }.sorted {
      ($1.day, $0.description) < ($0.day, $1.description)
    }
    return keys.compactMap { key in
      dailyResults(key, player, 0).own.map {
        DailyHistory.Result(daily: key, points: $0.points, rank: $0.rank, outOf: $0.outOf)
      }
    }
  }

  func tallies(
    of player: PlayerID, since: Instant, limit: Int
  ) -> [MatchKind: [Outcome.Result: Int]] {
    var tallies: [MatchKind: [Outcome.Result: Int]] = [:]
    for (id, row) in rows {
      guard let kind = matches[id]?.terms.kind.name else { continue }
      for game in row.pastGames where game.player == player && game.endedAt > since {
        tallies[kind, default: [:]][game.result, default: 0] += 1
      }
    }
    return tallies.mapValues { results in results.mapValues { min($0, limit) } }
  }

  /// Whether a daily of the player's is just over, so that its words are about to count.
  private func isDue(_ player: PlayerID, in games: SoloGames) -> Bool {
    let all = Leaderboard(games: games, measure: .points, window: .all)
    return ranked[.leaderboard(all)]?[player]?.expiresAt.map { $0 <= now } ?? false
  }

  // MARK: Checking

  /// The boards on which the player of a one-player game has another place than all games give. A
  /// player who waits for a ranking, or a game that has just left its window, is not wrong yet.
  func staleBoards(of listing: StoredListing) -> [RankedBoard] {
    let player = listing.soloScore?.player ?? listing.dailyScore?.player
    guard let player, !rankingQueue.contains(where: { $0.player == player }) else { return [] }
    var stale: [RankedBoard] = []
    if let games = listing.soloScore?.games, !isDue(player, in: games) {
      for (board, row) in standings(of: player, in: games) {
        let kept = ranked[.leaderboard(board)]?[player]
        if kept?.expiresAt.map({ $0 <= now }) ?? false { continue }
        if kept != row { stale.append(.leaderboard(board)) }
      }
    }
    if let score = listing.dailyScore,
      ranked[.daily(score.key)]?[player]?.points != (isBot(player) ? nil : score.points)
    {
      stale.append(.daily(score.key))
    }
    return stale
  }
}

extension DailyKey {
  /// The challenge that a game was played in: its id begins with the day's first instant.
  fileprivate init(of match: MatchID, in games: SoloGames) {
    self.init(day: Day(containing: match.time), mode: games.mode, language: games.language)
  }
}
