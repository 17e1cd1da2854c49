public import MatchCore

extension Query {
  /// How the asker and another player did against each other.
  public struct HeadToHead: CodedQueryPayload {
    public typealias Answer = MatchWire.HeadToHead

    public static let name = "headToHead"
    // Four statements, one of which may read `matchLimit` matches of each kind and result.
    public static let cost = 20
    public var kind: Kind { .headToHead(self) }

    /// The other player.
    public var opponent: PlayerID

    public init(with opponent: PlayerID) { self.opponent = opponent }

    var fields: [(String, JSON?)] { [("with", .text(opponent))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(with: try object.id("with"))
    }
  }
}

/// How a player did against another one in their past matches.
public struct HeadToHead: Hashable, Sendable, Codable {
  public var opponent: PlayerID
  public var opponentName: PlayerName
  /// The matches that count; casual ones do, aborted and annulled ones do not.
  public var score: Score
  /// The aborted and annulled matches.
  public var notCounted: Int
  /// True where the two have played more than `matchLimit` matches: older ones are in no number.
  /// Else left out.
  public var hasOlder: Bool?
  /// The common result of the newest matches; nil: no match counts.
  public var run: Run?
  /// How many of the newest matches the best words were looked for in.
  public var wordMatches: Int
  /// The player's best word in these; nil: none.
  public var bestWord: BestWord?
  /// The best word of the other player in these; nil: none.
  public var opponentBestWord: BestWord?
  /// The rematches that lead to the newest match; nil: it is no rematch and has none.
  public var series: Series?

  /// How many of the newest matches are counted.
  public static let matchLimit = 1_000
  /// In how many of the newest matches best words and the series are looked for.
  public static let wordLimit = 100

  /// Matches by their result for the player.
  public struct Score: Hashable, Sendable, Codable {
    /// The sum of the others.
    public var matches = 0
    public var won = 0
    public var lost = 0
    public var tied = 0

    public init(won: Int = 0, lost: Int = 0, tied: Int = 0) {
      matches = won + lost + tied
      (self.won, self.lost, self.tied) = (won, lost, tied)
    }

    /// False: the result does not count.
    mutating func count(_ result: Outcome.Result) -> Bool {
      switch result {
      case .won: won += 1
      case .lost: lost += 1
      case .tied: tied += 1
      case .completed, .none: return false
      }
      matches += 1
      return true
    }
  }

  /// Matches in a row with the same result for the player, up to the newest one.
  public struct Run: Hashable, Sendable, Codable {
    public var result: Outcome.Result
    public var count: Int

    public init(result: Outcome.Result, count: Int) {
      (self.result, self.count) = (result, count)
    }
  }

  /// A word with its place; of equal ones the first.
  public struct BestWord: Hashable, Sendable, Codable {
    public var word: String
    public var points: Int
    public var match: MatchID
    /// 1 for the first turn.
    public var turn: Int

    public init(word: String, points: Int, match: MatchID, turn: Int) {
      (self.word, self.points, self.match, self.turn) = (word, points, match, turn)
    }
  }

  /// Matches of which each is the rematch of the one before.
  public struct Series: Hashable, Sendable, Codable {
    public var score: Score
    /// When the first match of it was dealt, as far as it is known.
    public var startedAt: Instant
    /// True where the series began before the matches that were looked at; else left out.
    public var hasOlder: Bool?
    /// The rematch of the newest match, which is not over.
    public var running: MatchID?

    public init(
      score: Score, startedAt: Instant, hasOlder: Bool? = nil, running: MatchID? = nil
    ) {
      (self.score, self.startedAt) = (score, startedAt)
      (self.hasOlder, self.running) = (hasOlder, running)
    }
  }

  /// An answer as it was received.
  public init(
    opponent: PlayerID, opponentName: PlayerName, score: Score, notCounted: Int = 0,
    hasOlder: Bool? = nil, run: Run? = nil, wordMatches: Int = 0, bestWord: BestWord? = nil,
    opponentBestWord: BestWord? = nil, series: Series? = nil
  ) {
    self.opponent = opponent
    self.opponentName = opponentName
    self.score = score
    self.notCounted = notCounted
    self.hasOlder = hasOlder
    self.run = run
    self.wordMatches = wordMatches
    self.bestWord = bestWord
    self.opponentBestWord = opponentBestWord
    self.series = series
  }
}
