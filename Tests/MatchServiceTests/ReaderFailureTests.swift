import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader when things fail")
struct ReaderFailureTests {
  let lab = ReaderLab()

  // Failure: QueryRefusal.unavailable: The service cannot answer now. Ask again.
  @Test("A store that is gone: everybody in hand is told to ask again, then the reader stops")
  func storeGone() throws {
    lab.expectOwner()
    lab.store.players.fail(with: .unavailable("gone"))
    lab.ask(.whoAmI, id: "first")
    lab.ask(.whoAmI, by: .bob, id: "second")
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.step() }
    #expect(lab.answers.map(\.correlationID) == ["first", "second"])
    for answer in lab.answers {
      let decoded = try AnswerCodec.decode(answer.body, as: PlayerView.self)
      guard case .refused(_, _, .unavailable?) = decoded.answer else {
        Issue.record("not refused")
        continue
      }
      #expect(decoded.query == EventID(at: .noon, random: 1))
    }
  }

  /// The questions of a reader to its store, each with a query that needs it.
  static let reads: [String: Query.Kind] = {
    let (code, id) = (required(ShareCode("ABCD1234")), Given.ended.match.id)
    let daily = DailyKey(day: Day(containing: .noon))
    let board = Leaderboard(
      games: SoloGames(kind: .solo, mode: .timed), measure: .points, window: .all)
    return [
      "ownersAndMatches": .whoAmI, "players": .whoAmI,
      "player": .player(.init(TestPlayer.bob.name)),
      "recordAndPlayers": .match(.init(id)), "matches": .record(.init(id)),
      "entries": .record(.init(id)), "certificates": .record(.init(id)),
      "origins": .record(.init(id)),
      "matchByCode": .matchByCode(.init(code)), "sharedMatch": .recordByCode(.init(code)),
      "currentMatches": .matches, "rematchOffers": .matches,
      "pastGames": .pastGames(.init(limit: 1)), "ladder": .ladder(.init(limit: 1)),
      "daily": .standings(.init(daily)), "dailyResults": .standings(.init(daily)),
      "dailyHistory": .dailyHistory, "leaderboard": .leaderboard(.init(board)), "tallies": .review,
      "settings": .settings, "inbox": .inbox, "registrationNeedsCode": .serviceInfo,
      "blocked": .blocks, "overviews": .overview, "keys": .keys,
      "inviters": .invitationOf(.init(.zero)),
      "recoveries": .recoveryOf(.init(TestPlayer.ann.name)), "account": .account(.init(.keys)),
    ]
  }()

  @Test("Each question of the reader's store is made to fail")
  func allReads() {
    let questions = Mirror(reflecting: ReaderStore.noop).children
      .compactMap { ($0.value as? any Question).map { "\($0.name)" } }
    #expect(
      Set(questions).subtracting(["ReaderStore.noteDamaged"])
        == Set(Self.reads.keys.map { "ReaderStore.\($0)" }))
  }

  // Failure: ReaderStore.*: The reader answers `unavailable`.
  @Test(
    "Any failing read tells the asker to ask again, and the reader stops",
    arguments: reads.keys.sorted())
  func failingRead(read: String) throws {
    // The reader does not know the key that signed the match, and a player has changed devices.
    let late = Instant.noon.adding(seconds: 86_400)
    lab.expectMatches(
      .ended(signedBy: .test.renewed(until: late), on: TestPlayer("phone", keyByte: 0x70)))
    lab.store.origins.answer { _ in [] }
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.currentMatches.answer { _, _, _ in .init() }
    lab.store.daily.answer { DailyChallenge(key: $0, lexicon: "test", letters: "") }
    let gone = StoreError.unavailable("gone")
    lab.store = lab.store.around(
      { question, ask throws(StoreError) in
        if "\(question)" == "ReaderStore.\(read)" { throw gone }
        try ask()
      }, unfailing: { _, ask in ask() })
    lab.ask(try #require(Self.reads[read]))
    #expect(throws: Interruption.store(gone)) { try lab.step() }
    #expect(try lab.refusal() == .unavailable)
  }

  // Failure: ReaderBus.answer: The asker gets no answer and asks again.
  @Test("A broker that is gone before the answer interrupts: nobody hears of it, and asks again")
  func brokerGoneAtAnswer() {
    lab.expectOwner()
    lab.expectPlayers()
    lab.bus.answer.fail(with: .disconnected("gone"))
    lab.ask(.whoAmI)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.step() }
  }

  // Failure: QueryHandler.Failure.store: Inside the reader: the store failed.
  @Test("A match that the store cannot read costs its asker the answer, and nobody else")
  func unreadableMatch() throws {
    lab.expectOwner()
    lab.expectPlayers()
    let match = MatchID(rawValue: 1)
    lab.store.matches.fail(with: .damaged(match, "no such state"))
    lab.ask(.match(.init(match, newerThan: 5)), id: "first")
    lab.ask(.whoAmI, id: "second")
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["first", "second"])
    guard
      case .refused(_, _, .matchDamaged?) = try AnswerCodec.decode(
        lab.answers[0].body, as: MatchView.self
      ).answer
    else {
      Issue.record("another answer")
      return
    }
    let line = lab.logs.entries.first { "\($0.message)" == "query cannot be answered" }
    #expect(line?.metadata["match"] == "\(match)")
  }

  @Test("A damaged match among those of a list hides no other")
  func damagedInList() throws {
    let (whole, damaged) = (Given.ended, MatchID(rawValue: 1))
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.pastGames.answer { question in
      [whole.match.id, damaged].map { id in
        ReaderStore.PastGameRow(
          match: id, terms: whole.match.terms,
          game: .init(
            player: question.player, endedAt: .noon, opponent: TestPlayer.bob.id, result: .won,
            reason: .forfeited, points: 1, opponentPoints: 0))
      }
    }
    lab.store.matches.answer { ids throws(StoreError) in
      guard !ids.contains(damaged) else { throw .damaged(damaged, "no such state") }
      return ids.contains(whole.match.id) ? [whole.match] : []
    }
    lab.ask(.headToHead(.init(with: TestPlayer.bob.id)))
    try lab.step()
    #expect(try lab.answer(as: HeadToHead.self).score.matches == 2)
  }

  @Test("A match whose state is not as its record gives it is not shown, and the operator is told")
  func wrongState() throws {
    let given = Given.playing
    var wrong = given.match
    wrong.annulDamaged(at: .noon)
    lab.expectMatches(given)
    lab.store.matches.answer { _ in [wrong] }
    lab.expectOwner()
    lab.expectPlayers()
    var noted: [MatchID] = []
    lab.store.noteDamaged.answer { match, _ in noted.append(match) }
    lab.ask(.match(.init(given.match.id)))
    try lab.step()
    #expect(try lab.refusal() == .matchDamaged)
    #expect(noted == [given.match.id])
  }

  // Failure: ReaderStore.noteDamaged: The asker is told that the match is damaged, and the log names
  //   it.
  @Test("A past game whose record says nothing of its end stays on the list")
  func damagedPastGame() throws {
    let given = Given.ended
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.pastGames.answer { question in
      [
        ReaderStore.PastGameRow(
          match: given.match.id, terms: given.match.terms,
          game: .init(
            player: question.player, endedAt: .noon, opponent: TestPlayer.bob.id, result: .none,
            reason: .aborted, points: 0, opponentPoints: 0), cause: [0])
      ]
    }
    lab.store.noteDamaged.fail(with: .unavailable("gone"))
    lab.ask(.pastGames(.init(limit: 5)))
    try lab.step()
    let games = try lab.answer(as: PastGames.self).games
    #expect(games.map(\.id) == [given.match.id])
    #expect(games.map(\.gaveUpBy) == [nil])
  }

  @Test("All askers are told to ask again if the store cannot read owners, and the reader goes on")
  func unreadableOwners() throws {
    var isReadable = false
    lab.owners = { _ throws(StoreError) in
      guard isReadable else { throw .rejected("no such key") }
      return (.noon, [TestPlayer.ann.key: TestPlayer.ann.owner])
    }
    lab.expectPlayers()
    for id in ["first", "second"] { lab.ask(.whoAmI, id: id) }
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["first", "second"])
    lab.forget()
    isReadable = true
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try lab.answer(as: PlayerView.self).id == TestPlayer.ann.id)
  }

  @Test("Queries that the database gives up have a line at first, after a minute and at the end")
  func outageLines() throws {
    lab.expectOwner()
    var isBroken = true
    lab.store.players.answer { ids throws(StoreError) in
      guard !isBroken else { throw .failed("canceling statement due to statement timeout") }
      return [TestPlayer.ann.id: TestPlayer.ann.row]
    }
    for _ in 0..<100 {
      for id in ["first", "second"] { lab.ask(.whoAmI, id: id) }
      try lab.step()
      lab.clock.pass(.seconds(1))
    }
    #expect(lab.answers.count == 200)
    isBroken = false
    for _ in 0..<2 {
      lab.ask(.whoAmI)
      try lab.step()
      lab.clock.pass(.seconds(61))
    }
    let lines = lab.logs.entries.map { entry in
      "\(entry.level) \(entry.message) \(entry.metadata["failures"].map { "\($0)" } ?? "")"
    }
    #expect(
      lines == [
        "warning query cannot be answered 1", "error queries still cannot be answered 121",
        "notice queries can be answered again 200",
      ])
  }

  // Failure: ReaderBus.receive: The reader starts over.
  @Test("A broker that is gone interrupts")
  func brokerGone() {
    lab.bus.receive.fail(with: .disconnected("gone"))
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.step() }
  }

  @Test("An answer that would be too large is not given")
  func tooLarge() throws {
    lab.settings.answerByteLimit = 10
    lab.expectOwner()
    lab.expectPlayers()
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try lab.refusal() == .unavailable)
  }
}
