import CubeRules
import Testing

@testable import MatchCore

@Suite("Inviting a player by name")
struct InvitationTests {
  let lab = MatchLab()
  let terms = Terms(kind: .invitation, turnLimitSeconds: day, language: .english)

  private func invites(_ expected: inout Expectation, _ player: TestPlayer, turnLimit: Int64 = day)
  {
    let (id, asker) = (expected.newMatch, expected.sent.player)
    expected.begins(
      id,
      MatchSnapshot(
        terms: Terms(kind: .invitation, turnLimitSeconds: turnLimit, language: .english),
        seats: [.taken(asker.id), .invited(player.id)], stage: .waiting,
        deadline: expected.deadline(in: 7 * day), letters: lab.letters(of: id)),
      rows: ["seat 0 \(asker.name)", "seat 1 \(player.name) invited", "pair \(turnLimit)en"])
    expected.push(.invited, to: player, id)
    expected.reply = .accepted(
      .matchStarted(
        MatchTicket(
          match: id, version: 1, seat: 0, letters: lab.letters(of: id),
          previous: expected.head(of: id))))
  }

  private func bobJoins(_ expected: inout Expectation, _ id: MatchID) {
    expected.changes(id, event: true, rows: ["seat 0 Ann", "seat 1 Bob"]) {
      $0.seats[1].holder = .taken(TestPlayer.bob.id)
      $0.stage = .playing
    }
    expected.states(.seatFilled(seat: 1, player: TestPlayer.bob.id), in: id)
    let deadline = expected.deadline(in: day)
    expected.state.matches[id]?.deadline = deadline
    expected.push(.opponentJoined, to: .ann, id)
    expected.reply = .accepted(
      .matchJoined(
        MatchTicket(
          match: id, version: 2, seat: 1, letters: lab.letters(of: id),
          previous: required(lab.matches[id]).previousTurnHash)))
  }

  @Test("An invitation waits for the player, and the player is told")
  func invite() {
    lab.send(lab.event(.matchRequested(.invite(.bob)), by: .ann)) { invites(&$0, .bob) }
  }

  @Test("The invited player accepts, and the inviter is told")
  func accept() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.pass(seconds: 3_600)
    lab.send(lab.event(.invitationAccepted(id, code: nil), by: .bob)) { bobJoins(&$0, id) }
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .alreadyJoined(id))
  }

  @Test("The invited player declines, and the inviter is told")
  func decline() {
    let id = lab.request(.invite(.bob), by: .ann)
    let outcome = Outcome(reason: .declined, seat: 1, results: [.none, .none])
    lab.send(lab.event(.invitationDeclined(id), by: .bob)) {
      $0.changes(id, event: true)
      $0.ends(id, outcome, rows: ["seat 0 Ann over", "seat 1 Bob invited over"])
      $0.push(.matchEnded, to: .ann, id)
      $0.reply = .accepted(.done(.invitationDeclined, id, version: 2))
    }
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .matchOver(outcome))
    lab.refuse(lab.event(.invitationDeclined(id), by: .bob), .matchOver(outcome))
  }

  @Test("The inviter withdraws, and accepting comes too late")
  func withdraw() {
    let id = lab.request(.invite(.bob), by: .ann)
    let outcome = Outcome(reason: .withdrawn, seat: 0, results: [.none, .none])
    lab.send(lab.event(.requestWithdrawn(id), by: .ann)) {
      $0.changes(id, event: true)
      $0.ends(id, outcome, rows: ["seat 0 Ann over", "seat 1 Bob invited over"])
      $0.reply = .accepted(.done(.withdrawn, id, version: 2))
    }
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .matchOver(outcome))
  }

  @Test(
    "An invitation expires after seven days: accepting then finds it over, and both halves are told"
  )
  func expire() {
    let id = lab.request(.invite(.bob), by: .ann)
    let deadline = Instant.noon.adding(seconds: 7 * day)
    let outcome = Outcome(reason: .expired, seat: nil, results: [.none, .none])
    lab.pass(seconds: 7 * day)
    lab.send(lab.event(.invitationAccepted(id, code: nil), by: .bob)) {
      $0.changes(id)
      $0.states(
        .deadlinePassed(turn: 1, deadline: deadline, queueTime: lab.now, creditMicroseconds: 0),
        in: id)
      $0.ends(id, outcome, rows: ["seat 0 Ann over", "seat 1 Bob invited over"])
      $0.push(.matchEnded, to: .ann, id)
      $0.reply = .refused(.matchOver(outcome))
    }
  }

  @Test("An invitation can be accepted until its last second")
  func lastSecond() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.pass(seconds: 7 * day - 1)
    lab.send(lab.event(.invitationAccepted(id, code: nil), by: .bob)) { bobJoins(&$0, id) }
  }

  // Failure: Refusal.notInvited: The seat is not for the sender to take or decline.
  // Failure: Refusal.nothingToWithdraw: The sender has nothing waiting.
  @Test("Only the invited player accepts or declines, and only the inviter withdraws")
  func others() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .cyd), .unknownMatch)
    lab.refuse(lab.event(.invitationDeclined(id), by: .cyd), .unknownMatch)
    lab.refuse(lab.event(.requestWithdrawn(id), by: .cyd), .unknownMatch)
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .ann), .alreadyJoined(id))
    lab.refuse(lab.event(.invitationDeclined(id), by: .ann), .notInvited)
    lab.refuse(lab.event(.requestWithdrawn(id), by: .bob), .nothingToWithdraw)
    lab.refuse(lab.event(lab.turn(id, fourFaces), by: .bob), .unknownMatch)
  }

  @Test("Mutual invitations with the same terms make one match")
  func mutual() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.send(lab.event(.matchRequested(.invite(.ann)), by: .bob)) { bobJoins(&$0, id) }
    #expect(lab.matches.count == 1)
  }

  @Test("Mutual invitations with different terms stay two")
  func mutualOtherTerms() {
    _ = lab.request(.invite(.bob), by: .ann)
    lab.send(lab.event(.matchRequested(.invite(.ann, turnLimit: 60)), by: .bob)) {
      invites(&$0, .ann, turnLimit: 60)
    }
  }

  @Test("A casual invitation does not answer a rated one")
  func mutualCasual() {
    let rated = lab.request(.invite(.bob), by: .ann)
    var request = MatchRequest.invite(.ann)
    request.isCasual = true
    let casual = lab.request(request, by: .bob)
    #expect(casual != rated)
    #expect(lab.matches[rated]?.stage == .waiting)
    #expect(lab.matches[casual]?.terms.isCasual == true)
  }

  // Failure: Refusal.invitationPending: The same invitation already stands. The reply names its
  //   match.
  @Test("The same invitation again is refused while the first stands, and welcome afterwards")
  func pending() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.refuse(lab.event(.matchRequested(.invite(.bob)), by: .ann), .invitationPending(id))
    lab.act(.invitationDeclined(id), by: .bob)
    lab.send(lab.event(.matchRequested(.invite(.bob)), by: .ann)) { invites(&$0, .bob) }
  }

  @Test(
    "Inviting over an invitation that has just expired ends that one, so that asking again succeeds"
  )
  func inviteOverExpired() {
    let id = lab.request(.invite(.bob), by: .ann)
    lab.pass(seconds: 7 * day)
    lab.send(lab.event(.matchRequested(.invite(.ann)), by: .bob)) {
      $0.changes(id)
      $0.states(
        .deadlinePassed(
          turn: 1, deadline: .noon.adding(seconds: 7 * day), queueTime: lab.now,
          creditMicroseconds: 0),
        in: id)
      $0.ends(
        id, Outcome(reason: .expired, seat: nil, results: [.none, .none]),
        rows: ["seat 0 Ann over", "seat 1 Bob invited over"])
      $0.push(.matchEnded, to: .ann, id)
      $0.reply = .refused(.unavailable)
    }
    lab.send(lab.event(.matchRequested(.invite(.ann)), by: .bob)) { invites(&$0, .ann) }
  }

  // Failure: Refusal.unknownPlayer: No player has that id.
  // Failure: Refusal.opponentIsYourself: Players cannot invite themselves.
  @Test("Nobody invites an unknown player or oneself")
  func whom() {
    lab.refuse(
      lab.event(.matchRequested(.invite(.dan)), by: .ann), .unknownPlayer(TestPlayer.dan.id))
    lab.refuse(lab.event(.matchRequested(.invite(.ann)), by: .ann), .opponentIsYourself)
  }
}

@Suite("Inviting by code")
struct OpenInvitationTests {
  let lab = MatchLab()

  private func code(_ id: MatchID) -> ShareCode { ShareCode(invitationTo: id, secret: .test) }

  @Test("An open invitation comes with its code, and is found by nobody without")
  func open() {
    lab.send(lab.event(.matchRequested(.open), by: .ann)) {
      let id = $0.newMatch
      $0.begins(
        id,
        MatchSnapshot(
          terms: Terms(kind: .open, turnLimitSeconds: day, language: .english),
          seats: [.taken(TestPlayer.ann.id), .free], stage: .waiting,
          deadline: $0.deadline(in: 7 * day), letters: lab.letters(of: id)),
        rows: ["seat 0 Ann"])
      $0.reply = .accepted(
        .matchStarted(
          MatchTicket(
            match: id, version: 1, seat: 0, letters: lab.letters(of: id),
            previous: $0.head(of: id), code: code(id))))
    }
  }

  // Failure: Refusal.seatTaken: Another player took the seat.
  @Test("A player with the code joins")
  func join() {
    let id = lab.request(.open, by: .ann)
    lab.send(lab.event(.invitationAccepted(id, code: code(id)), by: .bob)) {
      $0.changes(id, event: true, rows: ["seat 0 Ann", "seat 1 Bob"]) {
        $0.seats[1].holder = .taken(TestPlayer.bob.id)
        $0.stage = .playing
      }
      $0.states(.seatFilled(seat: 1, player: TestPlayer.bob.id), in: id)
      let deadline = $0.deadline(in: day)
      $0.state.matches[id]?.deadline = deadline
      $0.push(.opponentJoined, to: .ann, id)
      $0.reply = .accepted(
        .matchJoined(
          MatchTicket(
            match: id, version: 2, seat: 1, letters: lab.letters(of: id),
            previous: lab.matches[id]!.previousTurnHash)))
    }
    lab.refuse(lab.event(.invitationAccepted(id, code: code(id)), by: .cyd), .seatTaken)
    lab.refuse(lab.event(.invitationAccepted(id, code: code(id)), by: .bob), .alreadyJoined(id))
    lab.refuse(lab.event(.invitationAccepted(id, code: code(id)), by: .ann), .alreadyJoined(id))
  }

  @Test("Who comes late with the code learns that the seat is taken, and not how the match ended")
  func late() {
    let id = lab.request(.open, by: .ann)
    lab.act(.invitationAccepted(id, code: code(id)), by: .bob)
    lab.act(.matchForfeited(id), by: .ann)
    lab.refuse(lab.event(.invitationAccepted(id, code: code(id)), by: .cyd), .seatTaken)
    lab.refuse(lab.event(.invitationAccepted(id, code: code(id)), by: .bob), .alreadyJoined(id))
  }

  @Test("A code with letters in place of the digits that they look like is the code that was made")
  func lookalikes() throws {
    // One with such digits.
    let id = try #require(
      (0..<100).lazy.map { _ in lab.request(.open, by: .ann) }
        .first { code($0).text.contains("0") || code($0).text.contains("1") })
    let text = code(id).text.replacing("0", with: "O").replacing("1", with: "I")
    lab.act(.invitationAccepted(id, code: ShareCode(text)), by: .bob)
    #expect(lab.matches[id]?.stage == .playing)
  }

  // Failure: Refusal.codeUnknown: No invitation has the code. The reply does not tell whether
  //   the match exists.
  @Test("A wrong code or none joins nothing")
  func wrongCode() {
    let id = lab.request(.open, by: .ann)
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .unknownMatch)
    lab.refuse(
      lab.event(.invitationAccepted(id, code: ShareCode("ABCD1234")), by: .bob), .codeUnknown)
  }

  @Test("A player without the code is not told how the match ended; one with it is")
  func overWithoutCode() {
    let id = lab.request(.open, by: .ann)
    lab.act(.requestWithdrawn(id), by: .ann)
    let outcome = Outcome(reason: .withdrawn, seat: 0, results: [.none, .none])
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .unknownMatch)
    lab.refuse(lab.event(.invitationAccepted(id, code: code(id)), by: .bob), .matchOver(outcome))
  }

  @Test("A random request does not take the seat of an open invitation")
  func randomDoesNotTakeIt() {
    _ = lab.request(.open, by: .ann)
    _ = lab.request(.random, by: .bob)
    #expect(lab.matches.count == 2)
  }
}
