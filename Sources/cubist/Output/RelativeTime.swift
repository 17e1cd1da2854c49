/// Instants as a person says them, such as `in 2 d 3 h` and `5 min ago`.
///
/// Instants and spans are in milliseconds; instants since the beginning of 1970, UTC.
enum RelativeTime {
  /// An instant seen from another one: the future in its two greatest units, the past in one.
  static func text(_ instant: Int64, now: Int64) -> String {
    let (distance, isTooFar) = instant.subtractingReportingOverflow(now)
    let span = isTooFar ? (instant > now ? Int64.max : Int64.min) : distance
    if span.magnitude < 1000 { return "now" }
    return span > 0 ? "in \(text(ofSpan: span))" : "\(text(ofSpan: span, unitLimit: 1)) ago"
  }

  /// A span in its greatest units, whatever its sign, rounded down.
  ///
  /// A unit that is zero is left out, and seconds are told only where they stand alone.
  static func text(ofSpan span: Int64, unitLimit: Int = 2) -> String {
    let seconds = span.magnitude / 1000
    let units: [(count: UInt64, name: String)] = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
    ]
    guard let first = units.firstIndex(where: { $0.count > 0 }) else { return "\(seconds) s" }
    return units[first...].prefix(unitLimit)
      .filter { $0.count > 0 }
      .map { "\($0.count) \($0.name)" }
      .joined(separator: " ")
  }
}
