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
    case .player: lab.store.player.fail(with: gone)
    case .players: lab.store.players.fail(with: gone)
    case .match: lab.store.matches.fail(with: gone)
    case .entries: lab.store.entries.fail(with: gone)
    case .currentMatches:
      lab.store.currentMatches.fail(with: gone)
    case .rematchOffers: lab.store.rematchOffers.fail(with: gone)
    case .matchByCode: lab.store.matchByCode.fail(with: gone)
    case .sharedMatch: lab.store.sharedMatch.fail(with: gone)
    case .pastGames: lab.store.pastGames.fail(with: gone)
    case .daily: lab.store.daily.fail(with: gone)
    case .ladder: lab.store.ladder.fail(with: gone)
    case .dailyResults: lab.store.dailyResults.fail(with: gone)
    case .dailyHistory: lab.store.dailyHistory.fail(with: gone)
    case .leaderboard: lab.store.leaderboard.fail(with: gone)
    case .tallies: lab.store.tallies.fail(with: gone)
    case .inbox: lab.store.inbox.fail(with: gone)
    case .settings:
      lab.store.settings.fail(with: gone)
    case .registrationNeedsCode:
      lab.store.registrationNeedsCode.fail(with: gone)
    case .blocked: lab.store.blocked.fail(with: gone)
    }
    lab.ask(read.query(given.match.id))
    #expect(throws: Interruption.store(gone)) { try lab.step() }
    #expect(try lab.refusal() == .unavailable)
  }

  @Test("A broker that is gone before the answer interrupts: nobody hears of it, and asks again")
  func brokerGoneAtAnswer() {
    lab.expectOwner()
    lab.expectPlayers()
    lab.bus.answer.fail(with: .disconnected("gone"))
    lab.ask(.whoAmI)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.step() }
  }

  @Test("A match that the store cannot read costs its asker the answer, and nobody else")
  func unreadableMatch() throws {
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.matches.fail(with: .rejected("no such state"))
    lab.ask(.match(.init(MatchID(rawValue: 1), newerThan: 5)), id: "first")
    lab.ask(.whoAmI, id: "second")
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["first", "second"])
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
