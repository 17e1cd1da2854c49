import MatchCore
import MatchInterfaces
import Synchronization

/// The one clock of a simulation: it moves only when the simulation moves it.
final class VirtualClock: Sendable {
  private let microseconds: Mutex<Int64>

  init(_ start: Instant) { microseconds = Mutex(start.microseconds) }

  var now: Instant { Instant(microseconds: microseconds.withLock { $0 }) }

  func advance(microseconds step: Int64) { microseconds.withLock { $0 += step } }

  /// The clock as an interface. A sleeper is simply not asked again at once.
  var wallClock: WallClock {
    WallClock(
      now: { self.now }, uptimeNanoseconds: { UInt64(self.now.microseconds) * 1_000 },
      sleep: { _ in })
  }
}
