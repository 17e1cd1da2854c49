import MatchInterfaces

/// How long to wait before something that failed is tried again.
enum Backoff {
  /// The longest wait, in milliseconds.
  static let longestMilliseconds: UInt64 = 5_000
  /// The longest first wait, in milliseconds.
  static let firstMilliseconds: UInt64 = 100

  /// The wait after so many failures in a row, 1 for the first. It doubles from 0.1 s to 5 s, and a
  /// random half is taken off, so that roles that failed together do not come back together.
  static func delay(failures: Int, random: UInt64) -> Duration {
    let doublings = UInt64(min(max(failures - 1, 0), 6))
    let ceiling = min(longestMilliseconds, firstMilliseconds << doublings)
    return .milliseconds(Int64(ceiling - random % (ceiling / 2 + 1)))
  }
}
