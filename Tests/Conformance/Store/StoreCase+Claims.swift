import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let claims: [StoreCase] = [
    StoreCase("A name is free, or another player's in any case") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let facts = try stores.worker.resolve([
        .name(#require(PlayerName("ANN")), TestPlayer.bob.id, code: nil),
        .name(TestPlayer.ann.name, TestPlayer.ann.id, code: nil),
        .name(TestPlayer.bob.name, TestPlayer.bob.id, code: nil),
      ])
      stores.worker.abandon()
      #expect(facts == [.nameTaken, .free, .free])
    },
    StoreCase("A name is another player's, too, if it looks like that player's") { stores in
      let lab = StoreLab(stores.worker)
      let names = try ["Bill", "Robot_1", "tom-mole"].map { try #require(PlayerName($0)) }
      let players = (0..<names.count).map(TestPlayer.member)
      _ = try lab.send(
        zip(names, players).map { name, player in
          try lab.event(.playerRegistered(name: name, code: nil), by: player)
        })
      func facts(_ name: String, _ player: TestPlayer = .ann) throws -> ClaimFacts {
        defer { stores.worker.abandon() }
        return try stores.worker.resolve([
          .name(#require(PlayerName(name)), player.id, code: nil)
        ])[0]
      }
      for name in ["BiII", "B1ll", "R0bot_1", "robot_I", "torn-rnole", "T0M-M0LE"] {
        #expect(try facts(name) == .nameTaken, "\(name)")
      }
      for name in ["Bull", "Robot-1", "Robot_2", "tom_mole"] {
        #expect(try facts(name) == .free, "\(name)")
      }
      #expect(try facts("BiII", players[0]) == .free, "it is the player's own")
      // A player is found by the very name.
      #expect(try stores.reader.player(#require(PlayerName("bill")))?.id == players[0].id)
      #expect(try stores.reader.player(#require(PlayerName("BiII"))) == nil)
      // The next one cannot pass for a player who has just gone.
      #expect(try stores.administration.removePlayer(players[0].id))
      #expect(try facts("BiII") == .nameTaken)
      try stores.age(Departure.nameReservedSeconds)
      #expect(try facts("BiII") == .free)
    },
    StoreCase("Of two who register names that look alike, in one batch or at once, one gets it") {
      stores in
      let lab = StoreLab(stores.worker)
      let (bill, lookalike) = (try #require(PlayerName("Bill")), try #require(PlayerName("BiII")))
      let events = try [(bill, TestPlayer.ann), (lookalike, .bob)].map { name, player in
        try lab.event(.playerRegistered(name: name, code: nil), by: player)
      }
      let replies = try lab.send(events)
      #expect(replies.last == .refused(.nameTaken("BiII")))
      #expect(replies.count == 2 && replies.first != replies.last)
      // Two workers with names that are free: the second waits for the first.
      let (robot, other) = (try #require(PlayerName("Robot")), try #require(PlayerName("R0b0t")))
      #expect(
        try stores.worker.resolve([.name(robot, TestPlayer.bob.id, code: nil)]) == [.free])
      #expect(
        try storeError {
          _ = try stores.otherWorker.resolve([.name(other, TestPlayer.cyd.id, code: nil)])
        }.isConflict)
      stores.worker.abandon()
      try checkAgreement(stores)
    },
    StoreCase("A registration code admits one player; one that is given must be good") {
      stores in
      let (good, bad) = (try #require(ShareCode("GOOD")), try #require(ShareCode("BAD0")))
      try stores.administration.createCode(good)
      #expect(try storeError { try stores.administration.createCode(good) }.isConflict)
      func facts(_ code: ShareCode?) throws -> [ClaimFacts] {
        defer { stores.worker.abandon() }
        return try stores.worker.resolve([
          .name(TestPlayer.ann.name, TestPlayer.ann.id, code: code)
        ])
      }
      #expect(try facts(nil) == [.free])
      #expect(try facts(good) == [.admitted])
      #expect(try facts(bad) == [.codeInvalid])
      try stores.administration.setRegistration(true)
      #expect(try stores.reader.registrationNeedsCode() == true)
      #expect(try facts(nil) == [.codeRequired])
      #expect(try facts(good) == [.free])

      let lab = StoreLab(stores.worker)
      let register = { (player: TestPlayer) in
        try lab.event(.playerRegistered(name: player.name, code: good), by: player)
      }
      let (late, _) = try lab.judge([register(.bob)])
      stores.worker.abandon()
      try lab.send([register(.ann)])
      #expect(try facts(good) == [.codeInvalid])
      #expect(try storeError { try stores.worker.commit(late) }.isConflict)
      #expect(try stores.reader.player(TestPlayer.bob.name) == nil)
      #expect(try stores.administration.registrationCodes() == [good: TestPlayer.ann.id])
    },
    StoreCase("Waiting players are found longest first, never oneself, as many as are asked for") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      var waiting: [MatchID] = []
      for player in [TestPlayer.ann, .ann] {
        // The second one must not find the first, which is the same player's.
        let asked = try lab.event(.matchRequested(request), by: player)
        try lab.send([asked])
        waiting.append(asked.newMatch)
      }
      let claims = [TestPlayer.ann, .bob, .cyd].map { Claim.seat(request.terms, for: $0.id) }
      let facts = try stores.worker.resolve(claims)
      stores.worker.abandon()
      #expect(facts.map(matches) == [[], waiting, waiting])

      let other = Terms(kind: .random, turnLimitSeconds: 61, language: .english)
      #expect(
        try stores.worker.resolve([.seat(other, for: TestPlayer.bob.id)]).map(matches) == [[]])
      stores.worker.abandon()

      // A player who wants a casual match meets nobody who wants a rated one, nor the other way
      // round.
      var casual = request
      casual.isCasual = true
      let unrated = try lab.event(.matchRequested(casual), by: .ann)
      try lab.send([unrated])
      let each = [request, casual].map { Claim.seat($0.terms, for: TestPlayer.bob.id) }
      let found = try stores.worker.resolve(each)
      #expect(found.map { matches($0).first } == [waiting[0], unrated.newMatch])
      stores.worker.abandon()

      // Two take the two seats in one batch.
      let replies = try lab.send([
        lab.event(.matchRequested(request), by: .bob),
        lab.event(.matchRequested(request), by: .cyd),
      ])
      #expect(try replies.map(joined) == waiting)
      #expect(try stores.worker.resolve([claims[1]]).map(matches) == [[]])
      stores.worker.abandon()
      try checkAgreement(stores)
    },
    StoreCase("An invitation holds its pair until it is answered") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let request = MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 60)
      let asked = try lab.event(.matchRequested(request), by: .ann)
      try lab.send([asked])
      let claim = Claim.pair(
        TestPlayer.bob.id, TestPlayer.ann.id, request.terms, match: MatchID(rawValue: 9))
      #expect(try stores.worker.resolve([claim]) == [.heldBy(asked.newMatch)])
      stores.worker.abandon()
      // The other player invites back: that is an acceptance.
      let back = try lab.act(
        .matchRequested(
          MatchRequest(opponent: .player(TestPlayer.ann.id), turnLimitSeconds: 60)), by: .bob)
      #expect(try joined(.accepted(back)) == asked.newMatch)
      #expect(try stores.worker.resolve([claim]) == [.free])
      stores.worker.abandon()
      try checkAgreement(stores)
    },
    StoreCase(
      "One worker's claims keep another from the same until it is done, and from nothing else"
    ) {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      for isRandom in [true, false] {
        let opponent: MatchRequest.Opponent = isRandom ? .random : .player(bob)
        let request = MatchRequest(opponent: opponent, turnLimitSeconds: 60)
        func claim(_ terms: Terms) -> Claim {
          isRandom
            ? .seat(terms, for: bob) : .pair(bob, ann, terms, match: MatchID(rawValue: 1))
        }
        let sent = try lab.event(.matchRequested(request), by: .ann)
        let (write, _) = try lab.judge([sent])
        #expect(
          try storeError { _ = try stores.otherWorker.resolve([claim(request.terms)]) }
            .isConflict)
        var terms = request.terms
        terms.turnLimitSeconds = 61
        #expect(try stores.otherWorker.resolve([claim(terms)]).map(matches) == [[]])
        // The transaction's own lock is no obstacle.
        #expect(try stores.otherWorker.resolve([claim(terms)]).map(matches) == [[]])
        stores.otherWorker.abandon()
        try stores.worker.commit(write)
        let after = try stores.otherWorker.resolve([claim(request.terms)])
        #expect(after.map(matches) == [[sent.newMatch]])
        stores.otherWorker.abandon()
      }
      let name = Claim.name(required(PlayerName("someone")), ann, code: nil)
      #expect(try stores.worker.resolve([name]) == [.free])
      #expect(try storeError { _ = try stores.otherWorker.resolve([name]) }.isConflict)
      stores.worker.abandon()
      #expect(try stores.otherWorker.resolve([name]) == [.free])
      stores.otherWorker.abandon()
    },
    StoreCase("A worker under its claims sees the others' commits meanwhile") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let name = Claim.name(TestPlayer.cyd.name, TestPlayer.cyd.id, code: nil)
      #expect(try stores.worker.resolve([name]) == [.free])
      let other = StoreLab(stores.otherWorker, number: 1)
      try other.act(other.turn(in: #require(try other.match(id))), by: .ann)
      #expect(try lab.match(id)?.turnNumber == 2)
      let bobs = try lab.event(lab.turn(in: #require(try lab.match(id))), by: .bob)
      try lab.send([bobs])
      #expect(try stores.otherWorker.resolve([name]) == [.free])
      stores.otherWorker.abandon()
      #expect(try lab.match(id)?.turnNumber == 3)
    },
    StoreCase("A batch that was resolved and abandoned leaves nothing, and frees its locks") {
      stores in
      let lab = StoreLab(stores.worker)
      _ = try lab.judge([
        lab.event(.playerRegistered(name: TestPlayer.ann.name, code: nil), by: .ann)
      ])
      stores.worker.abandon()
      try StoreLab(stores.otherWorker, number: 1).register(.ann)
      #expect(try stores.reader.player(TestPlayer.ann.name)?.id == TestPlayer.ann.id)
    },
  ]

  private static func joined(_ reply: Reply) throws -> MatchID {
    guard case .accepted(.matchJoined(let ticket)) = reply else {
      throw StoreLab.Refused(reply: reply)
    }
    return ticket.match
  }
}

/// The matches that stand under a claim, the longest waiting first.
private func matches(_ fact: ClaimFacts) -> [MatchID] {
  switch fact {
  case .waiting(let found):
    found.waiting.sorted { ($0.seeker.since, $0.match) < ($1.seeker.since, $1.match) }.map(\.match)
  case .heldBy(let match): [match]
  default: []
  }
}
