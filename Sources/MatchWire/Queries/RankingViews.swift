public import MatchCore

/// A player's place among others.
public struct RankedRow: Hashable, Sendable, Codable {
  /// 1 for the best; dense: 1, 2, 2, 3.
  public var rank: Int
  /// Among how many.
  public var outOf: Int
  public var player: PlayerID
  public var name: PlayerName
  public var points: Int
  /// The word that made them, where words are ranked.
  public var word: String?

  public init(
    rank: Int, outOf: Int, player: PlayerID, name: PlayerName, points: Int, word: String? = nil
  ) {
    self.rank = rank
    self.outOf = outOf
    self.player = player
    self.name = name
    self.points = points
    self.word = word
  }
}

/// The best of a list of players, and one player's own place in it.
public struct Ranking: Hashable, Sendable {
  /// The best first; equal points share a rank, and the next rank is one higher.
  public var rows: [RankedRow]
  /// The asker's row, wherever it is.
  public var own: RankedRow?
  public var outOf: Int

  /// A player's points before they are ranked.
  public struct Score: Hashable, Sendable {
    public var player: PlayerID
    public var name: PlayerName
    public var points: Int
    /// The word that made them, where words are ranked.
    public var word: String?

    public init(player: PlayerID, name: PlayerName, points: Int, word: String? = nil) {
      self.player = player
      self.name = name
      self.points = points
      self.word = word
    }
  }

  /// Ranks the best of many.
  /// - Parameters:
  ///   - best: The best scores, the best first, at most `limit` of them.
  ///   - own: The asker's score with its dense rank as it was counted.
  ///   - counted: How many there are as it was counted. What is counted may be a moment behind the
  ///     scores: where all of them are here, they say it themselves.
  ///   - asker: Who asks.
  ///   - limit: How many scores were asked for.
  public init(
    best: [Score], own: (score: Score, rank: Int)?, counted: Int, asker: PlayerID, limit: Int
  ) {
    let outOf = best.count < limit ? best.count : max(counted, best.count)
    var rows: [RankedRow] = []
    for score in best {
      let isEqual = rows.last?.points == score.points
      let rank = (rows.last?.rank ?? 0) + (isEqual ? 0 : 1)
      rows.append(RankedRow(score, rank: rank, outOf: outOf))
    }
    self.rows = rows
    self.outOf = outOf
    self.own =
      rows.first { $0.player == asker }
      ?? own.map { RankedRow($0.score, rank: $0.rank, outOf: outOf) }
  }

  /// Ranks everybody; `limit` rows are listed, the asker's own comes whatever its rank.
  public init(all scores: [Score], asker: PlayerID, limit: Int) {
    let sorted = scores.sorted { ($1.points, $0.player) < ($0.points, $1.player) }
    let all = Ranking(
      best: sorted, own: nil, counted: sorted.count, asker: asker, limit: sorted.count + 1)
    self = all
    rows = Array(all.rows.prefix(limit))
  }
}

extension RankedRow {
  fileprivate init(_ score: Ranking.Score, rank: Int, outOf: Int) {
    self.init(
      rank: rank, outOf: outOf, player: score.player, name: score.name, points: score.points,
      word: score.word)
  }
}

extension Query {
  /// Who has how many points in a daily challenge.
  public struct Standings: CodedQueryPayload {
    public typealias Answer = MatchWire.Standings

    public static let name = "standings"
    public static let cost = 4
    public var kind: Kind { .standings(self) }

    public var daily: DailyKey

    public init(_ daily: DailyKey) { self.daily = daily }

    var fields: [(String, JSON?)] { [("daily", daily.json)] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try DailyKey(object.object("daily")))
    }
  }
}

/// Who has how many points in a daily challenge.
public struct Standings: Hashable, Sendable, Codable {
  /// Which challenge.
  public var daily: DailyKey
  /// The best first; equal points share a rank, and the next rank is one higher.
  public var rows: [RankedRow]
  /// The asker's row, wherever it is.
  public var you: RankedRow?
  /// How many have begun.
  public var outOf: Int

  public init(daily: DailyKey, _ ranking: Ranking) {
    self.daily = daily
    rows = ranking.rows
    you = ranking.own
    outOf = ranking.outOf
  }

  /// How many rows are listed.
  public static let limit = 100
  /// For how many days after its own a day's standings are kept.
  public static let dayCount = 90

  /// The first day whose standings are kept at a time.
  public static func firstDay(_ now: Instant) -> Day {
    Day(number: Day(containing: now).number - Int32(dayCount))
  }
}

extension Query {
  /// The best players on a leaderboard.
  public struct Leaderboard: CodedQueryPayload {
    public typealias Answer = LeaderboardView

    public static let name = "leaderboard"
    public static let cost = 4
    public var kind: Kind { .leaderboard(self) }

    public var board: MatchCore.Leaderboard

    public init(_ board: MatchCore.Leaderboard) { self.board = board }

    var fields: [(String, JSON?)] { [("board", board.json)] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try MatchCore.Leaderboard(object.object("board")))
    }
  }
}

/// The best players on a leaderboard.
public struct LeaderboardView: Hashable, Sendable, Codable {
  /// Solo games or daily challenges.
  public var kind: SoloGames.Kind
  /// How they are clocked.
  public var mode: SoloMode
  /// The language of their words.
  public var language: Language
  /// What of a game counts.
  public var measure: Leaderboard.Measure
  /// Which games count, by their end.
  public var window: Leaderboard.Window
  /// The best first; equal points share a rank, and the next rank is one higher.
  public var rows: [RankedRow]
  /// The asker's row, wherever it is.
  public var you: RankedRow?
  /// How many players there are on the board.
  public var outOf: Int

  public init(_ board: Leaderboard, _ ranking: Ranking) {
    kind = board.games.kind
    mode = board.games.mode
    language = board.games.language
    measure = board.measure
    window = board.window
    rows = ranking.rows
    you = ranking.own
    outOf = ranking.outOf
  }
}

extension Query {
  /// What the asker made of the daily challenges of the last 31 days.
  public struct DailyHistory: PlainQueryPayload {
    public typealias Answer = MatchWire.DailyHistory

    public static let name = "dailyHistory"
    public static let cost = 2
    public var kind: Kind { .dailyHistory }

    public init() {}
  }
}

/// A player's daily challenges of late.
public struct DailyHistory: Hashable, Sendable, Codable {
  /// The newest first.
  public var results: [Result]

  /// What a player made of one.
  public struct Result: Hashable, Sendable, Codable {
    /// Which challenge.
    public var daily: DailyKey
    public var points: Int
    /// 1 for the best; dense.
    public var rank: Int
    /// Among how many.
    public var outOf: Int

    public init(daily: DailyKey, points: Int, rank: Int, outOf: Int) {
      self.daily = daily
      self.points = points
      self.rank = rank
      self.outOf = outOf
    }
  }

  public init(results: [Result]) { self.results = results }

  /// How many days are told of, today included.
  public static let dayCount = 31
}

extension Query {
  /// The asker's last seven days.
  public struct Review: PlainQueryPayload {
    public typealias Answer = MatchWire.WeekInReview

    public static let name = "review"
    public static let cost = 10
    public var kind: Kind { .review }

    public init() {}
  }
}

/// A player's last seven days.
public struct WeekInReview: Hashable, Sendable, Codable {
  /// From then on.
  public var since: Instant
  /// Until then.
  public var until: Instant
  /// The games that ended, by kind.
  public var games: [Tally]
  /// Where the player stands on the week's boards.
  public var places: [Place]

  /// How the games of one kind went.
  public struct Tally: Hashable, Sendable, Codable {
    /// What sort of match.
    public var kind: MatchKind
    /// How many ended: the sum of what is counted of each result.
    public var count: Int
    /// How many of them were won.
    public var won: Int
    public var lost: Int
    public var tied: Int

    public init(kind: MatchKind, count: Int, won: Int, lost: Int, tied: Int) {
      self.kind = kind
      self.count = count
      self.won = won
      self.lost = lost
      self.tied = tied
    }
  }

  /// A place on a board of the week.
  public struct Place: Hashable, Sendable, Codable {
    /// Solo games or daily challenges.
    public var kind: SoloGames.Kind
    /// How they are clocked.
    public var mode: SoloMode
    /// What of a game counts.
    public var measure: Leaderboard.Measure
    /// The player's row.
    public var row: RankedRow

    public init(_ board: Leaderboard, _ row: RankedRow) {
      kind = board.games.kind
      mode = board.games.mode
      measure = board.measure
      self.row = row
    }
  }

  public init(since: Instant, until: Instant, games: [Tally], places: [Place]) {
    self.since = since
    self.until = until
    self.games = games
    self.places = places
  }

  /// How far back it looks, in seconds.
  public static let seconds: Int64 = 7 * 86_400
  /// More than so many games of one kind and result are not counted.
  public static let countLimit = 1_000
}
