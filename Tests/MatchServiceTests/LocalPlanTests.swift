import CubistBasics
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Digests, reviews and reminders at hours of the player's own clock")
struct LocalPlanTests {
  private let player = PlayerID(rawValue: 5)
  /// A zone five hours ahead of UTC that goes back an hour at 2026-11-01, 00:00 UTC.
  private let zones = TimeZones { name, instant in
    guard name.text == "Test/Zone", let change = Day("2026-11-01")?.start else {
      return TimeZones.Period(offset: 0)
    }
    return instant < change
      ? TimeZones.Period(offset: 18_000, until: change)
      : TimeZones.Period(offset: 14_400, since: change)
  }

  private func wish(
    _ preferences: PushPreferences, dueAt: Instant, hasWaiting: Bool = true
  ) -> SchedulerStore.LocalWish {
    SchedulerStore.LocalWish(
      player: player, preferences: preferences, dueAt: dueAt, hasWaiting: hasWaiting)
  }

  private func time(_ day: String, _ hour: Int64, _ minute: Int64 = 0) throws -> Instant {
    try #require(Day(day)).start.adding(seconds: hour * 3_600 + minute * 60)
  }

  @Test("A change of wishes owes nothing, and notes the next hour")
  func change() throws {
    let preferences = PushPreferences(digest: MinuteOfDay("08:00"))
    let now = try time("2026-11-27", 12)
    let round = LocalPlan.round(wish(preferences, dueAt: now), now: now, zones: zones)
    #expect(round == .init(next: try time("2026-11-28", 8)))
    #expect(LocalPlan.round(wish(.init(), dueAt: now), now: now, zones: zones) == .init(next: nil))
  }

  @Test("A digest is owed at its hour if something waits, and not hours later")
  func digest() throws {
    let preferences = PushPreferences(
      timeZone: TimeZoneName("Test/Zone"), digest: MinuteOfDay("08:00"))
    let due = try time("2026-11-27", 4)
    let day = try #require(Day("2026-11-27"))
    let next = try time("2026-11-28", 4)
    let owed = [PushJob(digest: day, to: player)]
    func jobs(_ now: Instant, hasWaiting: Bool = true) -> [PushJob] {
      let round = LocalPlan.round(
        wish(preferences, dueAt: due, hasWaiting: hasWaiting), now: now, zones: zones)
      #expect(round.next == next)
      return round.jobs
    }
    #expect(jobs(due) == owed)
    #expect(jobs(due, hasWaiting: false) == [])
    #expect(jobs(due.adding(seconds: LocalPlan.latenessSeconds - 1)) == owed)
    #expect(jobs(due.adding(seconds: LocalPlan.latenessSeconds)) == [])
  }

  @Test("A review comes on its day, at the hour of the digest or at nine")
  func review() throws {
    // 2026-11-29 is a Sunday.
    let sunday = try #require(Day("2026-11-29"))
    for (digest, hour) in [(nil, 9), (MinuteOfDay("07:00"), 7)] as [(MinuteOfDay?, Int64)] {
      let preferences = PushPreferences(digest: digest, review: .sunday)
      let due = try time("2026-11-29", hour)
      let round = LocalPlan.round(
        wish(preferences, dueAt: due, hasWaiting: false), now: due, zones: zones)
      #expect(round.jobs == [PushJob(weekInReview: sunday, to: player)])
      let next = digest == nil ? try time("2026-12-06", 9) : try time("2026-11-30", 7)
      #expect(round.next == next)
    }
  }

  @Test("Reminders that would come in quiet hours are looked for before these begin")
  func quiet() throws {
    var preferences = PushPreferences()
    preferences.quietHours = QuietHours(
      from: try #require(MinuteOfDay("22:00")), until: try #require(MinuteOfDay("07:30")))
    let due = try time("2026-11-27", 21, 45)
    let round = LocalPlan.round(wish(preferences, dueAt: due), now: due, zones: zones)
    #expect(round.jobs == [])
    #expect(try round.quiet == time("2026-11-27", 22)..<time("2026-11-28", 7, 30))
    #expect(try round.next == time("2026-11-28", 21, 45))
    // Once they have begun it is too late.
    let late = LocalPlan.round(
      wish(preferences, dueAt: due), now: try time("2026-11-27", 22), zones: zones)
    #expect(late.quiet == nil)
  }

  @Test("In a year with changes of the clock there is one digest a day and one review a week")
  func year() throws {
    var random = SplitMix64(state: 3)
    for _ in 0..<20 {
      let digest = try #require(MinuteOfDay(Int(random.next() % 1_440)))
      let review = try #require(Weekday(number: Int(random.next() % 7) + 1))
      let preferences = PushPreferences(
        timeZone: TimeZoneName("Test/Zone"), digest: digest, review: review)
      var now = try time("2026-01-01", 0)
      var jobs: [PushJob] = []
      var due = now
      while now < (try time("2027-01-01", 0)) {
        let round = LocalPlan.round(wish(preferences, dueAt: due), now: now, zones: zones)
        jobs += round.jobs
        let next = try #require(round.next)
        #expect(next > now)
        due = next
        // The steward comes some seconds later.
        now = next.adding(seconds: Int64(random.next() % 30))
      }
      #expect(Set(jobs.map(\.id)).count == jobs.count)
      #expect(365...366 ~= jobs.count { $0.kind == .digest })
      #expect(52...53 ~= jobs.count { $0.kind == .weekInReview })
    }
  }
}
