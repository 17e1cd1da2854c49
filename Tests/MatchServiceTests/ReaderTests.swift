import CubeRules
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader")
struct ReaderTests {
  let lab = ReaderLab()

  // MARK: Askers

  @Test("Anybody may ask about the service, without a name, without its id, with a wrong clock")
  func serviceInfo() throws {
    lab.owners = { _ in (.noon, [:]) }
    lab.store.registrationNeedsCode.answer { true }
    lab.store.dailyResults.answer { key, asker, limit in
      #expect(limit == 0)
      var ranking = Ranking(all: [], asker: asker, limit: limit)
      ranking.outOf = key.mode == .timed ? 7 : 5
      return ranking
    }
    let query = Query(
      service: ServiceID(rawValue: 0), id: EventID(at: .noon.adding(seconds: -9_999), random: 1),
      player: TestPlayer.ann.id, kind: .serviceInfo)
    lab.ask(Envelope.encode(TestPlayer.ann.signer.sign(query)))
    try lab.step()
    let info = try lab.answer(as: ServiceInfo.self)
    let identity = ServiceIdentity.test
    expectNoDifference(
      info,
      ServiceInfo(
        service: .test, rootKey: identity.rootKey, certificates: identity.certificates,
        version: "1.2.3", oldestClient: .oldestServed, now: .noon, registration: .code,
        queueCount: 16, limits: .current,
        dailies: [
          .init(daily: DailyKey(day: Day(containing: .noon)), players: 5),
          .init(daily: DailyKey(day: Day(containing: .noon), mode: .timed), players: 7),
        ]))
    #expect(lab.answers[0].replyTo == "amq.rabbitmq.reply-to.q")
    #expect(lab.answers[0].correlationID == "q")
  }

  // Failure: QueryRefusal.expired: The query is more than 60 s old, or more than 5 minutes ahead.
  //   The answer names the service's time.
  @Test("A query of more than 60 s ago has expired, by the store's clock")
  func expired() throws {
    lab.expectOwner()
    lab.ask(.whoAmI, at: lab.now.adding(seconds: -61))
    try lab.step()
    #expect(try lab.refusal() == .expired(serviceTime: .noon))
  }

  @Test("A query from the future has expired, too")
  func tooEarly() throws {
    lab.expectOwner()
    lab.ask(.whoAmI, at: lab.now.adding(seconds: 301))
    try lab.step()
    #expect(try lab.refusal() == .expired(serviceTime: .noon))
  }

  // Failure: QueryRefusal.notRegistered: The key belongs to no player.
  @Test("A key that is not registered is refused")
  func stranger() throws {
    lab.owners = { _ in (.noon, [:]) }
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try lab.refusal() == .notRegistered)
  }

  // Failure: QueryRefusal.keyRevoked: An operator has revoked the key, the player has removed it,
  //   or a recovery has put another one in its place.
  @Test("A key that was revoked is refused as such")
  func revoked() throws {
    var owner = TestPlayer.ann.owner
    owner.isRevoked = true
    lab.owners = { [owner] _ in (.noon, [TestPlayer.ann.key: owner]) }
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try lab.refusal() == .keyRevoked)
  }

  // Failure: QueryRefusal.notPermitted: The key does not belong to the player, or the signature is
  //   wrong.
  @Test("A key that asks in another player's name is refused")
  func someoneElse() throws {
    lab.expectOwner()
    let query = Query(
      service: .test, id: EventID(at: .noon, random: 1), player: TestPlayer.bob.id, kind: .whoAmI)
    lab.ask(Envelope.encode(TestPlayer.ann.signer.sign(query)))
    try lab.step()
    #expect(try lab.refusal() == .notPermitted)
  }

  @Test("A forged query never reaches the store")
  func forged() throws {
    var body = TestPlayer.ann.body(.whoAmI)
    body[50] ^= 1
    lab.ask(body)
    try lab.step()
    #expect(try lab.refusal() == .notPermitted)
  }

  @Test("An event's signature is no query's")
  func eventSignature() throws {
    let query = Query(
      service: .test, id: EventID(at: .noon, random: 1), player: TestPlayer.ann.id, kind: .whoAmI)
    lab.ask(Envelope.encode(TestPlayer.ann.signer.signed(QueryCodec.encode(query), as: .event)))
    try lab.step()
    #expect(try lab.refusal() == .notPermitted)
  }

  // Failure: QueryRefusal.wrongService: The query was signed for another deployment.
  @Test("A query to another service never reaches the store")
  func foreign() throws {
    let query = Query(
      service: ServiceID(rawValue: 1), id: EventID(at: .noon, random: 1),
      player: TestPlayer.ann.id, kind: .whoAmI)
    lab.ask(Envelope.encode(TestPlayer.ann.signer.sign(query)))
    try lab.step()
    #expect(try lab.refusal() == .wrongService(.test))
  }

  @Test(
    "Garbage is refused by name and never reaches verifier or store",
    arguments: [
      ([], "malformed"), ([7], "unsupportedVersion"), (Array(repeating: 1, count: 98), "malformed"),
      (Array(repeating: 1, count: 9_999), "malformed"),
      (Array(repeating: 1, count: 97) + Array(#"{"v":2}"#.utf8), "unsupportedVersion"),
      (Array(repeating: 1, count: 97) + Array(repeating: 0x20, count: 1_025), "malformed"),
    ] as [([UInt8], String)])
  func garbage(body: [UInt8], name: String) throws {
    lab.verifier = .failing
    lab.ask(body)
    try lab.step()
    #expect(try lab.refusal()?.name == name)
  }

  @Test("A query without a reply address is not answered")
  func noReplyTo() throws {
    lab.bus.answer = ReaderBus.failing.answer
    lab.arriving = [
      .query(body: TestPlayer.ann.body(.whoAmI), replyTo: nil, correlationID: "x"),
      .query(body: TestPlayer.ann.body(.whoAmI), replyTo: "x", correlationID: nil),
    ]
    try lab.step()
  }

  // MARK: Players

  // Failure: QueryRefusal.unknownPlayer: No player has that name.
  @Test("A player can look up oneself, and others by name")
  func players() throws {
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.player.answer { name in name.key == "bob" ? TestPlayer.bob.row : nil }
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try lab.answer(as: PlayerView.self).name == TestPlayer.ann.name)
    lab.forget()
    lab.ask(.player(.init(required(PlayerName("BOB")))))
    try lab.step()
    #expect(try lab.answer(as: PlayerView.self).id == TestPlayer.bob.id)
    lab.forget()
    lab.ask(.player(.init(required(PlayerName("Nobody")))))
    try lab.step()
    #expect(try lab.refusal() == .unknownPlayer)
  }

  @Test("A player with an ended rated match is told the own rank, too")
  func ownRank() throws {
    var ann = TestPlayer.ann.row
    ann.rating.matchCount = 2
    lab.expectOwner()
    lab.store.players.answer { [ann] _ in [ann.id: ann] }
    lab.store.ladder.answer { [ann] question in
      #expect(question == LadderQuestion(player: ann.id, limit: 0, neighborLimit: 0))
      return LadderPage(own: ann, higherCount: 4, playerCount: 9)
    }
    lab.ask(.whoAmI)
    try lab.step()
    let rating = try #require(try lab.answer(as: PlayerView.self).rating)
    #expect((rating.matches, rating.rank, rating.outOf) == (2, 5, 9))
  }

  // MARK: Matches

  @Test("A player sees a match with its turns and names; nobody else sees it")
  func match() throws {
    var given = Given.playing
    given.take(TestPlayer.ann.event(given.turn(), 9), by: .ann)
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(given)
    lab.ask(.match(.init(given.match.id)), by: .bob)
    try lab.step()
    let view = try lab.answer(as: MatchView.self)
    #expect(view.version == given.match.version)
    #expect(view.turns.map(\.moves) == [["-222", "-221"]])
    #expect(view.seats.map(\.name) == [TestPlayer.ann.name, TestPlayer.bob.name])
    #expect(throws: Never.self) { try view.game() }
    lab.forget()
    lab.ask(.match(.init(given.match.id)), by: .cyd)
    try lab.step()
    #expect(try lab.refusal() == .unknownMatch)
  }

  // Failure: QueryRefusal.unknownMatch: The asker may see no such match.
  // Failure: QueryHandler.Failure.refused: Inside the reader: the answer is a refusal.
  @Test("A match that does not exist is refused like one that is somebody else's")
  func unknownMatch() throws {
    lab.expectOwner()
    lab.expectMatches()
    lab.ask(.match(.init(MatchID(rawValue: 1))))
    try lab.step()
    #expect(try lab.refusal() == .unknownMatch)
  }

  // Failure: QueryRefusal.matchDamaged: The match can be read neither from its state nor from its
  //   record, or its record does not hold. The operator is told; other matches are shown.
  @Test("A record that does not hold is no answer, the operator is told, and nobody else suffers")
  func brokenRecord() throws {
    let given = Given.playing
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.matches.answer { _ in [given.match] }
    lab.store.entries.answer { _ in Array(given.entries.dropFirst()) }
    var noted: [MatchID] = []
    lab.store.noteDamaged.answer { match, _ in noted.append(match) }
    lab.ask(.match(.init(given.match.id)))
    lab.ask(.whoAmI, id: "other")
    try lab.step()
    let answered = lab.answers.map { answer in
      guard let decoded = try? AnswerCodec.decode(answer.body, as: PlayerView.self).answer else {
        return "?"
      }
      switch decoded {
      case .ok: return "ok"
      case .refused(let name, _, _): return name
      }
    }
    #expect(answered == ["matchDamaged", "ok"])
    #expect(noted == [given.match.id])
  }

  // Failure: QueryRefusal.codeUnknown: No invitation and no shared match has the code.
  @Test("The code of an open invitation shows the inviter, not the cube")
  func matchByCode() throws {
    let given = Given(.open)
    let code = ShareCode(invitationTo: given.match.id, secret: ServiceIdentity.test.secret)
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(given)
    lab.store.matchByCode.answer { $0 == code ? given.match.id : nil }
    lab.store.sharedMatch.answer { _ in nil }
    lab.ask(.matchByCode(.init(code)), by: .bob)
    try lab.step()
    let view = try lab.answer(as: MatchView.self)
    #expect(view.id == given.match.id)
    #expect(view.seats.first?.name == TestPlayer.ann.name)
    #expect(view.letters == "")
    #expect(view.turns == [])
    #expect(view.code == nil)
    lab.forget()
    lab.ask(.matchByCode(.init(code)), by: .ann)
    try lab.step()
    let own = try lab.answer(as: MatchView.self)
    #expect(own.letters == given.match.game.puzzle.description)
    #expect(own.code == code)
    lab.forget()
    lab.ask(.matchByCode(.init(required(ShareCode("ABCD")))), by: .bob)
    try lab.step()
    #expect(try lab.refusal() == .codeUnknown)
  }

  // Failure: QueryRefusal.seatTaken: Somebody else has joined with the code. Nothing else is told of
  //   the match.
  @Test("The code of a match that somebody has joined shows it to its players only, while it runs")
  func matchByUsedCode() throws {
    var given = Given(.open)
    let code = ShareCode(invitationTo: given.match.id, secret: ServiceIdentity.test.secret)
    given.take(
      TestPlayer.bob.event(.invitationAccepted(given.match.id, code: code), 5), by: .bob)
    #expect(try answer(to: code, of: given, by: .cyd) == .seatTaken)
    #expect(try answer(to: code, of: given, by: .bob) == nil)
    given.take(TestPlayer.ann.event(given.turn(), 6), by: .ann)
    given.take(TestPlayer.bob.event(.matchForfeited(given.match.id), 6), by: .bob)
    #expect(try answer(to: code, of: given, by: .cyd) == .seatTaken)
    for player in [TestPlayer.ann, .bob] {
      let outcome = try #require(given.match.outcome)
      #expect(
        try answer(to: code, of: given, by: player)
          == .invitationOver(outcome.reason, isOwn: true))
    }
  }

  // Failure: QueryRefusal.invitationOver: The match of the invitation with that code is over, for
  //   the reason in the answer: withdrawn, run out, or ended.
  @Test("The code of an invitation that was withdrawn says so, to whoever has it")
  func withdrawnCode() throws {
    var given = Given(.open)
    let code = ShareCode(invitationTo: given.match.id, secret: ServiceIdentity.test.secret)
    given.take(TestPlayer.ann.event(.requestWithdrawn(given.match.id), 5), by: .ann)
    #expect(try answer(to: code, of: given, by: .bob) == .invitationOver(.withdrawn))
    let own = QueryRefusal.invitationOver(.withdrawn, isOwn: true)
    #expect(try answer(to: code, of: given, by: .ann) == own)
    #expect(own.message.hasPrefix("You withdrew"))
  }

  @Test("The code of an invitation whose match is kept no longer says that it is gone")
  func codeOfNoMatch() throws {
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(Given.ended)
    lab.store.matchByCode.answer { _ in MatchID(rawValue: 9) }
    lab.ask(.matchByCode(.init(required(ShareCode("ABCD1234")))), by: .bob)
    try lab.step()
    #expect(try lab.refusal() == .matchGone)
  }

  /// The refusal of a match by a code, for a player; nil: the match was shown.
  private func answer(
    to code: ShareCode, of given: Given, by player: TestPlayer
  ) throws -> QueryRefusal? {
    let lab = ReaderLab()
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(given)
    lab.store.matchByCode.answer { $0 == code ? given.match.id : nil }
    lab.ask(.matchByCode(.init(code)), by: player)
    try lab.step()
    if let view = try? lab.answer(as: MatchView.self) {
      #expect(view.id == given.match.id)
      return nil
    }
    return try lab.refusal()
  }

  @Test("Home shows the own matches, the invitations, the offers that stand, and today's daily")
  func home() throws {
    let playing = Given.playing
    let invitation = Given(.player(TestPlayer.ann.id), by: .bob)
    let open = Given(.open)
    var offered = Given.ended
    offered.take(TestPlayer.bob.event(.rematchRequested(offered.match.id), 7), by: .bob)
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.currentMatches.answer { _, matches, invitations in
      #expect((matches, invitations) == (200, 50))
      return .init(
        matches: [playing.match, open.match], invitations: [invitation.match], moreInvitations: 7,
        recoveryAt: .noon, leavesAt: Instant.noon.adding(seconds: 60))
    }
    lab.store.rematchOffers.answer { [offered] _, _ in [offered.match] }
    lab.store.daily.answer { DailyChallenge(key: $0, lexicon: "x", letters: "y") }
    lab.store.matches.answer { _ in [] }
    lab.ask(.matches)
    try lab.step()
    let home = try lab.answer(as: HomeView.self)
    #expect(home.matches.map(\.id) == [playing.match.id, open.match.id])
    #expect(home.matches.map(\.yourTurn) == [true, true])
    #expect(home.matches.first?.opponentName == TestPlayer.bob.name)
    #expect(home.matches.last?.code != nil)
    #expect(home.invitations.map(\.id) == [invitation.match.id])
    #expect((home.moreMatches, home.moreInvitations) == (nil, 7))
    #expect(home.recoveryAt == .noon && home.leavesAt == Instant.noon.adding(seconds: 60))
    #expect(home.rematchOffers.map(\.match) == [offered.match.id])
    #expect(home.rematchOffers.map(\.isYours) == [false])
    #expect(home.daily.isDealt)
    #expect(home.daily.match == nil)
    #expect(home.daily.endsAt == Day(containing: .noon).end)
    // A week later the offer no longer stands.
    lab.now = Instant.noon.adding(seconds: Match.invitationSeconds)
    lab.forget()
    lab.ask(.matches, at: lab.now)
    try lab.step()
    #expect(try lab.answer(as: HomeView.self).rematchOffers == [])
  }

  @Test("A damaged match is named in home by its id, and the others are shown")
  func damagedHome() throws {
    let (playing, damaged) = (Given.playing, MatchID(rawValue: 9))
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.currentMatches.answer { _, _, _ in
      .init(matches: [playing.match], damaged: [damaged])
    }
    lab.store.rematchOffers.answer { _, _ in [] }
    lab.store.daily.answer { _ in nil }
    lab.store.matches.answer { _ in [] }
    lab.ask(.matches)
    try lab.step()
    let home = try lab.answer(as: HomeView.self)
    #expect(home.matches.map(\.id) == [playing.match.id])
    #expect(home.damaged == [damaged])
  }

  @Test("Home fits into an answer with all lists at their fullest")
  func fullHome() throws {
    let (open, invitation) = (Given(.open), Given(.player(TestPlayer.ann.id), by: .bob))
    var offered = Given.ended
    offered.take(TestPlayer.bob.event(.rematchRequested(offered.match.id), 7), by: .bob)
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.currentMatches.answer { _, matches, invitations in
      .init(
        matches: Array(repeating: open.match, count: matches), moreMatches: 10_000,
        invitations: Array(repeating: invitation.match, count: invitations),
        moreInvitations: 10_000)
    }
    lab.store.rematchOffers.answer { [offered] _, limit in
      Array(repeating: offered.match, count: limit)
    }
    lab.store.daily.answer { DailyChallenge(key: $0, lexicon: "x", letters: "y") }
    lab.store.matches.answer { _ in [] }
    lab.ask(.matches)
    try lab.step()
    let home = try lab.answer(as: HomeView.self)
    #expect((home.matches.count, home.invitations.count) == (200, 50))
    #expect(home.rematchOffers.count == 50)
    let bytes = AnswerCodec.encode(home, query: EventID(rawValue: 1)).count
    // The longest name has 13 letters more than these, the largest number of points 5 digits more.
    #expect(bytes + 300 * (13 + 2 * 5) < ReaderSettings().answerByteLimit, "\(bytes)")
  }
}
