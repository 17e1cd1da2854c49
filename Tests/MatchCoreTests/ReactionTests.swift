import CubeRules
import Testing

@testable import MatchCore

@Suite("Answering a turn with a word")
struct ReactionTests {
  let lab = MatchLab()

  /// A match in which Ann has played the first turn.
  private func answerable() -> MatchID {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    return id
  }

  @Test("A reaction is in the record, its turn's player is told, and the match waits as before")
  func reaction() throws {
    let id = answerable()
    lab.pass(seconds: 600)
    lab.send(lab.event(lab.reaction(id), by: .bob)) {
      $0.changes(id, event: true) { $0.hasReaction = true }
      $0.push(.reacted, to: .ann, id, turn: 1)
      $0.reply = .accepted(.done(.reacted, id, version: 4))
    }
    // The next turn builds on the turn before, not on the reaction.
    lab.act(lab.turn(id, fiveFaces), by: .bob)
    #expect(lab.matches[id]?.turnNumber == 3)
    lab.send(lab.event(lab.reaction(id), by: .ann)) {
      $0.changes(id, event: true) { $0.hasReaction = true }
      $0.push(.reacted, to: .bob, id, turn: 2)
      $0.reply = .accepted(.done(.reacted, id, version: 6))
    }
  }

  // Failure: Refusal.turnNotLast: Only the last turn can be answered. The reply names it.
  // Failure: Refusal.alreadyReacted: A turn is answered once.
  // Failure: Refusal.wordNotPlayed: The word of a reaction was not played in the match.
  @Test("Each refusal is found only where those before it do not hold")
  func order() {
    let id = lab.runningMatch()
    lab.refuse(lab.event(lab.reaction(id), by: .cyd), .unknownMatch)
    for turn in [Int.min, 0, 1, Int.max] {
      lab.refuse(lab.event(lab.reaction(id, turn: turn), by: .bob), .unknownTurn(current: 1))
    }
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.refuse(
      lab.event(lab.reaction(id, turn: 2, word: "NEVER"), by: .ann), .unknownTurn(current: 2))
    lab.refuse(lab.event(lab.reaction(id, word: "NEVER"), by: .ann), .turnIsYourOwn)
    lab.refuse(lab.event(lab.reaction(id, word: "NEVER"), by: .bob), .wordNotPlayed("NEVER"))
    lab.act(lab.reaction(id), by: .bob)
    lab.refuse(lab.event(lab.reaction(id, word: "NEVER"), by: .bob), .alreadyReacted(turn: 1))
    lab.act(lab.turn(id, fiveFaces), by: .bob)
    for turn in [Int.min, 0, 1] {
      lab.refuse(lab.event(lab.reaction(id, turn: turn), by: .ann), .turnNotLast(last: 2))
    }
    lab.act(.matchForfeited(id), by: .bob)
    let outcome = lab.matches[id]!.outcome!
    lab.refuse(lab.event(lab.reaction(id), by: .ann), .matchOver(outcome))
  }

  // Failure: Refusal.turnIsYourOwn: Players do not answer their own turns.
  @Test("Nobody answers their own turn, in a game alone or before an opponent is there")
  func alone() {
    for request in [MatchRequest.solo, .open] {
      let id = lab.request(request, by: .ann)
      lab.act(lab.turn(id, fourFaces), by: .ann)
      lab.refuse(lab.event(lab.reaction(id), by: .ann), .turnIsYourOwn)
    }
  }

  @Test("A reaction is refused if either of the two players has blocked the other")
  func blocked() {
    let id = answerable()
    lab.act(.playerBlocked(TestPlayer.bob.id), by: .ann)
    lab.refuse(lab.event(lab.reaction(id), by: .bob), .playerUnavailable(TestPlayer.ann.id))
    lab.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)
    lab.act(.playerBlocked(TestPlayer.ann.id), by: .bob)
    lab.refuse(lab.event(lab.reaction(id), by: .bob), .blockedByYou(TestPlayer.ann.id))
  }

  @Test(
    "A reaction leaves room in the record for one more turn and the end", arguments: [1_020, 1_021])
  func room(count: Int) throws {
    let id = answerable()
    var match = try #require(lab.matches[id])
    match.entryCount = count
    let sent = lab.event(lab.reaction(id), by: .bob)
    var context = lab.context(for: sent)
    context.matches[id] = match
    let judgement = Judge.judge(sent.player.receive(sent.event), context)
    if count > 1_020 {
      #expect(judgement == .refused(.recordFull(limit: 1_024)))
    } else {
      #expect(judgement.changes.first?.after.entryCount == 1_021)
    }
  }
}
