#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clock that only goes forward, the same in all processes of a machine.
package enum MonotonicClock {
  /// Nanoseconds since some start.
  package static var now: UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

  /// The same, with the time in which the machine was asleep.
  package static var withSleep: UInt64 {
    #if os(Linux)
      nanoseconds(of: CLOCK_BOOTTIME)
    #else
      // Darwin counts that time in any case.
      nanoseconds(of: CLOCK_MONOTONIC)
    #endif
  }

  private static func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
