/// How long to wait before something that failed is tried again.
///
/// The longest wait doubles with each failure. The upper half of it is random ("equal jitter"), so
/// that many clients do not return in step and none returns at once.
/// Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
package struct Backoff: Hashable, Sendable {
  /// Longest wait after the first failure.
  package var first: Duration
  /// Longest wait ever.
  package var limit: Duration

  package init(first: Duration = .milliseconds(100), limit: Duration = .seconds(5)) {
    precondition(first > .zero && limit >= first, "a backoff needs 0 < first <= limit")
    self.first = first
    self.limit = limit
  }

  /// The wait after so many failures in a row; fewer than 1 count as 1.
  ///
  /// - Parameter random: 64 uniformly random bits.
  /// - Returns: Between half and all of `longest(after:)`.
  package func wait(after failures: Int, random: UInt64) -> Duration {
    let half = longest(after: failures) / 2
    return half + half * (Double(random >> 11) * 0x1p-53)
  }

  /// `min(limit, first * 2^(failures - 1))`.
  package func longest(after failures: Int) -> Duration {
    var longest = first
    var count = 1
    while count < failures, longest < limit {
      longest = longest * 2
      count += 1
    }
    return min(longest, limit)
  }
}
