import ArgumentParser

/// Spans of time as a person writes them: `3d`, `12h`, `90m`, `45s`, or a number of seconds.
enum DurationText {
  /// The seconds that a text means; nil for anything else, and for more than a number can hold.
  static func seconds(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    var digits = text[...]
    var unit: Int64 = 1
    if let last = text.last, let named = units[last] {
      digits = text.dropLast()
      unit = named
    }
    let areDigits = !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
    guard areDigits, let count = Int64(digits) else { return nil }
    let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
    return isTooLong ? nil : seconds
  }

  /// Reads an argument of a number of seconds.
  static func secondsArgument(_ text: String) throws -> Int64 {
    guard let seconds = seconds(text) else {
      throw ValidationError("'\(text)' is no span of time. Write 3d, 12h, 90m or 45s.")
    }
    return seconds
  }

  /// Reads an argument of some time to wait, up to an hour.
  static func duration(_ text: String) throws -> Duration {
    let seconds = try secondsArgument(text)
    guard (1...3_600).contains(seconds) else {
      throw ValidationError("'\(text)' is no time to wait. Write 1s to 60m.")
    }
    return .seconds(seconds)
  }

  /// The shortest text that means so many seconds.
  static func text(seconds: Int64) -> String {
    let units: [(name: String, seconds: Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60)]
    for unit in units where seconds > 0 && seconds.isMultiple(of: unit.seconds) {
      return "\(seconds / unit.seconds)\(unit.name)"
    }
    return "\(seconds)s"
  }
}
