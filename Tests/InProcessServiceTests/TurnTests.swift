import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import TestedService
import Testing

@Suite("Turns that are refused by name, and other events")
struct TurnTests {
  @Test("same id other payload")
  func sameIDOtherPayload() throws {
    let lab = try InProcessService()
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

  @Test("same turn number same moves")
  func sameTurnSameMoves() throws {
    let lab = try InProcessService()
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

  @Test("turn ahead")
  func turnAhead() throws {
    let lab = try InProcessService()
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

  @Test("not your turn")
  func notYourTurn() throws {
    let lab = try InProcessService()
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

  @Test("match over")
  func matchOver() throws {
    let lab = try InProcessService()
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

  @Test("wrong previous hash")
  func wrongPreviousHash() throws {
    let lab = try InProcessService()
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

  @Test("forfeit against a winning turn")
  func forfeitAgainstWinningTurn() throws {
    let lab = try InProcessService()
    let (ann, bob) = try lab.pair()
    for turnIsFirst in [true, false] {
      let match = try lab.begin(ann, bob)
      try lab.playToLastCube(match, ann, bob)
      let state = try lab.match(match)
      #expect(state.points[0] > state.points[1])
      let turn = try ann.sign(.turnPlayed(match, lab.turn(state)))
      let forfeit = try bob.sign(.matchForfeited(match))
      try lab.inOneBatch(turnIsFirst ? [turn, forfeit] : [forfeit, turn])

      let (played, gaveUp) = (try ann.send(turn), try bob.send(forfeit))
      let outcome: Outcome
      if turnIsFirst {
        outcome = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
        #expect(played.receipt?.outcome == outcome)
        #expect(gaveUp.refusal == .matchOver(outcome))
      } else {
        outcome = Outcome(reason: .forfeited, seat: 1, results: [.won, .lost])
        guard case .accepted(.matchEnded(match, outcome, _, _)) = gaveUp else {
          Issue.record("\(gaveUp)")
          return
        }
        #expect(played.refusal == .matchOver(outcome))
      }
      let after = try lab.stored(match)
      #expect(after.state?.outcome == outcome)
      #expect(after.listing.pastGames.map(\.player).sorted() == [ann.id, bob.id].sorted())
    }
    let turns =
      Array(repeating: "yourTurn Bob", count: 7) + Array(repeating: "yourTurn Ann", count: 7)
    let begun = ["invited Bob", "opponentJoined Ann"] + turns
    try lab.expectTold(
      begun + ["matchEnded Bob"] + begun + ["matchEnded Ann"], ann, bob)
  }

  @Test("event too old")
  func eventTooOld() throws {
    let lab = try InProcessService()
    let ann = try lab.player("Ann")
    let now = lab.clock.now()
    let sent = try ann.sign(
      .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)),
      id: EventID(at: now.adding(seconds: -Event.maximumAgeSeconds - 1), random: 1))
    for _ in 0..<2 {
      guard case .eventTooOld(let time)? = try ann.send(sent).refusal else {
        Issue.record("not refused for its age")
        return
      }
      #expect(abs(time.microseconds(since: now)) < 60_000_000)
    }
    #expect(try lab.replies()[sent.key] == nil, "never stored")
    #expect(try lab.matches(of: ann.id) == [])

    let young = try ann.sign(
      sent.event.action,
      id: EventID(at: now.adding(seconds: -Event.maximumAgeSeconds + 120), random: 2))
    #expect(try ann.send(young).ticket?.match == young.newMatch)
    #expect(try lab.matches(of: ann.id) == [young.newMatch])
    try lab.expectTold([], ann)
  }
}
