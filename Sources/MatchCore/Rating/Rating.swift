/// How strong a player is believed to be, how sure that is, and how steady the player's results
/// are: a rating of Glicko-2, in whole units so that it is stored and compared exactly.
public struct Rating: Hashable, Sendable {
  /// Strength in millionths of a point, within `Rating.bounds`.
  public var valueMillionths: Int64
  /// How far off the strength may be (one standard deviation), in millionths of a point.
  public var deviationMillionths: Int64
  /// How much the strength is expected to change in a period, in billionths.
  public var volatilityBillionths: Int64

  /// A rating as it was stored.
  public init(valueMillionths: Int64, deviationMillionths: Int64, volatilityBillionths: Int64) {
    self.valueMillionths = valueMillionths
    self.deviationMillionths = deviationMillionths
    self.volatilityBillionths = volatilityBillionths
  }

  /// Points that a rating may have.
  public static let bounds: ClosedRange<Double> = 100...4_000
  /// Points that a deviation may have: below, a rating would hardly move any more; above, it says
  /// no more than that of a newcomer.
  public static let deviationBounds: ClosedRange<Double> = 45...350
  /// What a volatility may be.
  public static let volatilityBounds: ClosedRange<Double> = 0.01...0.12
  /// Points of deviation above which a rating is provisional.
  public static let provisionalDeviation = 110

  /// The rating of a newcomer, by Glickman's paper.
  public static let initial = Rating(value: 1_500, deviation: 350, volatility: 0.06)

  /// The rating that comes next to what was computed, within bounds.
  init(value: Double, deviation: Double, volatility: Double) {
    func units(_ number: Double, _ bounds: ClosedRange<Double>, _ scale: Double) -> Int64 {
      Int64((min(max(number, bounds.lowerBound), bounds.upperBound) * scale).rounded())
    }
    self.init(
      valueMillionths: units(value, Rating.bounds, 1_000_000),
      deviationMillionths: units(deviation, Rating.deviationBounds, 1_000_000),
      volatilityBillionths: units(volatility, Rating.volatilityBounds, 1_000_000_000))
  }

  /// Strength in points.
  var value: Double { Double(valueMillionths) / 1_000_000 }
  /// Deviation in points.
  var deviation: Double { Double(deviationMillionths) / 1_000_000 }
  /// Volatility as the paper has it.
  var volatility: Double { Double(volatilityBillionths) / 1_000_000_000 }

  /// Strength in whole points: what is shown, and what players are ranked by.
  public var points: Int { Int((valueMillionths + 500_000) / 1_000_000) }
  /// Deviation in whole points.
  public var deviationPoints: Int { Int((deviationMillionths + 500_000) / 1_000_000) }
  /// Whether the rating is not to be relied on yet.
  public var isProvisional: Bool { deviationPoints > Rating.provisionalDeviation }
}

/// Where a player stands after so many rated matches.
public struct PlayerRating: Hashable, Sendable {
  /// The rating after the last of them.
  public var rating: Rating
  /// When the last of them ended; nil: there was none.
  public var ratedAt: Instant?
  public var matchCount: Int

  /// A rating as it was stored.
  public init(rating: Rating, ratedAt: Instant?, matchCount: Int) {
    self.rating = rating
    self.ratedAt = ratedAt
    self.matchCount = matchCount
  }

  /// Where everybody begins.
  public static let initial = PlayerRating(rating: .initial, ratedAt: nil, matchCount: 0)

  /// The rating as it is at a time: the longer ago the last match is, the less sure it is.
  public func rating(at time: Instant) -> Rating {
    Rating(
      value: rating.value,
      deviation: Glicko2.deviation(of: rating, after: periods(until: time)),
      volatility: rating.volatility)
  }

  /// Rating periods since the last match; none for a clock that went back.
  func periods(until time: Instant) -> Double {
    guard let ratedAt, time > ratedAt else { return 0 }
    return Double(time.microseconds(since: ratedAt)) / 1_000_000 / Double(Glicko2.periodSeconds)
  }
}
