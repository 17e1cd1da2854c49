/// Glicko-2: Mark E. Glickman, "Example of the Glicko-2 system" (2013,
/// glicko.net/glicko/glicko2.pdf). The steps are those of the paper.
///
/// Each match is rated by itself, as it ends. A deviation grows with the time since the player's
/// last match instead of once a period: in step 6 the volatility counts once for each period that
/// has passed. That number need not be whole.
public enum Glicko2 {
  /// How much a volatility may change; the paper names 0.3 to 1.2.
  static let tau = 0.5
  /// Length of a rating period.
  public static let periodSeconds: Int64 = 86_400
  private static let pointsPerUnit = 173.7178
  private static let newcomersPoints = 1_500.0
  private static let convergence = 0.000_001

  /// An opponent, with the strength believed at the time.
  struct Opponent {
    var rating: Rating
    /// 1 for a win, 0.5 for a tie, 0 for a loss.
    var score: Double
  }

  /// The rating after some results.
  /// - Parameter periods: Rating periods since the player's last results.
  static func rating(
    _ player: Rating, after results: [Opponent], periods: Double
  ) -> Rating {
    guard !results.isEmpty else { return player }
    // Step 2.
    let (mu, phi) = (unit(player.value), player.deviation / pointsPerUnit)
    // Steps 3 and 4.
    var (information, surprise) = (0.0, 0.0)
    for result in results {
      let weight = g(result.rating.deviation / pointsPerUnit)
      let expected = 1 / (1 + RealMath.exp(-weight * (mu - unit(result.rating.value))))
      information += weight * weight * expected * (1 - expected)
      surprise += weight * (result.score - expected)
    }
    let variance = 1 / information
    // Step 5.
    let sigma = volatility(
      player.volatility, phi: phi, variance: variance, delta: variance * surprise)
    // Steps 6 to 8.
    let aged = phi * phi + periods * sigma * sigma
    let squared = 1 / (1 / aged + information)
    return Rating(
      value: (mu + squared * surprise) * pointsPerUnit + newcomersPoints,
      deviation: squared.squareRoot() * pointsPerUnit, volatility: sigma)
  }

  /// The deviation, in points, after some periods without a match.
  static func deviation(of rating: Rating, after periods: Double) -> Double {
    let growth = rating.volatility * pointsPerUnit
    return (rating.deviation * rating.deviation + periods * growth * growth).squareRoot()
  }

  private static func unit(_ points: Double) -> Double {
    (points - newcomersPoints) / pointsPerUnit
  }

  private static func g(_ phi: Double) -> Double {
    1 / (1 + 3 * phi * phi / (Double.pi * Double.pi)).squareRoot()
  }

  /// Step 5: the volatility by the Illinois algorithm.
  private static func volatility(
    _ sigma: Double, phi: Double, variance: Double, delta: Double
  ) -> Double {
    let start = RealMath.log(sigma * sigma)
    func f(_ x: Double) -> Double {
      let power = RealMath.exp(x)
      let sum = phi * phi + variance + power
      return power * (delta * delta - sum) / (2 * sum * sum) - (x - start) / (tau * tau)
    }
    var lower = start
    var upper: Double
    let excess = delta * delta - phi * phi - variance
    if excess > 0 {
      upper = RealMath.log(excess)
    } else {
      upper = start - tau
      while f(upper) < 0 { upper -= tau }
    }
    var (atLower, atUpper) = (f(lower), f(upper))
    // It halves at least every other time, so the limit is only for the reader.
    for _ in 0..<200 where abs(upper - lower) > convergence && atUpper != atLower {
      let middle = lower + (lower - upper) * atLower / (atUpper - atLower)
      let atMiddle = f(middle)
      if atMiddle * atUpper <= 0 {
        (lower, atLower) = (upper, atUpper)
      } else {
        atLower /= 2
      }
      (upper, atUpper) = (middle, atMiddle)
    }
    return RealMath.exp(lower / 2)
  }
}
