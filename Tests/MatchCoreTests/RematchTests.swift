import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

@Suite("A rematch")
struct RematchTests {
  let lab = MatchLab()
  let over = [
    "seat 0 Ann over", "seat 1 Bob over", "past Ann won 0:0 against Bob forfeited",
    "past Bob lost 0:0 against Ann forfeited",
  ]

  /// A match that Ann began and Bob gave up then.
  private func ended() -> MatchID {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, twoRemovals), by: .ann)
    lab.act(.matchForfeited(id), by: .bob)
    return id
  }

  /// States that a player's offer stands and the other player is notified.
  private func offers(_ expected: inout Expectation, _ id: MatchID, seat: Int, version: Int64) {
    let sent = expected.sent
    let other = sent.player == .ann ? TestPlayer.bob : .ann
    expected.changes(id, rows: over + ["offer \(sent.player.name) to \(other.name)"]) {
      $0.rematch.offer = Match.RematchOffer(
        seat: seat, at: lab.now, signed: sent.player.receive(sent.event).signed)
    }
    expected.push(.rematchRequested, to: other, id)
    expected.reply = .accepted(.done(.rematchOffered, id, version: version))
  }

  /// States that Bob's request accepts Ann's offer, or the other way round.
  private func starts(
    _ expected: inout Expectation, _ id: MatchID, offer: SentEvent
  ) {
    let (sent, next) = (expected.sent, MatchID(successorOf: id))
    expected.changes(id, rows: over) { $0.rematch = .init(successor: next) }
    var snapshot = MatchSnapshot(
      terms: Terms(kind: .rematch, turnLimitSeconds: day, language: .english),
      seats: [.taken(TestPlayer.bob.id), .taken(TestPlayer.ann.id)], stage: .playing,
      deadline: expected.deadline(in: day), letters: lab.letters(of: next))
    snapshot.predecessor = id
    expected.begins(
      next, snapshot, requests: [offer, sent], rows: ["seat 0 Bob", "seat 1 Ann"])
    expected.push(.rematchStarted, to: offer.player, next)
    expected.reply = .accepted(.rematchStarted(ticket(expected, next, sent.player)))
  }

  private func ticket(
    _ expected: Expectation, _ id: MatchID, _ player: TestPlayer
  ) -> MatchTicket {
    MatchTicket(
      match: id, version: 1, seat: player == .bob ? 0 : 1, letters: lab.letters(of: id),
      previous: expected.head(of: id))
  }

  @Test(
    "The rematch of a casual match is casual, that of a rated one rated", arguments: [true, false])
  func casual(isCasual: Bool) {
    let request = MatchRequest(opponent: .random, turnLimitSeconds: day, isCasual: isCasual)
    let id = lab.request(request, by: .ann)
    lab.act(.matchRequested(request), by: .bob)
    lab.act(.matchForfeited(id), by: .ann)
    lab.act(.rematchRequested(id), by: .ann)
    lab.act(.rematchRequested(id), by: .bob)
    #expect(lab.matches[MatchID(successorOf: id)]?.terms.isCasual == isCasual)
  }

  @Test("The first request is an offer, and the other player is told")
  func offer() {
    let id = ended()
    lab.send(lab.event(.rematchRequested(id), by: .ann)) {
      offers(&$0, id, seat: 0, version: 5)
    }
  }

  @Test("Asking again while the offer stands changes nothing and tells nobody")
  func offerAgain() {
    let id = ended()
    lab.act(.rematchRequested(id), by: .ann)
    lab.pass(seconds: day)
    lab.send(lab.event(.rematchRequested(id), by: .ann)) {
      $0.reply = .accepted(.done(.rematchOffered, id, version: 5))
    }
  }

  @Test(
    "The second request is the acceptance: one match, the other player starts, the asker is told")
  func bothAsk() {
    let id = ended()
    let offer = lab.event(.rematchRequested(id), by: .ann)
    lab.act(offer)
    lab.pass(seconds: 60)
    lab.send(lab.event(.rematchRequested(id), by: .bob)) { starts(&$0, id, offer: offer) }
    let next = lab.matches[MatchID(successorOf: id)]!
    #expect(next.seats[next.seatToPlay].player == TestPlayer.bob.id)
  }

  @Test("The match is the same one if the other player asks first")
  func otherOrder() {
    let id = ended()
    let offer = lab.event(.rematchRequested(id), by: .bob)
    lab.act(offer)
    lab.send(lab.event(.rematchRequested(id), by: .ann)) { starts(&$0, id, offer: offer) }
  }

  @Test("Asking again once there is a rematch gives that one at any stage of it")
  func askAfterwards() {
    let id = ended()
    lab.act(.rematchRequested(id), by: .ann)
    lab.act(.rematchRequested(id), by: .bob)
    let next = MatchID(successorOf: id)
    lab.send(lab.event(.rematchRequested(id), by: .ann)) {
      $0.reply = .accepted(.rematchStarted(ticket($0, next, .ann)))
    }
    lab.act(lab.turn(next, fourFaces), by: .bob)
    lab.send(lab.event(.rematchRequested(id), by: .bob)) {
      var ticket = ticket($0, next, .bob)
      ticket.version = 2
      $0.reply = .accepted(.rematchStarted(ticket))
    }
    #expect(lab.matches.count == 2)
    lab.refuse(lab.event(.rematchDeclined(id), by: .ann), .noRematchOffer)
  }

  @Test("A rematch may have a rematch, in which the first player starts again")
  func rematchOfRematch() {
    let id = ended()
    for player in [TestPlayer.ann, .bob] { lab.act(.rematchRequested(id), by: player) }
    let second = MatchID(successorOf: id)
    lab.act(.matchForfeited(second), by: .ann)
    for player in [TestPlayer.ann, .bob] { lab.act(.rematchRequested(second), by: player) }
    let third = lab.matches[MatchID(successorOf: second)]
    #expect(third?.players == [TestPlayer.ann.id, TestPlayer.bob.id])
    #expect(third?.predecessor == second)
  }

  // Failure: Refusal.rematchDeclined: The other player declined. The reply names the time of the
  //   next chance to ask.
  @Test("The asker is told of a refusal, and may ask again after a day")
  func declined() {
    let id = ended()
    lab.act(.rematchRequested(id), by: .ann)
    lab.send(lab.event(.rematchDeclined(id), by: .bob)) {
      $0.changes(id, rows: over) {
        $0.rematch = .init(declined: .init(seat: 0, at: lab.now))
      }
      $0.push(.rematchDeclined, to: .ann, id)
      $0.reply = .accepted(.done(.rematchDeclined, id, version: 6))
    }
    let retryAt = lab.now.adding(seconds: day)
    lab.refuse(
      lab.event(.rematchRequested(id), by: .ann), .rematchDeclined(retryAt: retryAt))
    lab.pass(seconds: day - 1)
    lab.refuse(
      lab.event(.rematchRequested(id), by: .ann), .rematchDeclined(retryAt: retryAt))
    lab.pass(seconds: 1)
    lab.send(lab.event(.rematchRequested(id), by: .ann)) {
      offers(&$0, id, seat: 0, version: 7)
    }
  }

  @Test("The decliner may ask at once, and the first asker may accept that")
  func declinerAsks() {
    let id = ended()
    lab.act(.rematchRequested(id), by: .ann)
    lab.act(.rematchDeclined(id), by: .bob)
    let offer = lab.event(.rematchRequested(id), by: .bob)
    lab.send(offer) { offers(&$0, id, seat: 1, version: 7) }
    lab.send(lab.event(.rematchRequested(id), by: .ann)) { starts(&$0, id, offer: offer) }
  }

  @Test("An offer stands for seven days; afterwards the other's request is an offer of its own")
  func offerExpires() {
    let id = ended()
    lab.act(.rematchRequested(id), by: .ann)
    lab.pass(seconds: 7 * day)
    lab.refuse(lab.event(.rematchDeclined(id), by: .bob), .noRematchOffer)
    lab.send(lab.event(.rematchRequested(id), by: .bob)) {
      offers(&$0, id, seat: 1, version: 6)
    }
  }

  @Test("The asker renews an expired offer by asking again")
  func offerRenewed() {
    let id = ended()
    lab.act(.rematchRequested(id), by: .ann)
    lab.pass(seconds: 7 * day)
    lab.send(lab.event(.rematchRequested(id), by: .ann)) {
      offers(&$0, id, seat: 0, version: 6)
    }
  }

  @Test("An offer can be accepted in its last second")
  func lastSecond() {
    let id = ended()
    let offer = lab.event(.rematchRequested(id), by: .ann)
    lab.act(offer)
    lab.pass(seconds: 7 * day - 1)
    lab.send(lab.event(.rematchRequested(id), by: .bob)) { starts(&$0, id, offer: offer) }
  }

  // Failure: Refusal.unknownMatch: The sender has no such match. The reply does not tell whether it
  //   exists.
  // Failure: Refusal.matchNotOver: A running match has no rematch.
  // Failure: Refusal.noRematchOffer: Nobody has offered a rematch.
  @Test("There is no rematch of a match that is not over, and none to decline that nobody offered")
  func notOver() {
    let id = lab.runningMatch()
    lab.refuse(lab.event(.rematchRequested(id), by: .ann), .matchNotOver)
    lab.refuse(lab.event(.rematchDeclined(id), by: .ann), .matchNotOver)
    lab.act(.matchForfeited(id), by: .ann)
    lab.refuse(lab.event(.rematchDeclined(id), by: .ann), .noRematchOffer)
    lab.act(.rematchRequested(id), by: .ann)
    lab.refuse(lab.event(.rematchDeclined(id), by: .ann), .noRematchOffer)
    lab.refuse(lab.event(.rematchRequested(id), by: .cyd), .unknownMatch)
    lab.refuse(lab.event(.rematchDeclined(id), by: .cyd), .unknownMatch)
  }

  // Failure: Refusal.rematchNotPossible: A match of this kind or outcome has no rematch.
  @Test("A withdrawn, declined or expired match has no rematch")
  func notPlayed() {
    let withdrawn = lab.request(.random, by: .ann)
    lab.act(.requestWithdrawn(withdrawn), by: .ann)
    lab.refuse(lab.event(.rematchRequested(withdrawn), by: .ann), .rematchNotPossible)
    let declined = lab.request(.invite(.bob), by: .ann)
    lab.act(.invitationDeclined(declined), by: .bob)
    lab.refuse(lab.event(.rematchRequested(declined), by: .ann), .rematchNotPossible)
    lab.refuse(lab.event(.rematchRequested(declined), by: .bob), .unknownMatch)
  }

  @Test("A match that was aborted may have a rematch")
  func aborted() {
    let id = lab.runningMatch()
    lab.pass(seconds: day)
    let offer = lab.event(.rematchRequested(id), by: .bob)
    guard case .accepted(.done(.rematchOffered, _, _)) = lab.act(offer) else {
      Issue.record("the offer was refused")
      return
    }
    #expect(lab.matches[id]?.outcome?.reason == .aborted)
    let givenUp = lab.runningMatch()
    lab.act(.matchForfeited(givenUp), by: .ann)
    for player in [TestPlayer.ann, .bob] { lab.act(.rematchRequested(givenUp), by: player) }
    #expect(lab.matches[MatchID(successorOf: givenUp)]?.stage == .playing)
  }

  @Test("No rematch begins without a current word list, and the offer stands")
  func noWordList() {
    let id = ended()
    lab.act(.rematchRequested(id), by: .ann)
    lab.lexicons = Lexicons(current: [:], others: [.everyWord])
    lab.refuse(lab.event(.rematchRequested(id), by: .bob), .unavailable)
  }
}
