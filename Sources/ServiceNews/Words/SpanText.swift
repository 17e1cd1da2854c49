/// Spans of time as a person says them. Time left is rounded up: a week that began a moment ago is
/// 7 days long.
package enum SpanText {
  /// A span that is still to come, such as `7 days`, `22 h 14 min` or `2:58`.
  package static func left(microseconds: Int64) -> String {
    let seconds = up(max(0, microseconds), 1_000_000)
    if seconds < 600 {
      return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }
    return words(seconds: seconds)
  }

  /// A span in its two greatest units.
  package static func words(seconds: Int64) -> String {
    if seconds < 60 { return "\(seconds) s" }
    let minutes = up(seconds, 60)
    if minutes < 60 { return "\(minutes) min" }
    if minutes < 24 * 60 { return pair(minutes / 60, "h", minutes % 60, "min") }
    let hours = up(minutes, 60)
    return pair(hours / 24, hours / 24 == 1 ? "day" : "days", hours % 24, "h")
  }

  /// A span that is over, in its greatest unit, such as `2 h ago`.
  package static func ago(microseconds: Int64) -> String {
    let seconds = max(0, microseconds) / 1_000_000
    if seconds < 1 { return "now" }
    let days = seconds / 86_400
    if days > 0 { return "\(days) \(days == 1 ? "day" : "days") ago" }
    if seconds >= 3_600 { return "\(seconds / 3_600) h ago" }
    return seconds >= 60 ? "\(seconds / 60) min ago" : "\(seconds) s ago"
  }

  private static func pair(
    _ count: Int64, _ unit: String, _ rest: Int64, _ smaller: String
  ) -> String {
    rest == 0 ? "\(count) \(unit)" : "\(count) \(unit) \(rest) \(smaller)"
  }

  private static func up(_ count: Int64, _ unit: Int64) -> Int64 {
    count / unit + (count % unit == 0 ? 0 : 1)
  }
}
