/// A clock that counts down: in its two largest units, and by the second in its last hour.
enum ClockText {
  static func text(_ seconds: Int) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    if days > 0 { return pair("\(days) d", hours, "h") }
    if hours > 0 { return pair("\(hours) h", minutes, "min") }
    return "\(minutes):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }

  /// The least time that has the same text.
  static func step(_ seconds: Int) -> Int {
    guard seconds >= 3_600 else { return seconds }
    return seconds - seconds % (seconds >= 86_400 ? 3_600 : 60)
  }

  private static func pair(_ large: String, _ rest: Int, _ unit: String) -> String {
    rest == 0 ? large : "\(large) \(rest) \(unit)"
  }
}
