import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("Settings and lists of results at a service")
struct SavingTests {
  private var service: Service

  init() throws {
    service = try Service.named()
    try service.list()
  }

  private var form: SettingsForm? {
    guard case .settings(let screen)? = service.page.app.menu else { return nil }
    return screen.form
  }

  private mutating func open() throws {
    try service.act("menu settings")
    try answerSettings()
  }

  private mutating func answerSettings() throws {
    try service.answer(
      .settings,
      SettingsView(
        displayName: "Ada", kinds: [:], reminders: true,
        devices: [DeviceView(device: "phone", permission: "denied", hasToken: false)]))
    try service.answer(
      .blocks,
      BlockList(
        players: [
          .init(
            player: PlayerID(rawValue: 7), name: try #require(PlayerName("mallory")),
            since: service.now)
        ]))
  }

  private func view(_ name: String, _ id: PlayerID) throws -> PlayerView {
    PlayerView(id: id, name: try #require(PlayerName(name)), registeredAt: service.now)
  }

  private func query(_ name: String) throws -> Query.Kind {
    .player(Query.Player(try #require(PlayerName(name))))
  }

  @Test("Settings are shown once the blocked players are known too")
  mutating func load() throws {
    try open()
    #expect(form?.displayName.text == "Ada" && form?.blocked == ["mallory"])
    try service.act("leave", "menu settings")
    try service.list()
    try service.refuse(.settings, .notPermitted)
    #expect(service.text.contains(QueryRefusal.notPermitted.message))
  }

  @Test("Names are looked up first, then one event follows the other")
  mutating func save() throws {
    try open()
    try service.act(
      "fill displayName Countess", "remove device 0", "fill newDevice watch", "add device",
      "remove blocked 0", "fill newBlocked eve", "add blocked", "save")
    try service.answer(query("mallory"), view("mallory", PlayerID(rawValue: 7)))
    #expect(try service.send().filter { $0.action != nil }.isEmpty)
    try service.answer(query("eve"), view("eve", PlayerID(rawValue: 8)))
    var nouns: [String] = []
    for _ in 0..<5 {
      nouns.append(try #require(service.event().action).typeName)
      try service.reply(.accepted(.noted))
    }
    #expect(
      nouns == [
        "settingsChanged", "deviceRemoved", "deviceRegistered", "playerUnblocked", "playerBlocked",
      ])
    #expect(form?.notice == "Saved.")
    #expect(try service.asked() == [.settings])
  }

  @Test("A name that nobody has, or the player's own, saves nothing")
  mutating func wrongNames() throws {
    try open()
    try service.act("fill newBlocked eve", "fill displayName Countess", "save")
    try service.refuse(query("eve"), .unknownPlayer)
    #expect(form?.newBlocked.fault == "nobody has that name" && form?.blocked == ["mallory"])
    try service.act("fill newBlocked ada", "save")
    try service.answer(query("ada"), view("ada", service.player))
    #expect(form?.newBlocked.fault == "is your own name")
    #expect(try service.send().isEmpty)
  }

  @Test("A refusal ends the saving, and the settings are asked for again")
  mutating func refused() throws {
    try open()
    try service.act("fill displayName Countess", "remove device 0", "save")
    try service.reply(.refused(.notPermitted))
    #expect(form?.notice == Refusal.notPermitted.message)
    try answerSettings()
    #expect(form?.displayName.text == "Countess")
    #expect(try service.send().isEmpty)
  }

  @Test("Saving whose answer takes long can be asked for again, and saves each thing once")
  mutating func delayed() throws {
    try open()
    try service.act("fill displayName Countess", "remove device 0", "save")
    let sent = try service.event()
    try service.delay()
    #expect(form?.stage == .editing && form?.trouble != nil)
    try service.act("save")
    #expect(try service.event().id == sent.id)
    try service.reply(.accepted(.noted))
    #expect(try service.event().action?.typeName == "deviceRemoved")
    try service.reply(.accepted(.noted))
    #expect(form?.notice == "Saved.")
  }

  @Test("What was still being saved when the screen was left does not mix with other changes")
  mutating func left() throws {
    try open()
    try service.act("fill displayName Countess", "remove device 0", "save", "leave", "leave")
    try open()
    try service.act("toggle notification 0", "save")
    try service.reply(.accepted(.noted))
    #expect(form?.notice == nil)
    var names: [String] = []
    for _ in 0..<2 {
      names.append(try #require(service.event().action).typeName)
      #expect(form?.notice == nil)
      try service.reply(.accepted(.noted))
    }
    #expect(Set(names) == ["settingsChanged", "deviceRemoved"])
    #expect(form?.notice == "Saved.")
  }

  // MARK: Lists of results

  private var board: BoardNews? {
    guard case .boards(let screen)? = service.page.app.menu else { return nil }
    return screen.news
  }

  @Test("Today's challenge has the standings where it is dealt")
  mutating func today() throws {
    try service.act("menu boards")
    var home = service.home()
    home.daily.isDealt = false
    try service.answer(.matches, home)
    #expect(board?.today == .missing)
    try service.act("leave", "menu boards")
    try service.list()
    try service.list()
    let daily = service.home().daily.daily
    let ranking = Ranking(rows: [], own: nil, outOf: 0)
    try service.answer(
      .standings(Query.Standings(daily)), Standings(daily: daily, ranking))
    #expect(board?.today == .open)
    try service.act("begin")
    try service.list()
    #expect(try service.event().action == .dailyStarted(daily))
    try service.reply(.accepted(.noted))
    guard case .boards(let screen)? = service.page.app.menu else { return }
    #expect(screen.notice == Trouble.foreign.message && !screen.isStarting)
    try service.act("begin")
    try service.list()
    try service.list()
    try service.reply(.accepted(.dailyStarted(service.ticket)))
    #expect(service.page.app.match?.key.text == service.ticket.match.description)
  }

  @Test("Each list of results is asked for by its own question")
  mutating func boards() throws {
    try service.act("menu boards", "board solo")
    let games = Leaderboard(
      games: SoloGames(kind: .solo, mode: .unlimited), measure: .points, window: .week)
    let ranking = Ranking(rows: [], own: nil, outOf: 0)
    try service.answer(
      .leaderboard(Query.Leaderboard(games)), LeaderboardView(games, ranking))
    #expect(board != nil)
    try service.act("board ladder")
    try service.answer(
      .ladder(Query.Ladder(limit: 100)), Ladder(rows: [], you: nil, around: [], outOf: 0))
    #expect(board != nil)
    try service.act("board history")
    #expect(board == nil)
    try service.answer(.dailyHistory, DailyHistory(results: []))
    #expect(board != nil)
    try service.act("board review")
    try service.answer(
      .review, WeekInReview(since: service.now, until: service.now, games: [], places: []))
    #expect(board?.head == "No game of yours ended in the last week.")
    try service.act("board ladder")
    try service.refuse(.ladder(Query.Ladder(limit: 100)), .notPermitted)
    #expect(service.text.contains(QueryRefusal.notPermitted.message))
  }
}
