import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import TestedService
import Testing

@Suite("Races for the end of a match, through broker and database", .serialized, .sharedService())
struct EndRaces {
  @Test("turn against deadline")
  func turnAgainstDeadline() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      var told: [String] = []
      for turnIsFirst in [true, false] {
        let match = try lab.begin(ann, bob, limit: 10)
        for player in [ann, bob] {
          try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
        }
        let state = try lab.match(match)
        let deadline = try #require(state.deadline).at
        let turn = try ann.sign(.turnPlayed(match, lab.turn(state)))
        // The scheduler's event, signed with the service's key; the ticks go on all the time.
        let slot = Slot(of: match)
        let queue = lab.layout.queue(of: slot)
        let time = [-8, -4, 0].map { deadline.adding(seconds: $0) }.map {
          lab.serviceEvent(
            .ticked(queue: queue, time: $0, since: Instant(microseconds: 0)), slot: slot)
        }
        let passed = lab.serviceEvent(
          .deadlinePassed(match, turn: 3, deadline: deadline), slot: slot)
        let message = (slot: turn.slot, body: turn.envelope)
        try lab.inOneBatch(turnIsFirst ? [message] + time + [passed] : time + [message, passed])

        let reply = try ann.send(turn)
        let after = try lab.match(match)
        told += ["invited Bob", "opponentJoined Ann", "yourTurn Ann", "yourTurn Bob"]
        if turnIsFirst {
          #expect(reply.receipt?.turn == 3)
          #expect(after.outcome == nil)
          #expect(after.turnNumber == 4)
          told += ["yourTurn Bob"]
          try bob.must(.matchForfeited(match))
          told += ["matchEnded Ann"]
        } else {
          let outcome = Outcome(reason: .timedOut, seat: 0, results: [.lost, .won])
          #expect(reply.refusal == .matchOver(outcome))
          #expect(after.outcome == outcome)
          #expect(after.turnNumber == 3)
          told += ["matchEnded Ann", "matchEnded Bob"]
        }
        #expect(try lab.replies()[turn.key] != nil)
      }
      try lab.expectTold(told, ann, bob)
    }
  }

  @Test("forfeit and winning turn at once")
  func forfeitAndTurnAtOnce() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      try lab.playToLastCube(match, ann, bob)
      let turn = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      let (played, gaveUp) = try await atOnce(
        { try ann.send(turn) }, { try bob.act(.matchForfeited(match)) })
      let outcome = try #require(try lab.match(match).outcome)
      #expect(outcome.results == [.won, .lost])
      #expect((played.refusal == .matchOver(outcome)) != (gaveUp.refusal == .matchOver(outcome)))
    }
  }
}
