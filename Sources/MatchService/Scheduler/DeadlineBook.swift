import MatchCore
import MatchInterfaces

/// Which deadlines were sent lately, so that the same one is not sent each second while it is on
/// its way, and how far those that have passed have been looked through.
struct DeadlineBook {
  /// How long a deadline that was sent is left in peace.
  static let pauseNanoseconds: UInt64 = 10_000_000_000

  /// The last one of the page that was looked at; nil: begin with the oldest.
  private(set) var last: SchedulerStore.Overdue?
  /// When was last looked for what has passed.
  private(set) var lookedAt: Instant?
  private var sent: [SchedulerStore.Overdue: UInt64] = [:]

  /// A page was looked at.
  mutating func looked(upTo last: SchedulerStore.Overdue?, at now: Instant) {
    (self.last, lookedAt) = (last, now)
  }

  /// Those that were not sent lately; they count as sent.
  mutating func takeDue(
    of overdue: [SchedulerStore.Overdue], uptime: UInt64
  ) -> [SchedulerStore.Overdue] {
    sent = sent.filter { uptime &- $0.value < DeadlineBook.pauseNanoseconds }
    return overdue.filter { sent.updateValue(sent[$0] ?? uptime, forKey: $0) == nil }
  }

  /// How many are remembered.
  var count: Int { sent.count }
}
