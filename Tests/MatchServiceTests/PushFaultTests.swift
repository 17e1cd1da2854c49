import CoreMetrics
import MatchCore
import MatchInterfaces
import MetricsTestKit
import Testing

@testable import MatchService

@Suite("Refusals that no operator can mend")
struct PushFaultTests {
  private static let browser = "https://push.example/abc"
  private static let phone = String(repeating: "0a", count: 32)

  private struct Scene {
    let post = ExchangeLab()
    let lab = PushLab()

    /// A lab whose player has these devices; every request gets this answer.
    init(
      _ devices: [Device],
      _ answer: @escaping (PushRequest) -> Result<PushResponse, PushFailure>
    ) throws {
      let key = try #require(PushSigningKey(randomness: .seeded(1)))
      let settings = APNsSettings(
        keyPath: "", keyID: "ABC123DEFG", team: "DEF123GHIJ", topic: "example.cubist",
        url: "https://apns.example")
      lab.providers = [
        .webPush(key: key, contact: "mailto:push@play.example", randomness: .seeded(2)),
        .apns(settings, key: key),
      ]
      lab.exchange = post.exchange
      post.atOnce = answer
      lab.expectRetry()
      lab.expectRecord()
      var details = PushStore.Details.plain
      details.devices = devices
      lab.expectJobs { _ in .due(details) }
    }
  }

  private static func browserDevice(_ name: String = "laptop") throws -> Device {
    try WebPushProviderTests.device(name, endpoint: browser)
  }

  private static func phoneDevice(_ token: String = phone) throws -> Device {
    Device(
      name: try #require(DeviceName("phone")), route: .apns(token: token), permission: .authorized)
  }

  private static func apple(_ reason: APNsReason) -> Result<PushResponse, PushFailure> {
    .success(
      PushResponse(
        status: reason.status, body: Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8)))
  }

  @Test(
    "A server that a client chose fills no dead letters, whatever it answers for ever",
    arguments: [300, 400, 401, 403, 404, 405, 408, 410, 413, 418, 429, 500, 503])
  func chosen(status: Int) throws {
    for body in ["", "mismatch"] {
      let test = try Scene([Self.browserDevice()]) { _ in
        .success(PushResponse(status: status, body: Array(body.utf8)))
      }
      test.lab.deliver(1, attempts: 7)
      try test.lab.worker.step()
      #expect(test.lab.acts == ["dropped 1", "ack 1"])
    }
  }

  @Test("A server that a client chose and that never answers fills no dead letters")
  func silent() throws {
    let test = try Scene([Self.browserDevice()]) { _ in
      .failure(PushFailure(reason: "the address is private"))
    }
    test.lab.deliver(1, attempts: 7)
    try test.lab.worker.step()
    #expect(test.lab.acts == ["dropped 1", "ack 1"])
  }

  @Test(
    "A token that a client invented fills no dead letters; the service's own mistakes do",
    arguments: APNsReason.allCases)
  func apple(reason: APNsReason) throws {
    let test = try Scene([Self.phoneDevice()]) { _ in Self.apple(reason) }
    test.lab.deliver(1, attempts: 12)
    try test.lab.worker.step()
    switch reason.meaning {
    case .gone, .unfit, .deviceBusy: #expect(test.lab.acts == ["dropped 1", "ack 1"])
    case .refused, .later, .newToken:
      #expect(test.lab.acts.count == 3)
      #expect(test.lab.acts.first == "failed 1" && test.lab.acts.last == "ack 1")
    }
    // A device is forgotten only if Apple says that it is gone.
    #expect(test.lab.answers.map(\.verdict).contains(.gone) == (reason.meaning == .gone))
  }

  @Test("A token that is no number is no dead letter either")
  func strange() throws {
    let test = try Scene([Self.phoneDevice("../x")]) { _ in Self.apple(.badPath) }
    test.lab.deliver(1)
    try test.lab.worker.step()
    #expect(test.post.sent.isEmpty)
    #expect(test.lab.acts == ["dropped 1", "ack 1"])
  }

  @Test("Of several devices the one that an operator can mend decides, and one that took it")
  func mixed() throws {
    func acts(_ phone: APNsReason?, _ browser: Int, attempts: Int = 0) throws -> [String] {
      let test = try Scene([Self.browserDevice(), Self.phoneDevice()]) { request in
        guard request.url == Self.browser else {
          return phone.map(Self.apple) ?? .success(PushResponse(status: 200))
        }
        return .success(PushResponse(status: browser))
      }
      test.lab.deliver(1, attempts: attempts)
      try test.lab.worker.step()
      return test.lab.acts.filter { !$0.hasPrefix("bury") }
    }
    #expect(try acts(.badTopic, 400) == ["failed 1", "ack 1"])
    #expect(try acts(.badDeviceToken, 400) == ["dropped 1", "ack 1"])
    #expect(try acts(nil, 400) == ["delivered 1", "ack 1"])
    // The device that may take it later is tried again, and both are without it in the end.
    #expect(try acts(.badDeviceToken, 503) == ["retry 1 after 1"])
    #expect(try acts(.badDeviceToken, 503, attempts: 7) == ["dropped 1", "ack 1"])
    // A client's own server alone has the fewer attempts.
    #expect(try acts(.shutdown, 503, attempts: 7) == ["retry 1 after 18000"])
    #expect(try acts(.shutdown, 503, attempts: 12) == ["failed 1", "ack 1"])
  }

  @Test(
    "A device that refused a job for good is not asked again while another one waits",
    arguments: [300, 400, 413, 999])
  func askedOnce(status: Int) throws {
    var phone = APNsReason.shutdown
    let test = try Scene([Self.browserDevice(), Self.phoneDevice()]) { request in
      request.url == Self.browser
        ? .success(PushResponse(status: status)) : Self.apple(phone)
    }
    var outcomes: [PushStore.Outcome] = []
    test.lab.store.record.answer { outcomes += $0.outcomes }
    test.lab.deliver(1)
    try test.lab.worker.step()
    #expect(test.post.sent.count == 2 && outcomes.isEmpty)
    let laptop = try #require(DeviceName("laptop"))
    #expect(test.lab.copies.map(\.refused) == [[laptop]])
    #expect(test.lab.copies.map(\.reached) == [[]])
    // The copy keeps what it came with.
    test.lab.deliver(1, attempts: 1, refused: [laptop])
    try test.lab.worker.step()
    #expect(test.post.sent.count == 3 && test.lab.copies.last?.refused == [laptop])
    // No device has it in the end, and it is no job without devices.
    phone = .unregistered
    test.lab.deliver(1, attempts: 2, refused: [laptop])
    try test.lab.worker.step()
    #expect(test.post.sent.map(\.request.url).count { $0 == Self.browser } == 1)
    #expect(outcomes.map(\.fate) == [.dropped] && outcomes.map(\.reason) == [.refused])
  }

  @Test("A refusal that an operator may mend is asked for again with the devices that wait")
  func mended() throws {
    var phone = APNsReason.badTopic
    let test = try Scene([Self.browserDevice(), Self.phoneDevice()]) { request in
      request.url == Self.browser ? .success(PushResponse(status: 503)) : Self.apple(phone)
    }
    test.lab.deliver(1)
    try test.lab.worker.step()
    #expect(test.lab.acts == ["retry 1 after 1"])
    #expect(test.lab.copies.map(\.refused) == [[]])
    phone = .badDeviceToken
    test.lab.deliver(2, attempts: 1)
    try test.lab.worker.step()
    #expect(test.post.sent.count == 4)
    let name = try #require(DeviceName("phone"))
    #expect(test.lab.copies.last?.refused == [name])
  }

  @Test(
    "A wrong topic of the service refuses every device, and that is trouble; one client is none")
  func wrongTopic() throws {
    let test = try Scene([Self.phoneDevice()]) { _ in
      Self.apple(.deviceTokenNotForTopic)
    }
    var number: UInt128 = 0
    func refuse(_ players: [TestPlayer]) throws {
      for player in players {
        number += 1
        test.lab.deliver(number, .matchEnded, to: player)
        try test.lab.worker.step()
      }
      test.lab.clock.pass(.seconds(61))
    }
    try refuse([.ann])
    try refuse([.ann, .bob])
    #expect(test.lab.worker.trouble == nil)
    try refuse([.cyd])
    guard case .receiver(let text)? = test.lab.worker.trouble else {
      Issue.record("no trouble")
      return
    }
    #expect(text.contains("CUBIST_PUSH_APNS_TOPIC"))
  }

  @Test("Names below a maker's that nobody answers for raise no alarm; one that has answered does")
  func deadNames() throws {
    let test = try Scene([]) { _ in .failure(PushFailure(reason: "no such name")) }
    var (endpoint, number): (String, UInt128) = ("", 0)
    test.lab.expectJobs { _ in
      var details = PushStore.Details.plain
      details.devices = (try? [WebPushProviderTests.device(endpoint: endpoint)]) ?? []
      return .due(details)
    }
    func tell(_ host: String) throws {
      for player in [TestPlayer.ann, .bob, .cyd] {
        number += 1
        endpoint = "https://\(host).notify.windows.com/w/?token=\(number)"
        test.lab.deliver(number, .matchEnded, to: player)
        try test.lab.worker.step()
      }
      test.lab.clock.pass(.seconds(20))
    }
    let metrics = TestMetrics()
    try withMetricsFactory(metrics) {
      for day in 0..<5 { try tell("dead-\(day)") }
      #expect(test.lab.worker.trouble == nil)
      test.post.atOnce = { _ in .success(PushResponse(status: 201)) }
      try tell("wns2-par02p")
      test.post.atOnce = { _ in .failure(PushFailure(reason: "no answer came")) }
      for _ in 0..<5 { try tell("wns2-par02p") }
      #expect(test.lab.worker.trouble != nil)
    }
    // The metric goes by the same judgement.
    let silence = try metrics.expectGauge("cubist_push_silence_seconds", [("provider", "webPush")])
    #expect(silence.values.first == 0 && silence.values.last.map { $0 >= 60 } == true)
  }

  @Test("Clients' own servers neither raise an alarm nor end one")
  func ownServers() throws {
    let (own, maker) = ("https://push.example/abc", "https://web.push.apple.com/abc")
    var endpoint = own
    let test = try Scene([]) { _ in .failure(PushFailure(reason: "no answer came")) }
    test.lab.expectJobs { _ in
      var details = PushStore.Details.plain
      details.devices = (try? [WebPushProviderTests.device(endpoint: endpoint)]) ?? []
      return .due(details)
    }
    var number: UInt128 = 0
    func tell(_ players: [TestPlayer] = [.ann, .bob, .cyd]) throws {
      for player in players {
        number += 1
        test.lab.deliver(number, .matchEnded, to: player)
        try test.lab.worker.step()
      }
      test.lab.clock.pass(.seconds(20))
    }
    for _ in 0..<4 { try tell() }
    #expect(test.lab.worker.trouble == nil)
    // The maker's take nothing, and a client's own server takes all.
    test.post.atOnce = { .success(PushResponse(status: $0.url == own ? 201 : 503)) }
    for _ in 0..<3 {
      endpoint = maker
      try tell()
      endpoint = own
      try tell([.ann])
    }
    #expect(test.lab.worker.trouble != nil)
  }
}
