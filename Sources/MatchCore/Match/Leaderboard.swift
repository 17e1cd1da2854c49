/// Games of one player that are compared with one another.
public struct SoloGames: Hashable, Sendable {
  /// Solo games or daily challenges.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Solo games, each on letters of its own.
    case solo
    /// Daily challenges, each on the letters of its day.
    case daily
  }

  public var kind: Kind
  public var mode: SoloMode
  public var language: Language

  public init(kind: Kind, mode: SoloMode, language: Language = .english) {
    self.kind = kind
    self.mode = mode
    self.language = language
  }

  /// The games that a game with these terms is compared with. Nil for more than one player.
  public init?(_ terms: Terms) {
    guard let mode = terms.soloMode else { return nil }
    if case .daily = terms.kind {
      self.init(kind: .daily, mode: mode, language: terms.language)
    } else {
      self.init(kind: .solo, mode: mode, language: terms.language)
    }
  }
}

/// A list of players by each one's best result, with its games, measure and time window.
public struct Leaderboard: Hashable, Sendable, CustomStringConvertible {
  /// The result of a game that counts.
  public enum Measure: String, Hashable, Sendable, CaseIterable {
    case points
    /// Its best word.
    case words
  }

  /// The games that count, by their end.
  public enum Window: String, Hashable, Sendable, CaseIterable {
    /// The last 24 hours.
    case day
    /// The last seven times 24 hours.
    case week
    case all

    /// The seconds that a game counts. Nil: for ever.
    public var seconds: Int64? {
      switch self {
      case .day: 86_400
      case .week: 7 * 86_400
      case .all: nil
      }
    }
  }

  public var games: SoloGames
  public var measure: Measure
  public var window: Window

  public init(games: SoloGames, measure: Measure, window: Window) {
    self.games = games
    self.measure = measure
    self.window = window
  }

  /// `kind/mode/language/measure/window`, such as `solo/timed/en/points/week`.
  public var description: String {
    "\(games.kind.rawValue)/\(games.mode.rawValue)/\(games.language.rawValue)/\(measure.rawValue)/"
      + window.rawValue
  }
}

/// A list on which players are ranked.
public enum RankedBoard: Hashable, Sendable, CustomStringConvertible {
  case leaderboard(Leaderboard)
  /// The results of one day's challenge.
  case daily(DailyKey)

  /// For a person, such as `solo/timed/en/points/week` or `daily/timed/en/2026-05-01`.
  public var description: String {
    switch self {
    case .leaderboard(let board): board.description
    case .daily(let key): "daily/\(key.mode.rawValue)/\(key.language.rawValue)/\(key.day)"
    }
  }
}

/// A word that was played, and its points.
public struct WordScore: Hashable, Sendable {
  /// The word, in upper case.
  public var word: String
  public var points: Int

  public init(word: String, points: Int) {
    self.word = word
    self.points = points
  }
}
