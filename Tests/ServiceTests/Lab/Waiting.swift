import Chaos
import TestedService
import Foundation
import RealServers

/// Wakes whoever waits for something that a role of the lab may have done.
// SAFETY: `count` is only touched under `condition`.
final class SignalBoard: @unchecked Sendable {
  private let condition = NSCondition()
  private var count = 0

  /// How many signals there were.
  var seen: Int { condition.withLock { count } }

  func signal() {
    condition.withLock {
      count += 1
      condition.broadcast()
    }
  }

  /// Waits until there were more signals than these, so long at most.
  func wait(after seen: Int, atMost seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.withLock { while count == seen, condition.wait(until: end) {} }
  }
}

/// Looks until something is so: again whenever a role of the test's service has done something, and
/// now and then all the same, since processes and servers give no signals. The limit is one against
/// hanging.
///
/// - Parameter found: The present state, to be named when it is not so in time.
/// - Throws: ``ChaosFailure`` when it is not so in time.
func waitUntil(
  _ what: String, atMost limit: Duration = waitLimit,
  found: @autoclosure () throws -> String = "", _ isSo: () throws -> Bool
) throws {
  let board = ServiceLab.current?.signals
  var seen = board?.seen ?? 0
  let isInTime = try Patience.comes(
    within: limit,
    pause: { seconds in
      guard let board else { return Patience.pause(seconds) }
      board.wait(after: seen, atMost: seconds)
      seen = board.seen
    }, isSo)
  guard !isInTime else { return }
  throw ChaosFailure(Patience.overdue(what, limit, try found()))
}
