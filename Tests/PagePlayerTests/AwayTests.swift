import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("The page at a service that is away for a while")
struct AwayTests {
  private var service: Service

  init() throws { service = try Service.named() }

  private var world: ServiceWorld { service.page.world }
  private var connection: GameApp.Connection { service.page.app.connection }

  @Test("A service that is not heard is tried again with growing pauses, and then all is asked")
  mutating func search() throws {
    service = try Service(kept: " \(Spoken.service) \(Spoken.rootKey) ada")
    for pause in [1_000, 2_000, 4_000, 5_000, 5_000] {
      try service.lose(.serviceInfo)
      #expect(connection == .lost && service.page.app.home.trouble != nil)
      #expect(service.page.timers == [PageTimer(milliseconds: pause, action: "search")])
      #expect(try service.send().isEmpty)
      try service.pass("search")
    }
    try service.meet()
    #expect(connection == .there)
    try service.list([service.summary()])
    #expect(service.page.app.home.trouble == nil)
    // The next time it begins anew.
    try service.act("row 0")
    try service.loseMatch()
    #expect(service.page.timers == [PageTimer(milliseconds: 1_000, action: "search")])
    #expect(service.text.contains("The service cannot be reached. It is tried again."))
    try service.pass("search")
    try service.list()
    #expect(connection == .there)
    try service.show(service.view())
    #expect(service.page.shown != nil)
  }

  @Test("A service that cannot answer now is tried again after a pause, not at once")
  mutating func unavailable() throws {
    for (refusal, pause) in [
      (QueryRefusal.unavailable, 1_000), (.unavailable, 2_000),
      (.rateLimited(retryAfterSeconds: 20), 20_000),
    ] {
      try service.refuse(.matches, refusal)
      #expect(service.page.timers == [PageTimer(milliseconds: pause, action: "search")])
      #expect(service.page.app.home.trouble?.contains("It is tried again.") == true)
      #expect(try service.send().isEmpty)
      try service.pass("search")
    }
    try service.list()
    #expect(service.page.app.home.trouble == nil && connection == .there)
  }

  @Test("A turn behind an event that takes long is said to wait, and is sent after it")
  mutating func behind() throws {
    try service.act("menu new", "pick alone")
    try service.delay()
    try service.act("leave")
    try service.openMatch()
    try service.spell("CRAPY")
    try service.act("submit")
    #expect(service.text.contains(#""sentWaits":false"#))
    try service.delay()
    #expect(service.text.contains(#""sentWaits":true"#))
    #expect(try !service.send().contains { $0.action != nil })
    try service.reply(.refused(.rateLimited(.runningMatches, retryAfterSeconds: nil)))
    let sent = try service.event()
    #expect(sent.action?.typeName == "turnPlayed")
  }

  @Test("A turn is sent once while its answer takes long, whatever happens meanwhile")
  mutating func turn() throws {
    try service.openMatch()
    try service.spell("CRAPY")
    try service.act("submit")
    let sent = try service.event()
    try service.delay()
    #expect(connection == .lost && service.text.contains(#""sentWaits":true"#))
    for _ in 0..<3 {
      try service.pass("search")
      try service.lose(.matches)
      try service.delay()
      try service.act("submit")
    }
    try service.pass("search")
    try service.list([service.summary()])
    #expect(connection == .there && service.text.contains(#""sentWaits":false"#))
    try service.show(service.view())
    #expect(try service.event().id == sent.id && world.waiting.isEmpty)
    #expect(world.resendPause(sent.id) == 0)
    try service.reply(service.receipt(turn: 1, version: 2))
    #expect(service.page.shown?.turn.turnNumber == 2)
    #expect(try service.send().filter { $0.action != nil }.isEmpty)
  }

  @Test("A turn waits again where the service was heard, and gives no answer to it all the same")
  mutating func heardBetween() throws {
    try service.openMatch()
    try service.spell("CRAPY")
    try service.act("submit")
    try service.delay()
    try service.pass("search")
    try service.list([service.summary()])
    #expect(connection == .there && service.text.contains(#""sentWaits":false"#))
    try service.delay()
    #expect(connection == .lost && service.text.contains(#""sentWaits":true"#))
  }

  @Test("A turn whose answer is the first word after a silence is not sent again")
  mutating func firstWord() throws {
    for reply in [
      service.receipt(turn: 1, version: 2), .refused(.turnAlreadyPlayed(turn: 1)),
      .refused(.recordFull(limit: 9)),
    ] {
      service = try Service.named()
      try service.openMatch()
      try service.spell("CRAPY")
      try service.act("submit")
      try service.delay()
      #expect(connection == .lost && service.text.contains(#""sentWaits":true"#))
      try service.reply(reply)
      #expect(connection == .there)
      #expect(try service.send().filter { $0.action != nil }.isEmpty)
    }
  }

  @Test("The look at a match before a turn is lost: the turn is sent once the service is back")
  mutating func lostLook() throws {
    try service.openMatch()
    service.page.world.view = nil
    try service.spell("CRAPY")
    try service.act("submit")
    try service.loseMatch()
    #expect(service.text.contains(#""sentWaits":true"#))
    try service.pass("search")
    try service.list([service.summary()])
    // One look is the match's own, the other one the turn's.
    try service.show(service.view())
    try service.show(service.view())
    #expect(try service.event().action?.noun == "turn")
  }

  @Test("A wish that is asked again while it is on its way is not sent again")
  mutating func wish() throws {
    try service.answer(.matches, service.home([], invitations: [service.summary()]))
    try service.act("row 0")
    let sent = try service.event()
    #expect(sent.action == .invitationAccepted(Service.match, code: nil))
    try service.delay()
    #expect(service.page.app.home.wish == nil && service.page.app.home.trouble != nil)
    try service.act("row 0")
    #expect(try service.event().id == sent.id && world.waiting.isEmpty)
    try service.reply(.accepted(.matchJoined(service.ticket)))
    #expect(service.page.app.match?.key == MatchKey(service.ticket.match.description))
  }

  @Test("The outcome of what took long is told in the list")
  mutating func told() throws {
    try service.answer(.matches, service.home([], invitations: [service.summary()]))
    try service.act("row 0")
    try service.delay()
    try service.reply(.accepted(.matchJoined(service.ticket)))
    try service.list()
    let told = service.page.app.home.notice
    #expect(told?.hasPrefix("Your earlier ") == true)
    #expect(told?.hasSuffix(" went through.") == true)
    try service.act("reload")
    try service.list()
    #expect(world.told.isEmpty)
  }

  @Test("An event of an earlier page is answered for this one, and told in the list")
  mutating func resumed() throws {
    try service.openMatch()
    try service.spell("CRAPY")
    try service.act("submit")
    let sent = try service.event()
    for reply in [service.receipt(turn: 1, version: 2), .refused(.notPermitted)] {
      var again = try Service.named()
      #expect(again.page.world.resume(sent.body) == sent.id)
      #expect(again.page.world.resendPause(sent.id) == 0)
      let waits = #""unanswered":"Your earlier turn has no answer yet. It is sent again until then"#
      #expect(again.text.contains(waits))
      try again.list()
      #expect(again.text.contains(waits))
      // Nothing else is told before it is answered.
      try again.act("menu new", "pick alone")
      #expect(try again.send().filter { $0.action != nil }.isEmpty)
      again.hear(ReplyCodec.encode(reply, event: sent.id))
      #expect(again.page.world.resendPause(sent.id) == nil && !again.text.contains("unanswered"))
      #expect(try again.event().action == .matchRequested(MatchRequest(alone: .unlimited)))
      try again.list()
      let text = again.page.app.home.notice
      #expect(text?.hasPrefix("Your earlier turn ") == true, "\(text ?? "")")
    }
    var again = try Service.named()
    #expect(again.page.world.resume(sent.body) == sent.id)
    again.hear(ReplyCodec.encode(.refused(.notRegistered), event: sent.id))
    #expect(again.page.world.account.name == nil)
  }

  @Test("What is wanted again while it is on its way is asked again after the answer")
  mutating func again() throws {
    #expect(try service.asked() == [.matches])
    try service.act("reload", "reload")
    #expect(try service.asked() == [.matches])
    try service.list()
    #expect(try service.asked() == [.matches])
    try service.list()
    #expect(try service.asked().isEmpty)
    // After a failure the search asks.
    try service.act("reload")
    try service.send()
    try service.act("reload")
    try service.lose(.matches)
    #expect(try service.asked().isEmpty)
    try service.pass("search")
    #expect(try service.asked() == [.matches])
  }

  @Test("A question that is too old to be answered is asked again, and its screen gets an answer")
  mutating func tooLate() throws {
    try service.list()
    try service.act("menu inbox")
    let old = try service.take { $0.query == .inbox }
    service.now = service.now.adding(seconds: 119)
    #expect(try service.asked().isEmpty)
    // The clock was set on, or the computer slept.
    service.now = service.now.adding(seconds: 1)
    try service.act("reload")
    #expect(try service.asked() == [.inbox])
    service.page.lost(old.id)
    service.hear(AnswerCodec.encode(InboxView(items: []), query: old.id))
    #expect(service.text.contains(#""content":"loading""#))
    try service.answer(.inbox, InboxView(items: []))
    #expect(service.text.contains(#""content":"shown""#))
    #expect(try service.asked().isEmpty)
  }

  @Test("An answer about a match that is older than its news has it asked again")
  mutating func old() throws {
    try service.list([service.summary()])
    try service.act("row 0")
    let early = try service.takeMatch()
    try service.stream(version: 2)
    service.hear(AnswerCodec.encode(try service.view(), query: early.id))
    #expect(service.page.shown?.lines.isEmpty == true)
    try service.answer(
      .match(Query.Match(Service.match, atLeast: 2)),
      service.view([[Service.word("CRAPY")]]))
    #expect(service.page.shown?.lines.count == 1)
    #expect(try !service.asked().contains(.match(Query.Match(Service.match, atLeast: 2))))
  }

  @Test("A service that tells an older version than it was asked for is not asked without end")
  mutating func tooOld() throws {
    try service.openMatch()
    try service.answer(.whoAmI, service.rated())
    try service.stream(version: 2)
    try service.show(service.view())
    #expect(try service.send().isEmpty)
  }
}
