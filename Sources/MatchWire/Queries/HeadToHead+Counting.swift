import CubeRules
public import MatchCore

extension HeadToHead {
  /// - Parameters:
  ///   - games: The player's games against the opponent, the newest first. Those after the first
  ///     `matchLimit` are left out.
  ///   - matches: Those of the first `wordLimit` games as they stand, in any order.
  public init(
    against opponent: PlayerID, named name: PlayerName,
    games: [(match: MatchID, result: Outcome.Result)], matches: [Match]
  ) {
    self.init(opponent: opponent, opponentName: name, score: Score())
    hasOlder = games.count > HeadToHead.matchLimit ? true : nil
    let games = games.prefix(HeadToHead.matchLimit)
    var hasRunEnded = false
    for (_, result) in games {
      guard score.count(result) else {
        notCounted += 1
        continue
      }
      hasRunEnded = hasRunEnded || run.map { $0.result != result } ?? false
      if !hasRunEnded { run = Run(result: result, count: score.matches) }
    }
    let newest = games.prefix(HeadToHead.wordLimit)
    wordMatches = newest.count
    let known = Dictionary(matches.map { ($0.id, $0) }) { first, _ in first }
    for (id, result) in newest.reversed() where result != .none {
      if let match = known[id] { take(wordsOf: match) }
    }
    series = Series(endingWith: newest, known)
  }

  private mutating func take(wordsOf match: Match) {
    guard let words = match.wordsByTurn, let seat = match.seat(of: opponent) else { return }
    for (turn, word, points) in words {
      let isOpponents = (turn - 1) % match.seats.count == seat
      let best = isOpponents ? opponentBestWord : bestWord
      guard points > best?.points ?? 0 else { continue }
      let found = BestWord(word: word, points: points, match: match.id, turn: turn)
      if isOpponents { opponentBestWord = found } else { bestWord = found }
    }
  }
}

extension HeadToHead.Series {
  /// Follows the rematches of the first of some games, the newest first. Games that ended at the same
  /// time come in any order: the newest of a series is the one without a successor among them.
  fileprivate init?(
    endingWith games: ArraySlice<(match: MatchID, result: Outcome.Result)>,
    _ matches: [MatchID: Match]
  ) {
    let results = Dictionary(games.map { ($0.match, $0.result) }) { first, _ in first }
    guard var newest = games.first.flatMap({ matches[$0.match] }) else { return nil }
    // Each rematch is found once, even in a damaged chain.
    for _ in games {
      guard let successor = newest.rematch.successor, results[successor] != nil,
        let rematch = matches[successor]
      else { break }
      newest = rematch
    }
    guard newest.predecessor != nil || newest.rematch.successor != nil else { return nil }
    self.init(
      score: .init(), startedAt: newest.dealtAt, running: newest.rematch.successor)
    var next: MatchID? = newest.id
    for _ in games {
      guard let id = next, let result = results[id], let match = matches[id] else { break }
      _ = score.count(result)
      startedAt = match.dealtAt
      next = match.predecessor
    }
    hasOlder = next == nil ? nil : true
  }
}

extension Match {
  /// The played words, each with its turn and points. Nil where the stored state does not
  /// tell: by rules that have turns of several words, or that this build does not have.
  ///
  /// A state has the words without their turns. It has a fingerprint of each turn, by which turns
  /// that only remove cubes are known; every other one has one word.
  var wordsByTurn: [(turn: Int, word: String, points: Int)]? {
    let turns = turnFingerprints.indices.filter { !Match.removals.contains(turnFingerprints[$0]) }
    let words = game.playedWordScores
    guard turns.count == words.count else { return nil }
    var points = seats.map { _ in 0 }
    for (turn, word) in zip(turns, words) { points[turn % points.count] += word.score }
    guard points == self.points else { return nil }
    return zip(turns, words).map { ($0 + 1, $1.word, $1.score) }
  }

  /// The fingerprints of all turns of one or two removals.
  private static let removals: Set<UInt64> = {
    var found: Set<UInt64> = []
    for first in Cube.all {
      found.insert(fingerprint(of: [.removal(first)]))
      for second in Cube.all {
        found.insert(fingerprint(of: [.removal(first), .removal(second)]))
      }
    }
    return found
  }()
}
