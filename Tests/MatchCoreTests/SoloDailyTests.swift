import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

@Suite("A game of one player")
struct SoloTests {
  let lab = MatchLab()

  @Test("A solo game begins at once and has no deadline")
  func begin() {
    lab.send(lab.event(.matchRequested(.solo), by: .ann)) {
      let id = $0.newMatch
      $0.begins(
        id,
        MatchSnapshot(
          terms: Terms(kind: .solo(.unlimited), turnLimitSeconds: nil, language: .english),
          seats: [.taken(TestPlayer.ann.id)], stage: .playing, deadline: nil,
          letters: lab.letters(of: id)),
        rows: ["seat 0 Ann"])
      $0.reply = .accepted(
        .matchStarted(
          MatchTicket(
            match: id, version: 1, seat: 0, letters: lab.letters(of: id),
            previous: $0.head(of: id))))
    }
  }

  @Test("A turn limit is refused: a solo game has none")
  func turnLimit() {
    let request = MatchRequest(opponent: .nobody, turnLimitSeconds: 60)
    lab.refuse(lab.event(.matchRequested(request), by: .ann), .turnLimitInvalid(60))
  }

  @Test("A timed game ends 180 seconds after its deal, with any turns played meanwhile")
  func timed() {
    let id = lab.request(MatchRequest(alone: .timed), by: .ann)
    let end = Instant.noon.adding(seconds: 180)
    #expect(lab.matches[id]?.terms.kind == .solo(.timed))
    #expect(lab.matches[id]?.deadline?.at == end)
    lab.pass(seconds: 100)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    #expect(lab.matches[id]?.deadline?.at == end)
    let points = lab.matches[id]!.points
    lab.pass(seconds: 79)
    lab.refuse(
      lab.event(.deadlinePassed(id, turn: 2, deadline: end), by: .service), .unavailable)
    lab.pass(seconds: 1)
    let outcome = Outcome(reason: .timeUp, seat: nil, results: [.completed])
    lab.send(lab.event(lab.turn(id, moves("-000")), by: .ann)) {
      $0.changes(id)
      $0.states(
        .deadlinePassed(turn: 2, deadline: end, queueTime: end, creditMicroseconds: 0), in: id)
      $0.ends(
        id, outcome,
        rows: ["seat 0 Ann over", "past Ann completed \(points[0]) against nobody timeUp"])
      $0.push(.matchEnded, to: .ann, id)
      $0.reply = .refused(.matchOver(outcome))
    }
  }

  @Test("A timed game has no turn limit on top")
  func timedTurnLimit() {
    let request = MatchRequest(opponent: .clock, turnLimitSeconds: 60)
    lab.refuse(lab.event(.matchRequested(request), by: .ann), .turnLimitInvalid(60))
  }

  @Test("Any run of moves is a turn, and nobody is told")
  func turn() {
    let id = lab.request(.solo, by: .ann)
    let turn = moves("-222", "122T 121T 221T", "-122")
    let scores = lab.scores(id, turn)
    lab.send(lab.event(lab.turn(id, turn), by: .ann)) {
      $0.plays(id, turn, scores: scores, nextDeadlineIn: nil)
      $0.acceptsTurn(
        1, id, version: 2, scores: scores, points: [scores[1]], hash: $0.head(of: id),
        seatToPlay: 0)
    }
  }

  @Test("The player ends the game; it is kept as completed")
  func finish() {
    let id = lab.request(.solo, by: .ann)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let points = lab.matches[id]!.points
    let outcome = Outcome(reason: .finished, seat: nil, results: [.completed])
    lab.send(lab.event(.matchForfeited(id), by: .ann)) {
      $0.changes(id, event: true)
      $0.ends(
        id, outcome,
        rows: ["seat 0 Ann over", "past Ann completed \(points[0]) against nobody finished"])
      $0.reply = .accepted(.matchEnded(id, outcome, points: points, version: 3))
    }
  }

  @Test("Taking the last cube completes the game")
  func clear() {
    let id = lab.request(.solo, by: .ann)
    lab.clear(id, by: [.ann], leaving: 0)
    #expect(
      lab.matches[id]?.outcome == Outcome(reason: .cleared, seat: nil, results: [.completed]))
  }

  @Test("A solo game can be neither withdrawn nor joined nor had a rematch of")
  func notOthers() {
    let id = lab.request(.solo, by: .ann)
    lab.refuse(lab.event(.requestWithdrawn(id), by: .ann), .nothingToWithdraw)
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .unknownMatch)
    lab.refuse(lab.event(.rematchRequested(id), by: .ann), .matchNotOver)
    lab.act(.matchForfeited(id), by: .ann)
    lab.refuse(lab.event(.rematchRequested(id), by: .ann), .rematchNotPossible)
    lab.refuse(lab.event(.rematchDeclined(id), by: .ann), .rematchNotPossible)
  }
}

@Suite("The daily challenge")
struct DailyTests {
  let lab = MatchLab()
  let key = DailyKey(day: .first)

  private func deal(_ key: DailyKey) {
    lab.dailies[key] = Dealer.daily(key, lexicon: .everyWord, secret: .test)
  }

  private func starts(_ expected: inout Expectation, _ player: TestPlayer) {
    let id = MatchID(daily: key, player: player.id)
    let letters = required(lab.dailies[key]).letters
    expected.begins(
      id,
      MatchSnapshot(
        terms: Terms(kind: .daily(key), turnLimitSeconds: nil, language: .english),
        seats: [.taken(player.id)], stage: .playing,
        deadline: Deadline(
          at: Day.first.end, creditMicroseconds: lab.clock.creditMicroseconds),
        letters: letters),
      rows: ["seat 0 \(player.name)", "daily 2026-05-01 \(player.name) 0"])
    expected.reply = .accepted(
      .dailyStarted(
        MatchTicket(
          match: id, version: 1, seat: 0, letters: letters, previous: expected.head(of: id))))
  }

  @Test("Every player starts the same letters, each in a match of their own")
  func sameLetters() {
    deal(key)
    lab.send(lab.event(.dailyStarted(key), by: .ann)) { starts(&$0, .ann) }
    lab.send(lab.event(.dailyStarted(key), by: .bob)) { starts(&$0, .bob) }
    #expect(Set(lab.matches.values.map(\.game.puzzle.description)).count == 1)
    #expect(lab.matches.count == 2)
  }

  @Test("Other days have other letters")
  func otherLetters() {
    let next = DailyKey(day: key.day.next)
    let secret = ServiceSecret.test
    #expect(
      Dealer.daily(key, lexicon: .everyWord, secret: secret).letters
        != Dealer.daily(next, lexicon: .everyWord, secret: secret).letters)
  }

  // Failure: Refusal.dailyAlreadyStarted: A player starts each daily once. A timed daily that had
  //   extra time may be played once more after it ends. The reply names the match.
  @Test("A player starts it once; starting again names the match")
  func once() {
    deal(key)
    lab.act(.dailyStarted(key), by: .ann)
    let id = MatchID(daily: key, player: TestPlayer.ann.id)
    lab.refuse(lab.event(.dailyStarted(key), by: .ann), .dailyAlreadyStarted(id))
    lab.pass(seconds: day)
    lab.refuse(lab.event(.dailyStarted(key), by: .ann), .dailyAlreadyStarted(id))
  }

  // Failure: Refusal.dailyNotDealt: That day's challenge is not dealt yet.
  // Failure: Refusal.dailyOver: The day is over.
  @Test("A daily that is not dealt, not yet begun or over is not started")
  func notDealt() {
    lab.refuse(lab.event(.dailyStarted(key), by: .ann), .dailyNotDealt(key.day))
    let tomorrow = DailyKey(day: key.day.next)
    deal(key)
    deal(tomorrow)
    lab.refuse(lab.event(.dailyStarted(tomorrow), by: .ann), .dailyNotDealt(tomorrow.day))
    lab.now = Day("2026-05-02")!.start
    lab.refuse(lab.event(.dailyStarted(key), by: .ann), .dailyOver(key.day))
    lab.now = Day("2026-05-02")!.start.adding(microseconds: -1)
    lab.send(lab.event(.dailyStarted(key), by: .ann)) { starts(&$0, .ann) }
  }

  @Test("The day of the queue can be begun after a clock has jumped past midnight and back")
  func jumpedPastMidnight() {
    let tomorrow = DailyKey(day: key.day.next)
    deal(key)
    deal(tomorrow)
    lab.now = tomorrow.day.start.adding(seconds: 5)
    lab.tick()
    lab.now = tomorrow.day.start.adding(seconds: -600)
    lab.tick()
    lab.refuse(lab.event(.dailyStarted(key), by: .ann), .dailyOver(key.day))
    lab.act(.dailyStarted(tomorrow), by: .ann)
    let id = MatchID(daily: tomorrow, player: TestPlayer.ann.id)
    #expect(lab.matches[id].map { $0.isOverdue(lab.clock) } == false)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    #expect(lab.matches[id]?.turnNumber == 2)
  }

  @Test("Days at the ends of their range are refused and nothing more")
  func extremeDays() {
    for number in [Int32.min, -1, .max] {
      let key = DailyKey(day: Day(number: number))
      let refusal: Refusal = number < 0 ? .dailyOver(key.day) : .dailyNotDealt(key.day)
      lab.refuse(lab.event(.dailyStarted(key), by: .ann), refusal)
    }
  }

  @Test("Points stand in the standings with every turn")
  func standings() {
    deal(key)
    lab.act(.dailyStarted(key), by: .ann)
    let id = MatchID(daily: key, player: TestPlayer.ann.id)
    let scores = lab.scores(id, fourFaces)
    lab.send(lab.event(lab.turn(id, fourFaces), by: .ann)) {
      $0.plays(id, fourFaces, scores: scores, nextDeadlineIn: nil)
      $0.state.rows[id] = ["seat 0 Ann", "daily 2026-05-01 Ann \(scores[0])"]
      $0.acceptsTurn(
        1, id, version: 2, scores: scores, points: scores, hash: $0.head(of: id), seatToPlay: 0)
    }
  }

  @Test("The daily ends with its day, and its player is told")
  func dayEnds() {
    deal(key)
    lab.act(.dailyStarted(key), by: .ann)
    let id = MatchID(daily: key, player: TestPlayer.ann.id)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let points = lab.matches[id]!.points
    let end = Day("2026-05-02")!.start
    let outcome = Outcome(reason: .timeUp, seat: nil, results: [.completed])
    lab.pass(seconds: 12 * 3_600)
    lab.send(lab.event(.deadlinePassed(id, turn: 2, deadline: end), by: .service)) {
      $0.changes(id)
      $0.states(
        .deadlinePassed(turn: 2, deadline: end, queueTime: end, creditMicroseconds: 0), in: id)
      $0.ends(
        id, outcome,
        rows: [
          "seat 0 Ann over", "past Ann completed \(points[0]) against nobody timeUp",
          "daily 2026-05-01 Ann \(points[0])",
        ])
      $0.push(.matchEnded, to: .ann, id)
      $0.reply = .accepted(.matchEnded(id, outcome, points: points, version: 3))
    }
  }

  @Test("The timed daily is another game on other letters, of 180 seconds even past midnight")
  func timed() {
    let timed = DailyKey(day: key.day, mode: .timed)
    deal(key)
    deal(timed)
    lab.pass(seconds: 12 * 3_600 - 60)
    lab.act(.dailyStarted(key), by: .ann)
    lab.act(.dailyStarted(timed), by: .ann)
    let id = MatchID(daily: timed, player: TestPlayer.ann.id)
    let other = MatchID(daily: key, player: TestPlayer.ann.id)
    #expect(lab.dailies[key]?.letters != lab.dailies[timed]?.letters)
    #expect(lab.matches[id]?.deadline?.at == lab.now.adding(seconds: 180))
    let end = lab.now.adding(seconds: 180)
    lab.pass(seconds: 120)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    #expect(lab.matches[id]?.turnNumber == 2)
    lab.act(.deadlinePassed(other, turn: 1, deadline: key.day.end), by: .service)
    #expect(lab.matches[other]?.outcome?.reason == .timeUp)
    lab.pass(seconds: 60)
    lab.act(.deadlinePassed(id, turn: 2, deadline: end), by: .service)
    #expect(lab.matches[id]?.outcome?.reason == .timeUp)
    lab.refuse(lab.event(.dailyStarted(timed), by: .bob), .dailyOver(timed.day))
    lab.refuse(lab.event(.dailyStarted(timed), by: .ann), .dailyAlreadyStarted(id))
  }

  @Test("A timed daily that had more time than others has no score and can be begun again, once")
  func again() {
    let timed = DailyKey(day: key.day, mode: .timed)
    deal(timed)
    let first = MatchID(daily: timed, player: TestPlayer.ann.id)
    let second = MatchID(dailyAgain: timed, player: TestPlayer.ann.id)
    lab.act(.dailyStarted(timed), by: .ann)
    lab.passWithoutTicks(seconds: 191)
    lab.act(lab.turn(first, fourFaces), by: .ann)
    lab.refuse(lab.event(.dailyStarted(timed), by: .ann), .dailyAlreadyStarted(first))
    lab.act(.matchForfeited(first), by: .ann)
    #expect(Listing(of: required(lab.matches[first])).dailyScore == nil)
    // Only the next tick shows that the service was away.
    lab.refuse(lab.event(.dailyStarted(timed), by: .ann), .dailyAlreadyStarted(first))
    lab.tick()
    guard case .accepted(.dailyStarted(let ticket)) = lab.act(.dailyStarted(timed), by: .ann) else {
      Issue.record("it was not begun again")
      return
    }
    #expect(ticket.match == second && ticket.letters == lab.matches[first]?.game.puzzle.description)
    #expect(Listing(of: required(lab.matches[second])).dailyScore?.points == 0)
    lab.refuse(lab.event(.dailyStarted(timed), by: .ann), .dailyAlreadyStarted(second))
    lab.passWithoutTicks(seconds: 191)
    lab.act(lab.turn(second, fourFaces), by: .ann)
    lab.act(.matchForfeited(second), by: .ann)
    lab.refuse(lab.event(.dailyStarted(timed), by: .ann), .dailyAlreadyStarted(second))
  }

  @Test("A turn that waited in a backlog is not late: the game counts, and there is no second one")
  func backlog() {
    let timed = DailyKey(day: key.day, mode: .timed)
    deal(timed)
    let first = MatchID(daily: timed, player: TestPlayer.ann.id)
    lab.act(.dailyStarted(timed), by: .ann)
    lab.pass(seconds: 170)
    // The ticks of 27 seconds wait behind a flood, in this queue alone.
    lab.passWithoutTicks(seconds: 27)
    lab.queueClocks = [0: lab.clock, 1: QueueClock(time: lab.now)]
    lab.act(lab.turn(first, fourFaces), by: .ann)
    lab.act(lab.turn(first, moves("-220", "-212")), by: .ann)
    let match = required(lab.matches[first])
    #expect(match.turnNumber == 3 && !match.isOverlong)
    #expect(Listing(of: match).dailyScore?.points == match.points.first)
    lab.pass(seconds: 1)
    let end = Instant.noon.adding(seconds: 180)
    lab.act(.deadlinePassed(first, turn: 3, deadline: end), by: .service)
    #expect(Listing(of: required(lab.matches[first])).soloScore != nil)
    lab.refuse(lab.event(.dailyStarted(timed), by: .ann), .dailyAlreadyStarted(first))
  }

  @Test("One queue that took nothing gives no second game; an absence of the service does")
  func fullQueue() {
    let timed = DailyKey(day: key.day, mode: .timed)
    deal(timed)
    let first = MatchID(daily: timed, player: TestPlayer.ann.id)
    lab.act(.dailyStarted(timed), by: .ann)
    lab.passWithoutTicks(seconds: 100)
    lab.tick()
    lab.pass(seconds: 95)
    let others = [1: QueueClock(time: lab.now), 2: QueueClock(time: lab.now)]
    lab.queueClocks = others.merging([0: lab.clock]) { $1 }
    lab.act(lab.turn(first, fourFaces), by: .ann)
    lab.act(.matchForfeited(first), by: .ann)
    #expect(lab.matches[first]?.isOverlong == true)
    lab.refuse(lab.event(.dailyStarted(timed), by: .ann), .dailyAlreadyStarted(first))
    lab.queueClocks = [0: lab.clock, 1: lab.clock, 2: QueueClock(time: lab.now)]
    guard case .accepted(.dailyStarted) = lab.act(.dailyStarted(timed), by: .ann) else {
      Issue.record("it was not begun again")
      return
    }
  }

  @Test("An outage during the daily is given back, and a turn does not take that away")
  func creditStays() {
    deal(key)
    lab.act(.dailyStarted(key), by: .ann)
    let id = MatchID(daily: key, player: TestPlayer.ann.id)
    lab.passWithoutTicks(seconds: 3_605)
    lab.tick()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.pass(seconds: 12 * 3_600 - 1 - 1)
    let passed = Event.Action.deadlinePassed(
      id, turn: 2, deadline: Day("2026-05-02")!.start)
    lab.refuse(lab.event(passed, by: .service), .unavailable)
    lab.pass(seconds: 1)
    lab.act(passed, by: .service)
    #expect(lab.matches[id]?.outcome?.reason == .timeUp)
  }
}
