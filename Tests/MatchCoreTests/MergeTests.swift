import CubeRules
import Testing

@testable import MatchCore

@Suite("Two waiting players are brought together")
struct MergeTests {
  let lab = MatchLab()
  /// A reason as the scheduler gives it. The judge takes the scheduler's word on ratings.
  let reason = MeetingReason(ratingDistance: 250, window: nil, waitedSeconds: 60)

  private func merge(_ kept: MatchID, _ merged: MatchID) -> SentEvent {
    let merger = Merger(kept: kept, merged: merged, reason: reason)
    return lab.event(.mergeProposed(merger), by: .service)
  }

  /// Two players who could not meet when they asked: Ann waits first.
  private func twoWaiting() -> (MatchID, MatchID) {
    lab.act(.playerBlocked(TestPlayer.bob.id), by: .ann)
    let first = lab.request(.random, by: .ann)
    lab.pass(seconds: 1)
    let second = lab.request(.random, by: .bob)
    lab.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)
    return (first, second)
  }

  @Test("The younger match ends, its request takes the free seat of the older, and both are told")
  func merges() {
    let (kept, merged) = twoWaiting()
    lab.act(lab.turn(kept, fourFaces), by: .ann)
    lab.pass(seconds: 60)
    lab.act(merge(kept, merged))
    let match = lab.matches[kept]!
    #expect(match.stage == .playing)
    #expect(match.players == [TestPlayer.ann.id, TestPlayer.bob.id])
    #expect(match.turnNumber == 2)
    #expect(match.deadline?.at == lab.now.adding(seconds: day))
    let ended = lab.matches[merged]!
    #expect(
      ended.outcome
        == Outcome(
          reason: .mergedInto, seat: nil, results: [.none, .none], mergedInto: kept))
    #expect(
      lab.records[kept]?.map { EntryKind($0.content) } == [
        .matchRequested, .matchDealt, .turnPlayed, .matchRequested, .seatFilled,
      ])
    #expect(lab.records[merged]?.last.map { EntryKind($0.content) } == .matchEnded)
    #expect(
      lab.pushes.suffix(2).map { "\($0.kind) \($0.player == TestPlayer.ann.id ? "Ann" : "Bob")" }
        == ["opponentJoined Ann", "opponentJoined Bob"])
    #expect(lab.pushes.suffix(2).allSatisfy { $0.match == kept })
    // Why they met is in the record.
    guard
      case .statement(.seatFilled(1, TestPlayer.bob.id, let why?))? = lab.records[kept]?.last?
        .content
    else {
      Issue.record("no reason")
      return
    }
    #expect(why.merged == merged)
    #expect(why.ratingDistance == 250)
    // The match goes on as if Bob had come by himself.
    lab.act(lab.turn(kept, twoRemovals), by: .bob)
    #expect(lab.matches[kept]?.turnNumber == 3)
  }

  @Test("An act on the old match is refused, and the refusal tells where the match goes on")
  func lateTurn() {
    let (kept, merged) = twoWaiting()
    let turn = lab.event(lab.turn(merged, fourFaces), by: .bob)
    lab.act(merge(kept, merged))
    lab.refuse(turn, .matchOver(lab.matches[merged]!.outcome!))
    lab.refuse(
      lab.event(.requestWithdrawn(merged), by: .bob),
      .matchOver(lab.matches[merged]!.outcome!))
    lab.refuse(lab.event(.rematchRequested(merged), by: .bob), .rematchNotPossible)
  }

  @Test("A merger that no longer holds changes nothing")
  func stale() {
    let (kept, merged) = twoWaiting()
    // A match with a turn does not end.
    lab.act(lab.turn(merged, fourFaces), by: .bob)
    expectNothing(kept, merged)
    // The other way round is possible.
    lab.act(.requestWithdrawn(kept), by: .ann)
    expectNothing(merged, kept)
    expectNothing(kept, merged)
    let other = lab.request(.random, by: .bob)
    // No player meets themselves, and no match itself.
    expectNothing(merged, other)
    expectNothing(other, other)
    // A player who was blocked meanwhile is not met.
    let third = lab.request(MatchRequest(opponent: .random, turnLimitSeconds: 60), by: .cyd)
    expectNothing(other, third)
    expectNothing(MatchID(rawValue: 1), third)
  }

  @Test("A pair with a block on either side is never brought together")
  func blocked() {
    let (kept, merged) = twoWaiting()
    lab.act(.playerBlocked(TestPlayer.ann.id), by: .bob)
    expectNothing(kept, merged)
  }

  @Test("A seat that is taken meanwhile stays its player's")
  func taken() {
    let (kept, merged) = twoWaiting()
    lab.act(.matchRequested(.random), by: .cyd)
    #expect(lab.matches[kept]?.players == [TestPlayer.ann.id, TestPlayer.cyd.id])
    expectNothing(kept, merged)
  }

  private func expectNothing(_ kept: MatchID, _ merged: MatchID) {
    let before = lab.state
    #expect(lab.act(merge(kept, merged)) == .refused(.unavailable))
    #expect(lab.state == before)
  }

  @Test("A record that says it was merged holds only without a turn and without an opponent")
  func forged() throws {
    let running = lab.runningMatch()
    let waiting = lab.request(.random, by: .ann)
    lab.act(lab.turn(waiting, fourFaces), by: .ann)
    for id in [waiting, running] {
      var replay = Replay(id: id)
      for (entry, content) in lab.records[id]! {
        try replay.take(entry, content, words: lab.lexicon(of: id))
      }
      let match = replay.match!
      let end = Statement.matchEnded(
        .merged(into: MatchID(rawValue: 1), points: match.points), points: match.points,
        head: match.head)
      let signed = SignedPayload.statement(end, in: id)
      #expect(throws: Match.RecordFault.self) {
        try replay.take(
          match.nextEntry(signed, at: lab.now), .statement(end), words: lab.lexicon(of: id))
      }
    }
  }
}
