import CubePlay
import CubistPage
import MatchCore
import MatchWire
import ServiceNews
import Testing

@testable import PagePlayer

@Suite("Notifications at a service")
struct InboxTests {
  private var service: Service

  init() throws {
    service = try Service.named()
    try service.list()
  }

  private var screen: InboxScreen? {
    guard case .inbox(let screen)? = service.page.app.menu else { return nil }
    return screen
  }

  private func item(_ number: UInt8, match: MatchID?) throws -> InboxItem {
    InboxItem(
      id: try #require(PushJobID("00000000-0000-0000-0000-0000000000\(10 + number)")),
      kind: "yourTurn", title: "Your turn \(number)", body: "It is your turn.", match: match,
      day: nil, sentAt: service.now.adding(seconds: -60),
      opponentName: match == nil ? nil : PlayerName("grace"))
  }

  private mutating func open() throws {
    try service.act("menu inbox")
    try service.answer(
      .inbox, InboxView(items: [item(1, match: Service.match), item(2, match: nil)]))
  }

  @Test("They are shown, and one opens its match")
  mutating func shown() throws {
    try open()
    #expect(screen?.rows.map(\.title) == ["Your turn 1", "Your turn 2"])
    try service.act("notice 1", "notice 99")
    #expect(service.page.app.menu != nil)
    try service.act("notice 0")
    #expect(service.page.app.match?.key == MatchKey(Service.match))
  }

  @Test("One leads to the other player in its match")
  mutating func player() throws {
    try open()
    #expect(service.text.contains(#""hasMatch":true,"player":"grace"}"#))
    #expect(service.text.contains(#""hasMatch":false,"player":""}"#))
    try service.act("player 1", "player 99")
    #expect(screen != nil)
    try service.act("player 0")
    guard case .player(let sheet)? = service.page.app.menu else {
      Issue.record("no player is shown")
      return
    }
    #expect(sheet.wanted == PlayerWanted("grace", in: MatchKey(Service.match)))
  }

  @Test("One is taken away by an event, and the list is asked for again")
  mutating func seen() throws {
    try open()
    try service.act("seen 1", "seen 0", "allseen")
    let id = try item(2, match: nil).id
    #expect(try service.event().action == .inboxSeen(.one(id)))
    try service.reply(.accepted(.noted))
    try service.answer(.inbox, InboxView(items: [item(1, match: nil)]))
    #expect(screen?.rows.count == 1 && screen?.leaving == nil)
    try service.act("allseen")
    #expect(try service.event().action == .inboxSeen(.all))
    try service.reply(.refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: nil)))
    #expect(screen?.notice != nil && screen?.leaving == nil)
  }

  @Test("A pending answer is said, and the list comes when it is there")
  mutating func pending() throws {
    try open()
    try service.act("allseen")
    try service.delay()
    #expect(screen?.notice?.contains("pending") == true)
    try service.reply(.accepted(.noted))
    try service.answer(.inbox, InboxView(items: []))
    #expect(screen?.rows.isEmpty == true && screen?.notice == nil)
  }
}
