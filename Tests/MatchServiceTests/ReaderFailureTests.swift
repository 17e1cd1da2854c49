import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader when things fail")
struct ReaderFailureTests {
  let lab = ReaderLab()

  @Test("A store that is gone: everybody in hand is told to ask again, then the reader stops")
  func storeGone() throws {
    lab.expectOwner()
    lab.store.players.answer { _ throws(StoreError) in throw .unavailable("gone") }
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

  /// The reads of a reader that can fail, each with a query that needs it.
  enum FailingRead: CaseIterable {
    case owners, player, players, match, entries, currentMatches, rematchOffers, matchByCode,
      sharedMatch, pastGames, daily, dailyResults, dailyHistory, leaderboard, tallies, ladder,
      settings, inbox, registrationNeedsCode, blocked

    func query(_ match: MatchID) -> Query.Kind {
      switch self {
      case .owners, .players: .whoAmI
      case .player: .player(.init(TestPlayer.bob.name))
      case .match, .entries: .match(.init(match))
      case .currentMatches, .rematchOffers: .matches
      case .matchByCode: .matchByCode(.init(required(ShareCode("ABCD1234"))))
      case .sharedMatch: .recordByCode(.init(required(ShareCode("ABCD1234"))))
      case .pastGames: .pastGames(.init(limit: 1))
      case .ladder: .ladder(.init(limit: 1))
      case .daily, .dailyResults: .standings(.init(DailyKey(day: Day(containing: .noon))))
      case .dailyHistory: .dailyHistory
      case .leaderboard:
        .leaderboard(
          .init(
            Leaderboard(
              games: SoloGames(kind: .solo, mode: .timed), measure: .points, window: .all)))
      case .tallies: .review
      case .settings: .settings
      case .inbox: .inbox
      case .registrationNeedsCode: .serviceInfo
      case .blocked: .blocks
      }
    }
  }

  @Test(
    "Any failing read tells the asker to ask again, and the reader stops",
    arguments: FailingRead.allCases)
  func failingRead(read: FailingRead) throws {
    let given = Given.playing
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(given)
    lab.store.currentMatches.answer { _, _, _ in .init() }
    lab.store.daily.answer { DailyChallenge(key: $0, lexicon: "test", letters: "") }
    let gone = StoreError.unavailable("gone")
    switch read {
    case .owners: lab.owners = { _ throws(StoreError) in throw gone }
    case .player: lab.store.player.answer { _ throws(StoreError) in throw gone }
    case .players: lab.store.players.answer { _ throws(StoreError) in throw gone }
    case .match: lab.store.matches.answer { _ throws(StoreError) in throw gone }
    case .entries: lab.store.entries.answer { _ throws(StoreError) in throw gone }
    case .currentMatches:
      lab.store.currentMatches.answer { _, _, _ throws(StoreError) in throw gone }
    case .rematchOffers: lab.store.rematchOffers.answer { _, _ throws(StoreError) in throw gone }
    case .matchByCode: lab.store.matchByCode.answer { _ throws(StoreError) in throw gone }
    case .sharedMatch: lab.store.sharedMatch.answer { _ throws(StoreError) in throw gone }
    case .pastGames: lab.store.pastGames.answer { _ throws(StoreError) in throw gone }
    case .daily: lab.store.daily.answer { _ throws(StoreError) in throw gone }
    case .ladder: lab.store.ladder.answer { _ throws(StoreError) in throw gone }
    case .dailyResults: lab.store.dailyResults.answer { _, _, _ throws(StoreError) in throw gone }
    case .dailyHistory: lab.store.dailyHistory.answer { _, _ throws(StoreError) in throw gone }
    case .leaderboard: lab.store.leaderboard.answer { _, _, _ throws(StoreError) in throw gone }
    case .tallies: lab.store.tallies.answer { _, _, _ throws(StoreError) in throw gone }
    case .inbox: lab.store.inbox.answer { _, _ throws(StoreError) in throw gone }
    case .settings:
      lab.store.settings.answer { _ throws(StoreError) in throw gone }
    case .registrationNeedsCode:
      lab.store.registrationNeedsCode.answer { () throws(StoreError) in throw gone }
    case .blocked: lab.store.blocked.answer { _ throws(StoreError) in throw gone }
    }
    lab.ask(read.query(given.match.id))
    #expect(throws: Interruption.store(gone)) { try lab.step() }
    #expect(try lab.refusal() == .unavailable)
  }

  @Test("A broker that is gone before the answer interrupts: nobody hears of it, and asks again")
  func brokerGoneAtAnswer() {
    lab.expectOwner()
    lab.expectPlayers()
    lab.bus.answer.answer { _ throws(BusError) in throw .disconnected("gone") }
    lab.ask(.whoAmI)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.step() }
  }

  @Test("A match that the store cannot read costs its asker the answer, and nobody else")
  func unreadableMatch() throws {
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.matches.answer { _ throws(StoreError) in throw .rejected("no such state") }
    lab.ask(.match(.init(MatchID(rawValue: 1), newerThan: 5)), id: "first")
    lab.ask(.whoAmI, id: "second")
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["first", "second"])
  }

  @Test("If the store cannot read owners, all askers are told to ask again, and it goes on")
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

  @Test("A broker that is gone interrupts")
  func brokerGone() {
    lab.bus.receive.answer { _, _ throws(BusError) in throw .disconnected("gone") }
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
