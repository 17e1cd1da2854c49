import MatchCore

/// The store's clock as a worker knows it between two look-ups: it goes on from the last time that
/// the store gave.
struct StoreTime {
  /// How long the clock goes on by itself. Two clocks of this world stay within a fraction of a
  /// millisecond of one another for so long.
  static let limitNanoseconds: UInt64 = 1_000_000_000

  private var heard: (now: Instant, uptime: UInt64)?

  /// Takes the time that the store's clock showed at some moment before `uptime`.
  mutating func heard(_ now: Instant, at uptime: UInt64) { heard = (now, uptime) }

  /// The time that it shows, or showed a round trip ago; nil if the last one is more than a second
  /// old.
  func now(at uptime: UInt64) -> Instant? {
    guard let heard, uptime >= heard.uptime else { return nil }
    let passed = uptime - heard.uptime
    guard passed <= StoreTime.limitNanoseconds else { return nil }
    return heard.now.adding(microseconds: Int64(clamping: passed / 1_000))
  }
}
