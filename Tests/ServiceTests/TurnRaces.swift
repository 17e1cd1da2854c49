import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@Suite("Races of turns, through broker and database", .serialized)
struct TurnRaces {
  @Test("same id same payload", .timeLimit(.minutes(15)))
  func sameIDSamePayload() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let sent = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      let first = try ann.bytes(sent)
      #expect(try ReplyCodec.decode(first).reply.receipt?.turn == 1)
      #expect(try ann.bytes(sent) == first)

      // Twice in one batch, and once before.
      let next = try bob.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      try lab.inOneBatch([next, sent, next])
      let second = try bob.bytes(next)
      #expect(try ReplyCodec.decode(second).reply.receipt?.turn == 2)

      let replies = try lab.replies()
      #expect(replies[sent.key]?.reply == first)
      #expect(replies[next.key]?.reply == second)
      #expect(try lab.match(match).turnNumber == 3)
      try lab.expectTold(
        ["invited Bob", "opponentJoined Ann", "yourTurn Bob", "yourTurn Ann"], ann, bob)
    }
  }

  @Test("same id other payload", .timeLimit(.minutes(15)))
  func sameIDOtherPayload() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let state = try lab.match(match)
      let sent = try ann.sign(.turnPlayed(match, lab.turn(state)))
      let other = try ann.sign(
        .turnPlayed(match, lab.turn(state, fromEnd: false)), id: sent.event.id)
      let first = try ann.bytes(sent)
      #expect(try ann.send(other).refusal == .idempotencyMismatch)
      #expect(try ann.bytes(sent) == first)
      // The id belongs to the player: it is free for another one.
      let same = try bob.sign(
        .turnPlayed(match, lab.turn(lab.match(match))), id: sent.event.id)
      let forfeit = try bob.sign(.matchForfeited(match), id: sent.event.id)
      try lab.inOneBatch([same, forfeit])
      #expect(try bob.send(same).receipt?.turn == 2)
      #expect(try bob.send(forfeit).refusal == .idempotencyMismatch)

      #expect(try lab.replies()[sent.key]?.reply == first)
      #expect(try lab.match(match).turnNumber == 3)
      try lab.expectTold(
        ["invited Bob", "opponentJoined Ann", "yourTurn Bob", "yourTurn Ann"], ann, bob)
    }
  }

  @Test("same turn number same moves", .timeLimit(.minutes(15)))
  func sameTurnSameMoves() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let turn = lab.turn(try lab.match(match))
      let sent = try [
        ann.sign(.turnPlayed(match, turn)), ann.sign(.turnPlayed(match, turn)),
        ann.sign(.turnPlayed(match, turn)),
      ]
      try lab.inOneBatch([sent[0], sent[1]])
      #expect(try ann.send(sent[0]).receipt?.turn == 1)
      #expect(try ann.send(sent[1]).refusal == .turnAlreadyPlayed(turn: 1))
      #expect(try ann.send(sent[2]).refusal == .turnAlreadyPlayed(turn: 1))

      let replies = try lab.replies()
      #expect(sent.allSatisfy { replies[$0.key] != nil })
      #expect(try lab.match(match).turnNumber == 2)
      try lab.expectTold(["invited Bob", "opponentJoined Ann", "yourTurn Bob"], ann, bob)
    }
  }

  @Test("same turn number other moves", .timeLimit(.minutes(15)))
  func sameTurnOtherMoves() async throws {
    try await ServiceLab.run(.init(workers: 2)) { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let state = try lab.match(match)
      let sent = try ann.sign(.turnPlayed(match, lab.turn(state)))
      let other = try ann.sign(.turnPlayed(match, lab.turn(state, fromEnd: false)))
      // The same player at two devices at once, each with a connection of its own.
      let twin = try LabPlayer("Ann", key: ann.key, in: lab)
      let (one, two) = try await atOnce({ try ann.send(sent) }, { try twin.send(other) })
      let winner = try #require(one.receipt ?? two.receipt)
      #expect(
        (one.receipt == nil ? one : two).refusal
          == .staleTurn(current: 2, previous: winner.hash))

      let after = try lab.match(match)
      #expect(after.turnNumber == 2)
      #expect(after.previousTurnHash == winner.hash)
      try lab.expectTold(["invited Bob", "opponentJoined Ann", "yourTurn Bob"], ann, bob)
    }
  }

  @Test("turn ahead", .timeLimit(.minutes(15)))
  func turnAhead() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      var turn = lab.turn(try lab.match(match))
      turn.number = 3
      let ahead = try ann.sign(.turnPlayed(match, turn))
      let refused = try ann.bytes(ahead)
      #expect(try ReplyCodec.decode(refused).reply.refusal == .unknownTurn(current: 1))
      for player in [ann, bob] {
        try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
      }
      // The reply was given: it stays the same although the turn is due by now.
      #expect(try ann.bytes(ahead) == refused)
      #expect(try lab.match(match).turnNumber == 3)
      try lab.expectTold(
        ["invited Bob", "opponentJoined Ann", "yourTurn Bob", "yourTurn Ann"], ann, bob)
    }
  }

  @Test("not your turn", .timeLimit(.minutes(15)))
  func notYourTurn() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let cyd = try lab.player("Cyd")
      let match = try lab.begin(ann, bob)
      let turn = lab.turn(try lab.match(match))
      #expect(
        try bob.act(.turnPlayed(match, turn)).refusal == .notYourTurn(whose: ann.id))
      #expect(try cyd.act(.turnPlayed(match, turn)).refusal == .unknownMatch)
      // A seat that is not taken yet is nobody's turn.
      let alone = try ann.sign(
        .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 60)))
      #expect(try ann.send(alone).ticket?.match == alone.newMatch)
      try ann.must(.turnPlayed(alone.newMatch, lab.turn(lab.match(alone.newMatch))))
      #expect(
        try ann.act(.turnPlayed(alone.newMatch, lab.turn(lab.match(alone.newMatch)))).refusal
          == .notYourTurn(whose: nil))

      #expect(try lab.match(match).turnNumber == 1)
      #expect(try lab.match(alone.newMatch).turnNumber == 2)
      try lab.expectTold(["invited Bob", "opponentJoined Ann"], ann, bob, cyd)
    }
  }

  @Test("match over", .timeLimit(.minutes(15)))
  func matchOver() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let turn = lab.turn(try lab.match(match))
      try bob.must(.matchForfeited(match))
      let outcome = Outcome(reason: .aborted, seat: 1, results: [.none, .none])
      let head = try lab.match(match).head
      for action in [Event.Action.turnPlayed(match, turn), .matchForfeited(match)] {
        #expect(try ann.act(action).refusal == .matchOver(outcome))
      }
      #expect(try bob.act(.matchForfeited(match)).refusal == .matchOver(outcome))

      #expect(try lab.match(match).head == head)
      #expect(try lab.match(match).outcome == outcome)
      try lab.expectTold(["invited Bob", "opponentJoined Ann", "matchEnded Ann"], ann, bob)
    }
  }

  @Test("wrong previous hash", .timeLimit(.minutes(15)))
  func wrongPreviousHash() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let state = try lab.match(match)
      var turn = lab.turn(state)
      // The newest entry's: a turn names the turn before it instead, or the deal.
      turn.previous = state.head
      #expect(state.head != state.previousTurnHash)
      #expect(
        try ann.act(.turnPlayed(match, turn)).refusal
          == .wrongPrevious(expected: state.previousTurnHash))
      #expect(try lab.match(match) == state)
      try ann.must(.turnPlayed(match, lab.turn(state)))
      try lab.expectTold(["invited Bob", "opponentJoined Ann", "yourTurn Bob"], ann, bob)
    }
  }

  // Failure: Refusal.wrongSlot: ° The event came to a queue that does not serve its match or
  //   player. The reply names the right slot.
  @Test("wrong slot", .timeLimit(.minutes(15)))
  func wrongSlot() async throws {
    try await ServiceLab.run(.init(workers: 2)) { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let sent = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      let queue = lab.layout.queue(of: sent.slot)
      for other in 0..<lab.layout.queueCount where other != queue {
        let slot = try #require(lab.layout.slots(of: other).last)
        #expect(
          try ann.send(sent, to: slot).refusal == .wrongSlot(expected: sent.slot.number))
      }
      #expect(try lab.replies()[sent.key] == nil, "never stored")
      #expect(try lab.match(match).turnNumber == 1)
      #expect(try ann.send(sent).receipt?.turn == 1)
      try lab.expectTold(["invited Bob", "opponentJoined Ann", "yourTurn Bob"], ann, bob)
    }
  }
}
