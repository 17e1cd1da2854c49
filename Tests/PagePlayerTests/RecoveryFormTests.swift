import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchRecord
import MatchWire
import Testing

@testable import PagePlayer

@Suite("A browser without a key brings a name back by recovery words")
struct RecoveryFormTests {
  private static let player = PlayerID(rawValue: 9)
  private static let notTheirs =
    "These are not the words of ada, or no words of ada count. Check the name."

  private let ada: PlayerName
  private let words: RecoveryWords
  private let wordsKey: Signer
  private var service: Service

  init() throws {
    ada = try #require(PlayerName("ada"))
    words = try #require(RecoveryWords(entropy: Array(repeating: 0x7f, count: 16)))
    wordsKey = try #require(Signer.ed25519(seed: words.seed))
    service = try Service()
    service.words = wordsKey
    try service.meet()
  }

  private var form: RecoveryForm { service.page.world.recoveryForm }
  private var account: Account { service.page.world.account }
  private var now: Instant { account.time(at: service.now) }
  private var typed: String { words.words.joined(separator: " ") }
  private var question: Query.Kind { .recoveryOf(Query.RecoveryOf(ada)) }

  private func view(
    _ role: RecoveryView.Role = .recoveryKey, to key: PublicKey? = nil, in hours: Int64 = 72,
    waiting: Int64? = nil, objector: PublicKey? = nil
  ) -> RecoveryView {
    RecoveryView(
      player: Self.player, name: ada, role: role,
      recovery: KeyList.Recovery(
        key: wordsKey.publicKey,
        waiting: waiting.map {
          .init(key: wordsKey.publicKey, at: now.adding(seconds: $0 * 3_600))
        },
        pending: key.map { key in
          .init(
            recovery: EventID(at: now, random: 1), key: key,
            at: now.adding(seconds: hours * 3_600), objector: objector)
        }))
  }

  /// Types name and words, whose key the browser finds.
  private mutating func type(_ action: String = "recover") throws {
    try service.act("recovername ada", "\(action) \(typed)", "recoverykey \(wordsKey.publicKey)")
  }

  /// The browser signs what is to be proved.
  private mutating func prove() throws {
    let message = try #require(service.page.world.recoveryProof)
    #expect(service.text.contains(#""recoveryProof":"\#(Hex.encode(message))""#))
    let tag = SignatureTag.newKey
    let proved = Array(message.dropFirst(tag.message([]).count))
    #expect(message == tag.message(proved))
    try service.act("recoveryproof \(Hex.encode(service.signer.sign(proved, as: tag)))")
  }

  /// Asks for the recovery. Its event is on its way.
  private mutating func ask() throws {
    try type()
    try service.answer(question, view())
    try prove()
  }

  /// The recovery is under way.
  private mutating func wait() throws {
    try ask()
    _ = try service.event()
    try service.reply(.accepted(.recoverySet(at: now.adding(seconds: 72 * 3_600))))
  }

  /// Another page of the same browser, which keeps what this one has kept.
  private mutating func reload() throws {
    let kept = String(account.kept.dropFirst(service.signer.publicKey.description.count))
    service = try Service(kept: kept)
    service.words = wordsKey
  }

  @Test("The words' key asks with a proof of the new key, and the page waits and then plays")
  mutating func recovers() throws {
    let question = self.question
    try service.act("recovername ada", "recover \(typed.uppercased())")
    #expect(service.text.contains(#""recoverySeed":"\#(Hex.encode(words.seed))""#))
    #expect(!service.text.contains(words.words[0]))
    #expect(try service.send().isEmpty)
    try service.act("recoverykey \(wordsKey.publicKey)")
    #expect(!service.text.contains("recoverySeed"))
    #expect(service.text.contains(#""hasRecoveryKey":true"#))
    // It is asked once, however often the button is pressed, and nothing else is asked meanwhile.
    try service.act("recover \(typed)", "name eve", "code ABCD1234", "register", "adddevice")
    let asked = try service.take { $0.query == question }
    #expect(asked.kind == .wordsQuery)
    #expect(try Envelope.decode(asked.body).key == wordsKey.publicKey)
    service.hear(AnswerCodec.encode(view(), query: asked.id))
    try prove()
    let sent = try service.event()
    guard case .event(let event) = sent.content else { return }
    #expect(sent.kind == .wordsEvent && event.player == Self.player)
    let signed = try Envelope.decode(sent.body)
    #expect(signed.key == wordsKey.publicKey)
    let proof = try #require(event.newKeyProof(sender: signed.key))
    #expect(proof.key == account.key && Ed25519.verify(proof, .newKey))
    // The kept text knows the player and the name before the event is sent.
    let kept =
      "\(account.key):\(Self.player) \(Spoken.service) \(Spoken.rootKey) recovers ada"
    #expect(account.kept == kept)
    try service.reply(.accepted(.recoverySet(at: now.adding(seconds: 72 * 3_600))))
    #expect(!service.text.contains("hasRecoveryKey"))
    #expect(form.progress?.isObjected == false && form.progress?.effect.hasPrefix("in ") == true)
    #expect(account.name == nil && account.kept == kept)
    // Nobody takes another name with the key that waits.
    try service.act("register", "devicecode K3F79QMN2XVB", "adddevice")
    #expect(try service.send().isEmpty)
    try service.pass("recovery")
    let progress = try service.take { $0.query == question }
    #expect(progress.kind == .query)
    let objected = view(.newKey, to: account.key, in: 144, objector: wordsKey.publicKey)
    service.hear(AnswerCodec.encode(objected, query: progress.id))
    #expect(form.progress?.isObjected == true)
    try service.pass("recovery")
    try service.answer(question, view(.playerKey))
    #expect(account.name == ada && account.recovering == nil && form == RecoveryForm())
    #expect(
      account.kept == "\(account.key):\(Self.player) \(Spoken.service) \(Spoken.rootKey) ada")
    try service.list()
    #expect(service.text.contains("You are ada in this browser, and on no other device any more."))
  }

  @Test("A wrong name and wrong words are told beside their fields, and nothing is asked")
  mutating func faults() throws {
    try service.act("recover \(typed)")
    #expect(form.name.fault == "Type the name that you had." && form.stage == .typing)
    try service.act("recovername a", "recover \(typed)")
    #expect(form.name.fault == "3 to 16 of A-Z a-z 0-9 _ and -")
    try service.act("recovername ada", "recover")
    #expect(form.fault?.hasPrefix("A recovery key has 12 words, and these are 0.") == true)
    try service.act("recover \(typed) zoo")
    #expect(form.fault?.contains("these are 13") == true)
    try service.act("recover \(String(repeating: "é", count: 900))")
    #expect(form.fault?.contains("these are 1.") == true)
    let changed = ["zoop"] + words.words.dropFirst()
    try service.act("recover \(changed.joined(separator: " "))")
    #expect(form.fault?.hasPrefix("Word 1, \"zoop\", is not on the list.") == true)
    #expect(try service.send().isEmpty)
    #expect(!service.text.contains("recoverySeed"))
  }

  @Test("A browser that makes no key of words names the command, and one that signs nothing asks")
  mutating func noKey() throws {
    try service.act("recoverykey \(wordsKey.publicKey)", "recoveryproof 00", "recovername ada")
    #expect(try service.send().isEmpty)
    try service.act("recover \(typed)", "recoverykey none")
    #expect(form.fault?.contains("cubist key recover ada") == true && form.stage == .typing)
    try type()
    try service.answer(question, view())
    try service.act("recoveryproof none")
    #expect(form.fault == "The browser did not sign with its key. Try again.")
    #expect(try service.send().isEmpty)
    #expect(account.recoveryKey == nil)
  }

  @Test("Words of somebody else are told so, and the fields stay")
  mutating func notTheirs() throws {
    try type()
    try service.refuse(question, .notPermitted)
    #expect(form.fault == Self.notTheirs && form.name.text == "ada" && form.stage == .typing)
    #expect(account.recoveryKey == nil && service.page.world.trouble == nil)
  }

  @Test("Words that wait, or that do not count while a recovery is under way, say so")
  mutating func waitingWords() throws {
    try type()
    try service.answer(question, view(.nextRecoveryKey, waiting: 5))
    #expect(form.fault?.hasPrefix("These words count in ") == true)
    try type()
    try service.answer(question, view(.nextRecoveryKey, to: wordsKey.publicKey, waiting: -5))
    #expect(
      form.fault == "These words do not count while a recovery of ada is under way.")
    // Their time is over: the service decides.
    try type()
    try service.answer(question, view(.nextRecoveryKey, waiting: -1))
    #expect(service.page.world.recoveryProof != nil)
  }

  @Test("Words that are typed before the service is met wait for it")
  mutating func early() throws {
    service = try Service()
    service.words = wordsKey
    try type()
    #expect(form.stage == .meeting(.init(name: ada, isStop: false)))
    try service.lose(.serviceInfo)
    #expect(form.fault == ScreenTrouble.away.text && form.stage == .typing)
    try type()
    try service.pass("search")
    try service.meet()
    #expect(try service.asked() == [question])
    try service.lose(question)
    #expect(form.fault == ScreenTrouble.away.text && form.stage == .typing)
  }

  @Test("A recovery to another key is stopped by the words, after a question")
  mutating func another() throws {
    let other = try #require(PublicKey(bytes: Array(repeating: 0x5c, count: 32)))
    try type()
    try service.answer(question, view(to: other))
    #expect(service.text.contains(#""stage":"doubted","other":"ada","otherEffect":"in "#))
    try service.act("otherrecovery leave")
    #expect(form.stage == .typing)
    #expect(try service.send().isEmpty)
    try type()
    try service.answer(question, view(to: other))
    try service.act("otherrecovery stop", "otherrecovery stop")
    let sent = try service.event()
    guard case .event(let event) = sent.content else { return }
    #expect(sent.kind == .wordsEvent && event.player == Self.player)
    #expect(event.action == .recoveryWithdrawn(EventID(at: now, random: 1)))
    try service.reply(.accepted(.noted))
    #expect(form.notice?.hasPrefix("The recovery of ada is stopped.") == true)
    #expect(account.player == PlayerID(firstKey: account.key) && account.recovering == nil)
  }

  @Test("The browser that waits stops its recovery by the words, and can take a name then")
  mutating func stops() throws {
    try wait()
    // The words of a new recovery are not wanted here.
    try service.act("recover \(typed)")
    #expect(form.stage == .typing)
    try type("stoprecovery")
    try service.answer(question, view(to: account.key))
    #expect(try service.event().kind == .wordsEvent)
    try service.reply(.refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 900)))
    // It goes on, and is looked at.
    #expect(form.fault?.isEmpty == false && account.recovering == ada)
    try service.answer(question, view(.newKey, to: account.key))
    try type("stoprecovery")
    try service.answer(question, view(to: account.key))
    try service.reply(.refused(.noRecovery))
    #expect(form.notice == "No recovery of ada is under way." && account.recovering == nil)
    #expect(account.kept == "\(account.key) \(Spoken.service) \(Spoken.rootKey)")
    try service.act("name eve", "code ABCD1234", "register")
    guard case .event(let event) = try service.event().content else { return }
    #expect(event.player == PlayerID(firstKey: account.key))
  }

  @Test("A recovery that somebody stopped is told, but not while its own event is on its way")
  mutating func over() throws {
    let question = self.question
    try wait()
    try service.pass("recovery")
    try service.refuse(question, .notPermitted)
    #expect(form.notice?.contains("somebody stopped it by the words") == true)
    #expect(account.recovering == nil && form.name.text == "ada")
    try wait()
    // A thief names the new key as a recovery key.
    try service.pass("recovery")
    try service.answer(question, view(.nextRecoveryKey, waiting: 3))
    #expect(form.notice?.contains("somebody stopped it by the words") == true)
    try ask()
    let sent = try service.event()
    try reload()
    try service.meet()
    let asked = try service.take { $0.query == question }
    #expect(service.page.world.resume(sent.body) == sent.id)
    service.hear(AnswerCodec.encode(refusal: .notPermitted, query: asked.id))
    #expect(form.notice == nil && account.recovering == ada)
    service.hear(
      ReplyCodec.encode(
        .accepted(.recoverySet(at: now.adding(seconds: 72 * 3_600))), event: sent.id))
    #expect(form.progress != nil)
  }

  @Test(
    "A refused recovery is told beside the words, and the key is free again",
    arguments: [
      Refusal.notRecoverable, .badSignature, .rateLimited(.recoveries, retryAfterSeconds: 900),
      .recoveryPending(until: Spoken.now),
    ])
  mutating func refused(refusal: Refusal) throws {
    try ask()
    _ = try service.event()
    try service.reply(.refused(refusal))
    #expect(form.fault == refusal.message && form.stage == .typing && form.name.text == "ada")
    #expect(account.player == PlayerID(firstKey: account.key) && account.recovering == nil)
    try type()
    try service.answer(question, view())
    try prove()
    try service.reply(.accepted(.noted))
    #expect(form.fault == Trouble.foreign.message && account.recovering == nil)
  }

  @Test("A reload asks how far it is, and a late answer is awaited")
  mutating func reloaded() throws {
    try wait()
    try reload()
    #expect(account.recovering == ada && account.isLater)
    #expect(service.text.contains(#""recovering":"ada""#))
    try service.meet()
    #expect(try service.asked() == [question])
    try service.answer(question, view(.newKey, to: account.key))
    #expect(form.progress?.isObjected == false)
    // Its time is over, and a worker has not done it yet.
    try service.pass("recovery")
    try service.answer(question, view(.newKey, to: account.key, in: -1))
    #expect(form.progress?.effect == "soon" && service.timers["recovery"] == 5_000)
    try service.pass("recovery")
    try service.lose(question)
    #expect(service.text.contains(#""connection":"lost""#))
    try service.pass("search")
    try service.meet()
    try service.answer(question, view(.playerKey))
    #expect(account.name == ada)
  }

  @Test("A wrong time leads to a second try with another id, with the same proof")
  mutating func clock() throws {
    try ask()
    let first = try service.event()
    try service.reply(.refused(.clockAhead(serviceTime: Spoken.now)))
    try service.meet()
    let second = try service.event()
    #expect(second.id != first.id && second.kind == .wordsEvent)
    #expect(second.action == first.action)
    try service.delay()
    #expect(form.stage == .sent(isDelayed: true) && service.text.contains(#""stage":"delayed""#))
  }

  @Test("Kept texts of a recovery are read strictly")
  func kept() throws {
    let (key, service) = (service.signer.publicKey, "\(Spoken.service) \(Spoken.rootKey)")
    let text = "\(key):\(Self.player) \(service) recovers ada"
    #expect(Account(kept: text, seed: 1)?.kept == text)
    for wrong in [
      "\(key) \(service) recovers ada", "\(key):\(Self.player) \(service) recovers a",
      "\(key):\(Self.player) \(service) becomes ada",
      "\(key):\(Self.player) \(service) recovers ada ada",
    ] {
      #expect(Account(kept: wrong, seed: 1) == nil)
    }
  }
}
