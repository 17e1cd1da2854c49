import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader on what is over")
struct ReaderHistoryTests {
  let lab = ReaderLab()

  @Test("Past games come in pages, each with the place where the next one begins")
  func pastGames() throws {
    let match = Given.ended.match
    let row = try #require(
      Listing(of: match).pastGames.first { $0.player == TestPlayer.ann.id })
    let ids = [9, 8, 7].map { MatchID(rawValue: $0) }
    var asked: [ReaderStore.PastGamesQuestion] = []
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.pastGames = { question in
      asked.append(question)
      return ids.map { .init(match: $0, terms: match.terms, game: row) }
    }
    let cursor = PastGamesCursor(endedAt: .noon, match: MatchID(rawValue: 10))
    lab.ask(.pastGames(with: TestPlayer.bob.id, before: cursor, limit: 2))
    try lab.step()
    let page = try lab.answer(as: PastGames.self)
    #expect(page.games.map(\.id) == Array(ids.prefix(2)))
    #expect(page.games.first?.result == .won)
    #expect(page.games.first?.opponentName == TestPlayer.bob.name)
    #expect(page.next == page.games.last?.cursor)
    expectNoDifference(
      asked,
      [
        .init(
          player: TestPlayer.ann.id, opponent: TestPlayer.bob.id,
          before: .init(endedAt: .noon, match: MatchID(rawValue: 10)), limit: 3)
      ])
    lab.forget()
    lab.ask(.pastGames(with: nil, before: nil, limit: 3))
    try lab.step()
    #expect(try lab.answer(as: PastGames.self).next == nil)
  }

  @Test("The record of an own match that is over is given out whole, and verifies")
  func record() throws {
    let given = Given.ended
    lab.expectOwner()
    lab.expectMatches(given)
    lab.ask(.record(given.match.id))
    try lab.step()
    let document = try RecordDocument(Array(try lab.answer(as: RecordAnswer.self).record.utf8))
    #expect(document.entries == given.entries)
    let report = RecordVerifier(lexicons: .test).report(on: document)
    #expect(report.game.fault == nil)
  }

  @Test("The record of a match that is running, or somebody else's, is not given out")
  func recordRefused() throws {
    let (running, ended) = (Given.playing, Given.ended)
    lab.expectOwner()
    lab.expectMatches(running)
    lab.ask(.record(running.match.id))
    try lab.step()
    #expect(try lab.refusal() == .matchNotOver)
    lab.forget()
    let other = ReaderLab()
    other.expectOwner()
    other.expectMatches(ended)
    other.ask(.record(ended.match.id), by: .cyd)
    try other.step()
    #expect(try other.refusal() == .unknownMatch)
  }

  @Test("Standings rank everybody and show the asker's place; a daily that is not dealt has none")
  func standings() throws {
    let key = DailyKey(day: Day(containing: .noon))
    lab.expectOwner()
    var isDealt = false
    lab.store.daily = { isDealt ? DailyChallenge(key: $0, lexicon: "x", letters: "y") : nil }
    lab.store.dailyScores = { _ in
      [
        .init(player: TestPlayer.bob.id, name: TestPlayer.bob.name, points: 9),
        .init(player: TestPlayer.ann.id, name: TestPlayer.ann.name, points: 5),
      ]
    }
    lab.ask(.standings(key))
    try lab.step()
    #expect(try lab.refusal() == .dailyNotDealt(key.day))
    isDealt = true
    lab.forget()
    lab.ask(.standings(key))
    try lab.step()
    let standings = try lab.answer(as: Standings.self)
    #expect(standings.rows.map(\.points) == [9, 5])
    #expect(standings.you?.rank == 2)
  }
}
