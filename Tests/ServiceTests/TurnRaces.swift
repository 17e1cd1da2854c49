import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import TestedService
import Testing

@Suite("Races of turns, through broker and database", .serialized, .sharedService())
struct TurnRaces {
  @Test("same id same payload")
  func sameIDSamePayload() async throws {
    try await ServiceLab.shared { lab in
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

  @Test("same turn number other moves")
  func sameTurnOtherMoves() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
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

  // Failure: Refusal.wrongSlot: ° The event came to a queue that does not serve its match or
  //   player. The reply names the right slot.
  @Test("wrong slot")
  func wrongSlot() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
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
