import CubeRules

extension Listing {
  /// The result of an ended game of one player, for leaderboards.
  public struct SoloScoreRow: Hashable, Sendable {
    /// The games that it is compared with.
    public var games: SoloGames
    public var player: PlayerID
    public var endedAt: Instant
    public var points: Int
    /// Its words, the best first. Words of equal points are in alphabetical order.
    public var words: [WordScore]

    /// A row as it was stored.
    public init(
      games: SoloGames, player: PlayerID, endedAt: Instant, points: Int, words: [WordScore]
    ) {
      self.games = games
      self.player = player
      self.endedAt = endedAt
      self.points = points
      self.words = words
    }

    /// The result of a match. Nil unless it is a game of one player that was played to an end.
    init?(of match: Match) {
      guard let games = SoloGames(match.terms), let player = match.seats[0].player,
        case .ended(let outcome, let endedAt) = match.stage, outcome.results == [.completed],
        !match.isOverlong
      else { return nil }
      let words = match.game.playedWordScores.map { WordScore(word: $0.word, points: $0.score) }
      self.init(
        games: games, player: player, endedAt: endedAt, points: match.seats[0].points,
        words: words.sorted { ($1.points, $0.word) < ($0.points, $1.word) })
    }
  }

  /// A player with a rank that may have changed.
  public struct Rerank: Hashable, Sendable {
    public var player: PlayerID
    /// The games of the boards.
    public var games: SoloGames
    /// If set, only the results of that day's challenge.
    public var day: Day?

    public init(player: PlayerID, games: SoloGames, day: Day? = nil) {
      self.player = player
      self.games = games
      self.day = day
    }
  }

  /// The players that change rank when these rows replace others.
  public func reranks(after before: Listing?) -> [Rerank] {
    var reranks: [Rerank] = []
    if before?.dailyScore != dailyScore, let score = dailyScore ?? before?.dailyScore {
      let games = SoloGames(kind: .daily, mode: score.key.mode, language: score.key.language)
      reranks.append(Rerank(player: score.player, games: games, day: score.key.day))
    }
    if before?.soloScore != soloScore, let score = soloScore ?? before?.soloScore {
      reranks.append(Rerank(player: score.player, games: score.games))
    }
    return reranks
  }
}
