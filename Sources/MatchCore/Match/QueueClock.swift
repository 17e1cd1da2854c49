/// The time of one queue: the last tick seen in it. Deadlines are measured with it, so no clock of
/// a client, no backlog and no outage of the service costs anyone a game.
public struct QueueClock: Hashable, Sendable {
  /// The time of the last tick; nil before the first.
  public private(set) var time: Instant?
  /// Time in which the service did not tick, in all, µs: it is added to every deadline set before.
  public private(set) var creditMicroseconds: Int64

  /// A clock as it was stored.
  public init(time: Instant? = nil, creditMicroseconds: Int64 = 0) {
    self.time = time
    self.creditMicroseconds = creditMicroseconds
  }

  /// What one tick may advance the time by; the rest of a gap is credit.
  public static let longestStepMicroseconds: Int64 = 5_000_000

  /// A tick arrived. A tick from before the last one changes nothing.
  public mutating func ticked(at tick: Instant) {
    guard let time else {
      self.time = tick
      return
    }
    guard tick > time else { return }
    let gap = tick.microseconds(since: time)
    let rest = max(0, gap - QueueClock.longestStepMicroseconds)
    creditMicroseconds =
      Instant(microseconds: creditMicroseconds)
      .adding(microseconds: rest).microseconds
    self.time = tick
  }

  /// Whether a deadline has passed: the queue's time has reached it plus the credit given since it
  /// was set.
  public func hasReached(_ deadline: Deadline) -> Bool {
    guard let time else { return false }
    return time >= deadline.at.adding(microseconds: credit(since: deadline))
  }

  /// Credit given since a deadline was set, µs.
  public func credit(since deadline: Deadline) -> Int64 {
    let (now, then) = (creditMicroseconds, deadline.creditMicroseconds)
    return max(0, Instant(microseconds: now).microseconds(since: Instant(microseconds: then)))
  }
}

/// Until when something must happen.
public struct Deadline: Hashable, Sendable {
  /// The instant, before credits.
  public var at: Instant
  /// The queue's credit when the deadline was set, µs: only what came later is added.
  public var creditMicroseconds: Int64

  /// A deadline as it was stored.
  public init(at: Instant, creditMicroseconds: Int64) {
    self.at = at
    self.creditMicroseconds = creditMicroseconds
  }
}
