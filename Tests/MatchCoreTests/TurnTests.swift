import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

@Suite("Playing a turn")
struct TurnTests {
  let lab = MatchLab()

  @Test("A word counts for its player, and the next player is told")
  func word() {
    let id = lab.runningMatch()
    let scores = lab.scores(id, fourFaces)
    lab.pass(seconds: 600)
    lab.send(lab.event(lab.turn(id, fourFaces), by: .ann)) {
      $0.plays(id, fourFaces, scores: scores)
      $0.push(.yourTurn, to: .bob, id, turn: 2)
      $0.acceptsTurn(
        1, id, version: 3, scores: scores, points: [scores[0], 0], hash: $0.head(of: id),
        seatToPlay: 1)
    }
  }

  @Test("A turn leaves the derived listing as it is, until it ends the match")
  func listing() {
    let id = lab.runningMatch()
    let before = lab.listingsThatStayed
    lab.act(lab.turn(id, fourFaces), by: .ann)
    #expect(lab.listingsThatStayed == before + 1)
    lab.act(.matchForfeited(id), by: .bob)
    #expect(lab.listingsThatStayed == before + 1)
  }

  @Test("A removal and a word are one turn with two scores")
  func removalAndWord() {
    let id = lab.runningMatch()
    let turn = moves("-222", "122T 121T 221T")
    let scores = lab.scores(id, turn)
    lab.send(lab.event(lab.turn(id, turn), by: .ann)) {
      $0.plays(id, turn, scores: scores)
      $0.push(.yourTurn, to: .bob, id, turn: 2)
      $0.acceptsTurn(
        1, id, version: 3, scores: scores, points: [scores[1], 0], hash: $0.head(of: id),
        seatToPlay: 1)
    }
    #expect(scores[0] == 0)
  }

  // Failure: Refusal.unknownTurn: The match has not reached this turn.
  // Failure: Refusal.turnAlreadyPlayed: The same moves were already accepted under this number.
  // Failure: Refusal.staleTurn: Other moves were accepted under this number. The reply names the
  //   turn that is due and the hash before it.
  // Failure: Refusal.notYourTurn: It is the other player's turn.
  // Failure: Refusal.wrongPrevious: The turn does not build on the last turn.
  @Test("The refusals come in their order: each one is found only when those before it do not hold")
  func order() {
    let id = lab.runningMatch()
    let wrong = Hash.zero
    let nonsense = moves("222T 000T 222L")
    lab.refuse(
      lab.event(lab.turn(id, nonsense, number: 2, previous: wrong), by: .bob),
      .unknownTurn(current: 1))
    lab.refuse(
      lab.event(lab.turn(id, nonsense, number: 1, previous: wrong), by: .bob),
      .notYourTurn(whose: TestPlayer.ann.id))
    let dealt = lab.matches[id]!.previousTurnHash
    lab.refuse(
      lab.event(lab.turn(id, nonsense, previous: wrong), by: .ann),
      .wrongPrevious(expected: dealt))
    lab.refuse(
      lab.event(lab.turn(id, nonsense), by: .ann),
      .illegalTurn(TurnRefusal(moveIndex: 0, reason: .faceHidden(Face(notation: "000T")!))))
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let played = lab.matches[id]!.previousTurnHash
    lab.refuse(
      lab.event(lab.turn(id, fourFaces, number: 1, previous: dealt), by: .ann),
      .turnAlreadyPlayed(turn: 1))
    lab.refuse(
      lab.event(lab.turn(id, fiveFaces, number: 1, previous: dealt), by: .ann),
      .staleTurn(current: 2, previous: played))
    lab.refuse(
      lab.event(lab.turn(id, fourFaces, number: 1, previous: dealt), by: .bob),
      .staleTurn(current: 2, previous: played))
    lab.refuse(
      lab.event(lab.turn(id, fiveFaces), by: .ann), .notYourTurn(whose: TestPlayer.bob.id))
    lab.act(.matchForfeited(id), by: .bob)
    let outcome = Outcome(reason: .forfeited, seat: 1, results: [.won, .lost])
    for number in [1, 2, 3] {
      lab.refuse(
        lab.event(lab.turn(id, nonsense, number: number, previous: wrong), by: .ann),
        .matchOver(outcome))
    }
  }

  @Test(
    "A turn number from anywhere is refused and nothing more",
    arguments: [Int.min, -1, 0, 3, 4_294_967_297, Int.max])
  func hostileNumbers(number: Int) {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let refusal: Refusal =
      number > 2
      ? .unknownTurn(current: 2)
      : .staleTurn(current: 2, previous: lab.matches[id]!.previousTurnHash)
    lab.refuse(lab.event(lab.turn(id, fourFaces, number: number), by: .ann), refusal)
  }

  @Test("An old number is stale before the first turn, too")
  func staleBeforeFirst() {
    let id = lab.runningMatch()
    lab.refuse(
      lab.event(lab.turn(id, fourFaces, number: 0), by: .ann),
      .staleTurn(current: 1, previous: lab.matches[id]!.previousTurnHash))
  }

  @Test("A player without a seat, an unknown match and an unknown word list are refused by name")
  func whoAndWhat() {
    let id = lab.runningMatch()
    lab.refuse(lab.event(lab.turn(id, fourFaces), by: .cyd), .unknownMatch)
    lab.refuse(lab.event(lab.turn(id, fourFaces), by: .dan), .notRegistered)
    let nowhere = MatchID(rawValue: 7)
    lab.refuse(lab.event(lab.turn(nowhere, fourFaces), by: .ann), .unknownMatch)
    lab.lexicons = Lexicons(.only(["CAB"]))
    lab.refuse(lab.event(lab.turn(id, fourFaces), by: .ann), .unavailable)
  }

  // Failure: Refusal.illegalTurn: The rules refuse the turn. The reply names the move and the
  //   reason.
  // Failure: TurnRefusal: The move and the reason.
  @Test("The rules refuse a turn as a whole, naming the move and the reason")
  func rules() {
    let id = lab.runningMatch()
    let cases: [([Move], Int, RuleRefusal)] = [
      ([], 0, .turnShape(.empty)),
      (moves("-222"), 0, .turnShape(.singleRemoval)),
      (moves("-222", "-221", "-220"), 2, .turnShape(.threeRemovals)),
      (moves("-222", "-111"), 1, .cubeHidden(Cube(notation: "111")!)),
      (moves("222T 221T"), 0, .tooShort(2)),
      ([.word([])], 0, .emptyWord),
    ]
    for (moves, index, reason) in cases {
      lab.refuse(
        lab.event(lab.turn(id, moves), by: .ann),
        .illegalTurn(TurnRefusal(moveIndex: index, reason: reason)))
    }
  }

  @Test("A word counts only where the match's own word list has it, not the current one")
  func pinnedWordList() throws {
    let old = Lexicon.only(["AAA"])
    let lab = MatchLab(old)
    let id = lab.runningMatch()
    lab.lexicons = Lexicons(current: [.english: .everyWord], others: [old])
    let spelled = lab.matches[id]!.game.spelling(
      of: ["122L", "222L", "222R", "221R"].map { Face(notation: $0)! })
    lab.refuse(
      lab.event(lab.turn(id, fourFaces), by: .ann),
      .illegalTurn(TurnRefusal(moveIndex: 0, reason: .notAWord(spelled.description))))
    #expect(lab.matches[id]?.lexicon == old.version.rawValue)
  }

  // Failure: Refusal.recordFull: The record has 1,024 entries. The match can still be ended.
  @Test("A record that is nearly full takes no turn more, and can still be ended")
  func recordFull() {
    for (count, isFull) in [(1_021, false), (1_022, true)] {
      let lab = MatchLab()
      let id = lab.runningMatch()
      var match = lab.matches[id]!
      match.entryCount = count
      let sent = lab.event(lab.turn(id, fourFaces), by: .ann)
      var context = lab.context(for: sent)
      context.matches[id] = match
      let judgement = Judge.judge(sent.player.receive(sent.event), context)
      if isFull {
        #expect(judgement == .refused(.recordFull(limit: 1_024)))
        let forfeit = lab.event(.matchForfeited(id), by: .ann)
        let end = Judge.judge(forfeit.player.receive(forfeit.event), context)
        #expect(end.changes.first?.after.entryCount == 1_024)
      } else {
        #expect(judgement.changes.first?.after.entryCount == 1_022)
      }
    }
  }
}

@Suite("How a match ends")
struct EndTests {
  let lab = MatchLab()

  @Test("Giving up in turn loses at any score, and the other player is told")
  func forfeitInTurn() {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.act(lab.turn(id, twoRemovals), by: .bob)
    let points = lab.matches[id]!.points
    let outcome = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
    lab.send(lab.event(.matchForfeited(id), by: .ann)) {
      $0.changes(id, event: true)
      $0.ends(
        id, outcome,
        rows: [
          "seat 0 Ann over", "seat 1 Bob over",
          "past Ann lost \(points[0]):0 against Bob forfeited",
          "past Bob won 0:\(points[0]) against Ann forfeited",
        ])
      $0.push(.matchEnded, to: .bob, id)
      $0.reply = .accepted(.matchEnded(id, outcome, points: points, version: 5))
    }
    #expect(points[0] > 0)
  }

  @Test("Giving up out of turn is the same")
  func forfeitOutOfTurn() {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, twoRemovals), by: .ann)
    let outcome = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
    lab.send(lab.event(.matchForfeited(id), by: .ann)) {
      $0.changes(id, event: true)
      $0.ends(
        id, outcome,
        rows: [
          "seat 0 Ann over", "seat 1 Bob over", "past Ann lost 0:0 against Bob forfeited",
          "past Bob won 0:0 against Ann forfeited",
        ])
      $0.push(.matchEnded, to: .bob, id)
      $0.reply = .accepted(.matchEnded(id, outcome, points: [0, 0], version: 4))
    }
    lab.refuse(lab.event(.matchForfeited(id), by: .bob), .matchOver(outcome))
    lab.refuse(lab.event(.matchForfeited(id), by: .ann), .matchOver(outcome))
    lab.refuse(lab.event(.matchForfeited(id), by: .cyd), .unknownMatch)
  }

  @Test(
    "A match that is given up before its first turn counts for nobody, and the other one is told so",
    arguments: [0, 1])
  func forfeitBeforeTheFirstTurn(seat: Int) {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.act(.invitationAccepted(id, code: nil), by: .bob)
    let players = [TestPlayer.ann, .bob]
    let outcome = Outcome(reason: .aborted, seat: seat, results: [.none, .none])
    lab.send(lab.event(.matchForfeited(id), by: players[seat])) {
      $0.changes(id, event: true)
      $0.ends(
        id, outcome,
        rows: [
          "seat 0 Ann over", "seat 1 Bob over", "past Ann none 0:0 against Bob aborted",
          "past Bob none 0:0 against Ann aborted",
        ])
      $0.push(.matchEnded, to: players[1 - seat], id, turn: 1)
      $0.reply = .accepted(.matchEnded(id, outcome, points: [0, 0], version: 3))
    }
    #expect(lab.matches[id]?.rated == nil)
    lab.refuse(lab.event(.matchForfeited(id), by: .bob), .matchOver(outcome))
  }

  @Test("A match can be given up also if the opponent came after the first turn")
  func forfeitAfterTheOtherBegan() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.act(.invitationAccepted(id, code: nil), by: .bob)
    lab.act(.matchForfeited(id), by: .bob)
    #expect(
      lab.matches[id]?.outcome
        == Outcome(reason: .forfeited, seat: 1, results: [.won, .lost]))
  }

  @Test("The turn that takes the last cube ends the match; most points win")
  func cleared() {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.act(lab.turn(id, twoRemovals), by: .bob)
    lab.clear(id, by: [.ann, .bob], leaving: 1)
    let match = lab.matches[id]!
    let player = [TestPlayer.ann, .bob][match.seatToPlay]
    let other = [TestPlayer.bob, .ann][match.seatToPlay]
    let last = moves("-\(match.game.inPlay.first { _ in true }!)")
    let outcome = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
    let points = match.points
    lab.send(lab.event(lab.turn(id, last), by: player)) {
      $0.plays(id, last, scores: [0], nextDeadlineIn: nil)
      let hash = $0.head(of: id)
      $0.ends(
        id, outcome,
        rows: [
          "seat 0 Ann over", "seat 1 Bob over",
          "past Ann won \(points[0]):0 against Bob cleared",
          "past Bob lost 0:\(points[0]) against Ann cleared",
        ])
      $0.push(.matchEnded, to: other, id)
      $0.acceptsTurn(
        match.turnNumber, id, version: match.version + 1, scores: [0], points: points, hash: hash,
        seatToPlay: 1 - match.seatToPlay, outcome: outcome)
    }
    #expect(lab.matches[id]?.game.isOver == true)
    lab.refuse(lab.event(.matchForfeited(id), by: other), .matchOver(outcome))
  }

  @Test("Equal points tie")
  func tied() {
    let id = lab.runningMatch()
    lab.clear(id, by: [.ann, .bob], leaving: 0)
    #expect(
      lab.matches[id]?.outcome == Outcome(reason: .cleared, seat: nil, results: [.tied, .tied]))
  }

  @Test("Outcomes follow from reason, seat and points")
  func outcomes() {
    #expect(Outcome.decided(.cleared, by: nil, points: [3, 5]).results == [.lost, .won])
    #expect(Outcome.decided(.cleared, by: nil, points: [3]).results == [.completed])
    #expect(
      Outcome.decided(.cleared, by: nil, points: [5, 3, 5]).results == [.tied, .lost, .tied])
    #expect(Outcome.decided(.timedOut, by: 0, points: [9, 1]).results == [.lost, .won])
    #expect(Outcome.decided(.timeUp, by: nil, points: [9]).results == [.completed])
    #expect(Outcome.decided(.aborted, by: 1, points: [9, 0]).results == [.none, .none])
    let played = Outcome.Reason.allCases.filter {
      Outcome.decided($0, by: nil, points: [0]).wasPlayed
    }
    #expect(
      played == [
        .cleared, .forfeited, .timedOut, .finished, .timeUp, .aborted, .stopped, .annulled,
      ])
    #expect(Outcome.decided(.stopped, by: nil, points: [5, 3]).results == [.won, .lost])
    #expect(Outcome.decided(.annulled, by: nil, points: [5, 3]).results == [.none, .none])
  }
}
