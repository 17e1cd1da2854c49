import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Notifications that come again")
struct PushAgainTests {
  typealias Answer = Result<PushResponse, PushFailure>

  /// The key of a job alone.
  private static func own(_ number: UInt128) -> String {
    "match-\(MatchID(rawValue: 600 + number))"
  }

  /// A push worker of a player with one device, who wants several turns as one notification.
  private struct Scene {
    let post = ExchangeLab()
    let lab = PushLab()
    let sent = Sent()

    init(_ url: String = "https://fcm.googleapis.com/x", _ answer: @escaping () -> Answer) throws {
      let device = Device(
        name: try #require(DeviceName("a")), route: .app(token: url), permission: .authorized)
      lab.exchange = post.exchange
      lab.expectRecord()
      lab.expectRetry()
      lab.expectJobs { _ in .due(PushStore.Details(devices: [device])) }
      let sent = sent
      lab.providers = [
        PushProvider(name: "test", service: .app) { notification, _ in
          sent.add(notification)
          let request = PushRequest(url: url, headers: [:], body: [], isForeign: true)
          return [
            PushParcel(
              device: device,
              work: .request(request) { response in
                response.status == 201 ? .taken : .later("answered 503", after: nil)
              })
          ]
        }
      ]
      post.atOnce = { _ in answer() }
    }

    /// The keys of the notifications, and their jobs.
    var keys: [String] { sent.all.map(\.collapseKey) }
    var jobs: [[UInt128]] { sent.all.map { $0.jobs.map(\.id.rawValue) } }
  }

  private static let taken = Answer.success(PushResponse(status: 201))

  @Test("Of two turns the first one is delivered again: it has its own key, and so has the other")
  func redelivered() throws {
    let scene = try Scene { Self.taken }
    scene.lab.deliver(1, deliveryCount: 2)
    scene.lab.deliver(2)
    try scene.lab.worker.step()
    #expect(scene.jobs == [[1], [2]] && scene.keys == [Self.own(1), Self.own(2)])
    // Turns that come for the first time are one notification.
    scene.lab.deliver(3)
    scene.lab.deliver(4, deliveryCount: 2)
    scene.lab.deliver(5)
    try scene.lab.worker.step()
    #expect(scene.jobs.suffix(2) == [[4], [3, 5]])
    #expect(scene.keys.suffix(2) == [Self.own(4), "turns"])
  }

  @Test(
    "A copy is in doubt if a device may have its job alone: no answer came, or it was redelivered",
    arguments: [
      (1, 1, Answer.failure(PushFailure(reason: "cut off")), true),
      (1, 1, .failure(PushFailure(reason: "no route", mayHaveArrived: false)), false),
      (1, 1, .success(PushResponse(status: 503)), false),
      (1, 2, .success(PushResponse(status: 503)), true),
      // A device may have a notification of several turns.
      (2, 1, .failure(PushFailure(reason: "cut off")), false),
    ])
  func doubt(count: Int, deliveries: Int, answer: Answer, isInDoubt: Bool) throws {
    let scene = try Scene { answer }
    for number in 1...count { scene.lab.deliver(UInt128(number), deliveryCount: deliveries) }
    try scene.lab.worker.step()
    #expect(scene.lab.copies.map(\.isInDoubt) == Array(repeating: isInDoubt, count: count))
    // A copy of a copy is what that was.
    scene.lab.copies = []
    scene.lab.deliver(1, attempts: 1, isInDoubt: true)
    try scene.lab.worker.step()
    #expect(scene.lab.copies.map(\.isInDoubt) == [true])
  }

  @Test("An address that must not be reached leaves the same doubt as one that cannot be")
  func secrecy() throws {
    for mayHaveArrived in [true, false] {
      let scene = try Scene("https://chosen.example/x") {
        .failure(PushFailure(reason: "", mayHaveArrived: mayHaveArrived))
      }
      scene.lab.deliver(1)
      try scene.lab.worker.step()
      #expect(scene.lab.copies.map(\.isInDoubt) == [true])
    }
  }

  @Test("A copy in doubt goes alone, and waits for no others; one without doubt may be bundled")
  func copies() throws {
    let scene = try Scene { Self.taken }
    scene.lab.deliver(1, attempts: 1, isInDoubt: true)
    scene.lab.deliver(2, attempts: 1)
    scene.lab.deliver(3)
    try scene.lab.worker.step()
    #expect(scene.jobs == [[1], [2, 3]] && scene.keys == [Self.own(1), "turns"])

    let until = Instant(microseconds: 0).adding(seconds: 300)
    for (reason, acts) in [
      (HoldReason.bundle, ["delivered 1, held 2 bundle", "ack 2, 1"]),
      (.quietHours, ["held 2 quietHours", "retry 1 after 1800", "ack 2"]),
    ] {
      let scene = try Scene { Self.taken }
      scene.lab.plan = { _, _ in .later(until: until, reason) }
      scene.lab.deliver(1, attempts: 1, isInDoubt: true)
      scene.lab.deliver(2)
      try scene.lab.worker.step()
      #expect(scene.lab.acts == acts)
      #expect(scene.jobs == (reason == .bundle ? [[1]] : []))
      #expect(scene.lab.copies.allSatisfy { $0.isInDoubt && !$0.isAttempt })
    }
  }
}
