import CubePlay
import CubistPage
import MatchCore
import MatchWire
import ServiceNews
import Testing

@testable import PagePlayer

@Suite("The player's recovery words, in the browser")
struct WordsTests {
  private static let entropy = String(repeating: "7f", count: 16)

  /// The public half, which the browser finds.
  private let key: PublicKey
  private var service: Service

  init() throws {
    key = try #require(PublicKey(bytes: Array(repeating: 0x5c, count: 32)))
    service = try Service.named()
    try service.list()
  }

  private var screen: KeysScreen? {
    guard case .keys(let screen)? = service.page.app.menu else { return nil }
    return screen
  }

  /// The key of this device, which registered the player so many seconds ago.
  private func keys(age: Int64 = 7_200, _ recovery: KeyList.Recovery? = nil) -> KeyList {
    let time = service.now.adding(seconds: 3_600 - age)
    return KeyList(
      keys: [.init(key: service.page.world.account.key, addedAt: time)], recovery: recovery)
  }

  private mutating func open(_ list: KeyList) throws {
    try service.act("keys")
    try service.answer(.keys, list)
  }

  @Test("They are made of the browser's random bytes, and their key is named once they are known")
  mutating func made() throws {
    try open(keys())
    for wrong in ["words", "words 7f", "words \(Self.entropy)7f", "words x"] {
      #expect(!service.page.act(Array(wrong.utf8)))
    }
    try service.act("words \(Self.entropy)")
    let words = try #require(RecoveryWords(entropy: Array(repeating: 0x7f, count: 16)))
    let seed = words.seed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(service.text.contains(#""wordsSeed":"\#(seed)""#))
    #expect(!service.text.contains(words.words[0]))
    try service.act("wordskey \(key)")
    // The secret half was there for one step.
    #expect(!service.text.contains("wordsSeed"))
    guard case .shown(let sheet) = screen?.recoveryStage else {
      Issue.record("no words are shown")
      return
    }
    #expect(sheet.words == words.words && sheet.key == key.description)
    #expect(sheet.asked.count == 3 && sheet.asked == Set(sheet.asked).sorted())
    #expect(sheet.asked.allSatisfy { words.words.indices.contains($0) })
    #expect(service.text.contains(#""stage":"shown","words":["\#(words.words[0])""#))
    try service.act("wordswritten")
    #expect(!service.text.contains(#""words":["#))
    try service.act("wordstyped x y z")
    #expect(service.text.contains("That is not word \(sheet.asked[0] + 1)."))
    try service.act("wordstyped \(String(repeating: "é", count: 150))")
    #expect(service.text.contains("Type 3 words, with spaces between them."))
    #expect(try service.send().allSatisfy { $0.action == nil })
    try service.act("wordstyped \(sheet.asked.map { words.words[$0] }.joined(separator: " "))")
    #expect(try service.event().action == .recoveryKeyNamed(key))
    let now = service.page.world.account.time(at: service.now)
    try service.reply(.accepted(.recoverySet(at: now)))
    #expect(screen?.notice == "The words count now.")
    try service.answer(.keys, keys(KeyList.Recovery(key: key)))
    #expect(screen?.recovery == RecoveryNews(hasWords: true))
  }

  @Test("Words that are asked for twice are made once")
  mutating func madeOnce() throws {
    try open(keys())
    try service.act(
      "words \(Self.entropy)", "words \(String(repeating: "80", count: 16))", "wordskey \(key)")
    let words = try #require(RecoveryWords(entropy: Array(repeating: 0x7f, count: 16)))
    guard case .shown(let sheet) = screen?.recoveryStage else {
      Issue.record("no words are shown")
      return
    }
    #expect(sheet.words == words.words)
  }

  @Test("A browser that finds no key shows no words, and a page that has left makes none")
  mutating func notMade() throws {
    try open(keys())
    try service.act("words \(Self.entropy)", "wordskey none")
    #expect(screen?.recoveryStage == .idle)
    #expect(screen?.notice?.contains("cubist key words") == true)
    #expect(!service.text.contains("wordsSeed"))
    // A second key belongs to no words.
    try service.act("wordskey \(key)")
    #expect(screen?.recoveryStage == .idle)
    try service.act("leave", "words \(Self.entropy)")
    #expect(!service.text.contains("wordsSeed"))
  }

  @Test(
    "It is told whether words count at once: in the first hour, by the first key, without others")
  mutating func atOnce() throws {
    try open(keys(age: 3_500))
    #expect(screen?.recovery.countsAtOnce == true)
    #expect(service.text.contains(#""lacksWords":true,"countsAtOnce":true"#))
    for list in [
      keys(age: 3_700), keys(age: 10, KeyList.Recovery(key: key)),
      KeyList(keys: [.init(key: key, addedAt: service.now.adding(seconds: 3_600))]),
    ] {
      try service.act("reload")
      try service.answer(.keys, list)
      #expect(screen?.recovery.countsAtOnce == false)
    }
    try service.act("leave")
    // A match asks beside the question after the key's file.
    try service.act("askwords")
    try service.answer(.keys, keys(KeyList.Recovery(key: key)))
    #expect(!service.text.contains("lacksWords"))
  }

  @Test("A recovery under way is told with its time, and objected to by an event")
  mutating func objection() throws {
    let now = service.page.world.account.time(at: service.now)
    let id = EventID(at: now, random: 1)
    let pending = KeyList.Recovery.Pending(recovery: id, key: key, at: now.adding(seconds: 7_300))
    try open(keys(KeyList.Recovery(key: key, pending: pending)))
    #expect(service.text.contains("A recovery is under way, to the device 5c5c5c5c5c5c5c5c."))
    #expect(service.text.contains(#""canObject":true"#))
    try service.act("object")
    #expect(service.text.contains(#""stage":"doubted""#))
    try service.act("yes")
    #expect(try service.event().action == .recoveryObjected(id))
    try service.reply(.refused(.noRecovery))
    #expect(screen?.notice == Refusal.noRecovery.message)
    try service.act("object", "yes")
    _ = try service.event()
    try service.reply(.accepted(.recoverySet(at: now.adding(seconds: 144 * 3_600))))
    #expect(screen?.notice?.hasPrefix("The recovery is delayed: it takes effect in ") == true)
  }

  @Test("A notification about the keys leads to them")
  mutating func notice() throws {
    let item = InboxItem(
      id: PushJobID(rawValue: 3), kind: PushJob.Kind.account.rawValue, title: "Your account",
      body: "A recovery is under way.", match: nil, day: nil, sentAt: service.now)
    try service.act("menu inbox")
    try service.answer(.inbox, InboxView(items: [item]))
    #expect(service.text.contains(#""isOfKeys":true"#))
    try service.act("keys")
    try service.answer(.keys, keys())
    #expect(screen?.rows.count == 1)
  }
}
