import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("What one network may use up", .ownThreads)
struct RegistrationWallTests {
  /// A wall whose clock stands still, and how many registrations it has let through.
  private final class Door {
    let clock = HandClock()
    let wall: Wall
    private var lastEvent: UInt128 = 0

    init(perAddress: Int? = 60, newNetworks: Int = 50) {
      var settings = GatewaySettings(listen: ListenAddress(host: "127.0.0.1", port: 0))
      settings.registrationsPerAddress = perAddress
      settings.newNetworks = newNetworks
      wall = Wall(settings, clock: clock.clock)
    }

    /// Registers somebody new from an address; gives the refusal.
    func register(_ address: String, hourly: Int? = nil) throws -> Wall.Refusal? {
      lastEvent += 1
      return try register(address, event: lastEvent, hourly: hourly)
    }

    func register(_ address: String, event: UInt128, hourly: Int?) throws -> Wall.Refusal? {
      let address = try #require(InternetAddress(address), "\(address)")
      do throws(Wall.Refusal) {
        try wall.registration(
          of: PlayerID(rawValue: event), EventID(rawValue: event), from: address, hourly: hourly)
        return nil
      } catch {
        return error
      }
    }

    func refuse(event: UInt128) {
      wall.refused(
        registration: EventID(rawValue: event), of: PlayerID(rawValue: event))
    }

    /// How many of these come in.
    func count(_ addresses: some Sequence<String>, hourly: Int? = nil) throws -> Int {
      try addresses.filter { try register($0, hourly: hourly) == nil }.count
    }
  }

  private static func repeated(_ address: String, _ count: Int) -> [String] {
    Array(repeating: address, count: count)
  }

  @Test("A network of 64 bits has the registrations of an address, one of 56 two, one of 48 four")
  func six() throws {
    let door = Door()
    #expect(try door.count((0..<99).map { "2a00:1:2:3::\($0)" }) == 60)
    // Another household part of the same 56 bits.
    #expect(try door.count((4..<99).map { "2a00:1:2:\($0)::1" }.prefix(90)) == 60)
    #expect(try door.register("2a00:1:2:ff::1")?.limit == .registrations)
    #expect(try door.count((1...99).map { "2a00:1:2:\($0)00::1" } + Self.more48) == 120)
    let refused = try #require(try door.register("2a00:1:2:ffff::1"))
    #expect(refused.limit == .registrations && (1...60).contains(refused.retryAfter ?? 0))
    #expect(try door.count(Self.repeated("2a00:1:3::1", 61)) == 60)
    door.clock.pass(seconds: 3_600)
    #expect(try door.register("2a00:1:2:3::1") == nil)
  }

  /// Further networks of 56 bits in one of 48.
  private static let more48 = (1...99).map { "2a00:1:2:\($0)80::2" }

  @Test("Addresses of IPv4 beside each other have the registrations of four")
  func four() throws {
    let door = Door()
    #expect(try door.count(Self.repeated("198.51.100.1", 99)) == 60)
    let others = (2...17).flatMap { Self.repeated("198.51.100.\($0)", 60) }
    #expect(try door.count(others) == 180)
    #expect(try door.count(Self.repeated("198.51.101.1", 99)) == 60)
    let free = Door(perAddress: nil)
    #expect(try free.count(Self.repeated("198.51.100.1", 999)) == 999)
  }

  @Test("Half of an hour's registrations are kept for networks that have registered nobody in it")
  func share() throws {
    let door = Door()
    // Seventeen addresses that have nothing to do with one another.
    let flood = (1...17).flatMap { Self.repeated("10.\($0).0.1", 60) }
    #expect(try door.count(flood, hourly: 1_000) == 517)
    let refused = try #require(try door.register("10.17.0.1", hourly: 1_000))
    #expect(refused == .wait)
    // A neighbour in the same network is no new one, a player with a code is not counted.
    #expect(try door.register("10.17.0.9", hourly: 1_000)?.limit == .registrations)
    #expect(try door.register("10.17.0.9") == nil)
    #expect(try door.count((1...400).map { "2a00:\($0)::1" }, hourly: 1_000) == 400)
    door.clock.pass(seconds: 3_600)
    #expect(try door.register("10.1.0.1", hourly: 1_000) == nil)
  }

  @Test("The kept share can be none, all, or of a small hour", arguments: [0, 50, 100])
  func percentages(newNetworks: Int) throws {
    let door = Door(perAddress: nil, newNetworks: newNetworks)
    let further = [0: 7, 50: 3, 100: 0][newNetworks]
    #expect(try door.count(Self.repeated("10.1.0.1", 99), hourly: 7) == further.map { 1 + $0 })
    #expect(try door.register("10.2.0.1", hourly: 7) == nil)
    #expect(try door.register("10.2.0.1", hourly: .max) == (newNetworks == 100 ? .wait : nil))
  }

  @Test("What the service refuses takes no part of the hour, and counts if it comes again")
  func givenBack() throws {
    let door = Door(perAddress: nil)
    #expect(try door.register("10.1.0.1", event: 1, hourly: 4) == nil)
    for event: UInt128 in 2...3 {
      #expect(try door.register("10.1.0.1", event: event, hourly: 4) == nil)
      // The same one again.
      #expect(try door.register("10.1.0.1", event: event, hourly: 4) == nil)
    }
    #expect(try door.register("10.1.0.1", event: 4, hourly: 4) != nil)
    for _ in 0..<3 { door.refuse(event: 2) }
    #expect(try door.register("10.1.0.1", event: 4, hourly: 4) == nil)
    #expect(try door.register("10.1.0.1", event: 2, hourly: 4) != nil)
    door.refuse(event: 3)
    #expect(try door.register("10.1.0.1", event: 2, hourly: 4) == nil)
    // A network that has registered nobody after all is a new one.
    #expect(try door.register("10.2.0.1", event: 5, hourly: 4) == nil)
    door.refuse(event: 5)
    #expect(try door.register("10.2.0.1", event: 6, hourly: 4) == nil)
    #expect(try door.register("10.2.0.1", event: 7, hourly: 4) != nil)
  }

  @Test("A network has a quarter of all places at most, or those of four addresses")
  func places() throws {
    func taken(_ total: Int?, _ single: Int?, _ addresses: [String]) throws -> (Int, Wall) {
      var settings = GatewaySettings(listen: ListenAddress(host: "127.0.0.1", port: 0))
      (settings.streams, settings.streamsPerAddress) = (total, single)
      let wall = Wall(settings, clock: HandClock().clock)
      var count = 0
      for text in addresses {
        let address = try #require(InternetAddress(text))
        do throws(Wall.Refusal) {
          try wall.enter(.stream, address)
          count += 1
        } catch {
          #expect(error.limit == (count == total ? .streams : .addressStreams))
        }
      }
      return (count, wall)
    }
    let (six, four) = (
      (0..<200).map { "2a00:1:2:\($0)::1" }, (0..<200).map { "198.51.100.\($0)" }
    )
    for addresses in [six, four] {
      #expect(try taken(400, 10, addresses).0 == 100)
      #expect(try taken(100, 10, addresses).0 == 40)
      #expect(try taken(nil, 10, addresses).0 == 200)
      #expect(try taken(150, nil, addresses).0 == 150)
    }
    let (count, wall) = try taken(400, 10, six)
    let (own, other) = (
      try #require(InternetAddress(six[0])), try #require(InternetAddress("2a00:1:3::1"))
    )
    for _ in 0..<10 { try wall.enter(.stream, other) }
    wall.leave(.stream, own)
    try wall.enter(.stream, own)
    #expect(throws: Wall.Refusal.self) { try wall.enter(.stream, own) }
    #expect(wall.count(of: .stream) == count + 10)
  }

  @Test("A gateway keeps the share by the service's limit, and behind a proxy")
  func gateway() throws {
    var info = ServiceInfo.test
    info.limits.registrationsPerHour = 4
    let proxy = try #require(AddressRange("127.0.0.1"))
    let lab = try Lab(info: info, { $0.proxies = [proxy] }) { message in
      guard let signed = try? Envelope.decode(message.body),
        let event = try? PayloadCodec.decodeEvent(signed.payload),
        case .playerRegistered(let new) = event.action
      else { return [] }
      let reply: Reply =
        new.name.text == "taken"
        ? .refused(.nameTaken("taken")) : .accepted(.registered(event.player, new.name))
      return [.reply(message.number, ReplyCodec.encode(reply, event: event.id))]
    }
    let client = try lab.connect()
    var number: UInt8 = 0
    func register(_ address: String, _ name: String = "Anna", code: ShareCode? = nil) throws -> Int
    {
      number += 1
      let new = Event.PlayerRegistered(name: try #require(PlayerName(name)), code: code)
      let body = try Actor(number).event(.playerRegistered(new), id: UInt128(number))
      return try client.ask("POST", "/v1/events", ["X-Forwarded-For: \(address)"], body).status
    }
    let accepted = try register("198.51.100.1")
    for _ in 0..<5 { #expect(try register("198.51.100.1", "taken") == 409) }
    for _ in 0..<2 { #expect(try register("198.51.100.2") == accepted) }
    #expect(try register("198.51.100.3") == 429)
    #expect(try register("198.51.100.3", code: ShareCode("ABCD1234")) == accepted)
    #expect(try register("203.0.113.9") == accepted)
    #expect(try register("203.0.113.9") == 429)
  }
}

extension Wall.Refusal {
  /// A wait for the rest of an hour.
  fileprivate static let wait = Wall.Refusal(limit: .registrations, retryAfter: 3_601)
}
