import Conformance
import CubistBasics
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import Testing

@Suite("Workers side by side")
struct ConcurrencyTests {
  /// Does the same things on two threads with a connection each, again after each conflict.
  private func race(
    _ stores: LiveStores, _ actions: @escaping @Sendable (StoreLab, Int) throws -> [StoreLab.Sent]
  ) throws -> [[Reply]] {
    try OnThreads.run(2) { thread in
      let lab = StoreLab(.live(try stores.connect()), number: UInt8(thread + 1))
      return try actions(lab, thread).map { sent in try lab.sendAgain([sent])[0] }
    }.map { try $0.get() }
  }

  @Test("A name is given once")
  func names() throws {
    try LiveStores.run { stores in
      let count = 12
      let replies = try race(stores) { lab, thread in
        try (0..<count).map { number in
          let text = "name-\(number)"
          let player = TestPlayer(
            thread == 0 ? text : text.uppercased(), seedByte: UInt8(100 * thread + number))
          return try lab.event(.playerRegistered(name: player.name, code: nil), by: player)
        }
      }
      for (one, other) in zip(replies[0], replies[1]) {
        let accepted = [one, other].filter {
          if case .accepted(.registered) = $0 { true } else { false }
        }
        let taken = [one, other].filter {
          if case .refused(.nameTaken) = $0 { true } else { false }
        }
        #expect(accepted.count == 1)
        #expect(taken.count == 1)
      }
      #expect(try stores.set().administration.playerCount() == count)
    }
  }

  @Test("Two that invite each other play one match")
  func pairs() throws {
    try LiveStores.run { stores in
      let crowd = (0..<12).map(TestPlayer.member)
      try register(crowd, stores)
      let replies = try race(stores) { lab, thread in
        try (0..<6).map { pair in
          let (from, to) = (crowd[2 * pair + thread], crowd[2 * pair + 1 - thread])
          return try lab.event(
            .matchRequested(MatchRequest(opponent: .player(to.id), turnLimitSeconds: 60)),
            by: from)
        }
      }
      for (one, other) in zip(replies[0], replies[1]) {
        #expect(Set([ticket(one), ticket(other)].map { $0?.match }).count == 1)
        #expect(ticket(one)?.seat != ticket(other)?.seat)
      }
      try expectAllPlaying(6, stores)
    }
  }

  @Test("Seekers of anyone find one another, two by two")
  func seats() throws {
    try LiveStores.run { stores in
      let crowd = (0..<16).map(TestPlayer.member)
      try register(crowd, stores)
      let replies = try race(stores) { lab, thread in
        try (0..<8).map { number in
          try lab.event(
            .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 60)),
            by: crowd[2 * number + thread])
        }
      }
      #expect(Set(replies.joined().compactMap { ticket($0)?.match }).count == 8)
      try expectAllPlaying(8, stores)
    }
  }

  @Test(
    "Batches of many matches at once lose and double nothing",
    arguments: [1, 2] as [UInt64])
  func overlapping(seed: UInt64) throws {
    try LiveStores.run { stores in
      let crowd = (0..<10).map(TestPlayer.member)
      try register(crowd, stores)
      let lab = StoreLab(.live(try stores.connect()))
      let asked = try crowd.map {
        try lab.event(
          .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), by: $0)
      }
      try lab.send(asked)
      let accepted = try OnThreads.run(2) { thread in
        let lab = StoreLab(.live(try stores.connect()), number: UInt8(thread + 1))
        var random = SplitMix64(state: seed &* 2 &+ UInt64(thread))
        var accepted = 0
        for _ in 0..<6 {
          let chosen = Array(0..<10).shuffled(using: &random).prefix(6)
          let turns = try chosen.map { index in
            let match = try lab.match(asked[index].newMatch)
            guard let match else { throw StoreError.unusable("a match is missing") }
            return try lab.event(lab.turn(in: match), by: crowd[index])
          }
          for reply in try lab.sendAgain(turns) {
            if case .accepted = reply { accepted += 1 }
          }
        }
        return accepted
      }.map { try $0.get() }.reduce(0, +)
      let set = try stores.set()
      try checkAgreement(set)
      let played = try set.check.stored(asked.map(\.newMatch)).values
        .reduce(0) { $0 + ($1.state?.turnNumber ?? 0) - 1 }
      #expect(played == accepted, "seed \(seed)")
    }
  }

  private func register(_ crowd: [TestPlayer], _ stores: LiveStores) throws {
    try StoreLab(.live(try stores.connect()), number: 9).register(crowd)
  }

  private func ticket(_ reply: Reply) -> MatchTicket? {
    switch reply {
    case .accepted(.matchJoined(let ticket)), .accepted(.matchStarted(let ticket)): ticket
    default: nil
    }
  }

  private func expectAllPlaying(_ count: Int, _ stores: LiveStores) throws {
    let set = try stores.set()
    try checkAgreement(set)
    let matches = try set.check.stored(set.check.matches(nil, 100)).values.map(\.state)
    #expect(matches.count == count)
    #expect(matches.allSatisfy { $0?.stage == .playing })
    #expect(Set(matches.flatMap { $0?.players ?? [] }).count == 2 * count)
  }
}

extension StoreLab {
  /// Judges and writes again until nobody else was faster.
  func sendAgain(_ events: [Sent]) throws -> [Reply] {
    for _ in 0..<50 {
      do {
        return try send(events)
      } catch let error as StoreError where error.isConflict {
        store.abandon()
      }
    }
    throw StoreError.conflict("fifty times in a row")
  }
}
