import CubistBasics
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("When a notification is sent")
struct PushPolicyTests {
  private static let day: Int64 = 86_400
  /// 01:00 by UTC: in the quiet hours of the examples.
  private static let night = Instant(microseconds: 0).adding(seconds: 100 * day + 3_600)
  /// 12:00 by UTC.
  private static let noon = night.adding(seconds: 11 * 3_600)
  /// 07:30 by UTC.
  private static let morning = night.adding(seconds: 6 * 3_600 + 1_800)

  private func preferences(
    _ late: QuietHours.Late = .silent, isBundled: Bool = true
  ) throws -> PushPreferences {
    let (from, until) = (MinuteOfDay("22:00"), MinuteOfDay("07:30"))
    let hours = QuietHours(from: try #require(from), until: try #require(until), late: late)
    return PushPreferences(quietHours: hours, isBundled: isBundled)
  }

  private func plan(
    _ kind: PushJob.Kind, at now: Instant, _ preferences: PushPreferences,
    expires seconds: Int64? = nil, lastSent ago: Int64? = nil, hasWaited: Bool = false
  ) -> PushPlan {
    let job = PushJob(
      id: PushJobID(rawValue: 1), kind: kind, player: PlayerID(rawValue: 2),
      hasWaitedForOthers: hasWaited)
    let details = PushStore.Details(
      preferences: preferences, expiresAt: seconds.map { now.adding(seconds: $0) },
      lastSentAt: ago.map { now.adding(seconds: -$0) },
      lastTurnSentAt: ago.map { now.adding(seconds: -$0) }, readAt: now)
    return PushPolicy.plan(job, details, zones: .utc)
  }

  /// The next whole minute of the player's own clock, which is two microseconds late.
  private static func wholeMinute(_ time: Instant) -> Instant {
    let past = (time.microseconds - 2) % 60_000_000
    return past == 0 ? time : time.adding(microseconds: 60_000_000 - past)
  }

  @Test("In quiet hours everything that can wait waits for their end")
  func waiting() throws {
    let wishes = try preferences()
    for kind in PushJob.Kind.allCases where kind != .account && kind != .test {
      #expect(plan(kind, at: Self.night, wishes) == .later(until: Self.morning, .quietHours))
      #expect(plan(kind, at: Self.morning, wishes) == .now(silently: false))
      #expect(plan(kind, at: Self.noon, wishes) == .now(silently: false))
      #expect(plan(kind, at: Self.night, PushPreferences()) == .now(silently: false))
    }
  }

  @Test("The account's notices and tests wait for nothing")
  func neverHeld() throws {
    for kind in [PushJob.Kind.account, .test] {
      for late in QuietHours.Late.allCases {
        #expect(
          try plan(kind, at: Self.night, preferences(late), expires: -5, lastSent: 1)
            == .now(silently: false))
      }
    }
  }

  @Test(
    "What ends before the quiet hours, or within ten minutes after them, comes as its player set it"
  )
  func late() throws {
    let end = Int64(6 * 3_600 + 1_800)
    for kind in [PushJob.Kind.yourTurn, .turnRunningOut, .dailyEndsSoon, .nudged] {
      for seconds in [1, end - 1, end, end + 599] {
        #expect(
          try plan(kind, at: Self.night, preferences(.silent), expires: seconds)
            == .now(silently: true))
        #expect(
          try plan(kind, at: Self.night, preferences(.dropped), expires: seconds)
            == .never(.quietHours))
      }
      #expect(
        try plan(kind, at: Self.night, preferences(.dropped), expires: end + 600)
          == .later(until: Self.morning, .quietHours))
    }
  }

  @Test("A job whose time has ended is not sent")
  func expired() throws {
    for seconds in [Int64(0), -1, -100_000] {
      #expect(
        try plan(.dailyReady, at: Self.noon, preferences(), expires: seconds) == .never(.expired))
    }
    #expect(
      try plan(.dailyReady, at: Self.noon, preferences(), expires: 1) == .now(silently: false))
  }

  @Test("News of matches wait for the end of five minutes after the last one")
  func bundles() throws {
    let wishes = try preferences()
    let end = Self.wholeMinute(Self.noon.adding(seconds: 200))
    for kind in PushJob.Kind.allCases {
      #expect(
        plan(kind, at: Self.noon, wishes, lastSent: 100)
          == (kind.topic == nil ? .now(silently: false) : .later(until: end, .bundle)))
    }
    for ago in [Int64(300), 301, 100_000] {
      #expect(plan(.yourTurn, at: Self.noon, wishes, lastSent: ago) == .now(silently: false))
    }
    // A clock that was set back holds nobody for longer.
    #expect(
      plan(.yourTurn, at: Self.noon, wishes, lastSent: -900)
        == .later(until: Self.wholeMinute(Self.noon.adding(seconds: 300)), .bundle))
    let alone = try preferences(isBundled: false)
    #expect(plan(.yourTurn, at: Self.noon, alone, lastSent: 100) == .now(silently: false))
  }

  @Test("News that have waited for others wait for no more, however many come in between")
  func onceOnly() throws {
    #expect(
      plan(.matchEnded, at: Self.noon, try preferences(), lastSent: 1, hasWaited: true)
        == .now(silently: false))
    #expect(
      plan(.matchEnded, at: Self.noon, try preferences(), lastSent: 1)
        == .later(until: Self.wholeMinute(Self.noon.adding(seconds: 299)), .bundle))
  }

  @Test("News that come within a minute wait until the same moment; those of other players do not")
  func sameMoment() throws {
    func until(_ player: UInt128, _ seconds: Int64) throws -> Instant? {
      let now = Self.noon.adding(seconds: seconds)
      let job = PushJob(
        id: PushJobID(rawValue: 1), kind: .matchEnded, player: PlayerID(rawValue: player))
      let details = PushStore.Details(preferences: try preferences(), lastSentAt: now, readAt: now)
      guard case .later(let until, .bundle) = PushPolicy.plan(job, details, zones: .utc) else {
        return nil
      }
      return until
    }
    let moments = try (1...9).map { try until(2, $0) }
    #expect(Set(moments).count == 1 && moments[0] != nil)
    #expect(try until(2, 1) != until(40_000_000, 1))
    for player in [UInt128.max, 0, 59_999_999] {
      let wait = try #require(try until(player, 7)).microseconds(
        since: Self.noon.adding(seconds: 7))
      #expect(300_000_000..<360_000_000 ~= wait)
    }
  }

  @Test("A turn waits after turns alone, and other news after any")
  func turnsFirst() throws {
    func plan(_ kind: PushJob.Kind, afterTurn: Bool) throws -> PushPlan {
      let job = PushJob(id: PushJobID(rawValue: 1), kind: kind, player: PlayerID(rawValue: 2))
      let last = Self.noon.adding(seconds: -100)
      return PushPolicy.plan(
        job,
        PushStore.Details(
          preferences: try preferences(), lastSentAt: last, lastTurnSentAt: afterTurn ? last : nil,
          readAt: Self.noon), zones: .utc)
    }
    for kind in PushJob.Kind.allCases where kind.topic != nil {
      #expect(try plan(kind, afterTurn: true) != .now(silently: false))
      #expect(
        try (plan(kind, afterTurn: false) == .now(silently: false)) == (kind.topic == .turn))
    }
  }

  @Test("A turn that ends soon is not held for others, and none waits into quiet hours")
  func noBundle() throws {
    let wishes = try preferences()
    let wait = Self.wholeMinute(Self.noon.adding(seconds: 200)).microseconds(since: Self.noon)
    let short = wait / 1_000_000 + 600
    #expect(
      plan(.yourTurn, at: Self.noon, wishes, expires: short, lastSent: 100)
        == .now(silently: false))
    #expect(
      plan(.yourTurn, at: Self.noon, wishes, expires: short + 1, lastSent: 100)
        == .later(until: Self.wholeMinute(Self.noon.adding(seconds: 200)), .bundle))
    // The relay may publish it some minutes after 21:50, and quiet hours begin at 22:00.
    let evening = Self.noon.adding(seconds: 10 * 3_600)
    for seconds in stride(from: Int64(1), through: 13 * 60, by: 7) {
      let plan = plan(.yourTurn, at: evening.adding(seconds: -seconds), wishes, lastSent: 100)
      #expect(plan == .now(silently: false))
    }
    #expect(
      plan(.yourTurn, at: evening.adding(seconds: -15 * 60), wishes, lastSent: 100)
        != .now(silently: false))
  }

  /// A job on its way through a year.
  private struct Waiting {
    var job: PushJob
    var expiresAt: Instant?
    var at: Instant
    var holds: [HoldReason] = []
  }

  @Test(
    "In a year in twenty zones nothing that could wait disturbs the quiet hours, and nothing waits longer",
    arguments: TimeZoneFileTests.year2023.map(\.zone))
  func year(zone: String) throws {
    let zones = TimeZones.files()
    var random = SplitMix64(
      state: Hash(sha256Of: Array(zone.utf8)).bytes.reduce(0) {
        $0 << 3 ^ UInt64($1)
      })
    let clock = LocalClock(TimeZoneName(zone), zones)
    for _ in 0..<3 {
      let (from, until) = (
        MinuteOfDay(Int.random(in: 1_200..<1_440, using: &random)),
        MinuteOfDay(Int.random(in: 0..<600, using: &random))
      )
      let late = QuietHours.Late.allCases.randomElement(using: &random) ?? .silent
      let (start, end) = (try #require(from), try #require(until))
      let hours = try #require(QuietHours(from: start, until: end, late: late))
      let wishes = PushPreferences(timeZone: TimeZoneName(zone), quietHours: hours)
      var waiting = (0..<600).map { number in
        Self.anyJob(UInt128(number), from: 1_704_067_200, &random)
      }
      var (lastSent, lastTurn): (Instant?, Instant?)
      var ends = 0
      while let next = waiting.indices.min(by: { waiting[$0].at < waiting[$1].at }) {
        var item = waiting.remove(at: next)
        let now = item.at
        let details = PushStore.Details(
          preferences: wishes, expiresAt: item.expiresAt,
          lastSentAt: lastSent.flatMap { now.microseconds(since: $0) < 300_000_000 ? $0 : nil },
          lastTurnSentAt: lastTurn.flatMap {
            now.microseconds(since: $0) < 300_000_000 ? $0 : nil
          }, readAt: now)
        let isQuiet = hours.contains(clock.minute(at: now))
        let mayWait = item.job.kind != .account && item.job.kind != .test
        // The first minute of the clock that is not quiet.
        var end = now
        while hours.contains(clock.minute(at: end)) {
          end = end.adding(microseconds: 60_000_000 - end.microseconds % 60_000_000)
        }
        let couldWait = item.expiresAt.map { end.adding(seconds: 600) <= $0 } ?? true
        switch PushPolicy.plan(item.job, details, zones: zones) {
        case .now(let silently):
          #expect(!isQuiet || !mayWait || silently && !couldWait && late == .silent)
          #expect(!silently || isQuiet)
          if item.job.kind.topic != nil, !silently { lastSent = now }
          if item.job.kind.topic == .turn, !silently { lastTurn = now }
          ends += 1
        case .never(let reason):
          switch reason {
          case .expired: #expect(item.expiresAt.map { $0 <= now } == true)
          case .quietHours: #expect(isQuiet && !couldWait && late == .dropped)
          default: Issue.record("dropped as \(reason)")
          }
          ends += 1
        case .later(let until, let reason):
          #expect(until > now)
          switch reason {
          case .quietHours:
            #expect(isQuiet && mayWait && couldWait && until == end)
            #expect(!item.holds.contains(.quietHours))
          case .bundle:
            #expect(!isQuiet && item.job.kind.topic != nil)
            let last = item.job.kind.topic == .turn ? lastTurn : lastSent
            #expect(
              last.map { 300_000_000..<360_000_000 ~= until.microseconds(since: $0) } == true)
            // However late the relay is, it comes with a sound.
            for minute in Int64(0)...10 {
              #expect(!hours.contains(clock.minute(at: until.adding(seconds: 60 * minute))))
            }
            // However many others come in between, it waits for them once.
            #expect(!item.job.hasWaitedForOthers)
          }
          item.holds.append(reason)
          item.job.hasWaitedForOthers = reason == .bundle
          item.at = until
          waiting.append(item)
        }
      }
      #expect(ends == 600)
    }
  }

  private static func anyJob(
    _ number: UInt128, from start: Int64, _ random: inout SplitMix64
  ) -> Waiting {
    let kind = PushJob.Kind.allCases.randomElement(using: &random) ?? .yourTurn
    let turns = Bool.random(using: &random)
    let at = Instant(microseconds: 0).adding(
      seconds: start + Int64.random(in: 0..<(366 * day), using: &random))
    var expiresAt: Instant?
    if Bool.random(using: &random) {
      let limit: Int64 = Bool.random(using: &random) ? 3_600 : 3 * day
      expiresAt = at.adding(seconds: Int64.random(in: 1...limit, using: &random))
    }
    return Waiting(
      job: PushJob(
        id: PushJobID(rawValue: number), kind: turns ? .yourTurn : kind,
        player: PlayerID(rawValue: 1)),
      expiresAt: expiresAt, at: at)
  }
}
