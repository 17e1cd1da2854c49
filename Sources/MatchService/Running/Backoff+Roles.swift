import CubistBasics

extension Backoff {
  /// Of roles and of stores that fail.
  static let roles = Backoff(first: .milliseconds(100), limit: .seconds(5))

  /// The same wait as of `wait(after:random:)`, but drawn in whole milliseconds, and long if the
  /// random number is small. The results of the simulation's seeds depend on it.
  func milliseconds(after failures: Int, random: UInt64) -> Duration {
    let longest = UInt64(longest(after: failures).wholeMilliseconds)
    return .milliseconds(Int64(longest - random % (longest / 2 + 1)))
  }
}
