import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("The stream of changes at a service")
struct ChangesTests {
  private var service: Service

  init() throws {
    service = try Service.named()
    try service.list([service.summary()])
  }

  private mutating func overview(
    _ versions: [(MatchID, Int64)] = [], settings: String = "a"
  ) throws {
    let matches = versions.map { #"{"match":"\#($0.0)","version":\#($0.1)}"# }
    try service.stream(
      """
      event: overview
      data: {"matches":[\(matches.joined(separator: ","))],"settings":"\(settings)"}


      """)
  }

  @Test("Only the leading page opens it, once it has a name and has met the service")
  mutating func leading() throws {
    try service.act("stream")
    #expect(try service.send().isEmpty)
    try service.act("lead")
    let sent = try service.take { $0.query == .overview }
    #expect(sent.kind == .stream)
    #expect(try service.send().isEmpty)
    service = try Service()
    try service.act("lead")
    #expect(try service.asked() == [.serviceInfo])
    try service.meet()
    #expect(try service.send().isEmpty)
    try service.act("name ada", "code ABCD1234", "register")
    try service.reply(
      .accepted(.registered(service.player, try #require(PlayerName("ada")))))
    #expect(try service.asked().contains(.overview))
  }

  @Test("A page whose stream was replaced by a newer one waits for half a minute")
  mutating func replaced() throws {
    try service.act("lead")
    for (reason, pause) in [("renew", 1_000), ("replaced", 30_000)] {
      _ = try service.take { $0.query == .overview }
      try overview()
      try service.stream("event: end\ndata: {\"reason\":\"\(reason)\"}\n\n")
      service.endStream()
      #expect(service.timers["stream"] == pause)
      try service.pass("stream")
    }
  }

  @Test("It is opened again after its end, with growing pauses until it has told something")
  mutating func reopened() throws {
    try service.act("lead")
    for pause in [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
      _ = try service.take { $0.query == .overview }
      service.endStream()
      #expect(service.timers["stream"] == pause)
      #expect(try service.send().isEmpty)
      try service.pass("stream")
    }
    _ = try service.take { $0.query == .overview }
    try overview()
    service.endStream()
    #expect(service.timers["stream"] == 1_000)
  }

  @Test("A page that does not lead hears of changes, but opens no stream")
  mutating func following() throws {
    try overview()
    #expect(try service.asked() == [.matches])
    service.endStream()
    #expect(service.timers["stream"] == nil)
    // Half an event before the end is no part of the next stream.
    try service.list()
    try service.stream(#"event: match\#ndata: {"mat"#)
    service.endStream()
    try service.stream(version: 3)
    #expect(try service.asked() == [.matches])
  }

  @Test("A change of the shown match has it asked in that version, and old news does not")
  mutating func shownMatch() throws {
    try service.act("row 0")
    try service.show(service.view())
    try service.answer(.whoAmI, service.rated())
    try service.stream(version: 1)
    #expect(try service.send().isEmpty)
    try service.stream(version: 2)
    try service.stream(version: 2)
    #expect(try service.asked() == [.match(Query.Match(Service.match, atLeast: 2))])
    try service.show(service.view([[Service.word("CRAPY")]]))
    #expect(service.page.shown?.lines.count == 1)
    try service.stream(version: 1)
    #expect(try service.send().isEmpty)
  }

  @Test("A change of another match has the list asked, once for each version")
  mutating func otherMatch() throws {
    let other = MatchID(rawValue: 78)
    try service.stream(other, version: 4)
    #expect(try service.asked() == [.matches])
    try service.list()
    try service.stream(other, version: 4)
    try service.stream(other, version: 3)
    #expect(try service.send().isEmpty)
    try service.stream(other, version: 5)
    #expect(try service.asked() == [.matches])
  }

  @Test("An overview tells of everything that has changed meanwhile, and twice the same nothing")
  mutating func overviews() throws {
    try service.act("row 0")
    try service.show(service.view())
    try service.answer(.whoAmI, service.rated())
    try overview([(Service.match, 2), (MatchID(rawValue: 78), 1)])
    #expect(
      try service.asked() == [.match(Query.Match(Service.match, atLeast: 2)), .matches])
    try service.list()
    try service.show(service.view([[Service.word("CRAPY")]]))
    try overview([(Service.match, 2), (MatchID(rawValue: 78), 1)])
    #expect(try service.send().isEmpty)
    try overview([(Service.match, 2)], settings: "b")
    #expect(try service.asked() == [.matches])
  }

  @Test("News tells that the service is back")
  mutating func found() throws {
    try service.act("reload")
    try service.lose(.matches)
    #expect(service.page.app.connection == .lost)
    try service.stream(": \n\n")
    #expect(service.page.app.connection == .there)
    #expect(try service.asked() == [.matches])
  }

  @Test(
    "What cannot be read ends it",
    arguments: [
      "event: match\ndata: {}\n\n", "event: overview\ndata: <html>\n\n",
      "event: match\ndata: {\"match\":\"x\",\"version\":1}\n\n",
      "long",
    ])
  mutating func garbage(text: String) throws {
    let text =
      text == "long" ? String(repeating: "x", count: EventStreamParser.eventLimit + 1) : text
    #expect(!service.page.streamed(Array(text.utf8)))
    service.endStream()
    try service.stream("event: later\ndata: x\n\n")
    try service.stream(version: 3)
    #expect(try service.asked() == [.matches])
  }

  @Test("However many matches change, only so many are remembered")
  mutating func manyMatches() throws {
    try service.act("row 0")
    try service.show(service.view())
    for number in 0..<(2 * Overview.matchLimit + 5) {
      try service.stream(MatchID(rawValue: UInt128(1_000 + number)), version: 1)
    }
    #expect(service.page.world.known.count <= 2 * Overview.matchLimit)
    #expect(service.page.world.known[Service.match] == 1)
  }
}
