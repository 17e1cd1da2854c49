import CubistBasics
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("The page's player at a service")
struct PagePlayerTests {
  private let signer: Signer
  private var page: PagePlayer

  init() throws {
    signer = try #require(Signer.ed25519(seed: Array(repeating: 3, count: 32)))
    page = try #require(PagePlayer(kept: signer.publicKey.description, seed: 5))
  }

  /// Has a wish signed and reads the body that is sent.
  private mutating func sent(_ wish: String, as tag: SignatureTag) throws -> SignedPayload {
    let wish = try #require(PageWish(wish))
    let made = page.message(wish, at: Spoken.now)
    let message = try #require(made)
    let payload = Array(message.dropFirst(tag.message([]).count))
    #expect(message == tag.message(payload))
    let body = page.envelope(message, signature: signer.sign(payload, as: tag))
    return try Envelope.decode(try #require(body))
  }

  private mutating func hear(_ text: String, roundTrip: Int64 = 90_000) {
    page.hear(Array(text.utf8), at: Spoken.now, roundTrip: roundTrip)
  }

  private mutating func meetService() throws {
    let asked = try QueryCodec.decode(sent("service", as: .query).payload)
    hear(Spoken.serviceInfo(to: asked.id.description))
    #expect(page.trouble == nil)
  }

  private mutating func askToRegister(_ wish: String) throws -> EventID {
    try PayloadCodec.decodeEvent(sent(wish, as: .event).payload).id
  }

  @Test("It says the same in a browser's engine as here")
  func spoken() { #expect(Spoken.hash() == Spoken.golden) }

  @Test("A query is signed by the key and names the player and the service's time")
  mutating func queries() throws {
    let first = try sent("service", as: .query)
    #expect(Ed25519.verify(first, .query))
    #expect(try QueryCodec.decode(first.payload).kind == .serviceInfo)
    try meetService()
    let asked = try QueryCodec.decode(sent("whoami", as: .query).payload)
    #expect(asked.kind == .whoAmI)
    #expect(asked.player == PlayerID(firstKey: signer.publicKey))
    #expect(asked.service.description == Spoken.service)
    // The page's clock is an hour behind, and the answer took half of the round trip.
    #expect(asked.id.time == Spoken.now.adding(microseconds: 3_600_045_000))
  }

  @Test("Nothing but the service's own data is asked before the service is known")
  mutating func unknownService() throws {
    for wish in ["whoami", "register ada"] {
      let message = page.message(try #require(PageWish(wish)), at: Spoken.now)
      #expect(message == nil)
    }
  }

  @Test("A registration is signed by the key, and its acceptance gives the name")
  mutating func registration() throws {
    try meetService()
    #expect(page.needsCode)
    let body = try sent("register Ada_2 abcd1234", as: .event)
    #expect(Ed25519.verify(body, .event))
    let event = try PayloadCodec.decodeEvent(body.payload)
    let name = try #require(PlayerName("Ada_2"))
    #expect(event.action == .playerRegistered(name: name, code: ShareCode("ABCD1234")))
    page.hear(
      ReplyCodec.encode(.accepted(.registered(page.player, name)), event: event.id),
      at: Spoken.now, roundTrip: 0)
    #expect(page.trouble == nil)
    #expect(page.name == name)
  }

  @Test(
    "A refusal is told by its name and its sentence",
    arguments: [
      Refusal.nameTaken("ada"), .codeInvalid, .unavailable,
      .rateLimited(.eventsPerMinute, retryAfterSeconds: 7),
    ])
  mutating func refusals(refusal: Refusal) throws {
    try meetService()
    let event = try askToRegister("register ada")
    page.hear(ReplyCodec.encode(.refused(refusal), event: event), at: Spoken.now, roundTrip: 0)
    #expect(page.trouble?.name == refusal.name)
    #expect(page.trouble?.message == refusal.message)
    #expect(page.trouble?.retryAfter == refusal.retryAfterSeconds)
    #expect(page.name == nil)
    // It is sent again where it may be answered otherwise.
    #expect(page.isWaiting == (refusal.retryAfterSeconds != nil))
  }

  @Test("A wrong time is told apart, since the time can be asked again")
  mutating func clocks() throws {
    try meetService()
    for refusal in [
      Refusal.clockAhead(serviceTime: Spoken.now), .eventTooOld(serviceTime: Spoken.now),
    ] {
      let event = try askToRegister("register ada")
      page.hear(ReplyCodec.encode(.refused(refusal), event: event), at: Spoken.now, roundTrip: 0)
      #expect(page.trouble?.isAboutClock == true)
    }
    let asked = try QueryCodec.decode(sent("whoami", as: .query).payload)
    page.hear(
      AnswerCodec.encode(refusal: .expired(serviceTime: Spoken.now), query: asked.id),
      at: Spoken.now, roundTrip: 0)
    #expect(page.trouble?.isAboutClock == true)
  }

  @Test("An event that was sent before the page was opened is answered, if it is the player's own")
  mutating func resumed() throws {
    try meetService()
    let body = try sent("register ada", as: .event)
    var again = try #require(PagePlayer(kept: page.kept, seed: 6))
    #expect(!again.isWaiting)
    let isOwn = again.resume(Envelope.encode(body))
    #expect(isOwn && again.isWaiting)
    let event = try PayloadCodec.decodeEvent(body.payload).id
    again.hear(
      Array(Spoken.registered("ada", to: event.description).utf8), at: Spoken.now, roundTrip: 0)
    #expect(again.trouble == nil && again.name == PlayerName("ada") && !again.isWaiting)
    var other = try #require(PagePlayer(kept: Spoken.key, seed: 6))
    for body in [Envelope.encode(body), [1], Envelope.encode(try sent("whoami", as: .query))] {
      let isOwn = other.resume(body)
      #expect(!isOwn && !other.isWaiting)
    }
  }

  @Test("A key that has a name already keeps it")
  mutating func registeredBefore() throws {
    try meetService()
    let event = try askToRegister("register eve")
    page.hear(
      ReplyCodec.encode(.refused(.alreadyRegistered(name: "ada")), event: event), at: Spoken.now,
      roundTrip: 0)
    #expect(page.name == PlayerName("ada"))
    #expect(page.trouble?.name == "alreadyRegistered")
  }

  @Test("A player whom the service does not know has no name there")
  mutating func notRegistered() throws {
    try meetService()
    page.name = PlayerName("ada")
    let asked = try QueryCodec.decode(sent("whoami", as: .query).payload)
    page.hear(
      AnswerCodec.encode(refusal: .notRegistered, query: asked.id), at: Spoken.now, roundTrip: 0)
    #expect(page.name == nil)
    #expect(page.trouble?.name == "notRegistered")
  }

  @Test("A query that is older than a minute is answered no more")
  mutating func oldQueries() throws {
    try meetService()
    let old = try QueryCodec.decode(sent("whoami", as: .query).payload)
    let wish = try #require(PageWish("service"))
    for (seconds, isAnswered) in [(Int64(59), true), (61, false)] {
      _ = page.message(wish, at: Spoken.now.adding(seconds: seconds))
      var page = page
      page.hear(
        AnswerCodec.encode(refusal: .unavailable, query: old.id), at: Spoken.now, roundTrip: 0)
      #expect((page.trouble != .foreign) == isAnswered)
    }
  }

  @Test("What answers nothing that was asked changes nothing, and neither does a second answer")
  mutating func foreign() throws {
    try meetService()
    let event = try askToRegister("register ada")
    hear(Spoken.registered("eve", to: EventID(rawValue: event.rawValue ^ 1).description))
    #expect(page.trouble == .foreign && page.name == nil)
    hear(Spoken.registered("ada", to: event.description))
    #expect(page.trouble == nil && page.name == PlayerName("ada"))
    hear(Spoken.registered("eve", to: event.description))
    #expect(page.trouble == .foreign)
    let asked = try QueryCodec.decode(sent("whoami", as: .query).payload)
    hear(Spoken.registered("eve", to: asked.id.description))
    #expect(page.trouble == .foreign)
    hear(Spoken.account("eve", to: asked.id.description))
    #expect(page.trouble == .foreign)
    #expect(page.name == PlayerName("ada"))
  }

  @Test(
    "What cannot be read is told",
    arguments: ["", "{", "[]", #"{"v":1}"#, #"{"v":2,"query":null,"ok":{}}"#, "<html>"])
  mutating func unreadable(text: String) {
    hear(text)
    #expect(page.trouble?.name == "unreadable" || page.trouble == .foreign)
  }

  @Test("Another service, and one that wants a newer page, is not used")
  mutating func otherServices() throws {
    try meetService()
    let kept = page.kept
    for text in [
      Spoken.serviceInfo(to: "QUERY", from: Spoken.player),
      Spoken.serviceInfo(to: "QUERY").replacing(Spoken.rootKey, with: Spoken.key),
    ] {
      let asked = try QueryCodec.decode(sent("service", as: .query).payload)
      hear(text.replacing("QUERY", with: asked.id.description))
      #expect(page.trouble == .otherService)
    }
    let asked = try QueryCodec.decode(sent("service", as: .query).payload)
    hear(
      Spoken.serviceInfo(to: asked.id.description)
        .replacing(#""oldestClient":"0.1.0""#, with: #""oldestClient":"9.0.0""#))
    #expect(page.trouble == .outdated)
    #expect(page.kept == kept)
  }

  @Test("What was kept makes the same player again, and nothing else does")
  mutating func kept() throws {
    try meetService()
    page.name = PlayerName("ada")
    let again = try #require(PagePlayer(kept: page.kept, seed: 9))
    #expect(again.kept == page.kept)
    #expect(again.kept == "\(page.key) \(Spoken.service) \(Spoken.rootKey) ada")
    for text in [
      "", " ", "ada", "\(Spoken.key) ", "\(Spoken.key) \(Spoken.service)", "\(page.kept) b",
      "\(Spoken.key) \(Spoken.service) \(Spoken.rootKey) é",
      "\(Spoken.key) \(Spoken.rootKey) \(Spoken.service)",
    ] {
      #expect(PagePlayer(kept: text, seed: 9) == nil, "\(text)")
    }
  }

  @Test(
    "A text that is no wish is refused",
    arguments: [
      "", "service ", "register", "register é", "register ada x", "register ada ABCD 1", "whoami x",
      "Register ada",
    ])
  func wishes(text: String) { #expect(PageWish(text) == nil) }

  @Test("A body needs a tag and a signature of 64 bytes")
  func bodies() {
    let message = SignatureTag.query.message([1])
    #expect(page.envelope(message, signature: Array(repeating: 0, count: 63)) == nil)
    #expect(page.envelope([1, 2], signature: Array(repeating: 0, count: 64)) == nil)
    #expect(page.envelope(message, signature: Array(repeating: 0, count: 64))?.count == 98)
  }
}
