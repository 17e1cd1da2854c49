import Glibc

/// The monotonic clock, which deadlines are measured by.
enum Monotonic {
  /// Nanoseconds since some start.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The moment `wait` from now; a year at most.
  static func deadline(after wait: Duration) -> UInt64 { now + wait.nanoseconds }
}

extension Duration {
  /// Whole nanoseconds from 0 to a year.
  var nanoseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    guard seconds < 31_536_000 else { return 31_536_000_000_000_000 }
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  /// As the C library wants it.
  var timeval: Glibc.timeval {
    let microseconds = nanoseconds / 1000
    return Glibc.timeval(
      tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
  }
}
