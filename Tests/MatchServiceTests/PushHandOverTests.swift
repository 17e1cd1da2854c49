import MatchCore
import MatchInterfaces
import Synchronization
import Testing

@testable import MatchService

/// An exchange in memory. A test answers the requests that it has taken.
final class ExchangeLab {
  var sent: [(number: UInt64, request: PushRequest)] = []
  private var ready: [(number: UInt64, answer: Result<PushResponse, PushFailure>)] = []
  /// Answers at once by the URL; nil: not yet.
  var atOnce: (PushRequest) -> Result<PushResponse, PushFailure>? = { _ in nil }

  var exchange: PushExchange {
    PushExchange(
      send: { [self] number, request in
        sent.append((number, request))
        if let answer = atOnce(request) { ready.append((number, answer)) }
      },
      answers: { [self] _ in
        defer { ready = [] }
        return ready
      })
  }

  func answer(_ place: Int, _ answer: Result<PushResponse, PushFailure>) {
    ready.append((sent[place].number, answer))
  }

  func count(to origin: String) -> Int { sent.count { $0.request.url.hasPrefix(origin) } }
}

@Suite("Notifications on their way")
struct PushHandOverTests {
  private static func name(_ text: String) -> DeviceName {
    guard let name = DeviceName(text) else { preconditionFailure("no name: \(text)") }
    return name
  }

  /// A device whose token is the URL of its push service.
  static func device(_ name: String, _ url: String) -> Device {
    Device(name: Self.name(name), route: .app(token: url), permission: .authorized)
  }

  /// One request a device, to the URL in its token.
  private static func provider(isForeign: Bool = true) -> PushProvider {
    PushProvider(name: "test", service: .app) { notification, _ in
      notification.devices.map { device in
        let request = PushRequest(
          url: device.token ?? "", headers: [:], body: [], isForeign: isForeign)
        return PushParcel(
          device: device,
          work: .request(request) { response in
            switch response.status {
            case 201: .taken
            case 410: .gone("gone")
            case 429, 503: .later("answered \(response.status)", after: response.retryAfter)
            default: .refused("answered \(response.status)")
            }
          })
      }
    }
  }

  let post = ExchangeLab()
  let lab = PushLab()

  /// A lab in which each player has the same devices.
  func begin(_ devices: [Device]) {
    lab.providers = [Self.provider()]
    lab.exchange = post.exchange
    lab.expectRecord()
    lab.expectRetry()
    var details = PushStore.Details.plain
    details.devices = devices
    lab.expectJobs { _ in .due(details) }
  }

  static func answered(_ status: Int) -> Result<PushResponse, PushFailure> {
    .success(PushResponse(status: status))
  }

  @Test("A job is done when every device has its answer, and one that took it is enough")
  func several() throws {
    begin([Self.device("a", "https://a.example/1"), Self.device("b", "https://b.example/1")])
    lab.deliver(1)
    #expect(try lab.worker.step() == 0)
    #expect(post.sent.map(\.request.url) == ["https://a.example/1", "https://b.example/1"])
    post.answer(0, Self.answered(400))
    #expect(try lab.worker.step() == 0)
    #expect(lab.acts == [])
    post.answer(1, Self.answered(201))
    #expect(try lab.worker.step() == 1)
    #expect(lab.acts == ["delivered 1", "ack 1"])
    #expect(lab.answers.map(\.counted) == ["refused 400", "taken 201"])
  }

  @Test("A job of which a device has enough and another not yet goes on to that one alone")
  func remaining() throws {
    let devices = [
      Self.device("a", "https://a.example/1"), Self.device("b", "https://b.example/1"),
    ]
    begin(devices)
    var details = PushStore.Details.plain
    details.devices = devices
    var isDelivered = false
    lab.expectJobs { _ in isDelivered ? .delivered(details) : .due(details) }
    post.atOnce = { Self.answered($0.url.hasPrefix("https://a") ? 201 : 503) }
    lab.deliver(1)
    try lab.worker.step()
    // The copy is safe before the job counts as delivered.
    #expect(lab.acts == ["retry 1 after 1", "delivered 1"])
    #expect(lab.copies.map(\.reached) == [[Self.name("a")]])
    #expect(lab.answers.map(\.counted) == ["taken 201", "later 503"])
    // The copy comes, while the store knows the job as delivered.
    isDelivered = true
    post.atOnce = { _ in Self.answered(201) }
    post.sent = []
    lab.acts = []
    lab.deliver(1, attempts: 1, reached: [Self.name("a")])
    try lab.worker.step()
    #expect(post.sent.map(\.request.url) == ["https://b.example/1"])
    #expect(lab.acts == ["delivered 1", "ack 2"])
    // Without the header it is only a repetition.
    lab.acts = []
    post.sent = []
    lab.deliver(1)
    try lab.worker.step()
    #expect(post.sent.isEmpty)
    #expect(lab.acts == ["ack 3"])
  }

  @Test("A worker killed after the copy and before the record leaves a copy that goes on")
  func killedBetween() throws {
    begin([Self.device("a", "https://a.example/1"), Self.device("b", "https://b.example/1")])
    post.atOnce = { _ in Self.answered(201) }
    // The store does not know that it was delivered.
    lab.deliver(1, attempts: 1, reached: [Self.name("a")])
    try lab.worker.step()
    #expect(post.sent.map(\.request.url) == ["https://b.example/1"])
    #expect(lab.acts == ["delivered 1", "ack 1"])
  }

  @Test("A broker that goes before the copy is safe keeps the job from counting as delivered")
  func noCopy() {
    begin([Self.device("a", "https://a.example/1"), Self.device("b", "https://b.example/1")])
    post.atOnce = { Self.answered($0.url.hasPrefix("https://a") ? 201 : 503) }
    lab.bus.retry.fail(with: .disconnected("gone"))
    lab.bus.close.answer {}
    lab.deliver(1)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.worker.step() }
    lab.worker.leave()
    #expect(lab.acts == [])
  }

  @Test("The last device of a delivered job may fail for good: the job stays delivered")
  func exhausted() throws {
    for (attempts, status) in [(7, 503), (0, 400), (0, 410)] {
      let test = PushHandOverTests()
      test.begin([Self.device("a", "https://a.example/1"), Self.device("b", "https://b.example/")])
      test.post.atOnce = { _ in Self.answered(status) }
      test.lab.deliver(1, attempts: attempts, reached: [Self.name("a")])
      try test.lab.worker.step()
      #expect(test.lab.acts == ["delivered 1", "ack 1"], "\(status)")
    }
  }

  @Test("A job whose devices are all gone is dropped, and one without a provider too")
  func gone() throws {
    begin([Self.device("a", "https://a.example/1")])
    post.atOnce = { _ in Self.answered(410) }
    lab.deliver(1)
    try lab.worker.step()
    #expect(lab.acts == ["dropped 1", "ack 1"])
    #expect(lab.answers.map(\.verdict) == [.gone])
    #expect(lab.answers.map(\.devices) == [[Self.device("a", "https://a.example/1")]])

    let other = PushHandOverTests()
    other.begin([
      Device(
        name: Self.name("a"), route: .apns(token: String(repeating: "0", count: 64)),
        permission: .authorized)
    ])
    var reasons: [PushReason?] = []
    other.lab.store.record.answer { reasons += $0.outcomes.map(\.reason) }
    other.lab.deliver(1)
    try other.lab.worker.step()
    other.begin([])
    other.lab.store.record.answer { reasons += $0.outcomes.map(\.reason) }
    #expect(reasons == [.noProvider])
  }

  @Test("An origin that never answers holds up nobody, and has its limit of requests")
  func slowOrigin() throws {
    begin([])
    lab.expectJobs { job in
      var details = PushStore.Details.plain
      let host = job.player == TestPlayer.ann.id ? "slow" : "quick"
      details.devices = [Self.device("a", "https://\(host).example/\(job.id.rawValue)")]
      return .due(details)
    }
    post.atOnce = { $0.url.hasPrefix("https://quick") ? Self.answered(201) : nil }
    for number in 1...600 {
      lab.deliver(UInt128(number), .matchEnded, to: number <= 500 ? .ann : .bob)
    }
    for _ in 0..<60 { try lab.worker.step() }
    #expect(post.count(to: "https://quick") == 100)
    #expect(post.count(to: "https://slow") == lab.settings.originLimit)
    // Each answer makes room for one more.
    let places = post.sent.indices.filter { post.sent[$0].request.url.hasPrefix("https://slow") }
    for place in places.prefix(5) { post.answer(place, Self.answered(201)) }
    for _ in 0..<5 { try lab.worker.step() }
    #expect(post.count(to: "https://slow") == lab.settings.originLimit + 5)
  }

  @Test("Any number of clients' servers that never answer leave room for the push services")
  func manySlowOrigins() throws {
    begin([])
    lab.providers = [
      PushProvider(name: "test", service: .webPush) { notification, _ in
        notification.devices.compactMap { device in
          guard case .webPush(let subscription) = device.route else { return nil }
          let request = PushRequest(
            url: subscription.endpoint, headers: [:], body: [], isForeign: true)
          return PushParcel(device: device, work: .request(request) { _ in .taken })
        }
      }
    ]
    let key = [4] + [UInt8](repeating: 1, count: 64)
    lab.expectJobs { job in
      let isHostile = job.player == TestPlayer.ann.id
      let host = isHostile ? "\(job.id.rawValue).example" : "fcm.googleapis.com"
      var details = PushStore.Details.plain
      details.devices =
        WebPushSubscription(
          endpoint: "https://\(host)/\(job.id.rawValue)", key: key,
          secret: [UInt8](repeating: 2, count: 16)
        ).map {
          [Device(name: Self.name("a"), route: .webPush($0), permission: .authorized)]
        } ?? []
      return .due(details)
    }
    post.atOnce = { $0.url.hasPrefix("https://fcm.") ? Self.answered(201) : nil }
    for number in 1...900 {
      lab.deliver(UInt128(number), .matchEnded, to: number <= 800 ? .ann : .bob)
    }
    for _ in 0..<60 { try lab.worker.step() }
    #expect(post.count(to: "https://fcm.") == 100)
    #expect(post.sent.count - 100 == lab.settings.flightLimit / 2)
  }

  @Test("Jobs in hand that all wait for one origin make room, and it costs them no attempt")
  func crowd() throws {
    begin([Self.device("a", "https://slow.example/1")])
    // The origin of the operator's receiver is known before a notification is made.
    lab.providers = [Self.provider(isForeign: false)]
    lab.settings.lineLimit = 160
    lab.settings.crowdNanoseconds = 1_000_000_000
    lab.clock.pass(.seconds(2))
    lab.bus.receive.answer { [unowned lab] limit, _ in
      defer { lab.arriving.removeFirst(min(limit, lab.arriving.count)) }
      return Array(lab.arriving.prefix(limit))
    }
    for number in 1...400 { lab.deliver(UInt128(number), .matchEnded, attempts: 2) }
    for _ in 0..<20 { try lab.worker.step() }
    #expect(lab.copies.count == 20)
    #expect(lab.copies.allSatisfy { !$0.isAttempt && $0.attempts == 2 && $0.reached.isEmpty })
    lab.clock.pass(.seconds(1))
    for _ in 0..<20 { try lab.worker.step() }
    #expect(lab.copies.count == 40)
  }

  @Test("An answer counts once, and a strange number says nothing")
  func answersTwice() throws {
    begin([Self.device("a", "https://a.example/1")])
    lab.deliver(1)
    try lab.worker.step()
    for status in [201, 503] { post.answer(0, Self.answered(status)) }
    try lab.worker.step()
    post.answer(0, Self.answered(410))
    lab.deliver(2)
    try lab.worker.step()
    #expect(lab.acts == ["delivered 1", "ack 1"])
    #expect(lab.answers.map(\.counted) == ["taken 201"])
  }

  // Failure: PushFailure
  @Test("A player hears nothing of the place that an address led to")
  func secrecy() throws {
    begin([Self.device("a", "https://db.internal/1"), Self.device("b", "https://nowhere.example/")])
    post.atOnce = {
      .failure(
        PushFailure(
          reason: $0.url.contains("internal")
            ? "the address is private" : "Failed to connect to 10.0.0.7 port 443"))
    }
    for attempts in [0, 99] {
      lab.deliver(UInt128(attempts) + 1, attempts: attempts)
      try lab.worker.step()
    }
    #expect(lab.answers.map(\.text) == Array(repeating: "no answer", count: 4))
    #expect(lab.answers.map(\.counted) == Array(repeating: "later", count: 4))
  }

  // Failure: PushFailure
  @Test("A refused address is tried as often as an unreachable one, so the attempts tell nothing")
  func refusedAddress() throws {
    func acts(_ reason: String) throws -> [String] {
      let test = PushHandOverTests()
      test.begin([Self.device("a", "https://chosen.example/1")])
      test.post.atOnce = { _ in .failure(PushFailure(reason: reason)) }
      for attempts in 0...7 {
        test.lab.deliver(UInt128(attempts) + 1, attempts: attempts)
        try test.lab.worker.step()
      }
      return test.lab.acts
    }
    let refused = try acts("the address is private")
    #expect(try acts("Failed to connect") == refused)
    #expect(refused.count { $0.hasPrefix("retry") } == 7)
  }

  @Test("A job that must wait is held by the store, and its copy for one device by the broker")
  func held() throws {
    begin([Self.device("a", "https://a.example/1")])
    let until = Instant(microseconds: 0).adding(seconds: 8 * 3_600)
    lab.plan = { job, _ in
      job.id.rawValue == 3 ? .never(.quietHours) : .later(until: until, .quietHours)
    }
    lab.deliver(1)
    lab.deliver(2, reached: [Self.name("b")])
    lab.deliver(3)
    try lab.worker.step()
    #expect(post.sent.isEmpty)
    #expect(
      lab.acts == ["dropped 3, held 1 quietHours", "retry 2 after 18000", "ack 1, 3"])
    #expect(lab.copies.map(\.attempts) == [0])
  }

  @Test("A broker that is lost lets the answers on their way be recorded first")
  func lostBroker() throws {
    begin([Self.device("a", "https://a.example/1")])
    lab.deliver(1)
    try lab.worker.step()
    lab.worker.lost = .disconnected("gone")
    #expect(try lab.worker.step() == 0)
    post.answer(0, Self.answered(201))
    #expect(throws: Interruption.bus(.disconnected("gone"))) {
      for _ in 0..<3 { try lab.worker.step() }
    }
    #expect(lab.acts == ["delivered 1"])
  }

  @Test("A worker that leaves waits for the answers on their way")
  func leaving() throws {
    begin([Self.device("a", "https://a.example/1")])
    lab.bus.close.answer { [unowned lab] in lab.acts.append("close") }
    lab.deliver(1)
    try lab.worker.step()
    post.answer(0, Self.answered(201))
    lab.worker.leave()
    #expect(lab.acts == ["delivered 1", "close"])
  }

  // Failure: Interruption.receiver
  @Test("One client's dead address is no trouble of the service; three players' are")
  func foreignTrouble() {
    var watch = ReceiverWatch()
    func fail(_ player: TestPlayer, at second: UInt64) {
      watch.failed(
        "no route", of: player.id, isForeign: true, at: second * 1_000_000_000,
        triedAgainAfter: .oneMinute)
    }
    func complaint() -> String? {
      watch.complaint(about: "webPush", at: 71_000_000_000, after: .seconds(60))
    }
    for second in 1...70 { fail(.ann, at: UInt64(second)) }
    #expect(complaint() == nil && watch.silence(at: 71_000_000_000) == nil)
    fail(.bob, at: 70)
    #expect(complaint() == nil)
    fail(.cyd, at: 70)
    #expect(complaint() == "webPush has taken no notification for more than 60 s: no route")
    #expect(watch.silence(at: 71_000_000_000) == 70_000_000_000)
    watch.took()
    #expect(watch.silence(at: 71_000_000_000) == nil)
    #expect(complaint() == nil)
  }

  @Test(
    "A header of reached devices says nothing unless it is a short list of names",
    arguments: [
      ("", 0), ("a", 1), ("a,b,pad-1", 3), ("a,,b", 0), ("a b", 0), (",", 0), ("a,ü", 0),
      (String(repeating: "a", count: 33), 0),
      ((1...33).map { "d\($0)" }.joined(separator: ","), 0),
      ((1...32).map { "d\($0)" }.joined(separator: ","), 32),
      (String(repeating: "a,", count: 100_000), 0),
    ])
  func header(text: String, count: Int) {
    #expect(ReachedDevices.names(in: text).count == count)
    let names = ReachedDevices.names(in: text)
    #expect(ReachedDevices.names(in: ReachedDevices.text(names)) == names)
  }
}
