import CubistBasics
import Logging
import MatchInterfaces

/// How long a role has waited for a store that fails, and until when it pauses.
struct StoreWait {
  /// When the store is tried again.
  private(set) var until: UInt64 = 0
  private(set) var failures = 0
  /// Whether the connection is of no use any more.
  var needsConnection = false
  /// The store's last error.
  private(set) var error = StoreError.unavailable("")
  private var incident: Incident

  /// - Parameter role: The role that waits, as the log names it.
  init(of role: String) {
    incident = Incident(
      Incident.Messages(
        began: "\(role) waits for the store", lasts: "\(role) still waits for the store",
        ended: "\(role) goes on"))
  }

  /// Takes one more failure. `longest` is the longest wait.
  /// - Returns: the line for the log, if any.
  mutating func fail(
    _ error: StoreError, at uptime: UInt64, longest: Duration, random: UInt64
  ) -> Incident.Line? {
    failures += 1
    self.error = error
    let wait = min(longest, Backoff.roles.milliseconds(after: failures, random: random))
    until = uptime &+ UInt64(max(0, wait.wholeNanoseconds))
    if error.concernsTheStore { needsConnection = true }
    return incident.failed(at: uptime)
  }

  /// The store has answered.
  mutating func end(at uptime: UInt64) -> Incident.Line? { incident.wentWell(at: uptime) }
}
