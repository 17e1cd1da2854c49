import MatchCore
import MatchInterfaces

/// The yearly changes of a zone's clock, as the TZ string of POSIX states them, with the hours
/// beyond a day that RFC 9636 adds: such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Hashable, Sendable {
  private var standard: Int
  private var summer: Summer?

  private struct Summer: Hashable, Sendable {
    var offset: Int
    var start: Moment
    var end: Moment
  }

  /// A moment of each year.
  fileprivate struct Moment: Hashable, Sendable {
    enum Date: Hashable, Sendable {
      /// From 1 to 365; 29 February is not counted.
      case day(Int)
      /// From 0 to 365; 29 February is counted.
      case dayWithLeap(Int)
      /// The week, 1 to 5, of which 5 is the last, and the weekday, 0 for Sunday.
      case weekday(month: Int, week: Int, weekday: Int)
    }

    var date: Date
    /// Seconds since midnight by the clock before the change.
    var time: Int
  }

  /// Nil for anything else.
  init?(_ text: String) {
    var parser = Parser(text: Array(text.utf8))
    guard parser.name(), let west = parser.time(hours: 24) else { return nil }
    standard = -west
    guard !parser.isAtEnd else { return }
    guard parser.name() else { return nil }
    var offset = standard + 3_600
    if parser.next != Parser.comma {
      guard let west = parser.time(hours: 24) else { return nil }
      offset = -west
    }
    guard parser.take(Parser.comma), let start = parser.moment(),
      parser.take(Parser.comma), let end = parser.moment(), parser.isAtEnd
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// The period that a second since 1970 lies in, if the rule holds since another one.
  func period(at second: Int64, since: Int64?) -> TimeZones.Period {
    guard let summer else {
      return TimeZones.Period(offset: standard, since: since.map { Instant(second: $0) })
    }
    let year = CivilDate.year(ofSecond: second)
    var changes: [TimeZoneFile.Change] = []
    for year in (year - 1)...(year + 1) {
      changes.append(
        TimeZoneFile.Change(
          at: summer.start.second(of: year) - Int64(standard), offset: summer.offset))
      changes.append(
        TimeZoneFile.Change(
          at: summer.end.second(of: year) - Int64(summer.offset), offset: standard))
    }
    // Where it is summer all year, one summer ends in the moment in which the next one begins.
    changes.sort { ($0.at, $0.offset == standard ? 0 : 1) < ($1.at, $1.offset == standard ? 0 : 1) }
    let last = changes.last { $0.at <= second }
    let next = changes.first { $0.at > second }
    let start = [last?.at, since].compactMap(\.self).max()
    return TimeZones.Period(
      offset: last?.offset ?? standard, since: start.map { Instant(second: $0) },
      until: next.map { Instant(second: $0.at) })
  }
}

extension TimeZoneRule.Moment {
  /// The second since 1970 in a year, as if the clock showed UTC.
  func second(of year: Int64) -> Int64 {
    let start = CivilDate.dayNumber(year: year, month: 1, day: 1)
    let number: Int64
    switch date {
    case .day(let day):
      number = start + Int64(day) - (CivilDate.isLeap(year) && day >= 60 ? 0 : 1)
    case .dayWithLeap(let day): number = start + Int64(day)
    case .weekday(let month, let week, let weekday):
      let first = CivilDate.dayNumber(year: year, month: Int64(month), day: 1)
      let days = CivilDate.days(inMonth: Int64(month), of: year)
      // The first day of 1970 was a Thursday.
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      let ahead = (Int64(weekday) - firstWeekday + 7) % 7
      let day = ahead + 7 * Int64(week - 1)
      number = first + (day < days ? day : day - 7)
    }
    return number * 86_400 + Int64(time)
  }
}

/// Days of the Gregorian calendar by their numbers since 1970-01-01.
private enum CivilDate {
  static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
  static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The same source, civil_from_days.
  static func year(ofSecond second: Int64) -> Int64 {
    let day = second / 86_400 - (second % 86_400 < 0 ? 1 : 0) + 719_468
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // Its years begin in March.
    return yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0)
  }
}

extension TimeZoneRule {
  /// Reads the parts of a rule, in order.
  private struct Parser {
    static let comma = UInt8(ascii: ",")

    let text: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == text.count }
    var next: UInt8? { isAtEnd ? nil : text[position] }

    mutating func take(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      position += 1
      return true
    }

    /// At least three letters, or anything in angle brackets; the name itself does not matter.
    mutating func name() -> Bool {
      if take(UInt8(ascii: "<")) {
        while let byte = next {
          position += 1
          if byte == UInt8(ascii: ">") { return true }
        }
        return false
      }
      let start = position
      while let byte = next, 65...90 ~= byte || 97...122 ~= byte { position += 1 }
      return position - start >= 3
    }

    /// Seconds, of up to so many hours, with a sign.
    mutating func time(hours most: Int) -> Int? {
      let isNegative = take(UInt8(ascii: "-"))
      if !isNegative { _ = take(UInt8(ascii: "+")) }
      guard let hours = number(upTo: most) else { return nil }
      var seconds = hours * 3_600
      for unit in [60, 1] where take(UInt8(ascii: ":")) {
        guard let part = number(upTo: 59) else { return nil }
        seconds += part * unit
      }
      return isNegative ? -seconds : seconds
    }

    mutating func number(upTo most: Int) -> Int? {
      var number: Int?
      while let byte = next, 48...57 ~= byte {
        let value = (number ?? 0) * 10 + Int(byte) - 48
        guard value <= most else { return nil }
        number = value
        position += 1
      }
      return number
    }

    mutating func moment() -> Moment? {
      guard let date = date() else { return nil }
      guard take(UInt8(ascii: "/")) else { return Moment(date: date, time: 7_200) }
      return time(hours: 167).map { Moment(date: date, time: $0) }
    }

    private mutating func date() -> Moment.Date? {
      if take(UInt8(ascii: "M")) {
        guard let month = number(upTo: 12), month >= 1, take(UInt8(ascii: ".")),
          let week = number(upTo: 5), week >= 1, take(UInt8(ascii: ".")),
          let weekday = number(upTo: 6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
      }
      if take(UInt8(ascii: "J")) {
        guard let day = number(upTo: 365), day >= 1 else { return nil }
        return .day(day)
      }
      return number(upTo: 365).map { .dayWithLeap($0) }
    }
  }
}
