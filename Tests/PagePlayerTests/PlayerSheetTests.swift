import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("Another player at a service")
struct PlayerSheetTests {
  private var service: Service
  private let grace: PlayerView

  init() throws {
    service = try Service.named()
    grace = PlayerView(
      id: Service.other, name: try #require(PlayerName("grace")), registeredAt: service.now)
    try service.list([service.summary()])
  }

  private var screen: PlayerScreen? {
    guard case .player(let screen)? = service.page.app.menu else { return nil }
    return screen
  }

  private mutating func answerPlayer() throws {
    try service.answer(.player(Query.Player(grace.name)), grace)
  }

  private mutating func open() throws {
    try service.act("player 0")
    try answerPlayer()
    try service.answer(
      .headToHead(Query.HeadToHead(with: Service.other)),
      HeadToHead(
        opponent: Service.other, opponentName: grace.name, score: .init(won: 2, lost: 1)))
    try service.answer(.blocks, BlockList(players: []))
  }

  @Test("The matches between the two are shown once the blocks are known, too")
  mutating func load() throws {
    try open()
    #expect(screen?.news?.lines == ["You two had 3 matches: 2 won, 1 lost, 0 tied."])
    #expect(screen?.news?.isBlocked == false)
    #expect(service.text.contains(#""canReport":true"#))
  }

  @Test("An answer about anybody else than the one who was asked for shows and tells nothing")
  mutating func others() throws {
    try service.act("player 0")
    let ben = PlayerView(
      id: Service.other, name: try #require(PlayerName("ben")), registeredAt: service.now)
    try service.answer(.player(Query.Player(grace.name)), ben)
    #expect(screen?.news == nil && service.text.contains("player is not grace"))
    service = try Service.named()
    try service.list([service.summary()])
    try service.act("player 0")
    try answerPlayer()
    try service.answer(
      .headToHead(Query.HeadToHead(with: Service.other)),
      HeadToHead(
        opponent: PlayerID(rawValue: 5), opponentName: grace.name, score: .init(won: 2, lost: 1)))
    #expect(screen?.news == nil && service.text.contains("opponent is not"))
    #expect(try service.send().filter { $0.action != nil }.isEmpty)
  }

  @Test("A block and a report are told after a question, a refusal is said")
  mutating func wishes() throws {
    try open()
    try service.act("block", "yes")
    try answerPlayer()
    #expect(try service.event().action == .playerBlocked(Service.other))
    try service.reply(.accepted(.playerBlocked(Service.other)))
    #expect(screen?.news?.isBlocked == true)
    try service.act("report", "reason conduct", "fill reportText  slow ", "written", "yes")
    #expect(
      try service.event().action
        == .reported(Service.match, .conduct, text: Report.Text("slow")))
    try service.reply(.refused(.noOpponent))
    #expect(screen?.stage == .looking && screen?.notice == Refusal.noOpponent.message)
    try service.act("report", "written", "yes")
    _ = try service.event()
    try service.reply(.accepted(.reported(Service.match)))
    #expect(screen?.notice == "The operators have your report.")
  }

  @Test("Past games against the player are asked for by the id, which is looked up by the name")
  mutating func games() throws {
    func games() -> PastGamesScreen? {
      guard case .pastGames(let screen)? = service.page.app.menu else { return nil }
      return screen
    }
    try open()
    try service.act("games")
    try answerPlayer()
    let id = MatchID(rawValue: 77)
    let game = PastGame(
      id: id, endedAt: service.now, kind: .random, daily: nil, opponent: Service.other,
      opponentName: grace.name, result: .won, reason: .forfeited, points: 5, opponentPoints: 3,
      cursor: PastGamesCursor(endedAt: service.now, match: id))
    try service.answer(
      .pastGames(Query.PastGames(with: Service.other, limit: 20)),
      PastGames(games: [game], next: game.cursor))
    #expect(games()?.news?.rows.map(\.opponent) == ["grace"])
    #expect(service.text.contains(#""filter":"Only games against grace.""#))
    try service.act("more")
    try answerPlayer()
    try service.answer(
      .pastGames(Query.PastGames(with: Service.other, before: game.cursor, limit: 20)),
      PastGames(games: [], next: nil))
    #expect(games()?.news?.rows.count == 1 && games()?.news?.next == nil)
    try service.act("kind open")
    try service.refuse(.player(Query.Player(grace.name)), .unknownPlayer)
    #expect(games()?.content == .failed("There is no player of that name."))
  }

  @Test("Nobody of that name is said")
  mutating func nobody() throws {
    try service.act("player 0")
    try service.refuse(.player(Query.Player(grace.name)), .unknownPlayer)
    #expect(screen?.content == .failed("There is no player of that name."))
  }
}
