import Chaos
import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import TestedService
import Testing

@testable import cubistd

/// A client names the push service of its browser, and may name a server of its own.
@Suite("Servers that clients chose", .serialized)
struct ChosenServerTests {
  private static var options: ServiceLab.Options {
    var options = ServiceLab.Options()
    options.roles = [.reader]
    return options
  }

  /// Brings a job about a player to the push workers, in a message of its own.
  private static func tell(_ player: PlayerID, _ relay: RelayBus) throws {
    let job = PushJob(
      id: PushJobID(rawValue: Randomness.live.next128()), kind: .matchEnded, player: player)
    try #require(try relay.publish([job]) == [job.id])
  }

  @Test("A name that no name server answers for holds up nobody else's notification")
  func silentName() async throws {
    try await ServiceLab.run(Self.options) { lab in
      let scene = try BrowserScene(lab)
      defer { scene.end() }
      let (ann, bob) = try lab.pair()
      _ = try scene.browser("mute", answering: "201", of: ann, at: "push.silent")
      let good = try scene.browser("good", answering: "201", of: bob)
      let relay = try RelayBus.live(lab.context())
      defer { relay.close() }
      _ = try scene.processes.start("push")
      try Self.tell(ann.id, relay)
      // The worker gives the look-up up, and does not wait for its end: there is none.
      let connection = try lab.connection()
      defer { connection.close() }
      try waitUntil("the silent one is given up for now") {
        try connection.query("SELECT count(*) FROM push_answers WHERE answer = 'later'")
          .only[0].int64 > 0
      }
      try Self.tell(bob.id, relay)
      try waitUntil("the other one is told") { try !scene.messages(of: good).isEmpty }
    }
  }

  @Test("A server that a client chose is offered HTTP/1.1 alone, however gladly it speaks HTTP/2")
  func protocols() async throws {
    try await ServiceLab.run(Self.options) { lab in
      let scene = try BrowserScene(lab)
      defer { scene.end() }
      let ann = try lab.player("Ann")
      let browser = try scene.browser("own", answering: "201", of: ann)
      let relay = try RelayBus.live(lab.context())
      defer { relay.close() }
      _ = try scene.processes.start("push")
      try Self.tell(ann.id, relay)
      try waitUntil("it is told") { try !scene.protocols(of: browser).isEmpty }
      #expect(try Set(scene.protocols(of: browser)) == ["http/1.1"])
    }
  }

  // MARK: Jobs in hand

  /// Requests of which those to the quick origin are answered at once, and others never.
  private final class Exchange {
    static let quick = "https://quick.example/"
    private(set) var told = 0
    private var answered: [UInt64] = []

    var exchange: PushExchange {
      PushExchange(
        send: { [self] number, request in
          guard request.url == Self.quick else { return }
          told += 1
          answered.append(number)
        },
        answers: { [self] _ in
          defer { answered = [] }
          return answered.map { ($0, .success(PushResponse(status: 201))) }
        })
    }
  }

  @Test(
    "150 notifications to a server that never answers, each in a message of its own, stop nobody's")
  func crowd() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      let (crowd, other) = (PlayerID(rawValue: 1), PlayerID(rawValue: 2))
      let relay = try RelayBus.live(lab.context())
      defer { relay.close() }
      for _ in 0..<150 { try Self.tell(crowd, relay) }
      try Self.tell(other, relay)

      var store = PushStore.failing
      store.brief.answer { jobs in
        var briefings: [PushJobID: PushStore.Briefing] = [:]
        for job in jobs {
          let endpoint = job.player == other ? Exchange.quick : "https://slow.example/"
          let subscription = WebPushSubscription(
            endpoint: endpoint, key: [4] + [UInt8](repeating: 1, count: 64),
            secret: [UInt8](repeating: 2, count: 16))
          guard let subscription, let name = DeviceName("browser") else { continue }
          briefings[job.id] = .due(
            PushStore.Details(devices: [
              Device(name: name, route: .webPush(subscription), permission: .authorized)
            ]))
        }
        return briefings
      }
      store.record.answer { _ in }
      let provider = PushProvider(name: "test", service: .webPush) { notification, _ in
        notification.devices.compactMap { device in
          guard case .webPush(let subscription) = device.route else { return nil }
          let request = PushRequest(
            url: subscription.endpoint, headers: [:], body: [], isForeign: true)
          return PushParcel(device: device, work: .request(request) { _ in .taken })
        }
      }
      let wiring = try lab.wiring()
      let (bus, exchange) = (try wiring.pushBus(), Exchange())
      defer { bus.close() }
      let worker = PushWorker(
        store: store, bus: bus, providers: [provider], exchange: exchange.exchange, clock: .live,
        settings: wiring.pushSettings, log: ServiceLab.log)
      try waitUntil("the other player is told") {
        try worker.step()
        return exchange.told == 1
      }
    }
  }
}
