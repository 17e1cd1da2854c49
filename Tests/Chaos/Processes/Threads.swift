import Foundation
import RealServers
import Synchronization
import SystemCalls

/// Waits as ``Patience`` does. The limit is below that of a test, so that what is not so is named.
///
/// - Parameter found: The present state, to be named when it is not so in time.
/// - Throws: ``ChaosFailure`` when it is not so in time.
package func waitUntil(
  _ what: String, atMost limit: Duration = waitLimit,
  found: @autoclosure () throws -> String = "", _ isSo: () throws -> Bool
) throws {
  guard try !Patience.comes(within: limit, isSo) else { return }
  throw ChaosFailure(Patience.overdue(what, limit, try found()))
}

/// Threads that are waited for together.
final class ThreadCrew: Sendable {
  private let running = Mutex(0)

  /// How many have not ended.
  var count: Int { running.withLock { $0 } }

  /// Runs something on a thread of its own, with a stack of so many megabytes.
  func start(stack megabytes: Int = 1, _ body: @escaping @Sendable () -> Void) {
    running.withLock { $0 += 1 }
    let thread = Thread { [self] in
      body()
      running.withLock { $0 -= 1 }
    }
    thread.stackSize = megabytes * 1_024 * 1_024
    thread.start()
  }
}

/// Lets this thread rest.
func pauseThread(_ seconds: Double) { Patience.pause(seconds) }

/// Nanoseconds of the clock that never goes back.
func uptime() -> UInt64 { MonotonicClock.now }

/// Seconds from one uptime to another.
func seconds(from start: UInt64, to end: UInt64) -> Double {
  Double(end &- start) / 1_000_000_000
}
