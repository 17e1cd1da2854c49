import CubePlay
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("The end of the account and its file, asked for by the page")
struct AccountDeskTests {
  private var service: Service
  private let leaving = SettingsChange(isLeaving: true)

  init() throws {
    service = try Service.named()
    try service.list()
    try service.act("menu settings")
  }

  /// The settings arrive, with the end of the account if it was asked for.
  private mutating func answer(leavesAt: Instant? = nil) throws {
    var view = SettingsView(displayName: nil, kinds: [:], reminders: true, devices: [])
    view.leavesAt = leavesAt
    try service.answer(.settings, view)
    try service.answer(.blocks, BlockList(players: []))
  }

  private var end: Instant { service.now.adding(seconds: 3_600 + Departure.waitSeconds) }

  private var sent: [Event.Action] {
    mutating get throws { try service.send().compactMap(\.action) }
  }

  // MARK: The end

  @Test("Nothing is sent before the player has read what goes, and said yes")
  mutating func doubted() throws {
    try answer()
    #expect(!service.text.contains(#""departure""#))
    try service.act("endaccount")
    for text in ["for 72 hours", "are gone for ever", "can still be verified", "for 90 days"] {
      #expect(service.text.contains(text))
    }
    try service.act("endaccount no")
    #expect(!service.text.contains(#""departure""#))
    // An answer without a question is none.
    try service.act("endaccount yes", "keepaccount")
    #expect(try sent == [])
    try service.act("endaccount", "leave")
    #expect(service.page.world.accountDesk == AccountDesk())
  }

  @Test("The end is told once, and the page then shows its hour by its own clock")
  mutating func asked() throws {
    try answer()
    try service.act("endaccount", "endaccount yes", "endaccount yes", "endaccount")
    #expect(service.text.contains(#""departure":{"stage":"asked"}"#))
    #expect(try service.event().action == .settingsChanged(leaving))
    try service.reply(.accepted(.noted))
    try answer(leavesAt: end)
    let time = service.page.world.account.pageTime(of: end)
    #expect(
      service.text.contains(#""departure":{"leavesAt":"\#(time.microseconds / 1_000)"}"#))
    // It is asked for no second time.
    try service.act("endaccount")
    #expect(service.page.world.accountDesk.stage == .idle)
  }

  @Test("The account is kept until then, by one event")
  mutating func kept() throws {
    try answer(leavesAt: end)
    try service.act("keepaccount", "keepaccount")
    #expect(
      try service.event().action == .settingsChanged(SettingsChange(isLeaving: false)))
    try service.reply(.accepted(.noted))
    try answer()
    #expect(!service.text.contains(#""departure""#))
  }

  @Test("An answer that takes long and a refusal are told, and the player can try again")
  mutating func refused() throws {
    try answer()
    try service.act("endaccount", "endaccount yes")
    try service.delay()
    #expect(service.text.contains(#""departure":{"stage":"delayed"}"#))
    try service.reply(.refused(.notPermitted))
    #expect(service.text.contains(#""departure":{"stage":"refused","text":"#))
    // The settings say it, and the list says nothing.
    #expect(service.page.world.told.isEmpty)
    try service.act("endaccount")
    #expect(service.page.world.accountDesk.stage == .doubted)
  }

  @Test("Unsaved changes of other settings stay while the end is asked for")
  mutating func unsaved() throws {
    try answer()
    try service.act("fill displayName Ada L", "endaccount", "endaccount yes")
    _ = try service.event()
    try service.reply(.accepted(.noted))
    try answer(leavesAt: end)
    guard case .settings(let screen)? = service.page.app.menu else {
      Issue.record("\(service.page.app.place)")
      return
    }
    #expect(screen.form?.displayName.text == "Ada L" && screen.form?.isChanged == true)
  }

  @Test("Once the account has ended, the key speaks for nobody, and the page leaves everything")
  mutating func gone() throws {
    try answer(leavesAt: end)
    try service.act("exportaccount")
    try service.refuse(.whoAmI, .keyRevoked)
    #expect(service.page.world.accountDesk == AccountDesk())
    #expect(service.text.contains(#""removed":"ada""#))
  }

  // MARK: The file

  /// Answers the questions of an export before and after its past games.
  private mutating func answerBeforeGames() throws {
    try service.answer(
      .whoAmI,
      PlayerView(
        id: service.player, name: try #require(PlayerName("ada")), registeredAt: service.now))
    try service.answer(
      .settings, SettingsView(displayName: nil, kinds: [:], reminders: true, devices: []))
    try service.answer(.keys, KeyList(keys: [], invitations: []))
    try service.answer(.blocks, BlockList(players: []))
    try service.answer(.inbox, InboxView(items: []))
    try service.answer(.matches, service.home())
  }

  private let games = Query.Kind.pastGames(
    Query.PastGames(limit: Query.PastGames.limits.upperBound))

  @Test("The file has all answers, and is given once")
  mutating func exported() throws {
    try answer()
    try service.act("exportaccount", "exportaccount")
    #expect(service.text.contains(#""departure":{"export":"gathered"}"#))
    try answerBeforeGames()
    #expect(service.page.takeRecord() == nil)
    try service.answer(games, PastGames(games: [], next: nil))
    try service.answer(.dailyHistory, DailyHistory(results: []))
    for section in AccountSection.allCases {
      try service.answer(
        .account(Query.Account(section)), AccountRows(rows: [#"{"a": 1}"#], next: 1))
      try service.answer(
        .account(Query.Account(section, after: 1)), AccountRows(rows: [#"{"a": 2}"#]))
    }
    #expect(try service.send().isEmpty)
    let (name, bytes) = try #require(service.page.takeRecord())
    #expect(name == "cubist-account.json" && service.page.takeRecord() == nil)
    let file = try JSONReader.object(of: bytes, limits: .answer)
    #expect(
      file.members.map(\.key)
        == ["schema", "exportedAt"] + AccountExport.Part.allCases.map(\.rawValue) + ["lacking"])
    #expect(
      try file.object("kept").members.map(\.key) == AccountSection.allCases.map(\.rawValue))
    #expect(try file.object("player").string("name") == "ada")
    #expect(service.text.contains(#""departure":{"export":"saved"}"#))
    try service.act("leave")
    #expect(!service.text.contains(#""departure""#))
  }

  @Test("An older service gives no rows, and the page says so beside the button")
  mutating func oldService() throws {
    try answer()
    try service.act("exportaccount")
    try answerBeforeGames()
    try service.answer(games, PastGames(games: [], next: nil))
    try service.answer(.dailyHistory, DailyHistory(results: []))
    for section in AccountSection.allCases {
      try service.refuse(
        .account(Query.Account(section)), .malformed("type \"account\" is not known"))
    }
    #expect(try service.send().isEmpty)
    let (_, bytes) = try #require(service.page.takeRecord())
    let file = try JSONReader.object(of: bytes, limits: .answer)
    #expect(try file.object("kept") == JSONObject())
    #expect(
      service.text.contains(
        #""export":"saved","exportText":"It is in the file cubist-account.json. The service is "#))
  }

  @Test("A service that wants fewer questions is asked again after a pause")
  mutating func paused() throws {
    try answer()
    try service.act("exportaccount")
    try answerBeforeGames()
    try service.refuse(games, .rateLimited(retryAfterSeconds: 7))
    #expect(service.text.contains(#""export":"gathered""#))
    #expect(service.timers["exportaccount"] == 7_000)
    #expect(try service.asked() == [])
    try service.pass("exportaccount")
    #expect(try service.asked() == [games])
  }

  @Test("A service that is away or refuses is told beside the button, and a new try begins anew")
  mutating func failed() throws {
    try answer()
    try service.act("exportaccount")
    try service.lose(.whoAmI)
    #expect(service.text.contains(#""export":"failed","exportText":"#))
    #expect(service.page.takeRecord() == nil)
    try service.act("exportaccount")
    try service.refuse(.whoAmI, .notPermitted)
    #expect(service.text.contains(#""export":"failed","exportText":"#))
    #expect(service.page.world.trouble == nil)
    try service.act("exportaccount")
    #expect(service.text.contains(#""export":"gathered""#))
  }
}
