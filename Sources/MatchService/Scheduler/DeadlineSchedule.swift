import MatchCore

/// The deadlines of one kind that were sent lately, so that none is sent again each second while it
/// is on its way. Also how far the passed deadlines have been looked through.
struct DeadlineSchedule<Overdue: Hashable> {
  /// How long a sent deadline is not sent again.
  private let pauseNanoseconds: UInt64 = 10_000_000_000

  /// The last one of the page that was looked at; nil: begin with the oldest.
  private(set) var last: Overdue?
  /// The time of the last look for passed deadlines.
  private(set) var lookedAt: Instant?
  private var sent: [Overdue: UInt64] = [:]

  /// A page was looked at.
  mutating func looked(upTo last: Overdue?, at now: Instant) {
    (self.last, lookedAt) = (last, now)
  }

  /// Those that were not sent lately; they count as sent.
  mutating func takeDue(
    of overdue: [Overdue], uptime: UInt64
  ) -> [Overdue] {
    sent = sent.filter { uptime &- $0.value < pauseNanoseconds }
    return overdue.filter { sent.updateValue(sent[$0] ?? uptime, forKey: $0) == nil }
  }

  /// How many are remembered.
  var count: Int { sent.count }
}
