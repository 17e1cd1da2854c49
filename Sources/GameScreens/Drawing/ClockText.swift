/// A clock that counts down, to the second.
enum ClockText {
  static func text(_ seconds: Int) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    let (twoMinutes, twoSeconds) = (two(minutes), two(seconds % 60))
    if days > 0 { return "\(days) d \(hours):\(twoMinutes):\(twoSeconds)" }
    return hours > 0
      ? "\(hours):\(twoMinutes):\(twoSeconds)" : "\(minutes):\(twoSeconds)"
  }

  /// Without the seconds where days are left.
  static func short(_ seconds: Int) -> String {
    seconds >= 86_400 ? String(text(seconds).dropLast(3)) : text(seconds)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
