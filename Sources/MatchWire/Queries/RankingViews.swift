public import MatchCore

/// A player's place among others.
public struct RankedRow: Hashable, Sendable, Codable {
  /// 1 for the best; dense: 1, 2, 2, 3.
  public var rank: Int
  /// The number of ranked players.
  public var outOf: Int
  public var player: PlayerID
  public var name: PlayerName
  public var points: Int
  /// The word that made the points, if words are ranked.
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
  /// The best first. Equal points share a rank, and the next rank is one higher.
  public var rows: [RankedRow]
  /// The asker's row, at any rank.
  public var own: RankedRow?
  public var outOf: Int

  /// A player's points before they are ranked.
  public struct Score: Hashable, Sendable {
    public var player: PlayerID
    public var name: PlayerName
    public var points: Int
    /// The word that made the points, if words are ranked.
    public var word: String?

    public init(player: PlayerID, name: PlayerName, points: Int, word: String? = nil) {
      self.player = player
      self.name = name
      self.points = points
      self.word = word
    }
  }

  /// A ranking as it was received.
  package init(rows: [RankedRow], own: RankedRow?, outOf: Int) {
    self.rows = rows
    self.own = own
    self.outOf = outOf
  }

  /// Ranks the best of many.
  /// - Parameters:
  ///   - best: The best scores, the best first, at most `limit` of them.
  ///   - own: The asker's score with its counted dense rank.
  ///   - counted: The counted number of scores. Counts may be a moment behind the scores: if all
  ///     scores are here, their own number is used.
  ///   - asker: The player who asks.
  ///   - limit: The number of scores that were asked for.
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

  /// Ranks everybody. `limit` rows are listed. The asker's own comes at any rank.
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
  /// Asks for the points of all players in a daily challenge.
  public struct Standings: CodedQueryPayload {
    public typealias Answer = MatchWire.Standings

    public static let name = "standings"
    public static let isPublic = true
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

/// The points of all players in a daily challenge.
public struct Standings: Hashable, Sendable, Codable {
  public var daily: DailyKey
  /// The best first. Equal points share a rank, and the next rank is one higher.
  public var rows: [RankedRow]
  /// The asker's row, at any rank.
  public var you: RankedRow?
  /// The number of players who have started.
  public var outOf: Int

  public init(daily: DailyKey, _ ranking: Ranking) {
    self.daily = daily
    rows = ranking.rows
    you = ranking.own
    outOf = ranking.outOf
  }

  /// The number of listed rows.
  public static let limit = 100
  /// The number of days after its own that a day's standings are kept.
  public static let dayCount = 90

  /// The first day with standings at a time.
  public static func firstDay(_ now: Instant) -> Day {
    Day(number: Day(containing: now).number - Int32(dayCount))
  }
}

extension Query {
  /// Asks for the best players on a leaderboard.
  public struct Leaderboard: CodedQueryPayload {
    public typealias Answer = LeaderboardView

    public static let name = "leaderboard"
    public static let isPublic = true
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
  public var kind: SoloGames.Kind
  public var mode: SoloMode
  public var language: Language
  public var measure: Leaderboard.Measure
  /// The games that count, by their end.
  public var window: Leaderboard.Window
  /// The best first. Equal points share a rank, and the next rank is one higher.
  public var rows: [RankedRow]
  /// The asker's row, at any rank.
  public var you: RankedRow?
  /// The number of players on the board.
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
  /// Asks for the asker's daily challenges of the last 31 days.
  public struct DailyHistory: PlainQueryPayload {
    public typealias Answer = MatchWire.DailyHistory

    public static let name = "dailyHistory"
    public static let cost = 2
    public var kind: Kind { .dailyHistory }

    public init() {}
  }
}

/// A player's recent daily challenges.
public struct DailyHistory: Hashable, Sendable, Codable {
  /// The newest first.
  public var results: [Result]

  /// A player's result in one of them.
  public struct Result: Hashable, Sendable, Codable {
    public var daily: DailyKey
    public var points: Int
    /// 1 for the best; dense.
    public var rank: Int
    /// The number of ranked players.
    public var outOf: Int

    public init(daily: DailyKey, points: Int, rank: Int, outOf: Int) {
      self.daily = daily
      self.points = points
      self.rank = rank
      self.outOf = outOf
    }
  }

  public init(results: [Result]) { self.results = results }

  /// The number of days, including today.
  public static let dayCount = 31
}

extension Query {
  /// Asks for the asker's last seven days.
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
  public var since: Instant
  public var until: Instant
  /// The games that ended, by kind.
  public var games: [Tally]
  /// The player's places on the week's boards.
  public var places: [Place]

  /// The results of the games of one kind.
  public struct Tally: Hashable, Sendable, Codable {
    public var kind: MatchKind
    /// The number that ended: the sum of the counts of each result.
    public var count: Int
    /// The number of won ones.
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
    public var kind: SoloGames.Kind
    public var mode: SoloMode
    public var measure: Leaderboard.Measure
    /// The player's row.
    public var row: RankedRow

    public init(_ board: Leaderboard, _ row: RankedRow) {
      self.init(
        kind: board.games.kind, mode: board.games.mode, measure: board.measure, row: row)
    }

    package init(
      kind: SoloGames.Kind, mode: SoloMode, measure: Leaderboard.Measure, row: RankedRow
    ) {
      (self.kind, self.mode, self.measure, self.row) = (kind, mode, measure, row)
    }
  }

  public init(since: Instant, until: Instant, games: [Tally], places: [Place]) {
    self.since = since
    self.until = until
    self.games = games
    self.places = places
  }

  /// The length of the review in seconds.
  public static let seconds: Int64 = 7 * 86_400
  /// The most games of one kind and result that are counted.
  public static let countLimit = 1_000
}
