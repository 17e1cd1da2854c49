#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import MatchCore
import SystemCalls

extension WallClock {
  /// The clocks of this machine.
  public static var live: WallClock {
    WallClock(
      now: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(
          microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
      },
      uptimeNanoseconds: { MonotonicClock.now },
      elapsedNanoseconds: { MonotonicClock.withSleep },
      sleep: { duration in
        let (seconds, attoseconds) = duration.components
        var wanted = timespec(
          tv_sec: Int(max(0, seconds)), tv_nsec: Int(max(0, attoseconds) / 1_000_000_000))
        var rest = timespec()
        while nanosleep(&wanted, &rest) == -1 && errno == EINTR { wanted = rest }
      })
  }
}
