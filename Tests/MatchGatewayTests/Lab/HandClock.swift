import MatchInterfaces
import Synchronization

/// A clock whose uptime passes only when a test says so.
final class HandClock: Sendable {
  private let uptime = Atomic<UInt64>(1_000_000_000_000)

  var clock: WallClock {
    WallClock(
      now: WallClock.live.now, uptimeNanoseconds: { self.uptime.load(ordering: .acquiring) },
      sleep: WallClock.live.sleep)
  }

  func pass(seconds: UInt64) {
    uptime.wrappingAdd(seconds * 1_000_000_000, ordering: .acquiringAndReleasing)
  }
}
