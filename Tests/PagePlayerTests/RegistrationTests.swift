import CubeLexicon
import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("A player takes a name at a service")
struct RegistrationTests {
  private var service: Service

  init() throws {
    service = try Service()
    try service.meet()
    #expect(service.text.contains(#""needsCode":true"#))
  }

  private var form: RegistrationForm { service.page.world.form }

  private mutating func register(_ name: String = "Ada_2") throws {
    try service.act("name \(name)", "code abcd1234", "register")
  }

  @Test("A registration is signed by the key, and its acceptance gives the name and the list")
  mutating func accepted() throws {
    try register()
    #expect(form.isSending)
    let sent = try service.event()
    let name = try #require(PlayerName("Ada_2"))
    #expect(sent.kind == .event)
    #expect(sent.action == .playerRegistered(name: name, code: ShareCode("ABCD1234")))
    // It is sent once, however often the button is pressed.
    try service.act("register")
    #expect(try service.send().isEmpty)
    try service.reply(.accepted(.registered(service.player, name)))
    #expect(service.page.world.account.name == name && !form.isSending)
    #expect(service.text.contains(#""name":"Ada_2""#))
    try service.list()
    #expect(service.page.app.home.list?.name == "Ada_2")
    try service.act("register")
    #expect(try service.send().isEmpty)
  }

  @Test("Nothing is sent as long as a field is wrong")
  mutating func faults() throws {
    try service.act("register")
    #expect(form.name.fault == "Type a name first." && form.code.fault == nil)
    try service.act("name a b")
    #expect(form.name.fault == "3 to 16 of A-Z a-z 0-9 _ and -")
    try service.act("register")
    #expect(form.name.fault == "3 to 16 of A-Z a-z 0-9 _ and -")
    try service.act("name ada", "register")
    #expect(form.name.fault == nil && form.code.fault == "Type the code that you were given.")
    try service.act("code é", "register")
    #expect(form.code.fault == "4 to 16 of A-Z and 0-9")
    try service.act("code ")
    #expect(form.code.fault == nil && form.code.text.isEmpty)
    #expect(try service.send().isEmpty)
    #expect(!form.isSending)
    try service.act("name \(String(repeating: "x", count: 99))")
    #expect(form.name.text.count == 64)
  }

  @Test("A service without codes wants none")
  mutating func open() throws {
    service = try Service()
    try service.meet { $0.replacing(#""registration":"code""#, with: #""registration":"open""#) }
    try service.act("name ada", "code é", "register")
    #expect(
      try service.event().action
        == .playerRegistered(name: try #require(PlayerName("ada")), code: nil))
  }

  @Test(
    "A refusal stands beside its field, or below the form",
    arguments: [
      (Refusal.nameTaken("ada"), "nameFault"), (.codeInvalid, "codeFault"),
      (.codeRequired, "codeFault"), (.keyRevoked, "trouble"),
      (.rateLimited(.registrationsPerHour, retryAfterSeconds: 3_600), "trouble"),
    ])
  mutating func refusals(refusal: Refusal, field: String) throws {
    try register()
    try service.reply(.refused(refusal))
    #expect(service.page.world.account.name == nil && !form.isSending)
    var text = JSONText()
    text.object { $0.field("message", refusal.message) }
    let message = String(
      decoding: text.bytes.dropFirst(#"{"message":"#.utf8.count).dropLast(), as: UTF8.self)
    #expect(service.text.contains("\"\(field)\":\(message)"))
    // It can be sent again, and then the fault is gone.
    try register("Ada_3")
    #expect(!service.text.contains(message))
    try service.reply(
      .accepted(.registered(service.player, try #require(PlayerName("Ada_3")))))
    #expect(service.page.world.account.name?.text == "Ada_3")
  }

  @Test("A key that has a name already keeps it")
  mutating func registeredBefore() throws {
    try register()
    try service.reply(.refused(.alreadyRegistered(name: "ada")))
    #expect(service.page.world.account.name?.text == "ada" && service.page.world.trouble == nil)
    #expect(try service.asked() == [.matches])
  }

  @Test("An acceptance of another kind gives no name")
  mutating func wrongKind() throws {
    try register()
    try service.reply(.accepted(.noted))
    #expect(service.page.world.account.name == nil && !form.isSending)
    #expect(service.page.world.trouble == .foreign)
  }

  @Test(
    "A registration that is to wait is sent again after a pause",
    arguments: [
      (Refusal.rateLimited(.eventsPerMinute, retryAfterSeconds: 7), Int64(7)), (.unavailable, 1),
    ])
  mutating func pause(refusal: Refusal, seconds: Int64) throws {
    try register()
    let sent = try service.event()
    #expect(service.page.world.resendPause(sent.id) == 0)
    service.hear(ReplyCodec.encode(.refused(refusal), event: sent.id))
    #expect(form.isSending && service.page.world.trouble?.name == refusal.name)
    #expect(service.page.world.resendPause(sent.id) == seconds)
    #expect(try service.send().isEmpty)
    try service.reply(.accepted(.registered(service.player, try #require(PlayerName("Ada_2")))))
    #expect(service.page.world.resendPause(sent.id) == nil)
    #expect(service.page.world.trouble == nil && service.page.world.account.name != nil)
  }

  @Test("A registration whose answer takes long says so, and is not sent anew")
  mutating func delayed() throws {
    try register()
    try service.delay()
    #expect(form.isSending && form.isDelayed && service.page.app.connection == .lost)
    try service.act("register")
    #expect(try service.send().isEmpty)
    try service.reply(.accepted(.registered(service.player, try #require(PlayerName("Ada_2")))))
    #expect(!form.isDelayed && service.page.app.connection == .there)
    #expect(service.page.world.account.name?.text == "Ada_2")
  }

  @Test(
    "A wrong time leads to a new look at the clock and one second try with another id",
    arguments: [
      Refusal.clockAhead(serviceTime: Spoken.now), .eventTooOld(serviceTime: Spoken.now),
    ])
  mutating func clocks(refusal: Refusal) throws {
    try register()
    let first = try service.event()
    try service.reply(.refused(refusal))
    #expect(form.isSending)
    service.now = service.now.adding(seconds: 7_200)
    #expect(try service.asked() == [.serviceInfo])
    try service.meet()
    let second = try service.event()
    #expect(second.id != first.id && second.action == first.action)
    // Now the page's clock is an hour ahead.
    #expect(second.id.time == Spoken.now.adding(microseconds: 3_600_045_000))
    try service.reply(.refused(refusal))
    #expect(!form.isSending && service.page.world.trouble?.name == refusal.name)
    #expect(try service.send().isEmpty)
  }

  @Test("The registration of an earlier page is answered, if it is the player's own")
  mutating func resumed() throws {
    try register()
    let sent = try service.event()
    var again = try Service(kept: " \(Spoken.service) \(Spoken.rootKey)")
    #expect(again.page.world.resume(sent.body) == sent.id)
    #expect(again.page.world.resume(sent.body) == sent.id)
    let form = again.page.world.form
    #expect(form.isSending && form.isDelayed && form.name.text == "Ada_2")
    try again.meet()
    // A second name is not asked for meanwhile.
    try again.act("name eve", "code ABCD1234", "register")
    #expect(try again.send().isEmpty)
    again.hear(Array(Spoken.registered("Ada_2", to: sent.id.description).utf8))
    #expect(again.page.world.account.name?.text == "Ada_2")
    #expect(again.page.world.resendPause(sent.id) == nil)
    let stranger = try #require(Account(kept: Spoken.key, seed: 6))
    var page = ServiceWorld(account: stranger, words: .english)
    let query = try service.send()
    #expect(query.isEmpty)
    for body in [sent.body, [1], []] { #expect(page.resume(body) == nil) }
    #expect(page.asked.isEmpty)
  }
}
