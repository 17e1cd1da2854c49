extension Duration {
  /// Nanoseconds without a fraction, held within the limits of the type.
  package var wholeNanoseconds: Int64 { whole(perSecond: 1_000_000_000) }
  /// Microseconds without a fraction, held within the limits of the type.
  package var wholeMicroseconds: Int64 { whole(perSecond: 1_000_000) }
  /// Milliseconds without a fraction, held within the limits of the type.
  package var wholeMilliseconds: Int64 { whole(perSecond: 1000) }

  private func whole(perSecond: Int64) -> Int64 {
    let (seconds, attoseconds) = components
    let fraction = attoseconds / (1_000_000_000_000_000_000 / perSecond)
    let (product, overflow) = seconds.multipliedReportingOverflow(by: perSecond)
    let (sum, sumOverflow) = product.addingReportingOverflow(fraction)
    guard overflow || sumOverflow else { return sum }
    return seconds < 0 ? .min : .max
  }
}
