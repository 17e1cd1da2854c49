public import MatchCore

/// A player's rating as anybody may see it.
public struct RatingView: Hashable, Sendable, Codable {
  /// Strength in points.
  public var rating: Int
  /// The possible error, in points. It grows while the player ends no rated match.
  public var deviation: Int
  /// Whether the rating is unreliable because the deviation is too high.
  public var isProvisional: Bool
  /// Rated matches so far.
  public var matches: Int
  /// The place on the ladder, 1 for the best. Nil if it is not told, and without one.
  public var rank: Int?
  /// The number of ranked players, next to a rank.
  public var outOf: Int?

  public init(rating: Int, deviation: Int, isProvisional: Bool, matches: Int) {
    self.rating = rating
    self.deviation = deviation
    self.isProvisional = isProvisional
    self.matches = matches
  }

  /// A player's rating as of a time.
  public init(_ standing: PlayerRating, at time: Instant) {
    let rating = standing.rating(at: time)
    self.init(
      rating: rating.points, deviation: rating.deviationPoints,
      isProvisional: rating.isProvisional, matches: standing.matchCount)
  }
}

extension Query {
  /// Asks for the top of the ladder, and for the asker with the neighbors.
  public struct Ladder: CodedQueryPayload {
    public typealias Answer = MatchWire.Ladder

    public static let name = "ladder"
    public static let isPublic = true
    public static let cost = 4
    public var kind: Kind { .ladder(self) }

    public var limit: Int

    public init(limit: Int) { self.limit = limit }

    /// The permitted numbers of top rows.
    public static let limits: ClosedRange<Int> = 1...100

    var fields: [(String, JSON?)] { [("limit", .number(limit))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(limit: try object.count("limit", in: Ladder.limits))
    }
  }
}

/// All players with a rating that was not provisional after their last match, ranked by it.
public struct Ladder: Hashable, Sendable, Codable {
  /// The top rows, the best first. Equal ratings share a rank, and the next rank is one higher.
  public var rows: [Row]
  /// The asker's row, at any rank. Nil: no rank yet.
  public var you: Row?
  /// The rows right above and right below the asker, and the asker in between, the best first.
  public var around: [Row]
  /// The number of ranked players.
  public var outOf: Int

  public init(rows: [Row], you: Row?, around: [Row], outOf: Int) {
    self.rows = rows
    self.you = you
    self.around = around
    self.outOf = outOf
  }

  /// A player's place.
  public struct Row: Hashable, Sendable, Codable {
    /// 1 for the best; dense: 1, 2, 2, 3.
    public var rank: Int
    /// The number of ranked players.
    public var outOf: Int
    public var player: PlayerID
    public var name: PlayerName
    /// Strength in points.
    public var rating: Int
    /// The possible error, in points.
    public var deviation: Int
    /// Whether the rating is not yet reliable.
    public var isProvisional: Bool
    /// Rated matches so far.
    public var matches: Int

    public init(rank: Int, outOf: Int, player: PlayerID, name: PlayerName, rating: RatingView) {
      self.rank = rank
      self.outOf = outOf
      self.player = player
      self.name = name
      self.rating = rating.rating
      deviation = rating.deviation
      isProvisional = rating.isProvisional
      matches = rating.matches
    }
  }
}
