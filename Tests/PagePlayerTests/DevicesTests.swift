import CubePlay
import CubistPage
import MatchCore
import MatchWire
import ServiceNews
import Testing

@testable import PagePlayer

@Suite("The player's devices, in the browser of one of them")
struct DevicesTests {
  private static let bits: UInt64 = 0x0123_4567_89ab_cdef

  private let phone: PublicKey
  private var service: Service

  init() throws {
    phone = try #require(PublicKey(bytes: Array(repeating: 0x5c, count: 32)))
    service = try Service.named()
    try service.list()
  }

  private var screen: KeysScreen? {
    guard case .keys(let screen)? = service.page.app.menu else { return nil }
    return screen
  }

  private var own: PublicKey { service.page.world.account.key }

  private func keys(_ invitations: [KeyList.Invitation] = []) -> KeyList {
    KeyList(
      keys: [
        .init(key: own, addedAt: service.now),
        .init(key: phone, addedAt: service.now.adding(seconds: 1_800), inviter: own),
      ], invitations: invitations)
  }

  private mutating func open() throws {
    try service.act("menu settings", "keys")
    try service.answer(.keys, keys())
  }

  @Test("They are listed, and this one is marked")
  mutating func listed() throws {
    try open()
    let digits = own.description.prefix(8)
    #expect(
      screen?.rows == [
        KeyRow(
          key: own.description, digits: "\(digits)", added: "1 h ago", isOwn: true),
        KeyRow(
          key: phone.description, digits: "5c5c5c5c", added: "30 min ago",
          inviter: "\(digits)", isOwn: false),
      ])
    #expect(service.text.contains(#""name":"keys","content":"shown""#))
    try service.act("reload")
    try service.refuse(.keys, .rateLimited(retryAfterSeconds: 5))
    #expect(screen?.notice?.isEmpty == false && screen?.rows.count == 2)
  }

  @Test("A code is made of the page's random bits, and only its hash is sent")
  mutating func invited() throws {
    try open()
    // The bits are the page's, and good for one code.
    try service.act("letin \(Self.bits)", "letin \(Self.bits)")
    #expect(!service.page.act(Array("letin x".utf8)) && !service.page.act(Array("letin".utf8)))
    let code = DeviceCode(random: Self.bits)
    let id = try #require(ServiceID(Spoken.service))
    #expect(try service.event().action == .deviceInvited(code.hash(at: id)))
    let until = service.now.adding(seconds: 3_600 + 600)
    try service.reply(.accepted(.deviceInvited(until: until)))
    #expect(service.text.contains(#""invitation":"open","code":"\#(code.grouped)","seconds":599"#))
    // The service lists it.
    let invitation = KeyList.Invitation(
      invitation: code.hash(at: id), until: until.adding(seconds: -99), inviter: own)
    try service.answer(.keys, keys([invitation]))
    #expect(
      screen?.invitation == .open(code: code.grouped, secondsLeft: 500, isListed: true))
    try service.act("second")
    #expect(service.text.contains(#""seconds":499"#))
    // It is used: it is not listed any more, and a device is new.
    try service.act("reload")
    var more = keys()
    more.keys.append(.init(key: try stranger(), addedAt: service.now, inviter: own))
    try service.answer(.keys, more)
    #expect(screen?.invitation == KeysScreen.Invitation.none)
    #expect(screen?.notice == "A device was added.")
  }

  private func stranger() throws -> PublicKey { try #require(PublicKey(Spoken.rootKey)) }

  @Test("A code that waits for the network is shown when its answer is there")
  mutating func pending() throws {
    try open()
    try service.act("letin \(Self.bits)")
    try service.delay()
    #expect(screen?.invitation == KeysScreen.Invitation.none)
    #expect(screen?.notice?.contains("pending") == true)
    try service.reply(
      .accepted(.deviceInvited(until: service.now.adding(seconds: 3_600 + 600))))
    #expect(service.text.contains(DeviceCode(random: Self.bits).grouped))
  }

  @Test("A refused code is said, and an answer to a replaced one shows nothing")
  mutating func refused() throws {
    try open()
    try service.act("letin \(Self.bits)")
    let first = try service.event()
    try service.reply(.refused(.rateLimited(.deviceInvitations, retryAfterSeconds: 500)))
    #expect(
      screen?.notice
        == "Too many of your codes are open. Use one, or try again in 500 s.")
    try service.act("letin 7")
    try service.delay()
    try service.act("letin 8")
    try service.reply(.accepted(.deviceInvited(until: service.now.adding(seconds: 4_200))))
    #expect(screen?.invitation == .asked)
    #expect(try service.event().id != first.id)
    try service.reply(.accepted(.deviceInvited(until: service.now.adding(seconds: 4_200))))
    #expect(service.text.contains(DeviceCode(random: 8).grouped))
  }

  @Test("Another device is removed by an event, after a question")
  mutating func removed() throws {
    try open()
    try service.act("removekey 99", "yes", "removekey 1")
    #expect(service.text.contains(#""removal":"doubted","removed":{"digits":"5c5c5c5c""#))
    #expect(try service.send().allSatisfy { $0.action == nil })
    try service.act("no", "removekey 1", "yes")
    #expect(try service.event().action == .keyRemoved(phone))
    try service.reply(.accepted(.keyRemoved(phone)))
    #expect(
      screen?.notice == "The device was removed." && screen?.removal == KeysScreen.Removal.none)
    try service.answer(.keys, KeyList(keys: [.init(key: own, addedAt: service.now)]))
    #expect(screen?.rows.count == 1 && service.page.world.account.name != nil)
    try service.act("removekey 0")
    #expect(screen?.removal == KeysScreen.Removal.none)
  }

  @Test("A refused removal is said")
  mutating func notRemoved() throws {
    try open()
    try service.act("removekey 1", "yes")
    try service.reply(.refused(.keyUnknown))
    #expect(screen?.notice == Refusal.keyUnknown.message)
  }

  // MARK: This device

  /// The page says so, and asks nothing more for that player.
  private mutating func expectLost(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(
      service.page.app.menu == nil && service.page.app.match == nil, sourceLocation: sourceLocation)
    #expect(service.text.contains(#""removed":"ada""#), sourceLocation: sourceLocation)
    #expect(!service.text.contains(#""name":"ada","form""#), sourceLocation: sourceLocation)
    // A reload finds out once more.
    #expect(service.page.world.account.kept.hasSuffix(" ada"), sourceLocation: sourceLocation)
    try service.act(
      "reload", "menu boards", "name eve", "code ABCD1234", "register",
      "devicecode K3F7-9QMN-2XVB", "adddevice")
    #expect(try service.send().isEmpty, sourceLocation: sourceLocation)
  }

  @Test("A device that removes itself plays as nobody")
  mutating func itself() throws {
    try open()
    try service.act("removekey 0", "yes")
    try service.reply(.accepted(.keyRemoved(own)))
    try expectLost()
  }

  @Test("A question of a device that was removed is refused, wherever the player is")
  mutating func revoked() throws {
    try service.act("reload")
    try service.refuse(.matches, .keyRevoked)
    try expectLost()
    service = try Service.named()
    try service.openMatch()
    try service.act("reload")
    let sent = try service.takeMatch()
    service.hear(AnswerCodec.encode(refusal: .keyRevoked, query: sent.id))
    try expectLost()
    service = try Service.named()
    try service.list()
    try service.act("menu settings")
    try service.answer(
      .settings, SettingsView(displayName: nil, kinds: [:], reminders: true, devices: []))
    try service.answer(.blocks, BlockList(players: []))
    // Unsaved changes cannot be saved any more.
    try service.act("fill displayName Ada", "lead")
    let stream = try service.take { $0.kind == .stream }
    service.hear(AnswerCodec.encode(refusal: .keyRevoked, query: stream.id))
    try expectLost()
  }

  @Test("An event of a device that was removed is refused")
  mutating func revokedEvent() throws {
    try service.act("menu new", "pick alone")
    try service.reply(.refused(.keyRevoked))
    try expectLost()
  }

  @Test("A later key that the service does not know plays as nobody, and takes no name")
  mutating func unknownLaterKey() throws {
    let key = service.signer.publicKey
    service = try Service(
      key: "\(key):\(PlayerID(rawValue: 9))",
      kept: " \(Spoken.service) \(Spoken.rootKey) ada")
    try service.meet()
    try service.refuse(.matches, .notRegistered)
    try expectLost()
    #expect(service.text.contains(#""isLater":true"#))
  }
}
