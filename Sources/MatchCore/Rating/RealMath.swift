/// Exponential and logarithm in pure IEEE 754 arithmetic.
///
/// The functions of C libraries differ in their last bits. A rating must come out the same wherever
/// it is computed again.
enum RealMath {
  // The sum of the two is ln 2. The first has so few digits that a whole multiple of it is exact.
  private static let ln2High = 0x1.62e42feep-1
  private static let ln2Low = 0x1.a39ef35793c76p-33

  /// e to the power of `x`. It must be between -700 and 700.
  static func exp(_ x: Double) -> Double {
    precondition(abs(x) <= 700)
    let doublings = (x / (ln2High + ln2Low)).rounded()
    let rest = (x - doublings * ln2High) - doublings * ln2Low
    // With |rest| < 0.35 the omitted terms are below the last digit.
    var (term, sum) = (1.0, 1.0)
    for number in 1...18 {
      term *= rest / Double(number)
      sum += term
    }
    return Double(sign: .plus, exponent: Int(doublings), significand: sum)
  }

  /// The natural logarithm of `x`. It must be positive and finite.
  static func log(_ x: Double) -> Double {
    precondition(x > 0 && x.isFinite)
    var (exponent, significand) = (Double(x.exponent), x.significand)
    if significand > 1.4142135623730951 {
      significand /= 2
      exponent += 1
    }
    // ln m = 2 artanh((m - 1) / (m + 1)), with an argument below 0.172.
    let argument = (significand - 1) / (significand + 1)
    var (power, sum) = (argument, 0.0)
    for number in stride(from: 1, through: 25, by: 2) {
      sum += power / Double(number)
      power *= argument * argument
    }
    return exponent * ln2High + (2 * sum + exponent * ln2Low)
  }
}
