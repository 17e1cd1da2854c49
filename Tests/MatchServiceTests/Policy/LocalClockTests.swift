import CubistBasics
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("The clock on a player's wall")
struct LocalClockTests {
  /// A zone in which an hour is left out at 02:00 of the first day and repeated at 03:00 of the
  /// tenth: from +1 to +2 and back.
  static let changing = TimeZones { _, instant in
    let (spring, autumn) = (at(0, 1, 0), at(9, 1, 0))
    if instant < spring { return .init(offset: 3_600, until: spring) }
    if instant < autumn { return .init(offset: 7_200, since: spring, until: autumn) }
    return .init(offset: 3_600, since: autumn)
  }
  static let clock = LocalClock(TimeZoneName("X/Y"), changing)

  /// An instant by UTC, counted in days.
  static func at(_ day: Int64, _ hour: Int64, _ minute: Int64) -> Instant {
    Instant(microseconds: 0).adding(seconds: (day * 24 + hour) * 3_600 + minute * 60)
  }

  private func minute(_ text: String) throws -> MinuteOfDay { try #require(MinuteOfDay(text)) }

  private func hours(_ from: String, _ until: String) throws -> QuietHours {
    try #require(QuietHours(from: minute(from), until: minute(until)))
  }

  @Test("Minutes, days and weekdays are those of the zone")
  func reading() {
    let clock = Self.clock
    #expect(clock.minute(at: Self.at(0, 0, 59)) == 119)
    #expect(clock.minute(at: Self.at(0, 1, 0)) == 180)
    #expect(clock.minute(at: Self.at(9, 0, 59)) == 179)
    #expect(clock.minute(at: Self.at(9, 1, 0)) == 120)
    #expect(clock.day(at: Self.at(0, 22, 0)) == Day(number: 1))
    #expect(clock.day(at: Self.at(-1, 22, 30)) == Day(number: -1))
    #expect(clock.weekday(at: Self.at(0, 0, 0)) == .thursday)
    #expect(clock.weekday(at: Self.at(0, 22, 0)) == .friday)
    #expect(clock.weekday(at: Self.at(-8, 0, 0)) == .wednesday)
    #expect(LocalClock(nil, Self.changing).minute(at: Self.at(3, 7, 30)) == 450)
  }

  @Test("A minute that a change leaves out comes with the change")
  func gap() throws {
    let next = { (text: String, from: Instant) in
      Self.clock.next(try self.minute(text), after: from)
    }
    let before = Self.at(0, 0, 30)
    #expect(try next("02:00", before) == Self.at(0, 1, 0))
    #expect(try next("02:30", before) == Self.at(0, 1, 0))
    #expect(try next("02:59", before) == Self.at(0, 1, 0))
    #expect(try next("03:00", before) == Self.at(0, 1, 0))
    #expect(try next("03:01", before) == Self.at(0, 1, 1))
    #expect(try next("01:59", before) == Self.at(0, 0, 59))
    // The next day is as long as ever.
    #expect(try next("02:30", Self.at(0, 1, 0)) == Self.at(1, 0, 30))
  }

  @Test("A minute that comes twice counts the first time")
  func overlap() throws {
    let next = { (text: String, from: Instant) in
      Self.clock.next(try self.minute(text), after: from)
    }
    #expect(try next("02:30", Self.at(8, 12, 0)) == Self.at(9, 0, 30))
    #expect(try next("02:30", Self.at(9, 0, 30)) == Self.at(10, 1, 30))
    #expect(try next("02:00", Self.at(9, 0, 0)) == Self.at(10, 1, 0))
    #expect(try next("03:00", Self.at(9, 0, 30)) == Self.at(9, 2, 0))
    #expect(try next("02:59", Self.at(9, 1, 30)) == Self.at(10, 1, 59))
  }

  @Test("Quiet hours end where the clock says so, over midnight and over changes")
  func quietHours() throws {
    let clock = Self.clock
    let night = try hours("22:00", "07:30")
    #expect(clock.end(of: night, at: Self.at(3, 12, 0)) == nil)
    #expect(clock.end(of: night, at: Self.at(3, 19, 59)) == nil)
    #expect(clock.end(of: night, at: Self.at(3, 20, 0)) == Self.at(4, 5, 30))
    #expect(clock.end(of: night, at: Self.at(4, 5, 29)) == Self.at(4, 5, 30))
    #expect(clock.end(of: night, at: Self.at(4, 5, 30)) == nil)
    // The night that is an hour shorter, and the one that is an hour longer.
    #expect(clock.end(of: night, at: Self.at(-1, 21, 0)) == Self.at(0, 5, 30))
    #expect(clock.end(of: night, at: Self.at(8, 20, 0)) == Self.at(9, 6, 30))
    // An end that is left out, and one that comes twice: the clock goes back into them.
    let early = try hours("23:00", "02:30")
    #expect(clock.end(of: early, at: Self.at(0, 0, 30)) == Self.at(0, 1, 0))
    #expect(clock.end(of: early, at: Self.at(9, 0, 10)) == Self.at(9, 0, 30))
    #expect(clock.end(of: early, at: Self.at(9, 0, 45)) == nil)
    #expect(clock.end(of: early, at: Self.at(9, 1, 10)) == Self.at(9, 1, 30))
    // Hours that are left out as a whole, and all of the day but a minute.
    #expect(try clock.end(of: hours("02:10", "02:40"), at: Self.at(0, 0, 59)) == nil)
    #expect(try clock.end(of: hours("02:10", "02:40"), at: Self.at(0, 1, 0)) == nil)
    let day = try hours("00:01", "00:00")
    #expect(clock.end(of: day, at: Self.at(3, 22, 1)) == Self.at(4, 22, 0))
  }

  @Test("Times beyond all calendars end nothing")
  func extremes() throws {
    for microseconds in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
      let instant = Instant(microseconds: microseconds)
      _ = Self.clock.minute(at: instant)
      _ = Self.clock.weekday(at: instant)
      _ = Self.clock.next(try minute("12:00"), after: instant)
      _ = try Self.clock.end(of: hours("22:00", "07:30"), at: instant)
    }
    // Files that say nonsense.
    let mad = LocalClock(
      TimeZoneName("X/Y"),
      TimeZones { _, instant in
        .init(offset: .max, since: instant, until: instant.adding(microseconds: 1))
      })
    _ = mad.next(try minute("12:00"), after: Self.at(3, 0, 0))
    _ = try mad.end(of: hours("22:00", "07:30"), at: Self.at(3, 0, 0))
  }

  @Test("In twenty zones the next minute is the one that a search finds")
  func search() throws {
    let zones = TimeZones.files()
    var random = SplitMix64(state: 5)
    for (zone, _, changes) in TimeZoneFileTests.year2023 {
      let clock = LocalClock(TimeZoneName(zone), zones)
      for _ in 0..<40 {
        // Half of them near a change.
        let near = changes.randomElement(using: &random)?.at
        let base = Bool.random(using: &random) ? near : nil
        var second = base ?? Int64.random(in: 1_672_531_200..<1_704_067_200, using: &random)
        second += Int64.random(in: -40_000...40_000, using: &random)
        let start = Instant(microseconds: 0).adding(seconds: second / 60 * 60)
        let (from, until) = (
          Int.random(in: 0..<1_440, using: &random), Int.random(in: 0..<1_440, using: &random)
        )
        guard
          let hours = MinuteOfDay(from).flatMap({ from in
            MinuteOfDay(until).flatMap { QuietHours(from: from, until: $0) }
          })
        else { continue }
        var end = start
        while hours.contains(clock.minute(at: end)) { end = end.adding(seconds: 60) }
        #expect(
          clock.end(of: hours, at: start) == (end == start ? nil : end),
          "\(zone) at \(start), \(hours.from) to \(hours.until)")
        let next = clock.next(hours.from, after: start)
        #expect(next > start && next.microseconds(since: start) <= 26 * 3_600_000_000)
        // A minute that was left out comes with the change.
        let isShown = clock.minute(at: next) == from
        let isChange = changes.contains { $0.at * 1_000_000 == next.microseconds }
        #expect(isShown || isChange, "\(zone) at \(start), \(hours.from)")
      }
    }
  }
}
