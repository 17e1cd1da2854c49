import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

@Suite("A seat that a joiner leaves")
struct SeatLeftTests {
  let lab = MatchLab()
  private let week = 7 * day

  /// The letters that a match is dealt after so many players have left it.
  private func letters(of id: MatchID, after count: Int) -> String {
    Dealer.puzzle(
      seed: ServiceSecret.test.puzzleSeed(for: id, afterLeavings: count), lexicon: .everyWord
    ).description
  }

  private func leave(_ id: MatchID, _ player: TestPlayer = .bob) {
    lab.act(.matchForfeited(id), by: player)
  }

  private func joins(_ player: TestPlayer) -> MatchID? {
    guard case .accepted(.matchJoined(let ticket)) = lab.act(.matchRequested(.random), by: player)
    else { return nil }
    return ticket.match
  }

  @Test("The search goes on from its place in line, on a cube that the leaver does not know")
  func dealtAnew() throws {
    let id = lab.runningMatch()
    let dealt = try #require(lab.matches[id])
    lab.pass(seconds: 60)
    let now = lab.now
    let letters = letters(of: id, after: 1)
    #expect(letters != dealt.game.puzzle.description)
    lab.send(lab.event(.matchForfeited(id), by: .bob)) {
      $0.changes(id, event: true, rows: ["seat 0 Ann", "open \(day)"])
      $0.states(
        .seatLeft(seat: 1, player: TestPlayer.bob.id, letters: letters), in: id)
      let head = $0.head(of: id)
      let deadline = $0.deadline(in: week)
      $0.changed(id) {
        $0.seats[1] = Match.Seat(holder: .free)
        $0.stage = .waiting
        $0.game = CubeGame(puzzle: required(Puzzle(letters)))
        $0.previousTurnHash = head
        $0.deadline = deadline
        $0.leavings = [Match.Leaving(player: TestPlayer.bob.id, at: now)]
      }
      let outcome = Outcome(reason: .aborted, seat: 1, results: [.none, .none])
      $0.reply = .accepted(.matchEnded(id, outcome, points: [0, 0], version: 3))
    }
    let seat = try #require(Listing(of: lab.matches[id]!).openSeat)
    #expect(seat.leavers == [TestPlayer.bob.id])
    #expect(lab.matches[id]?.dealtAt == dealt.dealtAt, "the place in line is the time of the deal")
    #expect(lab.matches[id]?.rated == nil)
    // A turn on the former cube is none on this one.
    let former = lab.turn(id, fourFaces, previous: dealt.previousTurnHash)
    lab.refuse(
      lab.event(former, by: .ann), .wrongPrevious(expected: lab.matches[id]!.previousTurnHash))
  }

  @Test("The waiting player keeps the cube on which a turn was played, and the turn")
  func sameCube() throws {
    let id = lab.request(.random, by: .ann)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let waiting = try #require(lab.matches[id])
    #expect(joins(.bob) == id)
    leave(id)
    let match = try #require(lab.matches[id])
    #expect(match.stage == .waiting && match.game == waiting.game && match.turnNumber == 2)
    #expect(match.previousTurnHash == waiting.previousTurnHash)
    guard case .statement(.seatLeft(1, TestPlayer.bob.id, nil))? = lab.records[id]?.last?.content
    else {
      Issue.record("another cube")
      return
    }
    // The next joiner answers that turn.
    #expect(joins(.cyd) == id)
    guard case .accepted(.turnAccepted) = lab.act(lab.turn(id, fiveFaces), by: .cyd) else {
      Issue.record("the turn was refused")
      return
    }
  }

  @Test("Thirty-two joiners in a row who give up leave the search as it was")
  func inARow() throws {
    let crowd = (0..<32).map { TestPlayer("Bob\($0)", keyByte: UInt8(1 + $0)) }
    let lab = MatchLab(players: [.ann, .cyd] + crowd)
    let id = lab.request(.random, by: .ann)
    for player in crowd {
      lab.act(.matchRequested(.random), by: player)
      lab.act(.matchForfeited(id), by: player)
      #expect(lab.matches[id]?.stage == .waiting)
    }
    lab.act(.matchRequested(.random), by: .cyd)
    #expect(lab.matches[id]?.players == [TestPlayer.ann.id, TestPlayer.cyd.id])
    #expect(lab.matches[id]?.leavings.map(\.player) == crowd.map(\.id))
  }

  @Test("A match that was left as often as can be ends with the next joiner who gives up")
  func bounded() {
    let crowd = (0...Match.leavingLimit).map { TestPlayer("Bob\($0)", keyByte: UInt8(1 + $0)) }
    let lab = MatchLab(players: [.ann] + crowd)
    let id = lab.request(.random, by: .ann)
    for player in crowd {
      #expect(lab.matches[id]?.stage == .waiting)
      lab.act(.matchRequested(.random), by: player)
      lab.act(.matchForfeited(id), by: player)
    }
    #expect(lab.matches[id]?.outcome?.reason == .aborted)
    #expect(lab.matches[id]!.entryCount < Match.entryLimit / 2)
  }

  // Failure: Refusal.leftByYou: The sender left the match after joining it, and cannot come back.
  @Test("Who left is not seated there again: neither by chance, nor by code, nor by a merger")
  func neverAgain() throws {
    let id = lab.request(.open, by: .ann)
    let code = ShareCode(invitationTo: id, secret: .test)
    lab.act(.invitationAccepted(id, code: code), by: .bob)
    leave(id)
    #expect(lab.matches[id]?.stage == .waiting)
    lab.refuse(lab.event(.invitationAccepted(id, code: code), by: .bob), .leftByYou)
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .unknownMatch)
    lab.act(.invitationAccepted(id, code: code), by: .cyd)
    #expect(lab.matches[id]?.stage == .playing)

    // Once the pause is over.
    lab.pass(seconds: day)
    let kept = lab.runningMatch()
    leave(kept)
    #expect(lab.matches[kept]?.stage == .waiting)
    lab.pass(seconds: day)
    #expect(joins(.bob) == nil)
    let own = try #require(lab.matches.values.first { $0.players == [TestPlayer.bob.id] })
    let merger = Merger(
      kept: kept, merged: own.id,
      reason: MeetingReason(ratingDistance: 0, window: nil, waitedSeconds: 60))
    lab.refuse(lab.event(.mergeProposed(merger), by: .service), .unavailable)
    // The store may offer the seat by mistake; the judge does not give it.
    let request = lab.event(.matchRequested(.random), by: .bob)
    var context = lab.context(for: request)
    context.claim = .seat(kept, merger.reason)
    context.matches[kept] = lab.matches[kept]
    let judged = Judge.judge(request.player.receive(request.event), context)
    #expect(judged.changes.map(\.after.id) == [request.newMatch])
  }

  @Test("Once somebody has played after the join, giving up loses as ever, and is rated as ever")
  func afterATurn() throws {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    leave(id)
    #expect(
      lab.matches[id]?.outcome
        == Outcome(reason: .forfeited, seat: 1, results: [.won, .lost]))
    #expect(lab.matches[id]?.rated != nil)
    // An answer to the turn that was there before is an act in the match, too.
    let answered = lab.request(.random, by: .ann)
    lab.act(lab.turn(answered, fourFaces), by: .ann)
    lab.act(.matchRequested(.random), by: .bob)
    lab.act(lab.reaction(answered), by: .bob)
    leave(answered)
    #expect(lab.matches[answered]?.outcome?.reason == .forfeited)
    // The player who waited gives the match up as ever.
    let own = lab.runningMatch()
    leave(own, .ann)
    #expect(lab.matches[own]?.outcome?.reason == .aborted)
  }

  @Test("A match by a name has nobody else to wait for, and ends")
  func invitation() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.act(.invitationAccepted(id, code: nil), by: .bob)
    leave(id)
    #expect(lab.matches[id]?.outcome?.reason == .aborted)
  }

  @Test("A joiner whose account ends leaves the seat as well, and nobody hears of an end")
  func gone() throws {
    let id = lab.runningMatch()
    let event = lab.event(
      .deadlinePassed(id, turn: 1, deadline: lab.now, gone: TestPlayer.bob.id), by: .service)
    var context = lab.context(for: event)
    context.absences[TestPlayer.bob.id] = .gone
    let judged = Judge.judge(event.player.receive(event.event), context)
    let change = try #require(judged.changes.first)
    #expect(change.after.stage == .waiting && change.after.wasLeft(by: TestPlayer.bob.id))
    #expect(judged.pushes == [])
    #expect(change.entries.count == 2)
  }

  @Test("While a role of a former build runs, which could not read it, the match ends as before")
  func mixedFleet() {
    let id = lab.runningMatch()
    let event = lab.event(.matchForfeited(id), by: .bob)
    #expect(Judge.needs(of: event.event).leavesSeat)
    var context = lab.context(for: event)
    context.maySeatsBeLeft = false
    let judged = Judge.judge(event.player.receive(event.event), context)
    #expect(judged.changes.map(\.after.outcome?.reason) == [.aborted])
    #expect(judged.pushes.map(\.kind) == [.matchEnded])
  }

  @Test("The wait ends a week after the last one left, however long ago the match was dealt")
  func expiry() throws {
    let id = lab.request(MatchRequest(opponent: .random, turnLimitSeconds: 30 * day), by: .ann)
    lab.act(.matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 30 * day)), by: .bob)
    lab.pass(seconds: 20 * day)
    leave(id)
    #expect(lab.matches[id]?.deadline?.at == lab.now.adding(seconds: week))
    lab.pass(seconds: week - 1)
    let request = MatchRequest(opponent: .random, turnLimitSeconds: 30 * day)
    lab.act(.matchRequested(request), by: .cyd)
    #expect(lab.matches[id]?.stage == .playing)
  }

  @Test("Of a joiner who left, neither the join nor a turn is told any more")
  func jobs() throws {
    let id = lab.runningMatch()
    let joined = try #require(lab.pushes.last { $0.kind == .opponentJoined })
    #expect(joined.isOfUse(in: lab.matches[id]!, at: lab.now))
    leave(id)
    let match = try #require(lab.matches[id])
    #expect(!joined.isOfUse(in: match, at: lab.now))
    let turn = PushJob(turnRunningOut: id, turn: 1, to: TestPlayer.bob.id)
    #expect(!turn.isOfUse(in: match, at: lab.now))
  }
}

@Suite("The pause after leaving a seat")
struct LeavingPauseTests {
  let lab = MatchLab()
  private let now = Instant.noon

  private func pause(_ ages: Int64...) -> Int64? {
    let leavings = ages.map { now.adding(seconds: -$0) }
    return LeavingPause.end(after: leavings, at: now)
      .map { $0.microseconds(since: now) / 1_000_000 }
  }

  @Test("It grows with each leaving of a day, from the last one on, and is forgotten after a day")
  func grows() {
    #expect(pause() == nil)
    #expect(pause(0) == 60)
    #expect(pause(59) == 1)
    #expect(pause(60) == nil)
    #expect(pause(0, 100) == 300)
    #expect(pause(100, 0) == 300, "in whatever order")
    #expect(pause(0, 1, 2) == 900)
    #expect(pause(0, 1, 2, 3) == 3_600)
    #expect(pause(0, 1, 2, 3, 4) == 14_400)
    #expect(pause(0, 1, 2, 3, 4, 5) == 43_200)
    #expect(pause(0, 1, 2, 3, 4, 5, 6, 7) == 43_200)
    #expect(pause(0, 86_399) == 300)
    #expect(pause(0, 86_400) == 60)
    #expect(LeavingPause.seconds == LeavingPause.seconds.sorted())
    #expect(LeavingPause.seconds.allSatisfy { $0 < LeavingPause.windowSeconds })
  }

  // Failure: Refusal.rateLimited
  @Test("Within it nobody joins by chance or by code; everything else goes on")
  func refused() {
    let open = lab.request(.open, by: .cyd)
    let code = ShareCode(invitationTo: open, secret: .test)
    let id = lab.runningMatch()
    lab.act(.matchForfeited(id), by: .bob)
    lab.pass(seconds: 10)
    let wait = Refusal.rateLimited(.seatsLeft, retryAfterSeconds: 50)
    lab.refuse(lab.event(.matchRequested(.random), by: .bob), wait)
    lab.refuse(lab.event(.invitationAccepted(open, code: code), by: .bob), wait)
    #expect(!wait.isStored)
    #expect(wait.message == "You left a match that you had joined. You can join one again in 50 s.")
    let invited = lab.request(.invite(.bob), by: .ann)
    lab.act(.invitationAccepted(invited, code: nil), by: .bob)
    #expect(lab.matches[invited]?.stage == .playing)
    _ = lab.request(.open, by: .bob)
    lab.act(.matchRequested(.random), by: .cyd)
    #expect(lab.matches[id]?.players == [TestPlayer.ann.id, TestPlayer.cyd.id])
    lab.pass(seconds: 50)
    lab.act(.invitationAccepted(open, code: code), by: .bob)
    #expect(lab.matches[open]?.stage == .playing)
  }
}
