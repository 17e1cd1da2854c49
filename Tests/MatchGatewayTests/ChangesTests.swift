import CubistBasics
import MatchCore
import MatchWire
import Testing

@testable import MatchGateway

extension Changes {
  /// A stream of a player with one key.
  fileprivate mutating func reserve(for player: PlayerID, at now: UInt64) -> StreamID {
    reserve(for: player, signedBy: player.testKey, at: now)
  }
}

extension PlayerID {
  fileprivate var testKey: PublicKey {
    guard let key = PublicKey(bytes: Hash(sha256Of: Array("\(self)".utf8)).bytes) else {
      preconditionFailure("a digest has 32 bytes")
    }
    return key
  }
}

@Suite("Who hears of which change")
struct ChangesTests {
  static let second: UInt64 = 1_000_000_000
  let anna = PlayerID(rawValue: 1)
  let bert = PlayerID(rawValue: 2)
  let match = MatchID(rawValue: 7)
  let source = NoticeSource(rawValue: 9)

  func overview(_ version: Int64) -> Overview {
    Overview(matches: [.init(match: match, version: version)], inbox: nil, settings: "s")
  }

  func notice(
    _ number: Int64, _ version: Int64? = nil, players: [PlayerID] = [], from source: UInt128 = 9
  ) -> OutcomeNotice {
    OutcomeNotice(
      .init(source: NoticeSource(rawValue: source), number: number),
      changes: version.map { [.init(match: match, version: $0, players: [anna])] } ?? [],
      players: players)
  }

  /// A state with a stream of Anna's, which nothing has to be asked for.
  func opened() -> (Changes, Changes.StreamID) {
    var changes = Changes()
    let id = changes.reserve(for: anna, at: 0)
    #expect(changes.open(id, overview(1), limit: 8, at: 0) == [])
    return (changes, id)
  }

  @Test("A change is told to the streams of its players, and to nobody else")
  func told() {
    var (changes, id) = opened()
    _ = changes.reserve(for: bert, at: 0)
    #expect(changes.hear(notice(1, 2), at: 1) == [.match(id, match, version: 2)])
    changes.close(id)
    #expect(changes.hear(notice(2, 3), at: 2).isEmpty)
  }

  @Test("Notices in their order, and beats that repeat the last number, are no hole")
  func noHole() {
    var (changes, id) = opened()
    for second in UInt64(1)...20 {
      let effects = changes.hear(notice(Int64(second), Int64(second)), at: second * Self.second)
      #expect(effects == [.match(id, match, version: Int64(second))])
      #expect(changes.hear(notice(Int64(second)), at: second * Self.second).isEmpty)
      #expect(changes.tick(at: second * Self.second).isEmpty)
    }
  }

  @Test(
    "A missing notice, a beat with another number, and a source first heard late are holes",
    arguments: [
      [(1, true), (3, true)], [(1, true), (2, false)], [(5, true)], [(4, false)],
      [(2, true), (1, true)],
    ])
  func holes(_ heard: [(Int64, Bool)]) throws {
    var (changes, _) = opened()
    var effects: [Changes.Effect] = []
    for (number, hasContent) in heard {
      effects += changes.hear(notice(number, hasContent ? 2 : nil), at: Self.second)
    }
    #expect(effects.contains(.hole))
    #expect(changes.tick(at: Self.second) == [.ask(batch: 1, [anna])])
  }

  @Test("A source that is silent for five seconds is a hole, once, and goes on afterwards")
  func silence() {
    var (changes, _) = opened()
    _ = changes.hear(notice(1, 2), at: 0)
    #expect(changes.tick(at: 4 * Self.second).isEmpty)
    #expect(changes.tick(at: 6 * Self.second) == [.hole, .ask(batch: 1, [anna])])
    #expect(
      changes.answered(
        1, GatewayOverviews([.init(player: anna, overview: overview(2))]), at: 6 * Self.second
      ).count == 1)
    #expect(changes.tick(at: 12 * Self.second).isEmpty)
    #expect(changes.hear(notice(1), at: 13 * Self.second).isEmpty)
    #expect(changes.hear(notice(2, 3), at: 13 * Self.second).count == 1)
    // It is remembered while it is silent: another number is a hole at once.
    #expect(changes.hear(notice(4, 4), at: 500 * Self.second).contains(.hole))
    // After ten minutes it is unknown.
    _ = changes.tick(at: 1_200 * Self.second)
    #expect(changes.hear(notice(4), at: 1_200 * Self.second) == [.hole])
  }

  /// The seconds of all holes while a source is heard at some seconds only, each time by a beat.
  func holes(
    _ changes: inout Changes, heardAt isHeard: (UInt64) -> Bool, until end: UInt64
  ) -> [UInt64] {
    var holes: [UInt64] = []
    for second in 1...end {
      var effects: [Changes.Effect] = []
      if isHeard(second) { effects += changes.hear(notice(1), at: second * Self.second) }
      effects += changes.tick(at: second * Self.second)
      holes += effects.filter { $0 == .hole }.map { _ in second }
      for case .ask(let batch, let players) in effects {
        let same = players.map { GatewayOverviews.Entry(player: $0, overview: overview(1)) }
        _ = changes.answered(batch, GatewayOverviews(same), at: second * Self.second)
      }
    }
    return holes
  }

  @Test("A source that hangs again and again and misses nothing is a hole once in a minute")
  func hanging() {
    var (changes, _) = opened()
    _ = changes.hear(notice(1, 2), at: 0)
    let holes = holes(&changes, heardAt: { $0 % 8 == 0 }, until: 300)
    #expect(holes.first == 5)
    #expect(zip(holes, holes.dropFirst()).allSatisfy { $1 - $0 >= 60 })
    #expect((4...5).contains(holes.count))
  }

  @Test("A source that hung and has sent something meanwhile is a hole as soon as it is heard")
  func hangingAndMissing() {
    var (changes, _) = opened()
    _ = changes.hear(notice(1, 2), at: 0)
    #expect(holes(&changes, heardAt: { $0 % 8 == 0 }, until: 16) == [5])
    #expect(changes.hear(notice(2), at: 24 * Self.second) == [.hole])
  }

  @Test("A source that hung and then ends is a hole once another one is there, or in a minute")
  func hangingAndEnding() {
    for hasSuccessor in [true, false] {
      var (changes, _) = opened()
      _ = changes.hear(notice(1, 2), at: 0)
      #expect(holes(&changes, heardAt: { $0 == 8 || $0 == 16 }, until: 29) == [5])
      if hasSuccessor {
        #expect(changes.hear(notice(0, from: 10), at: 30 * Self.second) == [.hole])
        #expect(changes.hear(notice(0, from: 11), at: 30 * Self.second).isEmpty)
      } else {
        #expect(holes(&changes, heardAt: { _ in false }, until: 200) == [65])
      }
    }
  }

  @Test("An overview is sent only if it differs from the last one")
  func differing() {
    var (changes, id) = opened()
    _ = changes.hear(notice(0, players: [anna, bert]), at: 0)
    _ = changes.hear(notice(2, players: [anna]), at: 0)
    #expect(changes.tick(at: 1) == [.askKeys([anna.testKey]), .ask(batch: 1, [anna])])
    let same = GatewayOverviews([.init(player: anna, overview: overview(1))])
    #expect(changes.answered(1, same, at: 2).isEmpty)
    _ = changes.hear(notice(3, players: [anna]), at: 3)
    #expect(changes.tick(at: 3) == [.askKeys([anna.testKey]), .ask(batch: 2, [anna])])
    let other = GatewayOverviews([.init(player: anna, overview: overview(5))])
    #expect(changes.answered(2, other, at: 4) == [.overview(id, overview(5))])
  }

  @Test("A question without an answer, and a player whom an answer left out, is asked again")
  func again() {
    var (changes, _) = opened()
    let second = changes.reserve(for: bert, at: 0)
    #expect(changes.open(second, overview(1), limit: 8, at: 0) == [])
    _ = changes.hear(notice(1, players: [anna, bert]), at: 0)
    #expect(changes.tick(at: 0).last == .ask(batch: 1, [anna, bert]))
    #expect(changes.answered(1, nil, at: 1).isEmpty)
    #expect(changes.tick(at: 2).isEmpty)
    #expect(changes.tick(at: Self.second) == [.ask(batch: 2, [anna, bert])])
    _ = changes.answered(
      2, GatewayOverviews([.init(player: anna, overview: overview(1))]), at: Self.second)
    #expect(changes.tick(at: Self.second) == [.ask(batch: 3, [bert])])
  }

  @Test("After a hole all players are asked for within ten seconds, few questions at a time")
  func spread() {
    var changes = Changes()
    for number in 0..<1_000 {
      let id = changes.reserve(for: PlayerID(rawValue: UInt128(number)), at: 0)
      #expect(changes.open(id, overview(1), limit: 8, at: 0) == [])
    }
    changes.reconnected()
    var asked: [PlayerID] = []
    var most = 0
    for tick in UInt64(0)...100 {
      var flying: [(UInt64, [PlayerID])] = []
      for case .ask(let batch, let players) in changes.tick(at: tick * Self.second / 10) {
        #expect(players.count <= GatewayQuery.playerLimit)
        flying.append((batch, players))
      }
      most = max(most, flying.map(\.1.count).reduce(0, +))
      for (batch, players) in flying {
        asked += players
        let overviews = players.map { GatewayOverviews.Entry(player: $0, overview: overview(1)) }
        _ = changes.answered(batch, GatewayOverviews(overviews), at: tick * Self.second / 10)
      }
    }
    #expect(asked.count == 1_000 && Set(asked).count == 1_000)
    #expect(most <= 20)
  }

  @Test("A stream without news gets a beat each 15 s, and ends after an hour")
  func beats() {
    var (changes, id) = opened()
    var (beats, ends) = (0, 0)
    for second in UInt64(1)...3_600 {
      for effect in changes.tick(at: second * Self.second) {
        if effect == .beat(id) { beats += 1 }
        if effect == .end(id, .renew) { ends += 1 }
      }
    }
    #expect(beats == 239 && ends == 1)
  }

  @Test("One stream too many ends the player's oldest; those that wait for an answer take no place")
  func playerStreams() {
    var changes = Changes()
    for _ in 0..<20 { _ = changes.reserve(for: anna, at: 0) }
    let ids = (0..<4).map { _ in changes.reserve(for: anna, at: 0) }
    // They open in another order than they were asked for.
    let effects = [1, 0, 2, 3].enumerated().map { time, place in
      changes.open(ids[place], overview(1), limit: 2, at: UInt64(time))
    }
    #expect(effects == [[], [], [.end(ids[1], .replaced)], [.end(ids[0], .replaced)]])
    #expect(changes.streamCount == 22)
  }

  @Test("A stream whose key speaks no more ends, at once where a notice names its player")
  func silenced() throws {
    var changes = Changes()
    let (phone, pad) = (anna.testKey, bert.testKey)
    let ids = [phone, pad, pad].map { changes.reserve(for: anna, signedBy: $0, at: 0) }
    for id in ids.prefix(2) { #expect(changes.open(id, overview(1), limit: 8, at: 0) == []) }
    _ = changes.hear(notice(1, players: [anna]), at: 1)
    let asked = changes.tick(at: 2)
    let both = [phone, pad].sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    #expect(asked == [.askKeys(both), .ask(batch: 1, [anna])])
    #expect(changes.silenced([]).isEmpty)
    // The one that has had no overview yet ends, too.
    #expect(
      changes.silenced([pad]) == [.end(ids[1], .keyRevoked), .end(ids[2], .keyRevoked)])
    #expect(changes.streamCount == 1)
    #expect(changes.hear(notice(2, 2), at: 3) == [.match(ids[0], match, version: 2)])
  }

  @Test("All keys of streams are asked about once a minute, 256 at a time, without any notice")
  func keysInTime() {
    var changes = Changes()
    for number in 0..<300 {
      let id = changes.reserve(for: PlayerID(rawValue: UInt128(number)), at: 0)
      #expect(changes.open(id, overview(1), limit: 8, at: 0) == [])
    }
    _ = changes.reserve(for: PlayerID(rawValue: 1_000), at: 0)
    var asked: [UInt64: [Int]] = [:]
    for second in UInt64(1)...130 {
      for case .askKeys(let keys) in changes.tick(at: second * Self.second) {
        asked[second, default: []].append(keys.count)
      }
    }
    #expect(asked == [61: [256, 44], 121: [256, 44]])
  }

  @Test(
    "Half of all notices are lost: every final state arrives within 20 s", arguments: UInt64(1)...20
  )
  func lossy(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var changes = Changes()
    let players = (0..<300).map { PlayerID(rawValue: UInt128($0 + 1)) }
    var versions: [PlayerID: Int64] = [:]
    var known: [Changes.StreamID: Int64] = [:]
    var streams: [Changes.StreamID: PlayerID] = [:]
    func overview(_ player: PlayerID) -> Overview {
      Overview(
        matches: [.init(match: MatchID(rawValue: player.rawValue), version: versions[player] ?? 0)],
        inbox: nil, settings: "")
    }
    for player in players {
      let id = changes.reserve(for: player, at: 0)
      #expect(changes.open(id, overview(player), limit: 8, at: 0) == [])
      streams[id] = player
      known[id] = 0
    }
    var flights: [(at: UInt64, batch: UInt64, players: [PlayerID])] = []
    func carryOut(_ effects: [Changes.Effect], _ now: UInt64) {
      for effect in effects {
        switch effect {
        case .match(let id, _, let version): known[id] = max(known[id] ?? 0, version)
        case .overview(let id, let overview): known[id] = overview.matches[0].version
        case .ask(let batch, let players): flights.append((now, batch, players))
        case .beat, .end, .hole, .askKeys: break
        }
      }
    }
    var numbers: [Int64] = [0, 0, 0]
    var names: [UInt128] = [1, 2, 3]
    let lastChange = 60 * Self.second
    for tick in UInt64(1)...800 {
      let now = tick * Self.second / 10
      // Changes, by three workers, one of which begins anew now and then.
      if now <= lastChange {
        let worker = Int(random.next() % 3)
        if random.next() % 100 == 0 {
          numbers[worker] = 0
          names[worker] += 10
        }
        let player = players[Int(random.next() % 300)]
        versions[player, default: 0] += 1
        numbers[worker] += 1
        let notice = OutcomeNotice(
          .init(source: NoticeSource(rawValue: names[worker]), number: numbers[worker]),
          changes: [
            .init(
              match: MatchID(rawValue: player.rawValue), version: versions[player] ?? 0,
              players: [player])
          ])
        if random.next() % 2 == 0 { carryOut(changes.hear(notice, at: now), now) }
      }
      if tick % 10 == 0 {
        for worker in 0..<3 where random.next() % 2 == 0 {
          let beat = OutcomeNotice(
            .init(source: NoticeSource(rawValue: names[worker]), number: numbers[worker]))
          carryOut(changes.hear(beat, at: now), now)
        }
      }
      carryOut(changes.tick(at: now), now)
      // Readers answer after a moment, a tenth of the questions never.
      for flight in flights where flight.at + Self.second / 5 <= now {
        let isLost = random.next() % 10 == 0
        let entries = flight.players.map {
          GatewayOverviews.Entry(player: $0, overview: overview($0))
        }
        carryOut(
          changes.answered(flight.batch, isLost ? nil : GatewayOverviews(entries), at: now), now)
      }
      flights.removeAll { $0.at + Self.second / 5 <= now }
    }
    for (id, player) in streams {
      #expect(known[id] == versions[player] ?? 0)
    }
  }
}
