import CubistBasics
import Glibc
import SystemCalls

extension MonotonicClock {
  /// The moment `wait` from now; a year at most.
  static func deadline(after wait: Duration) -> UInt64 { now + wait.nanoseconds }
}

extension Duration {
  /// Whole nanoseconds from 0 to a year.
  var nanoseconds: UInt64 {
    UInt64(min(max(self, .zero), .seconds(31_536_000)).wholeNanoseconds)
  }

  /// As the C library wants it.
  var timeval: Glibc.timeval {
    let microseconds = nanoseconds / 1000
    return Glibc.timeval(
      tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
  }
}
