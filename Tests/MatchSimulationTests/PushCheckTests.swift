import MatchCore
import MatchInterfaces
import Testing

@testable import MatchSimulation

@Suite("Checking notifications as they come")
struct PushCheckTests {
  private let store = SimulatedStore(clock: VirtualClock(World.start))
  private let player = PlayerID(rawValue: 1)
  private var zone: TimeZoneName { get throws { try #require(TimeZoneName("Asia/Kathmandu")) } }

  private func notification(
    _ kind: PushJob.Kind = .yourTurn, topic: String = "match-1", isSilent: Bool = false
  ) -> SimulatedProvider.Made {
    let job = PushJob(id: PushJobID(rawValue: 1), kind: kind, player: player)
    return SimulatedProvider.Made(
      notification: PushNotification(
        job: job, title: "", body: "", collapseKey: topic, isSilent: isSilent),
      at: store.clock.now)
  }

  /// The findings after some takings of one job, each with a doubt or not.
  private func takings(
    _ topics: [(topic: String, told: PushCheck.Told)], isRepeated: Bool = false
  ) -> [String] {
    var check = PushCheck(zones: .simulated) { _ in isRepeated }
    for (topic, told) in topics {
      check.take(notification(topic: topic), told: told, store) { _ in nil }
    }
    return check.violations
  }

  @Test("A job that comes twice without a doubt is found, and one in doubt may come once more")
  func twice() {
    #expect(takings([("a", .taken)]).isEmpty)
    #expect(takings([("a", .taken), ("a", .taken)]).count == 1)
    for told in [PushCheck.Told.nothing, .otherwise] {
      #expect(takings([("a", told), ("a", .taken)]).isEmpty)
      #expect(takings([("a", told), ("a", .taken), ("a", .taken)]).count == 1)
    }
  }

  @Test("A push worker that ended with a job in hand leaves a doubt about this job alone")
  func ended() {
    for (queued, count) in [([PushJobID(rawValue: 1): 1], 0), ([PushJobID(rawValue: 2): 1], 1)] {
      var check = PushCheck(zones: .simulated)
      for _ in 0..<2 {
        check.note(notification().notification)
        check.take(notification(), told: .taken, store) { _ in nil }
        check.beginLife(whileQueued: queued)
      }
      #expect(check.violations.count == count)
    }
  }

  @Test("A second one with another topic is found, but for a job that was one of several")
  func topics() {
    #expect(takings([("a", .nothing), ("b", .taken)]).count == 1)
    for many in ["turns", "offers", "invitations", "news-5"] {
      #expect(takings([("a", .nothing), (many, .taken)]).count == 1)
      #expect(takings([(many, .nothing), ("a", .taken)]).isEmpty)
    }
    #expect(takings([("news-5", .nothing), ("news-6", .taken)]).isEmpty)
    #expect(takings([("news-5", .taken), ("news-6", .taken)]).count == 1)
  }

  @Test("A job alone may come again among others if its worker could not see the doubt")
  func hiddenDoubts() {
    #expect(takings([("a", .otherwise), ("turns", .taken)]).isEmpty)
    #expect(takings([("a", .nothing), ("turns", .taken)], isRepeated: true).isEmpty)
    #expect(takings([("a", .otherwise), ("b", .taken)], isRepeated: true).count == 1)
    // Two messages have it, and its worker ended.
    for (count, findings) in [(1, 1), (2, 0)] {
      var check = PushCheck(zones: .simulated)
      check.note(notification().notification)
      check.take(notification(), told: .taken, store) { _ in nil }
      check.beginLife(whileQueued: [PushJobID(rawValue: 1): count])
      check.take(notification(topic: "turns"), told: .taken, store) { _ in nil }
      #expect(check.violations.count == findings)
    }
  }

  @Test("In quiet hours only what cannot wait may come, and as its player wants it")
  func quiet() throws {
    // 12:00 by UTC is 17:45 there.
    let noon = Day(containing: World.start).start.adding(seconds: 43_200)
    store.clock.advance(microseconds: noon.microseconds(since: store.clock.now))
    // Until 12:15 by UTC.
    let (from, until) = (try #require(MinuteOfDay("17:45")), try #require(MinuteOfDay("18:00")))
    func found(
      _ kind: PushJob.Kind, late: QuietHours.Late, isSilent: Bool, expires seconds: Int64?
    ) throws -> Int {
      let hours = QuietHours(from: from, until: until, late: late)
      store.settings[player] = PlayerSettings(
        push: PushPreferences(timeZone: try zone, quietHours: hours))
      var check = PushCheck(zones: .simulated)
      check.take(notification(kind, isSilent: isSilent), told: .taken, store) { _ in
        seconds.map { noon.adding(seconds: $0) }
      }
      return check.violations.count
    }
    for kind in [PushJob.Kind.account, .test] {
      #expect(try found(kind, late: .dropped, isSilent: false, expires: nil) == 0)
    }
    for late in QuietHours.Late.allCases {
      for seconds in [nil, Int64(900 + 600)] {
        #expect(try found(.yourTurn, late: late, isSilent: true, expires: seconds) == 1)
      }
    }
    let soon: Int64 = 900 + 599
    #expect(try found(.yourTurn, late: .silent, isSilent: true, expires: soon) == 0)
    #expect(try found(.yourTurn, late: .silent, isSilent: false, expires: soon) == 1)
    #expect(try found(.yourTurn, late: .dropped, isSilent: true, expires: soon) == 1)
    store.clock.advance(microseconds: 900_000_000)
    #expect(try found(.yourTurn, late: .dropped, isSilent: false, expires: nil) == 0)
    store.clock.advance(microseconds: -900_000_001)
    #expect(try found(.yourTurn, late: .dropped, isSilent: false, expires: nil) == 0)
  }

  @Test("Only what ends is dropped in quiet hours, and as its player wants it")
  func dropped() throws {
    let noon = Day(containing: World.start).start.adding(seconds: 43_200)
    let (from, until) = (try #require(MinuteOfDay("12:00")), try #require(MinuteOfDay("12:15")))
    func found(
      _ reason: PushReason, at seconds: Int64 = 0, late: QuietHours.Late = .dropped,
      expires end: Int64?
    ) -> Int {
      var check = PushCheck(zones: .simulated)
      let details = PushStore.Details(
        preferences: PushPreferences(quietHours: QuietHours(from: from, until: until, late: late)),
        expiresAt: end.map { noon.adding(seconds: $0) }, readAt: noon.adding(seconds: seconds))
      check.drop(notification().notification.job, reason, details)
      return check.violations.count
    }
    #expect(found(.quietHours, expires: 900 + 599) == 0)
    #expect(found(.quietHours, expires: 900 + 600) == 1)
    #expect(found(.quietHours, expires: nil) == 1)
    #expect(found(.quietHours, late: .silent, expires: 900) == 1)
    #expect(found(.quietHours, at: 900, expires: 901) == 1)
    #expect(found(.expired, at: 60, expires: 60) == 0)
    #expect(found(.expired, at: 60, expires: 61) == 1)
    #expect(found(.answered, expires: 900) == 0)
  }
}
