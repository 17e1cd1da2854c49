import Chaos
import CubeLexicon
import CubePlay
import CubeRules
import EventBusLive
import Foundation
import GatewayLab
import MatchCore
import MatchGateway
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

extension ServiceLab.Options {
  /// A service for the clients of players and makers.
  static func clients(_ lexicons: Lexicons) -> Self {
    var options = Self()
    options.roles = [.reader, .reader, .relay, .push, .scheduler]
    options.lexicons = lexicons
    return options
  }
}

@Suite(
  "Players of a real service, by HTTP and by AMQP", .serialized,
  .sharedService(.clients(.standard)))
struct GatewayClientTests {
  /// The same clock, wrong by so many seconds.
  static func clock(wrongBy seconds: Int64) -> WallClock {
    var clock = WallClock.live
    clock.now = { WallClock.live.now().adding(seconds: seconds) }
    return clock
  }

  /// A turn that is always allowed.
  static func removals(_ view: MatchView) throws -> [Move] {
    BotBrain(randomness: .live).turn(
      in: try view.game(), seatCount: view.seats.count, lexicon: nil)
  }

  static func player(
    _ name: String, _ bus: PlayerBus, wrongBy seconds: Int64 = 0
  ) throws -> Player {
    let player = try Player.open(
      ProfileMemory().store, bus: bus, clock: clock(wrongBy: seconds), randomness: .live,
      makingKey: true)
    player.waitLong()
    try player.register(#require(PlayerName(name)))
    return player
  }

  @Test("A server with a certificate that nobody vouches for is told nothing")
  func certificate() async throws {
    let port = try #require(URLComponents(string: RealServers.environment().amqp)?.port)
    try await onThreads {
      let bus = PlayerBus.http(try GatewayAddress(url: "https://localhost:\(port)"))
      defer { bus.close() }
      for destination in [
        PlayerMessage.Destination.queries, .events(Slot(of: MatchID(rawValue: 7))),
      ] {
        #expect {
          _ = try bus.request(PlayerMessage(destination: destination, body: [1]), .seconds(120))
        } throws: { error in
          guard case BusError.disconnected(let text) = error else { return false }
          return text.contains("certificate")
        }
      }
    }
  }

  @Test("Clocks that are wrong by three hours hinder nobody", arguments: [false, true])
  func clocks(isHTTP: Bool) async throws {
    try await ServiceLab.shared { lab in
      try await lab.withGateway { gateway in
        let (url, amqp) = (gateway.url, lab.playersURL)
        try await onThreads {
          func bus() throws -> PlayerBus {
            isHTTP
              ? .http(try GatewayAddress(url: url))
              : .live(try BrokerAddress(url: amqp), clock: .live, log: ServiceLab.log)
          }
          let early = try Self.player(lab.freeName("early"), bus(), wrongBy: -10_800)
          let late = try Self.player(lab.freeName("late"), bus(), wrongBy: 10_800)
          let start = try early.startMatch(
            against: try #require(late.profile.name), turnLimitSeconds: 3_600)
          let match = try late.accept(start.ticket.match).match
          let first = try early.match(match)
          let isFirst = first.seats[first.seatToPlay].player == early.player
          let (one, other) = isFirst ? (early, late) : (late, early)
          let receipt = try one.play(Self.removals(first), in: first)
          let seen = try other.match(match, newerThan: first.version)
          #expect(seen.version >= receipt.version)
          try other.forfeit(match)
          for player in [early, late] {
            let now = WallClock.live.now()
            #expect(abs(player.now.microseconds(since: now)) < 300_000_000)
          }
          // The id of a match has the time of the event that asked for it.
          let made = Instant(microseconds: Int64(match.rawValue >> 80) * 1_000)
          #expect(abs(made.microseconds(since: WallClock.live.now())) < 300_000_000)
        }
      }
    }
  }

  @Test(
    "An event that got no answer by AMQP is sent again by HTTP from the same profile, and counts once",
    arguments: [false, true])
  func moved(hasArrived: Bool) async throws {
    try await ServiceLab.shared { lab in
      try await lab.withGateway { gateway in
        let (url, amqp) = (gateway.url, lab.playersURL)
        try await onThreads {
          let byHTTP = PlayerBus.http(try GatewayAddress(url: url))
          let byAMQP = PlayerBus.live(
            try BrokerAddress(url: amqp), clock: .live, log: ServiceLab.log)
          defer {
            byHTTP.close()
            byAMQP.close()
          }
          let invited = try #require(
            try Self.player(lab.freeName("host"), byHTTP).profile.name)
          let profile = ProfileMemory()
          func player(_ bus: PlayerBus) throws -> Player {
            let player = try Player.open(
              profile.store, bus: bus, clock: .live, randomness: .live, makingKey: true)
            player.waitLong()
            return player
          }
          let before = try player(byAMQP)
          try before.register(#require(PlayerName(lab.freeName("moved"))))
          var deaf = byAMQP
          deaf.request.answer { message, timeout throws(BusError) in
            guard case .events = message.destination else {
              return try byAMQP.request(message, timeout)
            }
            if hasArrived { _ = try byAMQP.request(message, timeout) }
            return .unknown
          }
          #expect {
            _ = try player(deaf).startMatch(against: invited, turnLimitSeconds: 3_600)
          } throws: { error in
            guard case ClientError.pending = error else { return false }
            return true
          }
          let waiting = try #require(profile.pending.keys.first)
          let after = try player(byHTTP)
          let start = try after.startMatch(against: invited, turnLimitSeconds: 3_600)
          #expect(start.ticket.match == MatchID(askedBy: after.player, event: waiting))
          #expect(profile.pending.isEmpty)
          #expect(try after.home().matches.count == 1)
        }
      }
    }
  }

  @Test("A wait by HTTP ends soon after the other's turn; one stream serves all of them")
  func waits() async throws {
    try await ServiceLab.shared { lab in
      try await lab.withGateway { gateway in
        let address = try GatewayAddress(url: gateway.url)
        try await onThreads {
          let waiting = try Self.player("waiting", .http(address))
          let acting = try Self.player("acting", .http(address))
          // Longer than a wait that ends by a change takes on any machine.
          waiting.patience.news = .seconds(240)
          let start = try waiting.startMatch(
            against: try #require(PlayerName("acting")), turnLimitSeconds: 3_600)
          let id = start.ticket.match
          var version = try waiting.match(id).version
          let match = try acting.accept(id).match
          for _ in 0..<3 {
            let begun = ContinuousClock.now
            let seen = try waiting.match(id, newerThan: version)
            #expect(seen.version > version)
            #expect(ContinuousClock.now - begun < .seconds(120))
            version = seen.version
            let view = try acting.match(match)
            let isActing = view.seats[view.seatToPlay].player == acting.player
            _ = try (isActing ? acting : waiting).play(Self.removals(view), in: view)
          }
          #expect(gateway.gateway.changes.count == 1)
        }
      }
    }
  }

  @Test("Two clients of makers play to the end, ask for a rematch and verify the record")
  func clients() async throws {
    try await ServiceLab.shared { lab in
      try await lab.withGateway { gateway in
        let address = try GatewayAddress(url: gateway.url)
        let names = try ["maker", "breaker"].map { try #require(PlayerName($0)) }
        let clients = names.map { _ in CubistClient(address) }
        for (name, client) in zip(names, clients) { try await client.register(as: name) }
        let id = try await clients[0].startMatch(against: names[1], turnLimitSeconds: 3_600)
          .ticket.match
        _ = try await clients[1].accept(id)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for client in clients { group.addTask { try await Self.play(id, client) } }
          try await group.waitForAll()
        }
        for client in clients {
          let record = try await client.record(of: id)
          #expect(try await client.verify(record).isVerified)
        }
        #expect(try await clients[0].rematch(of: id) == nil)
        #expect(try await clients[1].rematch(of: id) != nil)
      }
    }
  }

  private static func play(_ match: MatchID, _ client: CubistClient) async throws {
    let player = try await client.profile().player
    for try await change in client.changes {
      switch change {
      case .match(match, _), .overview: break
      default: continue
      }
      var view = try await client.match(match)
      while view.outcome == nil, view.seats[view.seatToPlay].player == player {
        let turn = try await client.bestTurn(in: view)
        let receipt = try await client.play(turn.moves, in: view)
        view = try await client.match(match, atLeast: receipt.version)
      }
      if view.outcome != nil { return }
    }
  }
}
