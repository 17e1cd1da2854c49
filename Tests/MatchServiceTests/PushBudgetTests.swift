import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Requests to servers that clients chose")
struct PushBudgetTests {
  let post = ExchangeLab()
  let lab = PushLab()

  /// Bob's browser is at a maker's push service. All others name the same server.
  init() throws {
    lab.exchange = post.exchange
    lab.expectRecord()
    lab.expectRetry()
    lab.settings.strangePerMinute = 60
    lab.settings.isBundling = false
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
    post.atOnce = { _ in .success(PushResponse(status: 201)) }
    let name = try #require(DeviceName("a"))
    lab.expectJobs { job in
      let host = job.player == TestPlayer.bob.id ? "fcm.googleapis.com" : "victim.example"
      let subscription = WebPushSubscription(
        endpoint: "https://\(host)/\(job.id.rawValue)",
        key: [4] + [UInt8](repeating: 1, count: 64), secret: [UInt8](repeating: 2, count: 16))
      var details = PushStore.Details.plain
      details.devices =
        subscription.map { [Device(name: name, route: .webPush($0), permission: .authorized)] }
        ?? []
      return .due(details)
    }
  }

  @Test("A stranger's server has sixty requests in a minute, of all players; no job is lost by it")
  func origin() throws {
    for number: UInt128 in 1...300 {
      lab.deliver(
        number, .matchEnded, to: number <= 100 ? .ann : number <= 200 ? .cyd : .bob)
    }
    for _ in 0..<60 { try lab.worker.step() }
    #expect(post.count(to: "https://fcm.") == 100)
    // A step that can send nothing passes some time, in which a request comes back now and then.
    #expect(60...62 ~= post.count(to: "https://victim."))
    let before = lab.clock.uptime
    try lab.work { post.count(to: "https://victim.") == 200 }
    #expect((lab.clock.uptime - before) / 1_000_000_000 >= 130)
    try lab.work { lab.acts.joined().split(separator: "delivered").count >= 300 }
    #expect(lab.copies.isEmpty)
  }

  @Test("An address has so many requests in a minute, under however many names")
  func address() throws {
    let clock = TestClock()
    let allowed = try #require(AddressRange("10.1.0.0/16"))
    let reach = PushReach(PushGate(allowed: [allowed]), perMinute: 60, clock: clock.clock)
    func ask(_ count: Int, _ address: String, _ host: String = "victim.example") throws -> [String?]
    {
      let bits = try #require(InternetAddress(address)).bits
      return (0..<count).map {
        reach.refusal(of: bits, port: 443, for: "https://\($0).\(host)/x")
      }
    }
    #expect(try ask(60, "192.0.43.7").allSatisfy { $0 == nil })
    #expect(
      try ask(1, "192.0.43.7") == ["the address has had its requests, and more in 1 s"])
    // A translator of addresses leads to the same one.
    #expect(try ask(1, "64:ff9b::c000:2b07") != [nil])
    #expect(try ask(60, "192.0.43.8").allSatisfy { $0 == nil })
    // A network of IPv6 counts as one address.
    #expect(try (0..<60).flatMap { try ask(1, "2a00:1450:4001::\($0)") }.allSatisfy { $0 == nil })
    #expect(try ask(1, "2a00:1450:4001::99") != [nil])
    #expect(try ask(99, "192.0.43.7", "notify.windows.com").allSatisfy { $0 == nil })
    #expect(try ask(99, "10.1.2.3").allSatisfy { $0 == nil })
    #expect(try ask(1, "10.2.2.3") == ["the address is private"])
    clock.pass(.seconds(60))
    #expect(try ask(60, "192.0.43.7").allSatisfy { $0 == nil })
    let free = PushReach(PushGate(), perMinute: nil, clock: clock.clock)
    let bits = try #require(InternetAddress("192.0.43.7")).bits
    for _ in 0..<99 { #expect(free.refusal(of: bits, port: 443, for: "https://a.example/") == nil) }
  }
}
