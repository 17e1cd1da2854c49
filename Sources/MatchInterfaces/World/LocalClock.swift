package import MatchCore

/// The clock on a player's wall, through all changes of its time.
package struct LocalClock: Sendable {
  private let zone: TimeZoneName?
  private let zones: TimeZones

  /// - Parameter zone: Nil: UTC.
  package init(_ zone: TimeZoneName?, _ zones: TimeZones) {
    self.zone = zone
    self.zones = zones
  }

  /// Changes of the clock that are looked at for one answer. No zone has so many in two days.
  private static let changeLimit = 16
  private static let day: Int64 = 86_400_000_000
  private static let minute: Int64 = 60_000_000

  /// The minute that the clock shows: 0 to 1,439.
  package func minute(at instant: Instant) -> Int {
    Int(timeOfDay(instant, period(at: instant)) / LocalClock.minute)
  }

  /// The day by the calendar on the wall.
  package func day(at instant: Instant) -> Day {
    Day(containing: local(instant, period(at: instant)))
  }

  package func weekday(at instant: Instant) -> Weekday {
    // The first day of 1970 was a Thursday.
    let days = (Int(day(at: instant).number) + 3) % 7
    return Weekday(number: (days + 7) % 7 + 1) ?? .monday
  }

  /// The next instant at which the clock shows the beginning of a minute. A minute that a change
  /// of the clock leaves out comes with that change. One that comes twice counts the first time.
  package func next(_ minute: MinuteOfDay, after instant: Instant) -> Instant {
    let wanted = Int64(minute.number) * LocalClock.minute
    var time = instant
    var found = instant
    for _ in 0..<LocalClock.changeLimit {
      let period = period(at: time)
      var wait = ahead(wanted, of: timeOfDay(time, period))
      if wait == 0, time == instant { wait = LocalClock.day }
      found = time.adding(microseconds: wait)
      if found < endOfRepetition(period) { found = found.adding(microseconds: LocalClock.day) }
      guard let change = period.until, change > time, change <= found else { return found }
      let skipped = offset(self.period(at: change)) - offset(period)
      if ahead(wanted, of: timeOfDay(change, period)) < skipped { return change }
      time = change
    }
    return found
  }

  /// The end of the quiet hours that an instant lies in: the next instant at which the clock shows
  /// a minute outside of them. Nil: it lies in none.
  package func end(of hours: QuietHours, at instant: Instant) -> Instant? {
    guard hours.contains(minute(at: instant)) else { return nil }
    let until = Int64(hours.until.number) * LocalClock.minute
    var time = instant
    for _ in 0..<LocalClock.changeLimit {
      let period = period(at: time)
      let end = time.adding(microseconds: ahead(until, of: timeOfDay(time, period)))
      guard let change = period.until, change > time, change <= end else { return end }
      time = change
      guard hours.contains(minute(at: time)) else { break }
    }
    return time
  }

  private func period(at instant: Instant) -> TimeZones.Period {
    zone.map { zones.period($0, instant) } ?? TimeZones.Period(offset: 0)
  }

  /// Until when a period shows minutes again that the one before it has shown.
  private func endOfRepetition(_ period: TimeZones.Period) -> Instant {
    guard let since = period.since else { return Instant(microseconds: .min) }
    let before = self.period(at: since.adding(microseconds: -1))
    return since.adding(microseconds: max(0, offset(before) - offset(period)))
  }

  /// Microseconds; no clock is ahead by more than a few days.
  private func offset(_ period: TimeZones.Period) -> Int64 {
    Int64(min(max(period.offset, -604_800), 604_800)) * 1_000_000
  }

  private func local(_ instant: Instant, _ period: TimeZones.Period) -> Instant {
    instant.adding(microseconds: offset(period))
  }

  /// Microseconds since midnight by the clock.
  private func timeOfDay(_ instant: Instant, _ period: TimeZones.Period) -> Int64 {
    let time = local(instant, period).microseconds % LocalClock.day
    return time < 0 ? time + LocalClock.day : time
  }

  /// How far a time of day is ahead of another one.
  private func ahead(_ time: Int64, of other: Int64) -> Int64 {
    time >= other ? time - other : time - other + LocalClock.day
  }
}

extension QuietHours {
  /// Whether a minute of the day lies in them.
  package func contains(_ minute: Int) -> Bool {
    from < until
      ? from.number <= minute && minute < until.number
      : from.number <= minute || minute < until.number
  }
}
