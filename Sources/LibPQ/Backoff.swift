/// How long to wait before the next attempt to connect.
///
/// The limit of the pause doubles with each attempt, and the pause is drawn evenly from the upper
/// half below that limit, so that workers that lost one server do not return all at once.
public struct Backoff: Hashable, Sendable {
  /// The limit of the first pause.
  public var first: Duration
  /// The limit of every pause.
  public var longest: Duration

  /// Makes a back-off; negative durations count as zero.
  public init(first: Duration = .milliseconds(100), longest: Duration = .seconds(5)) {
    self.first = max(first, .zero)
    self.longest = max(longest, .zero)
  }

  /// The pause before an attempt; `attempt` is 0 for the first one after a failure.
  public func delay(
    attempt: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    var limit = min(first, longest)
    for _ in 0..<max(0, min(attempt, 62)) where limit < longest {
      limit = min(limit * 2, longest)
    }
    let microseconds = limit.wholeMicroseconds
    guard microseconds > 1 else { return limit }
    let half = microseconds / 2
    let drawn = generator.next(upperBound: UInt64(microseconds - half) + 1)
    return .microseconds(half + Int64(drawn))
  }
}
