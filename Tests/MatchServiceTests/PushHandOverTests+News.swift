import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

extension PushHandOverTests {
  @Test("News of one player that are due at once are one notification, and each has its result")
  func bundle() throws {
    begin([Self.device("a", "https://a.example/1")])
    lab.expectJobs { _ in
      .due(PushStore.Details(devices: [Self.device("a", "https://a.example/1")]))
    }
    post.atOnce = { _ in Self.answered(201) }
    for number in 1...3 { lab.deliver(UInt128(number)) }
    lab.deliver(4, .matchEnded)
    lab.deliver(5, .dailyReady)
    try lab.worker.step()
    #expect(post.sent.count == 2)
    #expect(
      lab.acts == [
        "delivered 1, delivered 2, delivered 3, delivered 4, delivered 5", "ack 1, 2, 3, 4, 5",
      ])
    #expect(lab.answers.count == 2)
  }

  @Test(
    "News wait while another notification of their player's matches is on its way, with a sound")
  func onItsWay() throws {
    for (first, isSilent, isHeld) in [
      (PushJob.Kind.matchEnded, false, true), (.matchEnded, true, false),
      (.dailyReady, false, false),
    ] {
      let test = PushHandOverTests()
      test.begin([])
      let device = Self.device("a", "https://a.example/1")
      let quiet = QuietHours(
        from: try #require(MinuteOfDay(0)), until: try #require(MinuteOfDay(1)))
      test.lab.expectJobs { job in
        var details = PushStore.Details(devices: [device])
        if isSilent, job.kind == first {
          (details.preferences.quietHours, details.expiresAt) = (
            quiet, details.readAt.adding(seconds: 5)
          )
        }
        return .due(details)
      }
      test.lab.plan = { PushPolicy.plan($0, $1, zones: TimeZones.files()) }
      test.lab.deliver(1, first)
      try test.lab.worker.step()
      #expect(test.post.sent.count == 1 && test.lab.acts.isEmpty)
      test.lab.deliver(2, .invited)
      try test.lab.worker.step()
      #expect(test.post.sent.count == (isHeld ? 1 : 2))
      #expect(test.lab.acts == (isHeld ? ["held 2 bundle", "ack 2"] : []))
    }
  }

  @Test("News of many players that are due at once are one notification for each player")
  func herd() throws {
    begin([])
    lab.expectJobs { _ in
      .due(PushStore.Details(devices: [Self.device("a", "https://a.example/1")]))
    }
    post.atOnce = { _ in Self.answered(201) }
    lab.settings.batchLimit = 3
    for number in 1...9 {
      lab.deliver(UInt128(number), .matchEnded, to: [.ann, .bob, .cyd][(number - 1) / 3])
    }
    for _ in 0..<6 { try lab.worker.step() }
    #expect(post.sent.count == 3)
  }

  @Test("Of a player's news that the broker delivers again, one makes a sound")
  func redeliveredNews() throws {
    begin([])
    let device = Self.device("a", "https://a.example/1")
    lab.expectJobs { _ in .due(PushStore.Details(devices: [device])) }
    lab.plan = { PushPolicy.plan($0, $1, zones: TimeZones.files()) }
    let sent = Sent()
    lab.provider = .each {
      sent.add($0)
      return .taken
    }
    for number in 1...3 { lab.deliver(UInt128(number), .matchEnded, deliveryCount: 2) }
    try lab.worker.step()
    #expect(sent.all.map(\.isSilent) == [false, true, true])
    #expect(Set(sent.all.map(\.collapseKey)).count == 3)
  }

  @Test("A turn waits for no lesser news on their way, and lesser news wait for a turn")
  func turnsFirst() throws {
    for (first, second, isHeld) in [
      (PushJob.Kind.reacted, PushJob.Kind.yourTurn, false), (.yourTurn, .invited, true),
      (.yourTurn, .nudged, true), (.invited, .matchEnded, true),
    ] {
      let test = PushHandOverTests()
      test.begin([])
      let device = Self.device("a", "https://a.example/1")
      test.lab.expectJobs { _ in .due(PushStore.Details(devices: [device])) }
      test.lab.plan = { PushPolicy.plan($0, $1, zones: TimeZones.files()) }
      test.lab.deliver(1, first)
      try test.lab.worker.step()
      test.lab.deliver(2, second)
      try test.lab.worker.step()
      #expect(test.post.sent.count == (isHeld ? 1 : 2), "\(first), \(second)")
    }
  }

  @Test("Two workers that each have turns of a player send two notifications of the same key")
  func splitBundle() throws {
    var keys: [String] = []
    for numbers in [[1, 2], [3, 4], [5]] as [[UInt128]] {
      let test = PushHandOverTests()
      test.begin([])
      test.lab.expectJobs { _ in .due(PushStore.Details()) }
      let sent = Sent()
      test.lab.provider = .each {
        sent.add($0)
        return .taken
      }
      for number in numbers { test.lab.deliver(number) }
      try test.lab.worker.step()
      #expect(sent.all.map { $0.jobs.map(\.id.rawValue) } == [numbers])
      keys += sent.all.map(\.collapseKey)
    }
    #expect(keys.prefix(2) == ["turns", "turns"] && keys.last != "turns")
  }
}
