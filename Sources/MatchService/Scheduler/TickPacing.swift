import MatchCore

/// How often a queue gets a tick: each second while somebody consumes it, ever more rarely while
/// nobody does, so that a day without workers leaves hardly more than a hundred ticks behind, and
/// its first worker does not wade through 86,400.
enum TickPacing {
  /// The least time between two ticks, µs: a little less than the second between two rounds, which
  /// come now and then a little early by the store's clock.
  static let shortest: Int64 = 900_000

  /// The time until a queue's next tick, µs, where its stored clock lags so many µs behind the
  /// store's.
  static func interval(lag: Int64) -> Int64 { max(shortest, lag / 10) }
}

/// When each queue was ticked last, and how far its clock has come since.
struct TickBook {
  private struct Line {
    var first: Instant
    var last: Instant
  }

  /// From this lag on a queue counts as one that nobody consumes.
  static let abandonedLag: Int64 = 30_000_000

  private var lines: [Int: Line] = [:]

  /// How far a queue's stored clock lags behind the store's, µs; 0 for a queue that was never
  /// ticked.
  func lag(of queue: Int, stored: QueueClock?, now: Instant) -> Int64 {
    guard let reached = stored?.time ?? lines[queue]?.first else { return 0 }
    return max(0, now.microseconds(since: reached))
  }

  /// The queues of which a tick is due; they count as ticked.
  mutating func takeDue(
    of queues: Range<Int>, clocks: [Int: QueueClock], now: Instant
  ) -> [Int] {
    queues.filter { queue in
      guard let line = lines[queue] else {
        lines[queue] = Line(first: now, last: now)
        return true
      }
      let lag = lag(of: queue, stored: clocks[queue], now: now)
      // A clock that was set back must not silence a queue.
      guard now.microseconds(since: line.last) >= TickPacing.interval(lag: lag) || now < line.last
      else { return false }
      lines[queue]?.last = now
      return true
    }
  }
}
