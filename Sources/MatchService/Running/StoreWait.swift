import CubistBasics
import Logging
import MatchInterfaces

/// How long a role has waited for a store that fails, and until when it pauses.
struct StoreWait {
  /// How often the log is told that the waiting goes on.
  static let sayingNanoseconds: UInt64 = 60_000_000_000

  /// Since when, by the clock that only goes forward.
  let since: UInt64
  /// When the store is tried again.
  private(set) var until: UInt64 = 0
  private(set) var failures = 0
  /// Whether the connection is of no use any more.
  var needsConnection = false
  /// The store's last error.
  private(set) var error = StoreError.unavailable("")
  private var saidAt: UInt64?

  init(since: UInt64) { self.since = since }

  /// Takes one more failure. `longest` is the longest wait.
  /// - Returns: whether the log is to be told.
  mutating func fail(
    _ error: StoreError, at uptime: UInt64, longest: Duration, random: UInt64
  ) -> Bool {
    failures += 1
    self.error = error
    let wait = min(longest, Backoff.roles.milliseconds(after: failures, random: random))
    until = uptime &+ UInt64(max(0, wait.wholeNanoseconds))
    if error.concernsTheStore { needsConnection = true }
    if let saidAt, uptime &- saidAt < StoreWait.sayingNanoseconds { return false }
    saidAt = uptime
    return true
  }

  func seconds(at uptime: UInt64) -> UInt64 { (uptime &- since) / 1_000_000_000 }

  /// Tells the log that a role waits, with so much in hand.
  func logWaiting(of role: String, inHand: Int, at uptime: UInt64, _ log: Logger) {
    log.warning(
      "\(role) waits for the store",
      metadata: [
        "reason": "\(error)", "failures": "\(failures)", "seconds": "\(seconds(at: uptime))",
        "inHand": "\(inHand)",
      ])
  }

  /// Tells the log that a role goes on, since the store has answered.
  func logEnd(of role: String, at uptime: UInt64, _ log: Logger) {
    log.notice(
      "\(role) goes on",
      metadata: ["failures": "\(failures)", "waited": "\(seconds(at: uptime)) s"])
  }
}
