import CubistBasics
import SystemCalls

/// An instant of the system's monotonic clock, for limits of waiting only.
struct MonotonicInstant: Comparable {
  var nanoseconds: Int64

  static var now: MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(clamping: MonotonicClock.now))
  }

  static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  func advanced(by duration: Duration) -> MonotonicInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return MonotonicInstant(nanoseconds: overflow ? .max : sum)
  }

  /// Milliseconds from `start` to this instant, rounded up, as `poll` wants them.
  func milliseconds(since start: MonotonicInstant) -> Int32 {
    guard self > start else { return 0 }
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(start.nanoseconds)
    guard !overflow else { return .max }
    return Int32(clamping: difference / 1_000_000 + (difference % 1_000_000 == 0 ? 0 : 1))
  }
}
