import CubePlay
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("Notifications that find the browser, asked for by its page")
struct PushDeskTests {
  private static let endpoint = "https://push.example/send/a?b=c"
  private static let key = Base64.encodeForURL([4] + Array(repeating: 7, count: 64))
  private static let secret = Base64.encodeForURL(Array(repeating: 9, count: 16))

  private var service: Service

  init() throws {
    service = try Service.named()
    try service.list()
  }

  private func settings(pushKey: String? = Self.key) -> SettingsView {
    var browser = DeviceView(
      device: "browser-1", service: "webPush", permission: "authorized", hasToken: true,
      arrivedAt: service.now.adding(seconds: 3_600 - 7_200))
    (browser.answer, browser.answeredAt) = ("201, taken", service.now.adding(seconds: 3_540))
    let phone = DeviceView(
      device: "phone", service: "apns", permission: "authorized", hasToken: true)
    let watch = DeviceView(device: "watch", permission: "denied", hasToken: false)
    var view = SettingsView(
      displayName: nil, kinds: [:], reminders: true, devices: [browser, phone, watch])
    view.pushKey = pushKey
    return view
  }

  private mutating func subscribe() throws {
    try service.act("subscribe browser-2 \(Self.endpoint) \(Self.key) \(Self.secret)")
  }

  @Test("The service's key, the devices and their news are told to the page")
  mutating func known() throws {
    #expect(!service.text.contains(#""push""#))
    try service.act("push", "push")
    try service.answer(.settings, settings())
    #expect(
      service.text.contains(
        #"""
        "push":{"heard":1,"key":"\#(Self.key)","devices":["browser-1","phone","watch"],\#
        "browsers":["browser-1"],"news":["Something last arrived 2 h ago. \#
        Its push service said 1 min ago: 201, taken","Nothing has arrived yet.",""]}
        """#))
    // No screen has asked for it.
    #expect(service.page.app.menu == nil)
    try service.act("push")
    try service.answer(.settings, settings(pushKey: nil))
    #expect(service.text.contains(#""push":{"heard":2,"devices""#))
  }

  @Test("A question that is refused is no trouble of the player's")
  mutating func refusedQuestion() throws {
    try service.act("push")
    try service.refuse(.settings, .notPermitted)
    #expect(service.page.world.trouble == nil && service.page.world.push == PushDesk())
  }

  @Test("A subscription becomes a device, and the page learns when")
  mutating func registered() throws {
    try service.act("push")
    try service.answer(.settings, settings())
    try subscribe()
    #expect(service.text.contains(#""browser":{"stage":"asked"}"#))
    let name = try #require(DeviceName("browser-2"))
    let subscription = try #require(
      WebPushSubscription(
        endpoint: Self.endpoint, key: [4] + Array(repeating: 7, count: 64),
        secret: Array(repeating: 9, count: 16)))
    #expect(
      try service.event().action
        == .deviceRegistered(
          Device(name: name, route: .webPush(subscription), permission: .authorized)))
    try service.reply(.accepted(.noted))
    #expect(service.page.world.push.browser == .done)
    #expect(service.page.world.push.known?.browsers == ["browser-1", "browser-2"])
    #expect(service.text.contains(#""browser":{"stage":"done"}"#))
    try service.act("unsubscribe browser-2")
    #expect(try service.event().action == .deviceRemoved(name))
    try service.reply(.accepted(.noted))
    #expect(service.page.world.push.known?.browsers == ["browser-1"])
    // The registration is what the page waits for.
    #expect(service.page.world.push.browser == .done)
  }

  @Test("A subscription that is none is told, and nothing is sent")
  mutating func malformed() throws {
    let (endpoint, key, secret) = (Self.endpoint, Self.key, Self.secret)
    for text in [
      "", "browser-2", "browser-2 \(endpoint) \(key)", "a/b \(endpoint) \(key) \(secret)",
      "b http://push.example/ \(key) \(secret)", "b \(endpoint) \(secret) \(secret)",
      "b \(endpoint) \(key) \(key)", "b \(endpoint) \(key)= \(secret)",
      "b \(endpoint) undefined undefined", "b \(endpoint) \(key) \(secret) x",
      "b https://a@push.example/ \(key) \(secret)",
      "b https://push.example/\(String(repeating: "x", count: 1_024)) \(key) \(secret)",
    ] {
      try service.act("subscribe \(text)")
      guard case .refused = service.page.world.push.browser else {
        Issue.record("\(text)")
        continue
      }
    }
    #expect(try service.send().allSatisfy { $0.action == nil })
    #expect(!service.page.act(Array("unsubscribe a/b".utf8)))
    #expect(!service.page.act(Array("subscribe".utf8)))
  }

  @Test("A refusal is told in words, and an answer that takes long, too")
  mutating func refused() throws {
    try subscribe()
    try service.delay()
    #expect(service.text.contains(#""browser":{"stage":"delayed"}"#))
    try service.reply(.refused(.notPermitted))
    guard case .refused(let text) = service.page.world.push.browser else {
      Issue.record("\(service.page.world.push)")
      return
    }
    #expect(!text.isEmpty)
    // The list says nothing of it: the settings do.
    #expect(service.page.world.told.isEmpty)
  }

  @Test("A test is asked for once at a time")
  mutating func tested() throws {
    try service.act("testpush", "testpush")
    // The helper finds one event at most.
    _ = try service.event()
    try service.reply(.accepted(.noted))
    #expect(service.text.contains(#""test":{"stage":"done"}"#))
  }

  @Test("The opponent is reminded of the turn that is due, once, where that is possible")
  mutating func nudged() throws {
    var view = try service.view(first: 1)
    try service.act("reload")
    try service.list([service.summary()])
    try service.act("row 0")
    try service.show(view)
    // The service does not say when: the match has no time for a turn.
    #expect(!service.text.contains(#""nudge""#))
    try service.act("nudge")
    #expect(try service.send().allSatisfy { $0.action == nil })
    (view.nudgeFrom, view.version) = (service.now.adding(seconds: 3_660), 2)
    try service.act("reload")
    try service.show(view)
    // The page's clock is an hour behind.
    let from = service.page.world.account.pageTime(of: service.now.adding(seconds: 3_660))
    #expect(service.text.contains(#""nudge":{"from":"\#(from.microseconds / 1_000)"}"#))
    try service.act("nudge", "nudge")
    #expect(
      try service.event().action == .nudged(Event.Nudged(match: Service.match, turn: 1)))
    #expect(service.text.contains(#""nudge":{"sent":{"stage":"asked"}}"#))
    try service.reply(.refused(.notPermitted))
    #expect(service.text.contains(#""sent":{"stage":"refused","text":"#))
    try service.act("nudge")
    _ = try service.event()
    try service.reply(.accepted(.noted))
    #expect(service.text.contains(#""nudge":{"sent":{"stage":"done"}}"#))
    try service.act("nudge")
    #expect(try service.send().allSatisfy { $0.action == nil })
    // The match comes anew, in which that reminder is no longer possible.
    view.nudgeFrom = nil
    try service.show(view)
    #expect(service.text.contains(#""nudge":{"sent":{"stage":"done"}}"#))
    // Elsewhere it is not told.
    try service.act("leave")
    #expect(service.page.app.match == nil)
  }

  @Test("The match of a notification is opened from everywhere, but changes are asked about first")
  mutating func opened() throws {
    let id = "\(Service.match)"
    for text in ["open", "open ", "open x", "open \(id)0", "open https://push.example/"] {
      #expect(!service.page.act(Array(text.utf8)), "\(text)")
    }
    try service.act("menu boards", "open \(id)")
    #expect(service.page.app.match?.key.text == id)
    // A match that is shown already stays as it is.
    try service.show(service.view())
    try service.act("letter T")
    let before = service.text
    try service.act("open \(id)")
    #expect(service.text == before)
    try service.act("leave", "menu settings")
    try service.answer(.settings, settings())
    try service.answer(.blocks, BlockList(players: []))
    try service.act("fill displayName Ada L", "open \(id)")
    guard case .settings(let screen)? = service.page.app.menu else {
      Issue.record("\(service.page.app.place)")
      return
    }
    #expect(screen.form?.stage == .doubted(.home))
    // A second click throws nothing away.
    try service.act("open \(id)")
    #expect(service.page.app.menu != nil)
    try service.act("doubt throwAway", "open \(id)")
    #expect(service.page.app.match?.key.text == id)
  }

  @Test("A key that speaks for nobody any more leaves nothing of it")
  mutating func lost() throws {
    try service.act("push")
    try service.answer(.settings, settings())
    try subscribe()
    _ = try service.event()
    try service.reply(.refused(.keyRevoked))
    #expect(service.page.world.push == PushDesk())
    #expect(!service.text.contains(#""push""#))
  }
}
