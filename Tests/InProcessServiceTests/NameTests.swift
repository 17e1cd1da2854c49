import MatchCore
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchSimulation

@Suite("Names that look alike")
struct NameTests {
  private func register(
    _ name: String, code: ShareCode? = nil, at service: InProcessService
  ) throws -> Refusal? {
    let player = try service.stranger(name)
    return try player.act(.playerRegistered(name: player.name, code: code)).refusal
  }

  @Test("Nobody registers a name that looks like another player's, and each is found by its own")
  func lookalikes() throws {
    let service = try InProcessService()
    let robot = try service.player("Robot")
    _ = try service.player("Bill")
    for name in ["R0bot", "r0b0t", "BiII", "B1LL"] {
      #expect(try register(name, at: service) == .nameTaken(name))
    }
    let ann = try service.client("Ann")
    #expect(try ann.player(named: #require(PlayerName("ROBOT"))).id == robot.id)
    #expect(throws: ClientError.self) {
      try ann.player(named: #require(PlayerName("R0bot")))
    }
    #expect(try register("Robot_", at: service) == nil)
  }

  @Test("Of two who register look-alikes through two queues at once, one gets the name")
  func race() throws {
    var options = InProcessService.Options()
    options.workers = 2
    let service = try InProcessService(options)
    let players = try ["Minna", "Mlnna", "MINNA", "rninna", "m1nna", "MiNnA"].map {
      try service.stranger($0)
    }
    for player in players {
      let sent = try player.sign(.playerRegistered(name: player.name, code: nil))
      try service.publish([(sent.slot, sent.envelope)])
    }
    try service.wait(for: "one has the name") { !service.store.names.isEmpty }
    service.pass(.seconds(5))
    #expect(service.store.names.count == 1)
    #expect(try service.violations() == [])
  }

  @Test("Names of the service are an operator's to give, by a code")
  func reserved() throws {
    var options = InProcessService.Options()
    options.reservedNames = .standard
    let service = try InProcessService(options)
    for name in ["admin", "Support", "R0BOT"] {
      #expect(try register(name, at: service) == .nameTaken(name))
    }
    let code = try #require(ShareCode("GOOD42"))
    service.store.registrationCodes[code] = .some(nil)
    #expect(try register("Robot", code: code, at: service) == nil)
    #expect(try register("R0bot", at: service) == .nameTaken("R0bot"))
  }
}
