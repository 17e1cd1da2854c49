package import MatchCore

/// One look at the service's clock.
package struct ClockSample: Hashable, Sendable {
  /// How often it is looked at, if answers are slow.
  package static let limit = 3
  /// Microseconds that need no correction. The service allows minutes.
  package static let tolerance: Int64 = 2_000_000
  /// A time between asking and answer that is short enough.
  package static let goodRoundTrip: Int64 = 500_000

  /// The service's time in its answer.
  package var serviceTime: Instant
  /// The time of the own clock when the answer came.
  package var receivedAt: Instant
  /// Microseconds between asking and answer.
  package var roundTrip: Int64

  package init(serviceTime: Instant, receivedAt: Instant, roundTrip: Int64) {
    self.serviceTime = serviceTime
    self.receivedAt = receivedAt
    self.roundTrip = roundTrip
  }

  package var isGood: Bool { roundTrip <= ClockSample.goodRoundTrip }

  /// How far the service's clock is ahead. The answer took half of the round trip.
  package var offset: Int64 {
    let half = max(0, roundTrip) / 2
    let (sum, overflow) = serviceTime.microseconds(since: receivedAt)
      .addingReportingOverflow(half)
    return overflow ? 0 : sum
  }

  /// The offset to go by. One that is right already stays, so that a profile is not written for
  /// nothing.
  package func correction(_ known: Int64?) -> Int64? {
    let doubt = (ClockSample.tolerance + max(0, roundTrip) / 2).magnitude
    if let known {
      let (difference, overflow) = known.subtractingReportingOverflow(offset)
      if !overflow, difference.magnitude <= doubt { return known }
    }
    return offset.magnitude <= doubt ? nil : offset
  }
}
