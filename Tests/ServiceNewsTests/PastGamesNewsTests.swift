import CubePlay
import MatchCore
import MatchWire
import ServiceNews
import Testing

@Suite("Past games of the service as the game shows them")
struct PastGamesNewsTests {
  private static func game(
    _ number: UInt128, _ kind: MatchKind = .random, _ result: Outcome.Result = .won,
    _ reason: Outcome.Reason = .cleared
  ) -> PastGame {
    let id = Made.match(number)
    let ended = Made.now.adding(seconds: -7_300)
    let isAlone = kind == .solo || kind == .daily
    return PastGame(
      id: id, endedAt: ended, kind: kind, daily: kind == .daily ? Made.daily : nil,
      opponent: isAlone ? nil : Made.grace, opponentName: isAlone ? nil : Made.name("grace"),
      result: result, reason: reason, points: 42, opponentPoints: isAlone ? nil : 36,
      cursor: PastGamesCursor(endedAt: ended, match: id))
  }

  private static func row(_ game: PastGame) throws -> PastGameRow {
    try #require(PastGamesNews(PastGames(games: [game], next: nil), now: Made.now).rows.first)
  }

  @Test("A row has its match, the other player, points and how long it is over")
  func rows() throws {
    let row = try Self.row(Self.game(1))
    #expect(row.key == MatchKey(Made.match(1)))
    #expect(row.opponent == "grace" && row.points == [42, 36] && row.ended == "2 h ago")
    #expect(row.result == "won, no cube is left" && row.player == "grace")
    let alone = try Self.row(Self.game(1, .daily, .completed, .timeUp))
    #expect(alone.opponent == "daily \(Made.daily.day)" && alone.points == [42])
    #expect(alone.player == nil)
    #expect(alone.result == "played to the end, time ran out")
  }

  @Test("It says how the match came about, and whether it counts for a rating")
  func kinds() throws {
    let kinds = try MatchKind.allCases.map { try Self.row(Self.game(1, $0)).kind }
    #expect(kinds == ["by chance", "by invitation", "by a code", "a rematch", "alone", "alone"])
    var casual = Self.game(1, .invitation)
    casual.casual = true
    #expect(try Self.row(casual).kind == "by invitation, casual")
  }

  @Test("Every kind and every result can be wanted")
  func filters() {
    typealias Wanted = PastGamesWanted
    let kinds = Wanted.Kind.allCases.map { PastGamesFilter(Wanted(kind: $0)) }
    #expect(kinds == MatchKind.allCases.map { PastGamesFilter(kind: $0) })
    let results = Wanted.Ending.allCases.map { PastGamesFilter(Wanted(result: $0)) }
    #expect(results == Outcome.Result.allCases.map { PastGamesFilter(result: $0) })
    #expect(PastGamesFilter(.all) == PastGamesFilter())
    // The page names them as the command does.
    #expect(Wanted.Kind.allCases.map(\.rawValue) == MatchKind.allCases.map(\.rawValue))
    #expect(Wanted.Ending.allCases.map(\.rawValue) == Outcome.Result.allCases.map(\.rawValue))
  }

  @Test("The list goes on where the service says")
  func next() {
    let game = Self.game(1)
    let news = PastGamesNews(PastGames(games: [game], next: game.cursor), now: Made.now)
    #expect(news.next == game.cursor.description)
    #expect(PastGamesNews(PastGames(games: [], next: nil), now: Made.now).next == nil)
  }
}
