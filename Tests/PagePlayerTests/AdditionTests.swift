import CubePlay
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("A browser without a player is added to one by a code")
struct AdditionTests {
  private static let inviter = PlayerID(rawValue: 9)

  private let code: DeviceCode
  private let ada: PlayerName
  private var service: Service

  init() throws {
    code = try #require(DeviceCode("K3F79QMN2XVB"))
    ada = try #require(PlayerName("ada"))
    service = try Service()
    try service.meet()
  }

  private var form: AdditionForm { service.page.world.addition }
  private var account: Account { service.page.world.account }

  private var question: Query.Kind {
    get throws {
      let id = try #require(ServiceID(Spoken.service))
      return .invitationOf(Query.InvitationOf(code.hash(at: id)))
    }
  }

  /// Asks who lets the device in.
  private mutating func ask() throws { try service.act("devicecode k3f7 9qmn-2xvb", "adddevice") }

  /// Shows the code to the player who does.
  private mutating func show() throws {
    try ask()
    try service.answer(question, InvitingPlayer(player: Self.inviter, name: ada))
  }

  @Test("The new key signs the code for the inviting player, and plays as that player then")
  mutating func added() throws {
    let kept = account.kept
    try ask()
    // It is asked once, however often the button is pressed, and no name is taken meanwhile.
    try service.act("adddevice", "name eve", "code ABCD1234", "register")
    #expect(try service.asked() == [question])
    try service.answer(question, InvitingPlayer(player: Self.inviter, name: ada))
    let sent = try service.event()
    guard case .event(let event) = sent.content else { return }
    #expect(event.player == Self.inviter && event.action == .keyAdded(code, device: .browser))
    // Until that is answered the key is nobody's.
    #expect(account.kept == kept && service.text.contains(#""stage":"asked""#))
    try service.reply(.accepted(.keyAdded(Self.inviter, ada)))
    #expect(account.name == ada && form == AdditionForm())
    let key = service.signer.publicKey
    #expect(
      account.kept == "\(key):\(Self.inviter) \(Spoken.service) \(Spoken.rootKey) ada")
    let list = try service.take { $0.query == .matches }
    guard case .query(let query) = list.content else { return }
    #expect(query.player == Self.inviter)
  }

  @Test("Nothing is asked as long as the code is wrong")
  mutating func faults() throws {
    try service.act("adddevice")
    #expect(form.code.fault == "Type the code that your other device shows.")
    try service.act("devicecode K3F7", "adddevice")
    #expect(form.code.fault == "12 letters and digits" && form.code.text == "K3F7")
    try service.act("devicecode ")
    #expect(form.code.fault == nil)
    #expect(try service.send().isEmpty)
  }

  @Test("A code that is typed before the service is met waits for it, and is asked about once")
  mutating func early() throws {
    service = try Service()
    try service.act("devicecode k3f7 9qmn-2xvb", "adddevice", "adddevice")
    #expect(form.code.fault == nil && form.stage == .meeting(code))
    try service.meet()
    #expect(form.stage == .asked(code))
    #expect(try service.asked() == [question])
  }

  @Test("A code that waits for a service that cannot be reached keeps its text, and says so")
  mutating func unmet() throws {
    service = try Service()
    try ask()
    try service.lose(.serviceInfo)
    #expect(form.code.fault == ScreenTrouble.away.text && form.stage == .typing)
    #expect(form.code.text == "k3f7 9qmn-2xvb")
  }

  @Test("A code that nobody knows is told beside the field, and the text stays")
  mutating func unknown() throws {
    try ask()
    try service.refuse(question, .codeUnknown)
    #expect(form.code.fault == Refusal.deviceCodeInvalid.message)
    #expect(form.code.text == "k3f7 9qmn-2xvb" && service.page.world.trouble == nil)
    // It can be shown once more.
    try show()
    #expect(try service.event().action == .keyAdded(code, device: .browser))
  }

  @Test(
    "A refused code is told beside the field, and the key can take a name then",
    arguments: [
      (Refusal.deviceCodeInvalid, "The code is unknown, used up or over."),
      (.rateLimited(.keys, retryAfterSeconds: nil), "as many devices as one can have"),
      (.rateLimited(.keysPerDay, retryAfterSeconds: 900), "too many new devices in a day"),
      (.rateLimited(.keysInAll, retryAfterSeconds: nil), "can add no more"),
    ])
  mutating func refused(refusal: Refusal, text: String) throws {
    try show()
    try service.reply(.refused(refusal))
    #expect(form.code.fault?.contains(text) == true && form.stage == .typing)
    #expect(account.name == nil && account.player == PlayerID(firstKey: account.key))
    try service.act("name eve", "code ABCD1234", "register")
    guard case .event(let event) = try service.event().content else { return }
    #expect(event.player == PlayerID(firstKey: account.key))
  }

  @Test("While the service is away the code stays, and is shown at the next try")
  mutating func away() throws {
    try ask()
    try service.lose(question)
    #expect(form.code.fault == ScreenTrouble.away.text && form.code.text == "k3f7 9qmn-2xvb")
    try service.act("adddevice")
    try service.refuse(question, .unavailable)
    #expect(form.code.fault == QueryRefusal.unavailable.message && form.stage == .typing)
    try service.act("adddevice")
    let sent = try service.take { $0.query != nil && $0.query != .matches }
    service.hear(AnswerCodec.encode(["player": 1], query: sent.id))
    #expect(form.code.fault?.isEmpty == false && form.stage == .typing)
    try show()
    try service.delay()
    #expect(form.stage == .sent(isDelayed: true))
    #expect(service.text.contains(#""stage":"delayed""#))
    try service.reply(.accepted(.keyAdded(Self.inviter, ada)))
    #expect(account.name == ada)
  }

  @Test("A reload in the middle goes on with the same event and the same key")
  mutating func resumed() throws {
    try show()
    let sent = try service.event()
    let kept = String(account.kept.drop { $0 != " " })
    service = try Service(kept: kept)
    #expect(service.page.world.resume(sent.body) == sent.id)
    #expect(form.stage == .sent(isDelayed: true) && form.code.text == code.text)
    try service.meet()
    try service.act("adddevice", "name eve", "code ABCD1234", "register")
    #expect(try service.send().isEmpty)
    service.hear(
      ReplyCodec.encode(.accepted(.keyAdded(Self.inviter, ada)), event: sent.id))
    #expect(account.name == ada && account.player == Self.inviter)
  }

  @Test("A wrong time leads to a second try with another id, for the same player")
  mutating func clock() throws {
    try show()
    let first = try service.event()
    try service.reply(.refused(.clockAhead(serviceTime: Spoken.now)))
    try service.meet()
    let second = try service.event()
    guard case .event(let event) = second.content else { return }
    #expect(second.id != first.id && event.action == .keyAdded(code, device: .browser))
    #expect(event.player == Self.inviter)
  }

  @Test("A key that speaks for a player already keeps that player, and foreign words add nobody")
  mutating func others() throws {
    try show()
    try service.reply(.refused(.alreadyRegistered(name: "ada")))
    #expect(account.name == ada)
    service = try Service()
    try service.meet()
    try show()
    try service.reply(.accepted(.noted))
    #expect(account.name == nil && form.code.fault == Trouble.foreign.message)
    service = try Service.named()
    try service.list()
    try ask()
    #expect(try service.send().isEmpty)
  }
}
