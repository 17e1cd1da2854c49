import IssueReporting
public import MatchCore

/// Where time comes from.
public struct WallClock: Sendable {
  /// The time of day of this machine. Nothing that decides a game is measured with it.
  public var now: @Sendable () -> Instant
  /// Nanoseconds of a clock that never goes back, for time-outs and intervals.
  public var uptimeNanoseconds: @Sendable () -> UInt64
  /// The same, with the time in which the machine was asleep: what other clocks are compared with.
  public var elapsedNanoseconds: @Sendable () -> UInt64
  /// Waits.
  public var sleep: @Sendable (Duration) -> Void

  /// - Parameter elapsedNanoseconds: Nil: the machine never sleeps.
  public init(
    now: @escaping @Sendable () -> Instant,
    uptimeNanoseconds: @escaping @Sendable () -> UInt64,
    elapsedNanoseconds: (@Sendable () -> UInt64)? = nil,
    sleep: @escaping @Sendable (Duration) -> Void
  ) {
    self.now = now
    self.uptimeNanoseconds = uptimeNanoseconds
    self.elapsedNanoseconds = elapsedNanoseconds ?? uptimeNanoseconds
    self.sleep = sleep
  }
}

extension WallClock {
  /// Stands still at 1970 and never waits.
  public static var noop: WallClock {
    WallClock(
      now: { Instant(microseconds: 0) }, uptimeNanoseconds: { 0 }, sleep: { _ in })
  }

  /// Reports an issue whenever it is asked.
  public static var failing: WallClock {
    WallClock(
      now: unimplemented("WallClock.now", placeholder: Instant(microseconds: 0)),
      uptimeNanoseconds: unimplemented("WallClock.uptimeNanoseconds", placeholder: 0),
      sleep: unimplemented("WallClock.sleep", placeholder: ()))
  }
}
