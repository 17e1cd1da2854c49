import MatchCore
import MatchInterfaces

/// When reminders are looked for, and which daily challenges have been reminded of.
struct ReminderSchedule {
  /// How often the scheduler looks for turns that run out of time.
  static let pauseNanoseconds: UInt64 = 10_000_000_000

  /// Which challenges players are being reminded of.
  var dailies = DailyRound.idle(done: [])
  /// The last offer of a rematch that was looked at.
  var lastOffer: SchedulerStore.WaitingOffer?
  private var nextLook: UInt64 = 0

  /// Whether it is time to look, which then counts as done.
  mutating func isDue(at uptime: UInt64) -> Bool {
    guard uptime >= nextLook else { return false }
    nextLook = uptime &+ ReminderSchedule.pauseNanoseconds
    return true
  }

  /// There was more than fits at once: the next round looks again.
  mutating func lookAgain() { nextLook = 0 }

  /// Takes up the first of the challenges that is not done, if none is under way.
  mutating func begin(_ due: Set<DailyKey>) {
    dailies.take(.narrowed(to: due))
    let next = due.subtracting(dailies.done).min { $0.description < $1.description }
    if let next { dailies.take(.begun(next)) }
  }
}
