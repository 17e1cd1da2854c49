import MatchCore

/// Until when somebody judged a worker's queues.
///
/// A queue that stood still has kept answers from its players. A long queue that is being worked
/// off has not stood still: a player who fills one gains nothing by it.
struct Attendance {
  /// A queue that nobody has judged for longer than this has stood still: more than any batch
  /// takes, and less than it takes to find out that a worker is dead.
  static let limitMicroseconds: Int64 = 5_000_000

  /// The store's time of the last batch.
  private var last: Instant?
  /// Queues with no judged event since the worker got them.
  private var new: Set<Int> = []

  /// The worker got queues.
  mutating func assigned(_ queues: [Int], before: [Int]) {
    new = new.union(Set(queues).subtracting(before)).intersection(queues)
  }

  /// A batch from these queues became true.
  mutating func judged(_ queues: some Sequence<Int>, at now: Instant) {
    last = now
    if !new.isEmpty { new.subtract(queues) }
  }

  /// Whether any queue may have stood still.
  func mayHaveLapsed(at now: Instant) -> Bool {
    !new.isEmpty || last.map { isLongAgo($0, now) } ?? false
  }

  /// Whether a queue with this clock has stood still. If another worker had it before, its last
  /// tick tells when it was judged.
  func hasLapsed(_ queue: Int, _ clock: QueueClock, at now: Instant) -> Bool {
    guard let time = clock.time else { return false }
    return isLongAgo(new.contains(queue) ? time : last ?? time, now)
  }

  private func isLongAgo(_ time: Instant, _ now: Instant) -> Bool {
    now.microseconds(since: time) > Attendance.limitMicroseconds
  }
}
