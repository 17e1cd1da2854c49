import CubePlay
import CubistPage
import MatchCore
import MatchWire
import ServiceNews
import Testing

@testable import PagePlayer

@Suite("Past games at a service")
struct PastGamesTests {
  private var service: Service

  init() throws {
    service = try Service.named()
    try service.list()
    try service.act("menu games")
  }

  private var screen: PastGamesScreen? {
    guard case .pastGames(let screen)? = service.page.app.menu else { return nil }
    return screen
  }

  private func game(_ number: UInt128) throws -> PastGame {
    let id = MatchID(rawValue: number)
    return PastGame(
      id: id, endedAt: service.now, kind: .random, daily: nil, opponent: Service.other,
      opponentName: PlayerName("grace"), result: .won, reason: .forfeited, points: 5,
      opponentPoints: 3, cursor: PastGamesCursor(endedAt: service.now, match: id))
  }

  private func question(before place: PastGamesCursor? = nil) -> Query.Kind {
    .pastGames(Query.PastGames(before: place, limit: 20))
  }

  @Test("A page of them comes at a time, and a row opens its match")
  mutating func pages() throws {
    let (first, second) = (try game(77), try game(76))
    try service.answer(question(), PastGames(games: [first], next: first.cursor))
    #expect(screen?.news?.rows.map(\.opponent) == ["grace"])
    #expect(service.text.contains(#""result":"won, grace gave up","points":[5,3]"#))
    #expect(service.text.contains(#""isPlayer":true"#))
    #expect(service.text.contains(#""hasMore":true"#))
    try service.act("more")
    #expect(screen?.isLoadingMore == true)
    try service.answer(
      question(before: first.cursor), PastGames(games: [second], next: nil))
    #expect(screen?.news?.rows.map(\.key) == [MatchKey(first.id), MatchKey(second.id)])
    try service.act("past 7")
    #expect(screen != nil)
    try service.act("past 0")
    try service.show(service.ended())
    #expect(service.page.endedMatch == MatchKey(Service.match))
  }

  @Test("A refusal and a silent service are told, and asked again by a reload")
  mutating func failing() throws {
    try service.refuse(question(), .notPermitted)
    #expect(screen?.content == .failed(QueryRefusal.notPermitted.message))
    try service.act("reload")
    try service.lose(question())
    #expect(service.page.app.connection == .lost)
    try service.pass("search")
    try service.list()
    try service.answer(question(), PastGames(games: [], next: nil))
    #expect(screen?.news?.rows == [])
  }

  @Test("The service is asked for games of a kind and with a result; a late answer is ignored")
  mutating func filters() throws {
    let (all, wanted) = (question(), try game(77))
    let late = try service.take { $0.query == all }
    try service.act("kind rematch")
    try service.act("result lost")
    let filter = PastGamesFilter(kind: .rematch, result: .lost)
    try service.answer(
      .pastGames(Query.PastGames(filter: filter, limit: 20)),
      PastGames(games: [wanted], next: wanted.cursor))
    #expect(service.text.contains(#""filter":"Only rematches that you lost.""#))
    service.hear(Array(#"{"v":1,"query":"\#(late.id)","ok":{"games":[]}}"#.utf8))
    #expect(screen?.news?.rows.count == 1)
    try service.act("more")
    try service.answer(
      .pastGames(Query.PastGames(filter: filter, before: wanted.cursor, limit: 20)),
      PastGames(games: [], next: nil))
    #expect(screen?.news?.next == nil)
  }

  @Test("A cursor that nobody can read is told, and shows no list")
  mutating func unreadable() throws {
    let question = question()
    let sent = try service.take { $0.query == question }
    service.hear(
      Array(#"{"v":1,"query":"\#(sent.id)","ok":{"games":[],"next":"yesterday"}}"#.utf8))
    guard case .failed? = screen?.content else {
      Issue.record("the list is shown")
      return
    }
  }
}
