import Glibc

/// An instant of the system's monotonic clock, for limits of waiting only.
struct MonotonicInstant: Comparable {
  var nanoseconds: Int64

  static var now: MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
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

extension Duration {
  /// Nanoseconds, held within the limits of the type.
  var wholeNanoseconds: Int64 { whole(perSecond: 1_000_000_000) }
  /// Microseconds, held within the limits of the type.
  var wholeMicroseconds: Int64 { whole(perSecond: 1_000_000) }
  /// Milliseconds, held within the limits of the type.
  var wholeMilliseconds: Int64 { whole(perSecond: 1000) }

  private func whole(perSecond: Int64) -> Int64 {
    let (seconds, attoseconds) = components
    let fraction = attoseconds / (1_000_000_000_000_000_000 / perSecond)
    let (product, overflow) = seconds.multipliedReportingOverflow(by: perSecond)
    let (sum, sumOverflow) = product.addingReportingOverflow(fraction)
    guard overflow || sumOverflow else { return sum }
    return seconds < 0 ? .min : .max
  }
}
