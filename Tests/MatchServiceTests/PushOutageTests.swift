import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Push services that are down or full")
struct PushOutageTests {
  private static let maker = "https://fcm.googleapis.com/fcm/send/x"
  private static let other = "https://web.push.apple.com/x"
  private static let hour: Int64 = 3_600

  /// A push worker of browsers' devices, and its retry queues.
  private final class Scene {
    let post = ExchangeLab()
    let lab = PushLab()
    var outcomes: [PushJobID: PushStore.Outcome] = [:]
    private var waiting: [(due: Instant, delivery: PushBus.Delivery)] = []
    private var lastTag: UInt64 = 1_000_000

    init() throws {
      let key = try #require(PushSigningKey(randomness: .seeded(1)))
      lab.providers = [
        .webPush(key: key, contact: "mailto:push@play.example", randomness: .seeded(2))
      ]
      lab.exchange = post.exchange
      lab.expectRecord()
      lab.expectRetry()
    }

    var now: Instant {
      Instant.noon.adding(microseconds: Int64(lab.clock.uptime / 1_000) - 1_000_000)
    }

    func owe(
      _ number: UInt128, _ kind: PushJob.Kind = .yourTurn, to player: TestPlayer = .ann
    ) {
      lab.deliver(number, kind, to: player, publishedAt: now)
    }

    /// Keeps the copies until their time.
    /// - Parameter isShort: Whether all long delays are as short as they can be.
    func keepCopies(isShort: Bool) {
      lab.bus.retry.answer { [unowned self] delayed in
        lab.copies += delayed
        for copy in delayed {
          let fifth = UInt64(copy.delay.rawValue) * 200
          let wait = copy.delay.milliseconds(random: isShort ? fifth : 0)
          lastTag += 1
          var delivery = copy.delivery
          (delivery.tag, delivery.attempts) = (lastTag, copy.attempts)
          (delivery.reached, delivery.isInDoubt) = (copy.reached, copy.isInDoubt)
          waiting.append((now.adding(microseconds: wait * 1_000), delivery))
        }
      }
      lab.store.record.answer { [unowned self] results in
        for outcome in results.outcomes { outcomes[outcome.job.id] = outcome }
      }
    }

    func minute() throws {
      lab.clock.pass(.seconds(60))
      lab.arriving += waiting.filter { $0.due <= now }.map(\.delivery)
      waiting.removeAll { $0.due <= now }
      for _ in 0..<2 { try lab.worker.step() }
    }

    func count(to url: String) -> Int { post.sent.count { $0.request.url == url } }
  }

  static func answered(_ status: Int) -> Result<PushResponse, PushFailure> {
    .success(PushResponse(status: status))
  }

  private static func details(_ devices: [Device]) -> PushStore.Details {
    var details = PushStore.Details.plain
    details.devices = devices
    return details
  }

  @Test(
    "A maker's push service that is down for a day is caught up with; what has ended is counted so",
    arguments: [true, false],
    [PushOutageTests.answered(503), .failure(PushFailure(reason: "no answer"))])
  func day(isShort: Bool, trouble: Result<PushResponse, PushFailure>) throws {
    let scene = try Scene()
    let device = try WebPushProviderTests.device(endpoint: Self.maker)
    // The half of the first turns ends after six hours.
    func end(of number: UInt128) -> Instant? {
      guard number < 18, number % 2 == 1 else { return nil }
      return Instant.noon.adding(seconds: Int64(number) * Self.hour + 6 * Self.hour)
    }
    scene.keepCopies(isShort: isShort)
    let zones = TimeZones.files()
    scene.lab.plan = { PushPolicy.plan($0, $1, zones: zones) }
    scene.lab.expectJobs { job in
      var details = Self.details([device])
      (details.readAt, details.expiresAt) = (scene.now, end(of: job.id.rawValue))
      return .due(details)
    }
    for minute in 0..<(32 * 60) {
      if minute % 60 == 0, minute < 24 * 60 { scene.owe(UInt128(minute / 60)) }
      // Nobody who tried the notifications waits for one after an hour.
      if minute == 60 { scene.owe(100, .test) }
      let isDown = minute < 24 * 60
      scene.post.atOnce = { _ in isDown ? trouble : Self.answered(201) }
      try scene.minute()
    }
    #expect(scene.outcomes.count == 25)
    for (id, outcome) in scene.outcomes {
      let isEnded = id.rawValue == 100 || end(of: id.rawValue) != nil
      #expect(outcome.fate == (isEnded ? .dropped : .delivered), "\(id.rawValue)")
      #expect(outcome.reason == (isEnded ? .expired : nil), "\(id.rawValue)")
    }
    // No dead letter.
    #expect(!scene.lab.acts.contains { $0.hasPrefix("bury") })
  }

  @Test("A client's own server that is down has no more attempts than before, and no dead letter")
  func strange() throws {
    let scene = try Scene()
    let device = try WebPushProviderTests.device(endpoint: "https://push.example/x")
    scene.keepCopies(isShort: false)
    scene.lab.expectJobs { _ in .due(Self.details([device])) }
    scene.post.atOnce = { _ in Self.answered(503) }
    scene.owe(1)
    for _ in 0..<(8 * 60) { try scene.minute() }
    #expect(scene.post.sent.count == 8)
    #expect(scene.outcomes.values.map(\.reason) == [.exhausted])
    #expect(scene.outcomes.values.map(\.fate) == [.dropped])
  }

  // MARK: Full origins

  /// A scene in which the maker's push service is mute and has no room. Ann's jobs fill it; Bob has
  /// a device there and another one elsewhere.
  private static func full() throws -> Scene {
    let scene = try Scene()
    let mute = try WebPushProviderTests.device("mute", endpoint: maker)
    let quick = try WebPushProviderTests.device("quick", endpoint: other)
    scene.lab.settings.originLimit = 2
    scene.lab.expectJobs { job in
      .due(details(job.player == TestPlayer.ann.id ? [mute] : [mute, quick]))
    }
    scene.post.atOnce = { $0.url == other ? answered(201) : nil }
    for number in UInt128(1)...6 { scene.owe(number, .matchEnded) }
    for _ in 0..<3 { try scene.lab.worker.step() }
    // Two are on their way, two wait for a place, and two wait in the line.
    #expect(scene.count(to: maker) == 2 && scene.lab.copies.isEmpty)
    return scene
  }

  @Test("A player's second device is told at once, though the push service of the first is full")
  func fullOrigin() throws {
    let scene = try Self.full()
    let lab = scene.lab
    scene.owe(10, .matchEnded, to: .bob)
    for _ in 0..<3 { try lab.worker.step() }
    let quick = try #require(DeviceName("quick"))
    #expect(scene.count(to: Self.other) == 1 && scene.count(to: Self.maker) == 2)
    #expect(lab.acts == ["retry 7 after 10", "delivered 10"])
    // No request was made, so it was no attempt, and no device has an answer of it.
    let copy = try #require(lab.copies.first)
    #expect(copy.attempts == 0 && copy.reached == [quick] && !copy.isInDoubt)
    #expect(lab.answers.map(\.counted) == ["taken 201"])
    #expect(lab.worker.trouble == nil)
    // The copy waits in hand for a place: it does not go to and fro.
    lab.acts = []
    var delivery = copy.delivery
    (delivery.tag, delivery.reached) = (99, copy.reached)
    lab.arriving = [delivery]
    for _ in 0..<50 {
      lab.clock.pass(.seconds(10))
      try lab.worker.step()
    }
    #expect(lab.acts == [] && lab.copies.count == 1)
    // The push service answers again.
    scene.post.atOnce = { _ in Self.answered(201) }
    for place in scene.post.sent.indices where scene.post.sent[place].request.url == Self.maker {
      scene.post.answer(place, Self.answered(201))
    }
    for _ in 0..<10 { try lab.worker.step() }
    #expect(scene.count(to: Self.maker) == 7 && scene.count(to: Self.other) == 1)
    #expect(lab.acts.contains { $0.hasPrefix("ack 99") }, "\(lab.acts)")
  }

  @Test("A job that no device takes while an origin is full has lost an attempt, and ends")
  func fullWithoutProgress() throws {
    for (attempts, act) in [(0, "retry 7 after 10"), (11, "retry 7 after 18000")] {
      let scene = try Self.full()
      scene.post.atOnce = { $0.url == Self.other ? Self.answered(503) : nil }
      scene.lab.deliver(10, .matchEnded, to: .bob, attempts: attempts)
      for _ in 0..<3 { try scene.lab.worker.step() }
      #expect(scene.lab.acts == [act])
      #expect(scene.lab.copies.map(\.attempts) == [attempts + 1])
    }
    let scene = try Self.full()
    scene.post.atOnce = { $0.url == Self.other ? Self.answered(503) : nil }
    scene.lab.deliver(10, .matchEnded, to: .bob, attempts: 12)
    for _ in 0..<3 { try scene.lab.worker.step() }
    #expect(scene.lab.acts == ["dropped 10", "ack 7"])
  }

  @Test("A job all of whose origins are full keeps its place, and no copy is made")
  func allFull() throws {
    let scene = try Self.full()
    scene.post.atOnce = { _ in nil }
    for number in UInt128(10)...14 { scene.owe(number, .matchEnded, to: .bob) }
    for _ in 0..<10 { try scene.lab.worker.step() }
    // The quick one is mute as well, and has room for four.
    #expect(scene.count(to: Self.other) == 2)
    #expect(scene.lab.copies.isEmpty && scene.lab.acts == [])
  }

  // MARK: Ends

  @Test(
    "A job without an end is dropped once its kind's time is over, but a turn that is due is told",
    arguments: PushJob.Kind.allCases)
  func outlived(kind: PushJob.Kind) throws {
    let isTurn = [.yourTurn, .turnRunningOut, .nudged].contains(kind)
    for (age, isEnded) in [(kind.standardSeconds, !isTurn), (kind.standardSeconds - 1, false)] {
      let lab = PushLab()
      let sent = Sent()
      var outcomes: [PushStore.Outcome] = []
      lab.provider = .each {
        sent.add($0)
        return .taken
      }
      lab.expectJobs { _ in
        var details = PushStore.Details.plain
        details.readAt = .noon
        return .due(details)
      }
      lab.store.record.answer { outcomes += $0.outcomes }
      let publishedAt = Instant.noon.adding(seconds: -age)
      lab.deliver(1, kind, attempts: 3, publishedAt: publishedAt)
      // Nobody knows when it was published.
      lab.deliver(2, kind)
      try lab.worker.step()
      #expect(outcomes.map(\.reason) == (isEnded ? [.expired, nil] : [nil, nil]))
      #expect(sent.all.map(\.job.id.rawValue) == (isEnded ? [2] : [1, 2]))
      // Push services keep a notification no longer than it is of use.
      guard !isEnded, !isTurn else { continue }
      #expect(sent.all[0].expiresAt == Instant.noon.adding(seconds: 1))
    }
  }

  @Test("A time of publication that a stranger wrote does no harm")
  func strangeTimes() throws {
    for (publishedAt, isEnded) in [(Int64.min, true), (0, true), (.max, false)] {
      let lab = PushLab()
      lab.provider = .taking
      lab.expectRecord()
      lab.expectJobs { _ in
        var details = PushStore.Details.plain
        details.readAt = .noon
        return .due(details)
      }
      lab.deliver(1, .matchEnded, publishedAt: Instant(microseconds: publishedAt))
      try lab.worker.step()
      #expect(lab.acts == [isEnded ? "dropped 1" : "delivered 1", "ack 1"])
    }
  }
}
