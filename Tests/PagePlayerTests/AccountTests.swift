import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("The page's player at a service")
struct AccountTests {
  @Test("It says the same in a browser's engine as here")
  func spoken() { #expect(Spoken.hash() == Spoken.golden) }

  @Test("The service is asked about itself before anything else, and its clock is used")
  func clock() throws {
    var service = try Service(kept: " \(Spoken.service) \(Spoken.rootKey) ada")
    #expect(try service.asked() == [.serviceInfo])
    try service.meet()
    let sent = try service.take { $0.query == .matches }
    guard case .query(let query) = sent.content else { return }
    #expect(query.player == service.player && query.service.description == Spoken.service)
    // The page's clock is an hour behind, and the answer took half of the round trip.
    #expect(query.id.time == Spoken.now.adding(microseconds: 3_600_045_000))
  }

  @Test("A player without a name asks for nothing but the service itself")
  func nameless() throws {
    var service = try Service()
    try service.meet()
    try service.act("reload", "lead", "second")
    #expect(try service.send().isEmpty)
    #expect(service.page.world.account.pin?.service.description == Spoken.service)
  }

  @Test(
    "Another service, and one that wants a newer page, is asked nothing more",
    arguments: [
      (Spoken.service, Spoken.player, "otherService"),
      (Spoken.rootKey, Spoken.key, "otherService"),
      (#""oldestClient":"0.1.0""#, #""oldestClient":"9.0.0""#, "outdated"),
    ])
  func otherServices(old: String, new: String, name: String) throws {
    var service = try Service.named()
    let kept = service.page.world.account.kept
    let home = try service.take { $0.query == .matches }
    service.page.world.isMet = false
    try service.meet { $0.replacing(old, with: new) }
    #expect(service.page.world.trouble?.name == name)
    #expect(service.text.contains(#""isFinal":true"#))
    // An answer that was on its way changes nothing.
    service.hear(AnswerCodec.encode(service.home(), query: home.id))
    service.hear([])
    service.page.lost(home.id)
    try service.act("reload", "search", "register", "menu boards")
    #expect(service.page.world.trouble?.name == name)
    #expect(try service.send().isEmpty)
    #expect(service.page.world.account.kept == kept)
  }

  @Test("A service that says nothing of use about itself is asked again after a pause")
  func unmet() throws {
    var service = try Service()
    let spoilt: [(EventID) -> [UInt8]] = [
      { AnswerCodec.encode(refusal: .unavailable, query: $0) },
      { AnswerCodec.encode(refusal: .rateLimited(retryAfterSeconds: 5), query: $0) },
      { AnswerCodec.encode(refusal: .expired(serviceTime: Spoken.now), query: $0) },
      { AnswerCodec.encode(["service": 1], query: $0) },
    ]
    for spoil in spoilt {
      let sent = try service.take { $0.query == .serviceInfo }
      service.hear(spoil(sent.id))
      #expect(try service.send().isEmpty)
      try service.pass("search")
    }
    try service.meet()
    #expect(service.page.world.trouble == nil && service.page.world.isMet)
    #expect(service.page.world.waiting.isEmpty)
  }

  @Test("What was kept makes the same player again, and nothing else does")
  func kept() throws {
    let service = try Service.named()
    let kept = service.page.world.account.kept
    #expect(
      kept == "\(service.signer.publicKey) \(Spoken.service) \(Spoken.rootKey) ada")
    #expect(Account(kept: kept, seed: 9)?.kept == kept)
    for text in [
      "", " ", "ada", "\(Spoken.key) ", "\(Spoken.key) \(Spoken.service)", "\(kept) b",
      "\(Spoken.key) \(Spoken.service) \(Spoken.rootKey) é",
      "\(Spoken.key) \(Spoken.rootKey) \(Spoken.service)", "\(Spoken.key):", "\(Spoken.key):ada",
      "\(Spoken.key):\(PlayerID(rawValue: 9)):",
    ] {
      #expect(Account(kept: text, seed: 9) == nil, "\(text)")
    }
  }

  @Test("A later key is kept with its player, for whom it signs")
  func laterKey() throws {
    let player = PlayerID(rawValue: 9)
    let text = "\(Spoken.key):\(player) \(Spoken.service) \(Spoken.rootKey) ada"
    let account = try #require(Account(kept: text, seed: 1))
    #expect(account.player == player && account.kept == text)
    let payload = account.message(.whoAmI, id: EventID(rawValue: 1)).drop { $0 != 0 }.dropFirst()
    #expect(try QueryCodec.decode(Array(payload)).player == player)
    // A first key needs no player beside it.
    let own = PlayerID(firstKey: account.key)
    let first = try #require(Account(kept: "\(Spoken.key):\(own)", seed: 1))
    #expect(first.kept == "\(Spoken.key)")
  }

  @Test("A body needs a tag and a signature of 64 bytes")
  func bodies() throws {
    let account = try #require(Account(kept: Spoken.key, seed: 1))
    let message = SignatureTag.query.message([1])
    #expect(account.envelope(message, signature: Array(repeating: 0, count: 63)) == nil)
    #expect(account.envelope([1, 2], signature: Array(repeating: 0, count: 64)) == nil)
    #expect(account.envelope(message, signature: Array(repeating: 0, count: 64))?.count == 98)
  }

  @Test("A player whom the service does not know has no name there")
  func notRegistered() throws {
    var service = try Service.named()
    try service.refuse(.matches, .notRegistered)
    #expect(service.page.world.account.name == nil)
    #expect(service.page.app.home.trouble?.contains(QueryRefusal.notRegistered.message) == true)
    try service.act("reload", "menu boards")
    #expect(try service.send().isEmpty)
    service = try Service.named()
    try service.list()
    try service.act("menu new", "pick alone")
    try service.reply(.refused(.notRegistered))
    #expect(service.page.world.account.name == nil)
  }

  @Test("What answers nothing that was asked changes nothing, and neither does a second answer")
  func foreign() throws {
    var service = try Service.named()
    let sent = try service.take { $0.query == .matches }
    let other = EventID(rawValue: sent.id.rawValue ^ 1)
    service.hear(AnswerCodec.encode(service.home([service.summary()]), query: other))
    #expect(service.page.world.trouble == .foreign && service.page.app.home.list == nil)
    service.hear(AnswerCodec.encode(service.home([service.summary()]), query: nil))
    #expect(service.page.world.trouble == .foreign && service.page.app.home.list == nil)
    // A reply is no answer to a question.
    service.hear(ReplyCodec.encode(.accepted(.noted), event: sent.id))
    #expect(service.page.world.trouble == .foreign && service.page.app.home.list == nil)
    service.hear(AnswerCodec.encode(service.home([service.summary()]), query: sent.id))
    let list = try #require(service.page.app.home.list)
    #expect(service.page.world.trouble == nil && list.rows.contains { $0.opponent == "grace" })
    service.hear(AnswerCodec.encode(service.home(), query: sent.id))
    #expect(service.page.world.trouble == .foreign && service.page.app.home.list == list)
    // Nor is an answer one to an event.
    try service.act("menu new", "pick alone")
    let event = try service.event()
    service.hear(AnswerCodec.encode(service.home(), query: event.id))
    #expect(service.page.world.trouble == .foreign)
    #expect(service.page.world.resendPause(event.id) == 0)
  }

  @Test(
    "What cannot be read is told",
    arguments: ["", "{", "[]", #"{"v":1}"#, #"{"v":2,"query":null,"ok":{}}"#, "<html>"])
  func unreadable(text: String) throws {
    var service = try Service.named()
    let sent = try service.take { $0.query == .matches }
    service.hear(Array(text.utf8))
    #expect(
      service.page.world.trouble?.name == "unreadable" || service.page.world.trouble == .foreign)
    // The question still waits. The page gives it up.
    #expect(service.page.world.resendPause(sent.id) != nil)
    service.page.lost(sent.id)
    #expect(service.page.world.resendPause(sent.id) == nil)
    #expect(service.page.app.home.trouble != nil)
  }

  @Test("A recovery or the end of the account stands on the first screen, with the way to stop it")
  func warning() throws {
    var service = try Service.named()
    try service.list()
    #expect(!service.text.contains(#""warning""#))
    var home = service.home()
    home.leavesAt = service.now.adding(seconds: 2 * 86_400)
    try service.act("reload")
    try service.answer(.matches, home)
    #expect(service.text.contains(#""warning":"Your account ends in "#))
    #expect(service.text.contains(#""warningAct":"menu settings""#))
    home.recoveryAt = home.leavesAt
    try service.act("reload")
    try service.answer(.matches, home)
    #expect(service.text.contains(#""warning":"Somebody asked for a new key for your account."#))
    #expect(service.text.contains(#""warningAct":"keys""#))
    try service.act("keys")
    #expect(try service.asked().contains(.keys))
  }

  @Test("A question whose answer has the wrong content fails, and can be asked again")
  func wrongContent() throws {
    var service = try Service.named()
    try service.answer(.matches, ["matches": 1])
    #expect(service.page.world.trouble?.name == "unreadable")
    #expect(service.page.app.home.trouble != nil)
    try service.act("reload")
    try service.list([service.summary()])
    #expect(service.page.world.trouble == nil)
    try service.act("row 0")
    try service.answer(.match(Query.Match(Service.match)), ["id": "x"])
    #expect(service.text.contains(#""absent":{"key":"\#(Service.match)","failure":"#))
  }

  @Test("A question that comes too late by its time is asked once more by the right time")
  func expired() throws {
    var service = try Service.named()
    let first = try service.take { $0.query == .matches }
    service.hear(AnswerCodec.encode(refusal: .expired(serviceTime: Spoken.now), query: first.id))
    #expect(try service.asked() == [.serviceInfo])
    try service.meet()
    let second = try service.take { $0.query == .matches }
    #expect(second.id != first.id)
    service.hear(AnswerCodec.encode(refusal: .expired(serviceTime: Spoken.now), query: second.id))
    #expect(try service.asked().filter { $0 == .matches }.isEmpty)
    #expect(service.page.app.home.trouble != nil)
  }

  @Test("A query that is older than two minutes is answered no more")
  func oldQueries() throws {
    for (seconds, isHeard) in [(Int64(119), true), (121, false)] {
      var service = try Service.named()
      let old = try service.take { $0.query == .matches }
      service.now = service.now.adding(seconds: seconds)
      try service.act("menu boards", "board ladder")
      try service.send()
      service.hear(AnswerCodec.encode(service.home(), query: old.id))
      #expect((service.page.app.home.list != nil) == isHeard)
    }
  }
}
