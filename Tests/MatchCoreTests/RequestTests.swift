import CubeRules
import Testing

@testable import MatchCore

@Suite("Asking for a match with a random opponent")
struct RequestTests {
  let lab = MatchLab()

  /// States a random match of Ann's that waits.
  private func waits(_ expected: inout Expectation) {
    let id = expected.newMatch
    expected.begins(
      id,
      MatchSnapshot(
        terms: Terms(kind: .random, turnLimitSeconds: day, language: .english),
        seats: [.taken(expected.sent.player.id), .free], stage: .waiting,
        deadline: expected.deadline(in: 7 * day), letters: lab.letters(of: id)),
      rows: ["seat 0 \(expected.sent.player.name)", "open 86400"])
    expected.reply = .accepted(.matchStarted(ticket(expected, id)))
  }

  private func ticket(_ expected: Expectation, _ id: MatchID) -> MatchTicket {
    MatchTicket(
      match: id, version: 1, seat: 0, letters: lab.letters(of: id),
      previous: expected.head(of: id))
  }

  /// States that a player takes the second seat of a random match.
  private func joins(
    _ expected: inout Expectation, _ id: MatchID, _ player: TestPlayer, version: Int64,
    previous: Hash
  ) {
    expected.changes(
      id, event: true, rows: ["seat 0 Ann", "seat 1 \(player.name)"]
    ) {
      $0.seats[1].holder = .taken(player.id)
      $0.stage = .playing
    }
    let waited = lab.now.microseconds(since: lab.matches[id]?.dealtAt ?? .noon) / 1_000_000
    let why = MeetingReason(
      ratingDistance: 0, window: Pairing.window(afterSeconds: waited), waitedSeconds: waited)
    expected.states(.seatFilled(seat: 1, player: player.id, why: why), in: id)
    let deadline = expected.deadline(in: day)
    expected.state.matches[id]?.deadline = deadline
    expected.push(.opponentJoined, to: .ann, id)
    expected.reply = .accepted(
      .matchJoined(
        MatchTicket(
          match: id, version: version, seat: 1, letters: lab.letters(of: id), previous: previous)))
  }

  @Test("The first to ask gets a match that waits seven days")
  func firstWaits() {
    lab.send(lab.event(.matchRequested(.random), by: .ann)) { waits(&$0) }
  }

  @Test("The second to ask joins the waiting player, and the waiting player is told")
  func secondJoins() {
    let id = lab.request(.random, by: .ann)
    lab.pass(seconds: 60)
    lab.send(lab.event(.matchRequested(.random), by: .bob)) {
      joins(&$0, id, .bob, version: 2, previous: lab.matches[id]!.previousTurnHash)
    }
  }

  @Test("The waiting player may play the first turn at once, and nobody is told")
  func firstTurnWhileWaiting() {
    let id = lab.request(.random, by: .ann)
    let waiting = lab.matches[id]!.deadline
    let scores = lab.scores(id, fourFaces)
    lab.pass(seconds: 60)
    lab.send(lab.event(lab.turn(id, fourFaces), by: .ann)) {
      $0.plays(id, fourFaces, scores: scores, nextDeadlineIn: nil)
      $0.state.rows[id] = ["seat 0 Ann", "open 86400 with a turn"]
      $0.acceptsTurn(
        1, id, version: 2, scores: scores, points: [scores[0], 0], hash: $0.head(of: id),
        seatToPlay: 1)
    }
    #expect(lab.matches[id]?.deadline == waiting, "a turn does not prolong the wait")
    lab.refuse(lab.event(lab.turn(id, fiveFaces), by: .ann), .notYourTurn(whose: nil))
  }

  @Test("A player that joins after the first turn is next, with the full time")
  func joinAfterFirstTurn() {
    let id = lab.request(.random, by: .ann)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let previous = lab.matches[id]!.previousTurnHash
    lab.pass(seconds: 60)
    lab.send(lab.event(.matchRequested(.random), by: .bob)) {
      joins(&$0, id, .bob, version: 3, previous: previous)
    }
    let scores = lab.scores(id, fiveFaces)
    let points = [lab.matches[id]!.points[0], scores[0]]
    lab.send(lab.event(lab.turn(id, fiveFaces), by: .bob)) {
      $0.plays(id, fiveFaces, scores: scores)
      $0.push(.yourTurn, to: .ann, id, turn: 3)
      $0.acceptsTurn(
        2, id, version: 4, scores: scores, points: points, hash: $0.head(of: id), seatToPlay: 0)
    }
  }

  @Test("Nobody meets oneself: a second request of the same player waits as well")
  func neverOneself() {
    _ = lab.request(.random, by: .ann)
    lab.send(lab.event(.matchRequested(.random), by: .ann)) { waits(&$0) }
    #expect(lab.matches.count == 2)
  }

  @Test("Requests of different terms do not meet")
  func differentTerms() {
    _ = lab.request(MatchRequest(opponent: .random, turnLimitSeconds: 60), by: .ann)
    lab.send(lab.event(.matchRequested(.random), by: .bob)) { waits(&$0) }
  }

  @Test("A casual request meets a casual one and no rated one, and their match is casual")
  func casual() {
    let rated = lab.request(.random, by: .ann)
    let casual = MatchRequest(opponent: .random, turnLimitSeconds: day, isCasual: true)
    let first = lab.request(casual, by: .bob)
    #expect(lab.matches[first]?.stage == .waiting)
    lab.act(.matchRequested(casual), by: .cyd)
    #expect(lab.matches[first]?.players == [TestPlayer.bob.id, TestPlayer.cyd.id])
    #expect(lab.matches[first]?.terms.isCasual == true)
    #expect(lab.matches[first]?.terms.isRated == false)
    #expect(lab.matches[rated]?.stage == .waiting)
    #expect(lab.matches[rated]?.terms.isRated == true)
  }

  @Test("A third request does not join a match that is full")
  func thirdWaits() {
    _ = lab.runningMatch()
    lab.send(lab.event(.matchRequested(.random), by: .cyd)) { waits(&$0) }
  }

  @Test("A wait that has expired in its queue is not joined: a new one begins")
  func expiredIsNotJoined() {
    _ = lab.request(.random, by: .ann)
    lab.pass(seconds: 7 * day)
    lab.send(lab.event(.matchRequested(.random), by: .bob)) { waits(&$0) }
  }

  @Test("A wait that nobody joins expires after seven days, and the waiting player is told")
  func waitExpires() {
    let id = lab.request(.random, by: .ann)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let match = lab.matches[id]!
    let outcome = Outcome(reason: .expired, seat: nil, results: [.none, .none])
    lab.pass(seconds: 7 * day)
    lab.send(
      lab.event(.deadlinePassed(id, turn: 2, deadline: match.deadline!.at), by: .service)
    ) {
      $0.changes(id)
      $0.states(
        .deadlinePassed(
          turn: 2, deadline: match.deadline!.at, queueTime: lab.now, creditMicroseconds: 0),
        in: id)
      $0.ends(id, outcome, rows: ["seat 0 Ann over"])
      $0.push(.matchEnded, to: .ann, id)
      $0.reply = .accepted(.matchEnded(id, outcome, points: match.points, version: 3))
    }
  }

  @Test("A request that nobody has taken can be withdrawn, and nobody is told")
  func withdraw() {
    let id = lab.request(.random, by: .ann)
    let outcome = Outcome(reason: .withdrawn, seat: 0, results: [.none, .none])
    lab.send(lab.event(.requestWithdrawn(id), by: .ann)) {
      $0.changes(id, event: true)
      $0.ends(id, outcome, rows: ["seat 0 Ann over"])
      $0.reply = .accepted(.done(.withdrawn, id, version: 2))
    }
    lab.refuse(lab.event(.requestWithdrawn(id), by: .ann), .matchOver(outcome))
    lab.send(lab.event(.matchRequested(.random), by: .bob)) { waits(&$0) }
  }

  // Failure: Refusal.alreadyJoined: The sender already has a seat, or somebody joined before the
  //   withdrawal. The reply names the match.
  @Test("Withdrawing too late is told that somebody has joined")
  func withdrawAgainstJoin() {
    let id = lab.runningMatch()
    lab.refuse(lab.event(.requestWithdrawn(id), by: .ann), .alreadyJoined(id))
    lab.refuse(lab.event(.requestWithdrawn(id), by: .bob), .alreadyJoined(id))
    lab.refuse(lab.event(.requestWithdrawn(id), by: .cyd), .unknownMatch)
  }

  @Test(
    "A match that nobody has joined is withdrawn by giving it up, also after its first turn",
    arguments: [false, true])
  func forfeitWhileWaiting(isPlayed: Bool) throws {
    let invitation = lab.request(.invite(.bob), by: .ann)
    lab.refuse(lab.event(.matchForfeited(invitation), by: .bob), .nothingToWithdraw)
    lab.refuse(lab.event(.matchForfeited(invitation), by: .cyd), .unknownMatch)
    if isPlayed { _ = lab.act(lab.event(lab.turn(invitation, fourFaces), by: .ann)) }
    for id in [invitation, lab.request(.random, by: .cyd)] {
      let asker: TestPlayer = id == invitation ? .ann : .cyd
      let reply = lab.act(lab.event(.matchForfeited(id), by: asker))
      guard case .accepted(.matchEnded(id, let outcome, _, _)) = reply else {
        Issue.record("\(reply)")
        continue
      }
      #expect(outcome.reason == .withdrawn && outcome.seat == 0)
      #expect(outcome.results.allSatisfy { $0 == .none })
    }
  }

  @Test("Turn limits go from ten seconds to thirty days", arguments: [10, 2_592_000] as [Int64])
  func turnLimits(limit: Int64) {
    let request = MatchRequest(opponent: .random, turnLimitSeconds: limit)
    let sent = lab.event(.matchRequested(request), by: .ann)
    guard case .accepted(.matchStarted) = lab.act(sent) else {
      Issue.record("\(limit) s was refused")
      return
    }
    #expect(lab.matches[sent.newMatch]?.terms.turnLimitSeconds == limit)
  }

  // Failure: Refusal.turnLimitInvalid: The service does not offer this turn limit.
  @Test(
    "Other turn limits are refused by name",
    arguments: [nil, .min, -1, 0, 9, 2_592_001, .max] as [Int64?])
  func badTurnLimits(limit: Int64?) {
    for opponent in [MatchRequest.Opponent.random, .open, .player(TestPlayer.bob.id)] {
      let request = MatchRequest(opponent: opponent, turnLimitSeconds: limit)
      #expect(Judge.needs(of: lab.event(.matchRequested(request), by: .ann).event).claim == nil)
      lab.refuse(lab.event(.matchRequested(request), by: .ann), .turnLimitInvalid(limit))
    }
  }

  @Test(
    "A claim that was not resolved, or names a match of other terms or one's own, takes nothing")
  func claimThatDoesNotHold() {
    let other = lab.request(MatchRequest(opponent: .random, turnLimitSeconds: 60), by: .ann)
    let sent = lab.event(.matchRequested(.random), by: .bob)
    var context = lab.context(for: sent)
    context.claim = nil
    let received = sent.player.receive(sent.event)
    #expect(Judge.judge(received, context) == .refused(.unavailable))
    context.claim = .match(other)
    context.matches = lab.matches
    let judgement = Judge.judge(received, context)
    #expect(judgement.changes.map(\.after.id) == [sent.newMatch])
    let own = lab.request(.random, by: .bob)
    context.claim = .match(own)
    context.matches = lab.matches
    #expect(Judge.judge(received, context).changes.map(\.after.id) == [sent.newMatch])
  }
}
