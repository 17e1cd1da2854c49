import MatchCore

/// How often a queue gets a tick: each second while somebody consumes it, ever more rarely while
/// nobody does. So a day without workers leaves hardly more than a hundred ticks, and the first
/// worker does not have to read 86,400.
enum TickPacing {
  /// The least time between two ticks, µs: a little less than the second between two rounds, which
  /// come now and then a little early by the store's clock.
  static let shortest: Int64 = 900_000

  /// The longest time between two ticks of a queue with a clock that goes on, however late, µs.
  /// Time in it has to pass by seconds. Otherwise a player who floods it would gain the time
  /// between two ticks.
  static let longestConsumed: Int64 = 1_900_000

  /// The time until a queue's next tick, µs. Its stored clock lags so many µs behind the store's,
  /// and has stood still for so many.
  static func interval(lag: Int64, still: Int64) -> Int64 {
    max(shortest, still / 10, min(lag / 10, longestConsumed))
  }
}

/// When each queue was ticked last, and how far its clock has come since.
struct TickSchedule {
  private struct Line {
    var first: Instant
    var last: Instant
    /// Since when the queue has been ticked without a break; nil: not since the last tick.
    var since: Instant?
    /// The time that the stored clock showed, and since when it has.
    var shown: Instant?
    var shownSince: Instant
  }

  /// A queue with at least this lag counts as one that nobody consumes.
  static let abandonedLag: Int64 = 30_000_000

  private var lines: [Int: Line] = [:]
  private var lastRound: Instant?

  /// How far a queue's stored clock lags behind the store's, µs; 0 for a queue that was never
  /// ticked.
  func lag(of queue: Int, stored: QueueClock?, now: Instant) -> Int64 {
    guard let reached = stored?.time ?? lines[queue]?.first else { return 0 }
    return max(0, now.microseconds(since: reached))
  }

  /// The queues that are due for a tick; they count as ticked.
  mutating func takeDue(
    of queues: some Sequence<Int>, clocks: [Int: QueueClock], now: Instant
  ) -> [Int] {
    if let lastRound, now.microseconds(since: lastRound) > QueueClock.longestGapMicroseconds {
      for queue in queues { lines[queue]?.since = nil }
    }
    lastRound = now
    return queues.filter { queue in
      guard var line = lines[queue] else {
        lines[queue] = Line(
          first: now, last: now, since: now, shown: clocks[queue]?.time, shownSince: now)
        return true
      }
      let shown = clocks[queue]?.time
      if shown != line.shown { (line.shown, line.shownSince) = (shown, now) }
      lines[queue] = line
      let interval = TickPacing.interval(
        lag: lag(of: queue, stored: clocks[queue], now: now),
        still: now.microseconds(since: line.shownSince))
      // A clock that was set back must not silence a queue.
      guard
        now.microseconds(since: line.last) >= interval || now < line.last
      else { return false }
      lines[queue]?.last = now
      lines[queue]?.since = line.since ?? now
      return true
    }
  }

  /// Since when a queue has been ticked without a break. It need not have got a tick in every
  /// second, but somebody must have been there to send it.
  func since(of queue: Int) -> Instant? { lines[queue]?.since }

  /// A queue took nothing: nobody could play in it either.
  mutating func refused(by queue: Int) { lines[queue]?.since = nil }
}
