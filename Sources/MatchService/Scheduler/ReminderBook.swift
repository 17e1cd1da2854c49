import MatchCore

/// When reminders are looked for, and which daily challenges have been reminded of.
struct ReminderBook {
  /// How often turns whose time runs out are looked for.
  static let pauseNanoseconds: UInt64 = 10_000_000_000

  /// The challenge that players are being reminded of.
  private(set) var daily: DailyKey?
  private var done: Set<DailyKey> = []
  private var nextLook: UInt64 = 0

  /// Whether it is time to look, which then counts as done.
  mutating func isDue(at uptime: UInt64) -> Bool {
    guard uptime >= nextLook else { return false }
    nextLook = uptime &+ ReminderBook.pauseNanoseconds
    return true
  }

  /// There was more than fits at once: the next round looks again.
  mutating func lookAgain() { nextLook = 0 }

  /// Takes up the first of the challenges that is not done, if none is under way.
  mutating func begin(_ due: Set<DailyKey>) {
    done = done.intersection(due)
    if let daily, !due.contains(daily) { self.daily = nil }
    guard daily == nil else { return }
    daily = due.subtracting(done).min { $0.description < $1.description }
  }

  /// What is under way goes on when reminders are looked for the next time.
  mutating func pause() { daily = nil }

  /// A challenge is done with.
  mutating func end(_ key: DailyKey) {
    done.insert(key)
    if daily == key { daily = nil }
  }
}
