import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import Synchronization
import RealServers
import Testing

@testable import MatchGateway

@Suite("Streams of changes by HTTP", .ownThreads)
struct StreamTests {
  /// Readers that know one version of one match of everybody.
  final class Readers: Sendable {
    static let match = MatchID(rawValue: 7)
    private let version = Mutex<Int64>(1)
    private let silent = Mutex<[PublicKey]>([])

    var overview: Overview {
      Overview(
        matches: [.init(match: Readers.match, version: version.withLock { $0 })], inbox: nil,
        settings: "s")
    }

    func set(_ new: Int64) { version.withLock { $0 = new } }

    /// The key speaks for nobody any more.
    func remove(_ key: PublicKey) { silent.withLock { $0.append(key) } }

    func answer(_ message: GatewayBus.Outgoing) -> [GatewayBus.Incoming] {
      switch message.destination {
      case .events: return []
      case .queries: return [.reply(message.number, AnswerCodec.encode(overview, query: nil))]
      case .gatewayQueries:
        guard let query = try? GatewayQuery(message.body) else { return [] }
        let bytes: [UInt8]
        switch query.question {
        case .overviews(let players):
          let entries = players.map { GatewayOverviews.Entry(player: $0, overview: overview) }
          bytes = AnswerCodec.encode(GatewayOverviews(entries), query: query.id)
        case .keys(let keys):
          let silent = silent.withLock { $0 }
          bytes = AnswerCodec.encode(
            GatewayKeys(silent: keys.filter { silent.contains($0) }), query: query.id)
        case .asAnybody: return []
        }
        return [.reply(message.number, bytes)]
      }
    }
  }

  func notice(_ number: Int64, _ version: Int64, _ players: [PlayerID]) -> OutcomeNotice {
    OutcomeNotice(
      .init(source: NoticeSource(rawValue: 1), number: number),
      changes: [.init(match: Readers.match, version: version, players: players)])
  }

  private static let lastID = Mutex<UInt128>(0)

  /// A stream by a query of its own.
  func open(_ lab: Lab, _ actor: Actor) throws -> RawClient {
    let id = StreamTests.lastID.withLock { last in
      last += 1
      return last
    }
    return try open(lab, by: actor.query(.overview, id: id))
  }

  func open(_ lab: Lab, by query: [UInt8]) throws -> RawClient {
    let client = try lab.connect()
    client.send(RawClient.request("POST", "/v1/changes", [], query))
    return client
  }

  @Test("It begins with an overview, tells of changes, and ends in good order")
  func changes() throws {
    let readers = Readers()
    let lab = try Lab(answer: { readers.answer($0) })
    let anna = try Actor(1)
    let client = try open(lab, anna)
    try client.waitFor(
      "event: overview\ndata: {\"matches\":[{\"match\":\"\(Readers.match)\",\"version\":1}],"
        + "\"settings\":\"s\"}\n\n"
    )
    #expect(client.text.contains("HTTP/1.1 200"))
    #expect(client.text.lowercased().contains("content-type: text/event-stream"))
    #expect(client.text.lowercased().contains("cache-control: no-store"))
    #expect(client.text.lowercased().contains("x-accel-buffering: no"))
    lab.broker.notify([notice(1, 2, [anna.player])])
    try client.waitFor("event: match\ndata: {\"match\":\"\(Readers.match)\",\"version\":2}\n\n")
    readers.set(4)
    lab.broker.notify([notice(3, 3, [try Actor(2).player])])
    try client.waitFor("\"version\":4}],\"settings\":\"s\"}\n\n")
    lab.stop.ask()
    try client.waitFor("event: end\ndata: {\"reason\":\"leaving\"}\n\n")
    try client.waitForEnd()
    try lab.leave()
  }

  @Test("A stream ends with the key that signed it, and the player's others go on")
  func removedKey() throws {
    let readers = Readers()
    let lab = try Lab(answer: { readers.answer($0) })
    let (anna, bert) = (try Actor(1), try Actor(2))
    let client = try open(lab, anna)
    try client.waitFor("event: overview")
    let other = try open(lab, bert)
    try other.waitFor("event: overview")
    readers.remove(anna.signer.publicKey)
    lab.broker.notify([
      OutcomeNotice(
        .init(source: NoticeSource(rawValue: 1), number: 1), players: [anna.player, bert.player])
    ])
    try client.waitFor("event: end\ndata: {\"reason\":\"keyRevoked\"}\n\n")
    try wait("the other one is left") { lab.gateway.wall.count(of: .stream) == 1 }
    lab.broker.notify([notice(2, 2, [bert.player])])
    try other.waitFor("event: match\ndata: {\"match\":\"\(Readers.match)\",\"version\":2}\n\n")
  }

  @Test("Another query, or one that readers refuse, opens no stream")
  func refused() throws {
    let lab = try Lab(answer: { message in
      [.reply(message.number, AnswerCodec.encode(refusal: .notRegistered, query: nil))]
    })
    let client = try lab.connect()
    let other = try client.ask("POST", "/v1/changes", [], Actor(1).query(.whoAmI))
    #expect(other.status == 422)
    let answer = try client.ask("POST", "/v1/changes", [], Actor(1).query(.overview))
    #expect(answer.status == 401 && answer.text.contains("notRegistered"))
    #expect(lab.gateway.changes.count == 0 && lab.gateway.wall.count(of: .stream) == 0)
  }

  @Test("A player has eight streams: the ninth ends the oldest one, which says why")
  func ninth() throws {
    let readers = Readers()
    let lab = try Lab(answer: { readers.answer($0) })
    let anna = try Actor(1)
    let eight = try (0..<8).map { _ in
      let client = try open(lab, anna)
      try client.waitFor("event: overview")
      return client
    }
    let ninth = try open(lab, anna)
    try ninth.waitFor("event: overview")
    try eight[0].waitFor("event: end\ndata: {\"reason\":\"replaced\"}\n\n")
    try wait("eight are left") { lab.gateway.wall.count(of: .stream) == 8 }
    withExtendedLifetime((eight, ninth)) {}
  }

  @Test("An address and all have so many streams; a place is free again")
  func limits() throws {
    let readers = Readers()
    let lab = try Lab({ $0.streamsPerAddress = 3 }) { readers.answer($0) }
    let three = try (1...3).map { try open(lab, Actor(UInt8($0))) }
    for client in three { try client.waitFor("event: overview") }
    let fourth = try open(lab, Actor(4)).answer()
    #expect(fourth.status == 429 && fourth.text.contains("addressStreams"))
    three[0].close()
    try wait("the place is free") { lab.gateway.wall.count(of: .stream) == 2 }
    try open(lab, Actor(4)).waitFor("event: overview")
    let all = try Lab({ $0.streams = 1 }) { readers.answer($0) }
    let one = try open(all, Actor(1))
    try one.waitFor("event: overview")
    let second = try open(all, Actor(2)).answer()
    #expect(
      second.status == 503 && second.text.contains("\"streams\"")
        || second.text.contains(":streams"))
  }

  @Test("Behind a refused request on a stream nothing more is read, and the stream goes on")
  func behind() throws {
    let readers = Readers()
    let lab = try Lab(answer: { readers.answer($0) })
    let client = try open(lab, Actor(1))
    try client.waitFor("event: overview")
    client.send("NONSENSE\r\n\r\n")
    // More than the buffers of both systems hold.
    let limit = 64_000_000
    let chunk = [UInt8](repeating: 0, count: 65_536)
    var (sent, pauses) = (0, 0)
    while sent < limit, pauses < 50 {
      let count = client.sendWhatFits(chunk)
      sent += count
      pauses = count == 0 ? pauses + 1 : 0
      if count == 0 { client.receive(milliseconds: 20) }
    }
    #expect(sent < limit)
    #expect(lab.gateway.wall.count(of: .stream) == 1)
  }

  // Failure: Problem.alreadyUsed: The query has opened a stream of this gateway, or is about to.
  //   Nothing was sent. A client signs a new one.
  @Test("A query that somebody has seen opens no second stream, also while the first one opens")
  func replay() throws {
    let readers = Readers()
    let isHeld = Mutex(true)
    let lab = try Lab(answer: { message in
      message.destination == .queries && isHeld.withLock { $0 } ? [] : readers.answer(message)
    })
    let query = try Actor(1).query(.overview)
    func again() throws {
      let copy = try open(lab, by: query).answer()
      #expect(copy.status == 409 && copy.text.contains("\"urn:cubist:problem:alreadyUsed\""))
      #expect(copy.text.contains("\"sent\":false"))
    }
    let first = try open(lab, by: query)
    try wait("it is about to open") { lab.broker.messages.count == 1 }
    try again()
    lab.broker.deliver(readers.answer(lab.broker.messages[0]))
    try first.waitFor("event: overview")
    isHeld.withLock { $0 = false }
    try again()
    first.close()
    try wait("the stream has ended") { lab.gateway.wall.count(of: .stream) == 0 }
    try again()
    #expect(lab.broker.messages.count == 1)
    let next = try open(lab, Actor(1))
    try next.waitFor("event: overview")
    #expect(lab.gateway.changes.count == 1)
  }

  @Test("A query that opened nothing may open a stream")
  func unused() throws {
    let readers = Readers()
    let isRefusing = Mutex(true)
    let lab = try Lab(answer: { message in
      guard isRefusing.withLock({ $0 }) else { return readers.answer(message) }
      return [.reply(message.number, AnswerCodec.encode(refusal: .unavailable, query: nil))]
    })
    let query = try Actor(1).query(.overview)
    #expect(try open(lab, by: query).answer().status == 503)
    isRefusing.withLock { $0 = false }
    try open(lab, by: query).waitFor("event: overview")
  }

  @Test("Queries that were used are known as long as they are fresh, and not many of a player")
  func usedQueries() throws {
    var used = UsedQueries()
    let (anna, bert) = (PlayerID(rawValue: 1), PlayerID(rawValue: 2))
    func id(_ seconds: Int64, _ number: Int = 0) -> EventID {
      EventID(at: Instant(microseconds: seconds * 1_000_000), random: UInt128(number))
    }
    func use(_ query: EventID, _ player: PlayerID) -> Bool { used.use(query, of: player) }
    #expect(use(id(1_000), anna))
    #expect(!use(id(1_000), anna))
    #expect(use(id(1_000), bert))
    // Dated far ahead, and not accepted.
    #expect(use(id(9_000), anna))
    used.forget(id(9_000), of: anna)
    #expect(!use(id(1_000), anna))
    // A reader takes a query up to 5 minutes ahead, so one of 6 minutes before may be fresh.
    #expect(use(id(1_360), anna))
    used.accept(id(1_360), of: anna)
    #expect(!use(id(1_000), anna))
    #expect(use(id(1_361), anna))
    used.accept(id(1_361), of: anna)
    #expect(use(id(1_000), anna))
    for number in 1...1_000 { #expect(use(id(2_000, number), anna)) }
    #expect(!use(id(2_000, 1_000 - 61), anna) && !use(id(2_000, 1_000), anna))
    #expect(use(id(2_000, 1_000 - 62), anna))
    // Anybody can make up queries that no reader accepts: they push out no accepted one.
    #expect(!use(id(1_360), anna) && !use(id(1_361), anna))
    #expect(!use(id(1_000), bert))
  }

  @Test("A stream whose client does not read is cut off")
  func slowReader() throws {
    let readers = Readers()
    let lab = try Lab({ $0.writeTime = .seconds(1) }) { readers.answer($0) }
    let anna = try Actor(1)
    let client = try RawClient(port: lab.portNumber, receiveBytes: 4_096)
    client.send(RawClient.request("POST", "/v1/changes", [], anna.query(.overview)))
    try wait("it is open") { lab.gateway.changes.count == 1 }
    var number: Int64 = 0
    try wait("it is cut off") {
      for _ in 0..<40 {
        number += 1
        let changes = (0..<60).map {
          OutcomeNotice.Change(
            match: MatchID(rawValue: UInt128($0)), version: number, players: [anna.player])
        }
        lab.broker.notify([
          OutcomeNotice(.init(source: NoticeSource(rawValue: 1), number: number), changes: changes)
        ])
      }
      return lab.gateway.changes.count == 0
    }
    try wait("its connection ends") { lab.gateway.wall.count(of: .connection) == 0 }
  }
}
