/// A point in time: microseconds since 1970-01-01T00:00:00Z, the resolution of PostgreSQL.
public struct Instant: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Microseconds since 1970 UTC.
  public var microseconds: Int64

  /// Makes an instant of microseconds since 1970 UTC.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// The instant this many seconds later (earlier if negative). Saturates at the ends of `Int64`.
  public func adding(seconds: Int64) -> Instant {
    let (product, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflowed else { return Instant(microseconds: seconds < 0 ? .min : .max) }
    return adding(microseconds: product)
  }

  /// The instant this many microseconds later (earlier if negative). Saturates at the ends of
  /// `Int64`.
  public func adding(microseconds other: Int64) -> Instant {
    let (sum, overflowed) = microseconds.addingReportingOverflow(other)
    guard !overflowed else { return Instant(microseconds: other < 0 ? .min : .max) }
    return Instant(microseconds: sum)
  }

  /// Microseconds from `earlier` to this instant; saturates.
  public func microseconds(since earlier: Instant) -> Int64 {
    let (difference, overflowed) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    guard overflowed else { return difference }
    return microseconds < earlier.microseconds ? .min : .max
  }

  /// Orders by time.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }

  /// ISO 8601 in UTC with milliseconds, such as `2026-05-01T12:00:00.000Z`.
  public var description: String {
    let day = Day(containing: self)
    let remainder = microseconds % Day.microseconds
    let milliseconds = (remainder < 0 ? remainder + Day.microseconds : remainder) / 1_000
    let time = [
      pad(milliseconds / 3_600_000, 2), pad(milliseconds / 60_000 % 60, 2),
      pad(milliseconds / 1_000 % 60, 2),
    ].joined(separator: ":")
    return "\(day)T\(time).\(pad(milliseconds % 1_000, 3))Z"
  }
}

/// A UTC day, counted from 1970-01-01 = 0.
public struct Day: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Days since 1970-01-01.
  public let number: Int32

  public init(number: Int32) { self.number = number }

  /// The UTC day that an instant lies in.
  public init(containing instant: Instant) {
    let (quotient, remainder) = instant.microseconds.quotientAndRemainder(
      dividingBy: Day.microseconds)
    number = Int32(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  /// Reads `YYYY-MM-DD`, years 1970 to 9999. Nil for anything else, including days that do not
  /// exist.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.map({ $0.utf8.count }) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let dayOfMonth = Int(parts[2]),
      year >= 1970, (1...12).contains(month), (1...31).contains(dayOfMonth)
    else { return nil }
    let day = Day(number: Int32(Day.number(year: year, month: month, day: dayOfMonth)))
    guard day.description == text else { return nil }
    self = day
  }

  /// The first instant of the day; saturates at the ends of `Int64`.
  public var start: Instant { Instant(microseconds: 0).adding(seconds: Int64(number) * 86_400) }
  /// The first instant after the day; saturates at the ends of `Int64`.
  public var end: Instant {
    Instant(microseconds: 0).adding(seconds: (Int64(number) + 1) * 86_400)
  }
  /// The day before. The first day is its own day before.
  public var previous: Day { Day(number: Int32(clamping: Int64(number) - 1)) }
  /// The day after. The last day is its own day after.
  public var next: Day { Day(number: Int32(clamping: Int64(number) + 1)) }

  /// The day of the week, from 1, Monday, to 7. 1970-01-01 was a Thursday.
  public var weekday: Int { Int(((Int64(number) + 3) % 7 + 7) % 7) + 1 }
  /// The Monday of the day's week.
  public var monday: Day { Day(number: Int32(clamping: Int64(number) - Int64(weekday) + 1)) }

  static let microseconds: Int64 = 86_400_000_000

  /// Orders by date.
  public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

  /// `YYYY-MM-DD`.
  public var description: String {
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    let z = Int(number) + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(pad(Int64(year), 4))-\(pad(Int64(month), 2))-\(pad(Int64(dayOfMonth), 2))"
  }

  private static func number(year: Int, month: Int, day: Int) -> Int {
    // The same source, days_from_civil.
    let y = month <= 2 ? year - 1 : year
    let era = y / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

private func pad(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
