/// How often each of many may do something: so many times in a span of time, evenly or at once.
///
/// It keeps one number for each: when all that was taken will have come back. An entry that has to
/// go is forgiven.
struct RateTable<Key: Hashable & Sendable>: Sendable {
  private var returns: BoundedTable<Key, UInt64>
  /// The nanoseconds in which one take comes back, and all of them.
  private let (one, all): (UInt64, UInt64)

  /// - Parameters:
  ///   - limit: The most takes in a span.
  ///   - capacity: The most keys that are remembered.
  init(limit: Int, in span: Duration, capacity: Int) {
    all = UInt64(max(1, span / .nanoseconds(1)))
    one = max(1, all / UInt64(max(1, limit)))
    returns = BoundedTable(capacity: capacity)
  }

  /// How many keys are remembered.
  var count: Int { returns.count }

  /// Takes one. If there is none, gives the seconds until there is.
  mutating func take(_ key: Key, at uptime: UInt64) -> Int64? {
    if let seconds = wait(for: key, at: uptime) { return seconds }
    returns[key] = back(key, uptime)
    return nil
  }

  /// The seconds until there is one to take; nil: there is.
  func wait(for key: Key, at uptime: UInt64) -> Int64? {
    let excess = back(key, uptime) &- uptime
    return excess <= all ? nil : Int64((excess - all) / 1_000_000_000) + 1
  }

  /// When all will have come back if one is taken now.
  private func back(_ key: Key, _ uptime: UInt64) -> UInt64 {
    max(returns[key] ?? 0, uptime) &+ one
  }
}
