import Foundation
import Glibc
import RealServers
import Synchronization
import SystemCalls

/// Looks again and again until something is so. The limit is one against hanging: a machine that is
/// busy otherwise may be ten times as slow as usual, and stand still for a minute. It is below that
/// of a test, so that what is not so is named.
///
/// Looking must not take the time of what is waited for. So a wait of some length looks more rarely,
/// and notices by a twentieth too late.
///
/// - Parameter found: The present state, to be named when it is not so in time.
/// - Throws: ``ChaosFailure`` when it is not so in time.
package func waitUntil(
  _ what: String, atMost limit: Duration = .seconds(hangLimit - 20),
  found: @autoclosure () throws -> String = "", _ isSo: () throws -> Bool
) throws {
  let start = ContinuousClock.now
  var looks = 1
  while try !isSo() {
    let waited = ContinuousClock.now - start
    guard waited < limit else {
      let seconds = waited.components.seconds
      let found = try found()
      throw ChaosFailure(
        "still not so after \(seconds) s and \(looks) looks: \(what)"
          + (found.isEmpty ? "" : "; found: \(found)"))
    }
    pauseThread(min(max(waited / .seconds(20), 0.01), 0.25))
    looks += 1
  }
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
func pauseThread(_ seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }

/// Nanoseconds of the clock that never goes back.
func uptime() -> UInt64 { MonotonicClock.now }

/// Seconds from one uptime to another.
func seconds(from start: UInt64, to end: UInt64) -> Double {
  Double(end &- start) / 1_000_000_000
}
