/// Jittered exponential waiting between attempts to connect.
///
/// "Equal jitter": half of the exponential delay is fixed, half is random, so that many clients do
/// not return in step and none returns at once.
/// Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
public struct Backoff: Hashable, Sendable {
  /// Longest wait before the second attempt.
  public var first: Duration
  /// Longest wait ever.
  public var limit: Duration

  /// Waits that double from `first` up to `limit`.
  public init(first: Duration = .milliseconds(100), limit: Duration = .seconds(5)) {
    precondition(first > .zero && limit >= first, "a backoff needs 0 < first <= limit")
    self.first = first
    self.limit = limit
  }

  /// How long to wait after `attempt` failed attempts.
  ///
  /// - Parameters:
  ///   - attempt: Attempts that failed so far; 0 and less count as 1.
  ///   - random: 64 uniformly random bits.
  /// - Returns: Between half and all of `min(limit, first * 2^(attempt - 1))`.
  public func next(attempt: Int, random: UInt64) -> Duration {
    var ceiling = first
    var step = 1
    while step < attempt, ceiling < limit {
      ceiling = ceiling * 2
      step += 1
    }
    if ceiling > limit { ceiling = limit }
    let half = ceiling / 2
    let fraction = Double(random >> 11) / Double(UInt64(1) << 53)
    return half + half * fraction
  }
}
