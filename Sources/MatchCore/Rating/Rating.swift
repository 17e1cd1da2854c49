/// A player's believed strength, its certainty, and the steadiness of the player's results: a
/// rating of Glicko-2, in whole units so that it is stored and compared exactly.
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

  /// The bounds of a rating in points.
  public static let bounds: ClosedRange<Double> = 100...4_000
  /// The bounds of a deviation in points. Below them a rating would hardly move any more. Above
  /// them it says no more than a newcomer's.
  public static let deviationBounds: ClosedRange<Double> = 45...350
  public static let volatilityBounds: ClosedRange<Double> = 0.01...0.12
  /// Points of deviation above which a rating is provisional.
  public static let provisionalDeviation = 110
  /// Millionths of a point of deviation from which on it is, since whole points are rounded.
  public static let provisionalMillionths = Int64(provisionalDeviation) * 1_000_000 + 500_000

  /// The rating of a newcomer, by Glickman's paper.
  public static let initial = Rating(value: 1_500, deviation: 350, volatility: 0.06)

  /// The rating nearest to computed values, within bounds.
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
  /// Volatility, as in the paper.
  var volatility: Double { Double(volatilityBillionths) / 1_000_000_000 }

  /// Strength in whole points. It is shown, and players are ranked by it.
  public var points: Int { Int((valueMillionths + 500_000) / 1_000_000) }
  /// Deviation in whole points.
  public var deviationPoints: Int { Int((deviationMillionths + 500_000) / 1_000_000) }
  /// Whether the rating is not yet reliable.
  public var isProvisional: Bool { deviationPoints > Rating.provisionalDeviation }
}

/// A player's rating after a number of rated matches.
public struct PlayerRating: Hashable, Sendable {
  /// The rating after the last of them.
  public var rating: Rating
  /// The end of the last one. Nil: there was none.
  public var ratedAt: Instant?
  public var matchCount: Int

  /// A rating as it was stored.
  public init(rating: Rating, ratedAt: Instant?, matchCount: Int) {
    self.rating = rating
    self.ratedAt = ratedAt
    self.matchCount = matchCount
  }

  /// Whether the player has a place on the ladder, unless the account is a bot's: the rating was not
  /// provisional after the last match. Few matches, or matches with newcomers alone, give no place.
  public var isRanked: Bool { matchCount > 0 && !rating.isProvisional }

  public static let initial = PlayerRating(rating: .initial, ratedAt: nil, matchCount: 0)

  /// The rating at a time. The longer ago the last match is, the less certain it is.
  public func rating(at time: Instant) -> Rating {
    Rating(
      value: rating.value,
      deviation: Glicko2.deviation(of: rating, after: periods(until: time)),
      volatility: rating.volatility)
  }

  /// Rating periods since the last match. Zero if the clock went back.
  func periods(until time: Instant) -> Double {
    guard let ratedAt, time > ratedAt else { return 0 }
    return Double(time.microseconds(since: ratedAt)) / 1_000_000 / Double(Glicko2.periodSeconds)
  }
}
