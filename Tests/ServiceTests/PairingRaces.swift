import MatchCore
import MatchInterfaces
import MatchWire
import TestedService
import Testing

@Suite("Races for seats, through broker and database", .serialized, .sharedService())
struct PairingRaces {
  private static let withdrawn = Outcome(reason: .withdrawn, seat: 0, results: [.none, .none])

  @Test("random against random")
  func randomAgainstRandom() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      @Sendable func request(_ limit: Int64) -> Event.Action {
        .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: limit))
      }
      // Nobody meets themselves, not even twice. A newcomer takes the seat that has waited longest.
      let first = try #require(try ann.act(request(60)).ticket)
      let second = try #require(try ann.act(request(60)).ticket)
      #expect(first.match != second.match)
      #expect(try bob.act(request(60)).ticket?.match == first.match)
      #expect(try bob.act(request(60)).ticket?.match == second.match)
      var told = ["opponentJoined Ann", "opponentJoined Ann"]

      // Two at the same moment, from two threads: they meet.
      for limit in Int64(100)..<106 {
        let (one, two) = try await atOnce(
          { try ann.act(request(limit)) }, { try bob.act(request(limit)) })
        let match = try #require(one.ticket?.match)
        #expect(two.ticket?.match == match)
        let state = try lab.match(match)
        #expect(Set(state.players) == [ann.id, bob.id])
        #expect(state.stage == .playing)
        told.append(state.seats[0].player == ann.id ? "opponentJoined Ann" : "opponentJoined Bob")
      }
      try lab.expectTold(told, ann, bob)
    }
  }

  @Test("random against random: several pairs at once")
  func severalPairs() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let crowd = try (0..<8).map { try lab.player("player-\($0)") }
      let line = StartLine(crowd.count)
      let tickets = try await withThrowingTaskGroup(of: MatchTicket?.self) { group in
        for player in crowd {
          group.addTask {
            line.wait()
            return try player.act(
              .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 60))
            ).ticket
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      // No player is left over, and no seat is filled twice.
      let matches = Dictionary(grouping: tickets.compactMap { $0 }, by: \.match)
      #expect(matches.count == 4)
      #expect(matches.values.allSatisfy { Set($0.map(\.seat)) == [0, 1] })
      let found = try crowd.map { try lab.matches(of: $0.id) }
      #expect(found.allSatisfy { $0.count == 1 } && Set(found.joined()) == Set(matches.keys))
      let seated = try matches.keys.flatMap { try lab.match($0).players }
      #expect(seated.sorted() == crowd.map(\.id).sorted())
      let own = Set(crowd.map(\.id))
      let jobs = try lab.jobs().filter { own.contains($0.job.player) }
      #expect(jobs.map(\.job.kind) == Array(repeating: .opponentJoined, count: 4))
    }
  }

  @Test("withdraw against join")
  func withdrawAgainstJoin() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      var told: [String] = []
      for round in 0..<6 {
        // By the code: both events are about the match.
        let open = try #require(
          try ann.act(.matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 60))).ticket)
        let withdraw = try ann.sign(.requestWithdrawn(open.match))
        let join = try bob.sign(.invitationAccepted(open.match, code: open.code))
        switch round {
        case 0: try lab.inOneBatch([withdraw, join])
        case 1: try lab.inOneBatch([join, withdraw])
        default: break
        }
        let (one, two) = try await atOnce({ try ann.send(withdraw) }, { try bob.send(join) })
        let isJoined = two.ticket?.match == open.match
        if round < 2 { #expect(isJoined == (round == 1)) }
        try check(open.match, isJoined, one, two, &told, lab)

        // By a random match: the requests are in queues of their own, and a claim decides.
        let limit = Int64(100 + round)
        let request = MatchRequest(opponent: .random, turnLimitSeconds: limit)
        let waiting = try #require(try ann.act(.matchRequested(request)).ticket)
        let (back, met) = try await atOnce(
          { try ann.act(.requestWithdrawn(waiting.match)) },
          { try bob.act(.matchRequested(request)) })
        let other = try #require(met.ticket?.match)
        if other == waiting.match {
          #expect(back.refusal == .alreadyJoined(waiting.match))
          told.append("opponentJoined Ann")
        } else {
          #expect(back.refusal == nil)
          #expect(try lab.match(waiting.match).outcome == PairingRaces.withdrawn)
          #expect(try lab.match(other).stage == .waiting)
        }
      }
      try lab.expectTold(told, ann, bob)
    }
  }

  @Test("accept against withdraw")
  func acceptAgainstWithdraw() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      var told: [String] = []
      for round in 0..<6 {
        let request = MatchRequest(
          opponent: .player(bob.id), turnLimitSeconds: Int64(60 + round))
        let match = try #require(try ann.act(.matchRequested(request)).ticket).match
        told.append("invited Bob")
        let withdraw = try ann.sign(.requestWithdrawn(match))
        let accept = try bob.sign(.invitationAccepted(match, code: nil))
        switch round {
        case 0: try lab.inOneBatch([withdraw, accept])
        case 1: try lab.inOneBatch([accept, withdraw])
        default: break
        }
        let (one, two) = try await atOnce({ try ann.send(withdraw) }, { try bob.send(accept) })
        let isJoined = two.ticket?.match == match
        if round < 2 { #expect(isJoined == (round == 1)) }
        try check(match, isJoined, one, two, &told, lab)
      }
      try lab.expectTold(told, ann, bob)
    }
  }

  /// Checks the outcome of withdrawing and joining: one of them succeeded, and the other player is
  /// told.
  private func check(
    _ match: MatchID, _ isJoined: Bool, _ withdrawal: ReceivedReply, _ join: ReceivedReply,
    _ told: inout [String], _ lab: ServiceLab
  ) throws {
    let state = try lab.match(match)
    if isJoined {
      #expect(withdrawal.refusal == .alreadyJoined(match))
      #expect(state.stage == .playing)
      told.append("opponentJoined Ann")
    } else {
      guard case .accepted(.done(.withdrawn, match, _)) = withdrawal else {
        Issue.record("neither joined nor withdrawn: \(withdrawal), \(join)")
        return
      }
      #expect(join.refusal == .matchOver(PairingRaces.withdrawn))
      #expect(state.outcome == PairingRaces.withdrawn)
    }
  }

  @Test("two invite each other")
  func twoInviteEachOther() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      var told: [String] = []
      for limit in Int64(60)..<66 {
        let sent = try [(ann, bob), (bob, ann)].map { player, other in
          try player.sign(
            .matchRequested(
              MatchRequest(opponent: .player(other.id), turnLimitSeconds: limit)))
        }
        let (one, two) = try await atOnce({ try ann.send(sent[0]) }, { try bob.send(sent[1]) })
        let match = try #require(one.ticket?.match)
        #expect(two.ticket?.match == match, "the second is the acceptance of the first")
        #expect(Set([one.ticket?.seat, two.ticket?.seat]) == [0, 1])
        let state = try lab.match(match)
        #expect(state.stage == .playing)
        let (first, second) = state.players.first == ann.id ? ("Ann", "Bob") : ("Bob", "Ann")
        told += ["invited \(second)", "opponentJoined \(first)"]
      }
      #expect(try lab.matches(of: ann.id).count == 6)
      // On other terms it is another invitation.
      let (one, two) = try await atOnce(
        {
          try ann.act(
            .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 90)))
        },
        {
          try bob.act(
            .matchRequested(MatchRequest(opponent: .player(ann.id), turnLimitSeconds: 91)))
        })
      #expect(one.ticket?.match != two.ticket?.match)
      told += ["invited Ann", "invited Bob"]
      try lab.expectTold(told, ann, bob)
    }
  }

  @Test("both rematch at once")
  func bothRematchAtOnce() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      var told: [String] = []
      for round in 0..<5 {
        let match = try lab.begin(ann, bob, limit: Int64(60 + round))
        try bob.must(.matchForfeited(match))
        told += ["invited Bob", "opponentJoined Ann", "matchEnded Ann"]
        let sent = try [ann.sign(.rematchRequested(match)), bob.sign(.rematchRequested(match))]
        if round == 0 { try lab.inOneBatch(sent) }
        let (one, two) = try await atOnce({ try ann.send(sent[0]) }, { try bob.send(sent[1]) })
        let successor = MatchID(successorOf: match)
        // The second player's request was an acceptance. The first one learns the id by a job, and
        // by asking again.
        let annWasFirst = one.ticket == nil
        let (first, second) = annWasFirst ? (ann, bob) : (bob, ann)
        #expect((annWasFirst ? two : one).ticket?.match == successor)
        guard case .accepted(.done(.rematchOffered, match, _)) = annWasFirst ? one : two else {
          Issue.record("\(one), \(two)")
          return
        }
        #expect(try first.act(.rematchRequested(match)).ticket?.match == successor)
        #expect(try second.act(.rematchRequested(match)).ticket?.match == successor)
        told += ["rematchRequested \(second.label)", "rematchStarted \(first.label)"]
        // The player who did not begin the match begins the rematch.
        #expect(try lab.match(successor).players == [bob.id, ann.id])
        #expect(try lab.match(match).rematch.successor == successor)
      }
      #expect(try lab.matches(of: ann.id).count == 10)
      try lab.expectTold(told, ann, bob)
    }
  }

  @Test("both rematch at once, each judged by a worker that believes the queue its own")
  func bothRematchWithTwoWorkers() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      var ended: [MatchID] = []
      for round in 0..<6 {
        ended.append(try lab.begin(ann, bob, limit: Int64(60 + round)))
        try bob.must(.matchForfeited(ended[round]))
      }
      try lab.stopWorkers()
      let workers = (try HandWorker(in: lab), try HandWorker(in: lab))
      for match in ended {
        let sent = try (ann.sign(.rematchRequested(match)), bob.sign(.rematchRequested(match)))
        // Both have judged the match as nobody's wish for another one before either commits.
        let line = StartLine(2)
        for worker in [workers.0, workers.1] { worker.beforeCommit = { line.wait() } }
        let (one, two) = try await atOnce(
          { try workers.0.judge(sent.0) }, { try workers.1.judge(sent.1) })
        let successor = MatchID(successorOf: match)
        #expect([one, two].compactMap(\.ticket?.match) == [successor])
        #expect(try lab.match(match).rematch.successor == successor)
        // The worker that came too late has judged it again. The reply is the same ever after.
        for (worker, event) in [(workers.1, sent.0), (workers.0, sent.1)] {
          let again = try worker.judge(event)
          #expect(again == (event.event == sent.0.event ? one : two))
        }
      }
      #expect(workers.0.conflicts + workers.1.conflicts == ended.count)
      #expect(try lab.matches(of: ann.id).count == 2 * ended.count)
      let kinds = try lab.jobs().filter { [ann.id, bob.id].contains($0.job.player) }.map(\.job.kind)
      #expect(kinds.count { $0 == .rematchRequested } == ended.count)
      #expect(kinds.count { $0 == .rematchStarted } == ended.count)
    }
  }
}
