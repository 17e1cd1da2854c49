import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let pairing: [StoreCase] = [
    StoreCase(
      "Waiting players are found with rating, wait and turn, but not blocked ones"
    ) {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      let asked = try lab.event(.matchRequested(request), by: .ann)
      try lab.send([asked])
      func waiters(_ player: TestPlayer) throws -> ClaimFacts.Waiters? {
        defer { stores.worker.abandon() }
        guard
          case .waiting(let found) = try stores.worker.resolve([
            .seat(request.terms, for: player.id)
          ])[0]
        else { return nil }
        return found
      }
      let waiting = Pairing.Waiting(
        match: asked.newMatch,
        seeker: .init(
          player: TestPlayer.ann.id, rating: Pairing.standardRating,
          since: try #require(try lab.match(asked.newMatch)).dealtAt))
      #expect(
        try waiters(.bob)
          == ClaimFacts.Waiters(rating: Pairing.standardRating, waiting: [waiting]))
      #expect(
        try waiters(.ann) == ClaimFacts.Waiters(rating: Pairing.standardRating))
      try lab.act(lab.turn(in: #require(try lab.match(asked.newMatch))), by: .ann)
      #expect(try waiters(.bob)?.waiting.map(\.hasTurn) == [true])
      try checkAgreement(stores)

      // Blocked in either direction.
      try lab.act(.playerBlocked(TestPlayer.ann.id), by: .bob)
      try lab.act(.playerBlocked(TestPlayer.cyd.id), by: .ann)
      #expect(try waiters(.bob)?.waiting == [])
      #expect(try waiters(.cyd)?.waiting == [])
    },
    StoreCase("A seat that was left waits as before, for everybody but the player who left it") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      let asked = try lab.event(.matchRequested(request), by: .ann)
      try lab.send([asked])
      let since = try #require(try lab.match(asked.newMatch)).dealtAt
      func found(_ player: TestPlayer) throws -> [Instant] {
        defer { stores.worker.abandon() }
        guard
          case .waiting(let found) = try stores.worker.resolve([
            .seat(request.terms, for: player.id)
          ])[0]
        else { return [] }
        return found.waiting.map(\.seeker.since)
      }
      try lab.act(.matchRequested(request), by: .bob)
      #expect(try found(.cyd) == [])
      try checkAgreement(stores)
      try lab.act(.matchForfeited(asked.newMatch), by: .bob)
      #expect(try lab.match(asked.newMatch)?.stage == .waiting)
      #expect(try found(.cyd) == [since])
      #expect(try found(.bob) == [])
      try checkAgreement(stores)
      var lookup = Lookup()
      lookup.leaving = [TestPlayer.bob.id, TestPlayer.cyd.id]
      let known = try stores.worker.lookUp(lookup)
      stores.worker.abandon()
      #expect(known.leavings[TestPlayer.cyd.id] == nil)
      #expect(
        known.leavings[TestPlayer.bob.id] == (try lab.match(asked.newMatch))?.leavings.map(\.at))
      // Nor are the two brought together once both wait, in whichever order they are looked at.
      try lab.act(.matchRequested(request), by: .bob)
      let movers = try stores.scheduler.movers(nil, 10)
      #expect(movers.allSatisfy { $0.others.isEmpty })
    },
    StoreCase("Chance brings no player to a bot with which the player has three matches") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      func found(_ player: TestPlayer) throws -> Int? {
        defer { stores.worker.abandon() }
        guard
          case .waiting(let found) = try stores.worker.resolve([
            .seat(request.terms, for: player.id)
          ])[0]
        else { return nil }
        return found.waiting.count
      }
      var running: [MatchID] = []
      for _ in 0..<BotLimits.matchesOfPlayer { running.append(try lab.begin()) }
      try lab.act(.matchRequested(request), by: .bob)
      #expect(try found(.ann) == 1)
      try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: .bob)
      #expect(try found(.ann) == 0)
      #expect(try found(.cyd) == 1)
      // Neither are they brought together once both wait.
      try lab.act(.matchRequested(request), by: .ann)
      func isMerged() throws -> Bool {
        try stores.scheduler.movers(nil, 10).contains { !$0.others.isEmpty }
      }
      #expect(try !isMerged())
      try lab.act(.matchForfeited(running[0]), by: .ann)
      #expect(try isMerged())
    },
    StoreCase("Present and recent opponents are known, and are found nevertheless") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let match = try lab.begin()
      try lab.act(.matchForfeited(lab.begin(.cyd, .bob)), by: .cyd)
      func met() throws -> Set<PlayerID>? {
        let terms = MatchRequest(opponent: .random, turnLimitSeconds: 60).terms
        let facts = try stores.worker.resolve([.seat(terms, for: TestPlayer.bob.id)])
        stores.worker.abandon()
        guard case .waiting(let found) = facts[0] else { return nil }
        return found.met
      }
      #expect(try met() == [TestPlayer.ann.id, TestPlayer.cyd.id])
      try lab.act(.matchForfeited(match), by: .ann)
      #expect(try met() == [TestPlayer.ann.id, TestPlayer.cyd.id])

      // Ann waits. Bob joins her although they met lately, since nobody else is there.
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      let asked = try lab.event(.matchRequested(request), by: .ann)
      try lab.send([asked])
      guard case .matchJoined(let ticket) = try lab.act(.matchRequested(request), by: .bob) else {
        Issue.record("they did not meet")
        return
      }
      #expect(ticket.match == asked.newMatch)
    },
    StoreCase("The last 200 of the games that ended lately count, so that nobody's are too many") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      for number in 0...Pairing.latelyGames {
        let first = number == 0 ? TestPlayer.cyd : .ann
        try lab.act(.matchForfeited(lab.begin(first, .bob)), by: first)
      }
      let terms = MatchRequest(opponent: .random, turnLimitSeconds: 60).terms
      let facts = try stores.worker.resolve([.seat(terms, for: TestPlayer.bob.id)])
      stores.worker.abandon()
      guard case .waiting(let found) = facts[0] else {
        Issue.record("nobody looked")
        return
      }
      #expect(found.met == [TestPlayer.ann.id])
    },
    StoreCase(
      "Players waiting without a turn are listed, the longest waiting first, page by page"
    ) {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      // They have blocked one another, so that they do not meet when they ask.
      for player in [TestPlayer.bob, .cyd] { try lab.act(.playerBlocked(player.id), by: .ann) }
      try lab.act(.playerBlocked(TestPlayer.cyd.id), by: .bob)
      var asked: [MatchID] = []
      for player in [TestPlayer.ann, .bob, .cyd] {
        let sent = try lab.event(.matchRequested(request), by: player)
        try lab.send([sent])
        asked.append(sent.newMatch)
      }
      try lab.act(lab.turn(in: #require(try lab.match(asked[0]))), by: .ann)
      try lab.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)

      let movers = try stores.scheduler.movers(nil, 10)
      #expect(movers.map(\.own.match) == [asked[1], asked[2]])
      #expect(movers.map { $0.others.map(\.match) } == [[asked[0]], []])
      #expect(movers[0].others[0].hasTurn)
      #expect(try stores.scheduler.movers(nil, 1).map(\.own) == [movers[0].own])
      #expect(try stores.scheduler.movers(movers[0].own, 1).map(\.own) == [movers[1].own])
      #expect(try stores.scheduler.movers(movers[1].own, 1) == [])
    },
    StoreCase("A merger writes both matches at once, or neither; the first request is there for it")
    {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      try lab.act(.playerBlocked(TestPlayer.bob.id), by: .ann)
      let asked = try [TestPlayer.ann, .bob].map { player in
        let sent = try lab.event(.matchRequested(request), by: player)
        try lab.send([sent])
        return sent
      }
      try lab.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)
      var lookup = Lookup()
      lookup.requests = asked.map(\.newMatch)
      #expect(
        try stores.worker.lookUp(lookup).requests
          == [asked[0].newMatch: asked[0].signed, asked[1].newMatch: asked[1].signed])

      let mover = try #require(
        try stores.scheduler.movers(nil, 10).first { $0.own.match == asked[1].newMatch })
      let merger = try #require(
        Pairing.mergers([mover], at: try stores.scheduler.now()).first)
      #expect([merger.kept, merger.merged] == asked.map(\.newMatch))
      // Somebody else takes the seat in between: then nothing of the merger is written.
      let (late, _) = try lab.judge(merger)
      let other = StoreLab(stores.otherWorker, number: 1)
      try other.act(.requestWithdrawn(merger.kept), by: .ann)
      #expect(try storeError { try stores.worker.commit(late) }.isConflict)
      #expect(try lab.match(merger.merged)?.stage == .waiting)

      let third = try lab.event(.matchRequested(request), by: .cyd)
      try lab.act(.playerBlocked(TestPlayer.cyd.id), by: .bob)
      try lab.send([third])
      try lab.act(.playerUnblocked(TestPlayer.cyd.id), by: .bob)
      let again = try #require(
        Pairing.mergers(
          try stores.scheduler.movers(nil, 10), at: try stores.scheduler.now()
        ).first)
      let (write, reply) = try lab.judge(again)
      guard case .accepted = reply else {
        Issue.record("\(reply)")
        return
      }
      try stores.worker.commit(write)
      #expect(try lab.match(again.kept)?.stage == .playing)
      #expect(try lab.match(again.merged)?.outcome?.mergedInto == again.kept)
      #expect(try stores.scheduler.movers(nil, 10) == [])
      try checkAgreement(stores)
    },
  ]
}
