import CubeRules
import Testing

@testable import MatchCore

@Suite("Deadlines, by the time of the queue")
struct DeadlineTests {
  let lab = MatchLab()

  /// States the end of Ann's and Bob's random match by time.
  private func timeEnds(
    _ expected: inout Expectation, _ id: MatchID, _ outcome: Outcome, results: (String, String),
    credit: Int64 = 0
  ) {
    let match = required(lab.matches[id])
    let points = match.points
    expected.changes(id)
    expected.states(
      .deadlinePassed(
        turn: match.turnNumber, deadline: required(match.deadline).at,
        queueTime: required(lab.clock.time),
        creditMicroseconds: credit), in: id)
    expected.ends(
      id, outcome,
      rows: [
        "seat 0 Ann over", "seat 1 Bob over",
        "past Ann \(results.0) \(points[0]):\(points[1]) against Bob \(outcome.reason)",
        "past Bob \(results.1) \(points[1]):\(points[0]) against Ann \(outcome.reason)",
      ])
    expected.push(.matchEnded, to: .ann, id)
    expected.push(.matchEnded, to: .bob, id)
  }

  /// A match in which both have played and Ann is to play.
  private func midMatch() -> MatchID {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.act(lab.turn(id, twoRemovals), by: .bob)
    return id
  }

  private func passed(_ id: MatchID, turn: Int? = nil, deadline: Instant? = nil) -> SentEvent {
    let match = required(lab.matches[id])
    return lab.event(
      .deadlinePassed(
        id, turn: turn ?? match.turnNumber, deadline: deadline ?? match.deadline?.at ?? .noon),
      by: .service)
  }

  @Test("A player out of time for a turn loses, and both are told")
  func timedOut() {
    let id = midMatch()
    let points = lab.matches[id]!.points
    let outcome = Outcome(reason: .timedOut, seat: 0, results: [.lost, .won])
    lab.pass(seconds: day)
    lab.send(passed(id)) {
      timeEnds(&$0, id, outcome, results: ("lost", "won"))
      $0.reply = .accepted(.matchEnded(id, outcome, points: points, version: 5))
    }
  }

  @Test("A match without a first move of the player in turn counts for nobody")
  func aborted() {
    let id = lab.runningMatch()
    let outcome = Outcome(reason: .aborted, seat: 0, results: [.none, .none])
    lab.pass(seconds: day)
    lab.send(passed(id)) {
      timeEnds(&$0, id, outcome, results: ("none", "none"))
      $0.reply = .accepted(.matchEnded(id, outcome, points: [0, 0], version: 3))
    }
    let second = lab.runningMatch()
    lab.act(lab.turn(second, fourFaces), by: .ann)
    lab.pass(seconds: day)
    lab.act(passed(second))
    #expect(
      lab.matches[second]?.outcome
        == Outcome(reason: .aborted, seat: 1, results: [.none, .none]))
  }

  // Failure: Refusal.matchOver: The match has ended. The reply names the outcome.
  @Test("A late turn finds the match over: time decides before the turn")
  func lateTurn() {
    let id = midMatch()
    let outcome = Outcome(reason: .timedOut, seat: 0, results: [.lost, .won])
    lab.pass(seconds: day)
    lab.send(lab.event(lab.turn(id, moves("-220", "-212")), by: .ann)) {
      timeEnds(&$0, id, outcome, results: ("lost", "won"))
      $0.reply = .refused(.matchOver(outcome))
    }
    lab.refuse(lab.event(lab.turn(id, twoRemovals), by: .ann), .matchOver(outcome))
  }

  @Test("Giving up late is too late as well")
  func lateForfeit() {
    let id = midMatch()
    let outcome = Outcome(reason: .timedOut, seat: 0, results: [.lost, .won])
    lab.pass(seconds: day)
    lab.send(lab.event(.matchForfeited(id), by: .bob)) {
      timeEnds(&$0, id, outcome, results: ("lost", "won"))
      $0.reply = .refused(.matchOver(outcome))
    }
  }

  @Test("A rematch asked for when time was up is one of the match that time has just ended")
  func rematchEndsByTime() {
    let id = midMatch()
    let outcome = Outcome(reason: .timedOut, seat: 0, results: [.lost, .won])
    lab.pass(seconds: day)
    let sent = lab.event(.rematchRequested(id), by: .ann)
    lab.send(sent) {
      timeEnds(&$0, id, outcome, results: ("lost", "won"))
      $0.state.matches[id]?.rematch.offer = Match.RematchOffer(
        seat: 0, at: lab.now, signed: sent.player.receive(sent.event).signed)
      $0.state.rows[id]?.append("offer Ann to Bob")
      $0.push(.rematchRequested, to: .bob, id)
      $0.reply = .accepted(.done(.rematchOffered, id, version: 5))
    }
  }

  @Test("The database's clock alone ends nothing: a turn counts until its queue's time has come")
  func queueTimeDecides() {
    let id = lab.runningMatch()
    lab.passWithoutTicks(seconds: 2 * day)
    lab.refuse(passed(id), .unavailable)
    guard case .accepted = lab.act(lab.turn(id, fourFaces), by: .ann) else {
      Issue.record("the turn was refused")
      return
    }
  }

  @Test("A gap between ticks is credit but for its first second")
  func credit() {
    let id = midMatch()
    let deadline = lab.matches[id]!.deadline!
    // An outage to 100 s beyond the deadline.
    lab.passWithoutTicks(seconds: day + 100)
    lab.tick()
    let credit = (day + 100 - 1) * 1_000_000
    let from = lab.now.adding(seconds: -(day + 99))
    #expect(
      lab.clock
        == QueueClock(
          time: lab.now, creditMicroseconds: credit, heldUntil: lab.now.adding(seconds: 10),
          outage: .init(from: from, until: lab.now)))
    lab.refuse(passed(id), .unavailable)
    lab.pass(seconds: day - 2)
    lab.refuse(passed(id), .unavailable)
    lab.pass(seconds: 1)
    #expect(lab.now == deadline.at.adding(microseconds: credit))
    let points = lab.matches[id]!.points
    let outcome = Outcome(reason: .timedOut, seat: 0, results: [.lost, .won])
    lab.send(passed(id)) {
      timeEnds(&$0, id, outcome, results: ("lost", "won"), credit: credit)
      $0.reply = .accepted(.matchEnded(id, outcome, points: points, version: 5))
    }
  }

  @Test("An outage shorter than five seconds costs nobody the time that was left")
  func shortOutage() {
    let id = midMatch()
    lab.pass(seconds: day - 4)
    lab.passWithoutTicks(seconds: 5)
    lab.tick()
    lab.refuse(passed(id), .unavailable)
    lab.now = lab.now.adding(seconds: 1)
    guard case .accepted = lab.act(lab.turn(id, moves("-220", "-212")), by: .ann) else {
      Issue.record("the turn was refused")
      return
    }
  }

  @Test("The time left at the end of an outage stays, and is ten seconds at least")
  func leftAfterwards() {
    for (left, outage) in [(4, 60), (1, 3), (9, 3_600), (30, 100)] as [(Int64, Int64)] {
      let id = midMatch()
      lab.pass(seconds: day - left)
      lab.passWithoutTicks(seconds: outage)
      lab.tick()
      // The first second without a tick is no credit.
      for _ in 0..<max(left - 1, 10) {
        lab.refuse(passed(id), .unavailable)
        lab.now = lab.now.adding(seconds: 1)
        lab.tick()
      }
      lab.act(passed(id))
      #expect(lab.matches[id]?.outcome?.reason == .timedOut)
    }
  }

  @Test("A timed game that begins in an outage gets no credit for the time before it began")
  func begunInAnOutage() {
    lab.passWithoutTicks(seconds: 600)
    let event = lab.event(.matchRequested(MatchRequest(alone: .timed)), by: .ann)
    guard case .accepted(.matchStarted(let ticket)) = lab.act(event) else {
      Issue.record("no game began")
      return
    }
    lab.passWithoutTicks(seconds: 20)
    lab.tick()
    for _ in 0..<180 {
      lab.refuse(passed(ticket.match), .unavailable)
      lab.now = lab.now.adding(seconds: 1)
      lab.tick()
    }
    lab.act(passed(ticket.match))
    #expect(lab.matches[ticket.match]?.outcome?.reason == .timeUp)
  }

  @Test("A timed game with a turn later than ten seconds after its time stands on no board")
  func overlong() {
    for (late, isOnBoard) in [(10, true), (11, false)] as [(Int64, Bool)] {
      let event = lab.event(.matchRequested(MatchRequest(alone: .timed)), by: .ann)
      guard case .accepted(.matchStarted(let ticket)) = lab.act(event) else {
        Issue.record("no game began")
        return
      }
      lab.passWithoutTicks(seconds: 180 + late)
      lab.act(lab.turn(ticket.match, fourFaces), by: .ann)
      lab.tick()
      lab.act(.matchForfeited(ticket.match), by: .ann)
      let match = required(lab.matches[ticket.match])
      #expect(match.outcome?.reason == .finished && match.turnNumber == 2)
      #expect((Listing(of: match).soloScore != nil) == isOnBoard)
      #expect(match.isOverlong == !isOnBoard)
      let stored = Match(id: match.id, version: match.version, encodedState: match.encodedState())
      #expect(stored == match)
    }
  }

  @Test("Credit that was given before a deadline was set does not prolong it")
  func oldCredit() {
    lab.passWithoutTicks(seconds: 1_000)
    lab.tick()
    let id = midMatch()
    lab.pass(seconds: day)
    lab.act(passed(id))
    #expect(lab.matches[id]?.outcome?.reason == .timedOut)
  }

  @Test("Two turns at one time each set their own deadline, with the credit given until then")
  func sameTimeOtherCredit() {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.clock = QueueClock(time: lab.now, creditMicroseconds: 50)
    lab.act(lab.turn(id, twoRemovals), by: .bob)
    #expect(
      lab.matches[id]?.deadline
        == Deadline(at: lab.now.adding(seconds: day), creditMicroseconds: 50))
  }

  @Test("A clock that was set back takes nothing from the time to play")
  func clockSetBack() {
    let queueTime = lab.now.adding(seconds: 2 * day)
    lab.clock = QueueClock(time: queueTime, creditMicroseconds: 0)
    let id = lab.runningMatch()
    #expect(lab.matches[id]?.dealtAt == queueTime)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    #expect(lab.matches[id]?.deadline?.at == queueTime.adding(seconds: day))
    #expect(lab.matches[id]?.outcome == nil)
  }

  @Test("A deadline event is ignored where turn or deadline no longer hold, or the match is over")
  func ignored() {
    let id = midMatch()
    let old = lab.matches[id]!.deadline!.at
    lab.refuse(passed(id), .unavailable)
    lab.pass(seconds: 60)
    lab.act(lab.turn(id, moves("-220", "-212")), by: .ann)
    lab.pass(seconds: day - 60)
    lab.refuse(passed(id, turn: 3, deadline: old), .unavailable)
    lab.refuse(passed(id, deadline: old), .unavailable)
    lab.refuse(passed(id, turn: 3), .unavailable)
    lab.refuse(
      lab.event(.deadlinePassed(MatchID(rawValue: 1), turn: 4, deadline: old), by: .service),
      .unknownMatch)
    lab.act(.matchForfeited(id), by: .bob)
    lab.pass(seconds: day)
    lab.refuse(passed(id, turn: 4), .unavailable)
  }

  @Test("A deadline event for another turn still finds it if the present deadline has passed")
  func otherTurnSameTime() {
    let id = midMatch()
    let outcome = Outcome(reason: .timedOut, seat: 0, results: [.lost, .won])
    lab.pass(seconds: day)
    lab.send(passed(id, turn: 2)) {
      timeEnds(&$0, id, outcome, results: ("lost", "won"))
      $0.reply = .refused(.unavailable)
    }
  }
}

@Suite("The clock of a queue")
struct QueueClockTests {
  @Test("A queue's time has reached nothing before its first tick")
  func noTick() {
    let clock = QueueClock()
    let past = Deadline(at: Instant(microseconds: .min), creditMicroseconds: 0)
    #expect(!clock.hasReached(past))
  }

  @Test("The first tick sets the time, later ones advance it, earlier ones change nothing")
  func ticks() {
    var clock = QueueClock()
    clock.ticked(at: .noon)
    #expect(clock == QueueClock(time: .noon, creditMicroseconds: 0))
    clock.ticked(at: .noon.adding(seconds: 2))
    #expect(clock == QueueClock(time: .noon.adding(seconds: 2), creditMicroseconds: 0))
    clock.ticked(at: .noon)
    #expect(clock == QueueClock(time: .noon.adding(seconds: 2), creditMicroseconds: 0))
    clock.ticked(at: .noon.adding(seconds: 6))
    #expect(
      clock
        == QueueClock(
          time: .noon.adding(seconds: 6), creditMicroseconds: 3_000_000,
          heldUntil: .noon.adding(seconds: 16),
          outage: .init(from: .noon.adding(seconds: 3), until: .noon.adding(seconds: 6))))
  }

  @Test("Ticks that are far apart though somebody was there to send them are no outage")
  func seldomTicks() {
    var clock = QueueClock(time: .noon)
    clock.ticked(at: .noon.adding(seconds: 60), since: .noon.adding(seconds: -5))
    #expect(clock == QueueClock(time: .noon.adding(seconds: 60)))
    clock.ticked(at: .noon.adding(seconds: 120), since: .noon.adding(seconds: 90))
    #expect(clock.creditMicroseconds == 29_000_000)
    #expect(clock.outage?.until == .noon.adding(seconds: 90))
    #expect(clock.heldUntil == .noon.adding(seconds: 130))
  }

  @Test("A deadline set within an outage gets the rest of it, and all of the next one")
  func setWithin() {
    var clock = QueueClock(time: .noon)
    let deadline = Deadline(at: .noon.adding(seconds: 500), creditMicroseconds: 0)
    clock.ticked(at: .noon.adding(seconds: 100))
    for (setAt, credit) in [(-7, 99), (0, 99), (1, 99), (2, 98), (40, 60), (99, 1), (150, 0)] {
      let time = Instant.noon.adding(seconds: Int64(setAt))
      #expect(clock.credit(since: deadline, setAt: time) == Int64(credit) * 1_000_000)
    }
    let after = Deadline(at: deadline.at, creditMicroseconds: clock.creditMicroseconds)
    #expect(clock.credit(since: after, setAt: .noon.adding(seconds: 100)) == 0)
    clock.ticked(at: .noon.adding(seconds: 200))
    #expect(clock.credit(since: after, setAt: .noon.adding(seconds: 100)) == 99_000_000)
  }

  @Test("A queue that starts again after a standstill holds every deadline for ten seconds")
  func standstill() {
    var clock = QueueClock(time: .noon)
    let deadline = Deadline(at: .noon.adding(seconds: 5), creditMicroseconds: 0)
    clock.resumed(at: .noon.adding(seconds: 60))
    for second in [1, 30, 60, 69] {
      clock.ticked(at: .noon.adding(seconds: Int64(second)), since: .noon)
      #expect(!clock.hasReached(deadline))
    }
    clock.ticked(at: .noon.adding(seconds: 70), since: .noon)
    #expect(clock.hasReached(deadline))
    #expect(clock.creditMicroseconds == 0)
  }

  @Test("A deadline is reached at its very microsecond, credits added")
  func reached() {
    let deadline = Deadline(at: .noon, creditMicroseconds: 10)
    let before = Instant.noon.adding(microseconds: -1)
    #expect(!QueueClock(time: before, creditMicroseconds: 10).hasReached(deadline))
    #expect(QueueClock(time: .noon, creditMicroseconds: 10).hasReached(deadline))
    #expect(QueueClock(time: .noon, creditMicroseconds: 9).hasReached(deadline))
    #expect(!QueueClock(time: .noon, creditMicroseconds: 11).hasReached(deadline))
  }

  @Test("Numbers at the ends of their range do not trap", arguments: [Int64.min, -1, 0, 1, .max])
  func extremes(number: Int64) {
    for other in [Int64.min, -1, 0, 1, .max] {
      var clock = QueueClock(time: Instant(microseconds: number), creditMicroseconds: other)
      clock.ticked(at: Instant(microseconds: other))
      clock.ticked(at: Instant(microseconds: .max))
      clock.ticked(at: Instant(microseconds: .max), since: Instant(microseconds: number))
      clock.resumed(at: Instant(microseconds: other))
      clock = clock.adding(creditMicroseconds: number)
      let deadline = Deadline(at: Instant(microseconds: other), creditMicroseconds: number)
      #expect(clock.credit(since: deadline) >= 0)
      _ = clock.hasReached(deadline, setAt: Instant(microseconds: number))
    }
  }
}
