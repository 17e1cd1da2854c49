import CubePlay
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("A shared game that somebody without a name opens")
struct SharedGameTests {
  let code: ShareCode
  var service: Service

  init() throws {
    code = try #require(ShareCode("K7QM2XPA9RTA4WZB"))
    service = try Service(sharedGame: code)
    try service.meet()
  }

  @Test("It is asked for where it is public, and shown from its first turn")
  mutating func shown() throws {
    let asked = try #require(try service.send().first ?? service.open.first)
    #expect(asked.path == "/v1/games/\(code)" && asked.kind == .published)
    let turns = [[try Service.word("CRAPY")], [try Service.word("APTLY")]]
    var view = try service.view(turns)
    view.seats[0].player = PlayerID(rawValue: 98)
    try service.publish(view)
    let match = try #require(service.page.app.match)
    guard case .shown(let table) = match.content else {
      Issue.record("\(match.content)")
      return
    }
    #expect(table.lines.count == 2 && table.lookedBack == 2 && table.watched != nil)
    // Nothing of it can be played, given up or shared.
    try service.act("letter C", "giveup", "share", "rematch")
    #expect(try service.send().isEmpty)
  }

  @Test("Its record is checked, without a name, too")
  mutating func record() throws {
    var view = try service.view([[try Service.word("CRAPY")]])
    (view.seats[0].player, view.stage) = (PlayerID(rawValue: 98), .ended)
    view.outcome = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
    try service.publish(view)
    try service.act("check")
    let asked = try service.take { $0.path != nil }
    #expect(asked.path == "/v1/games/\(code)/record?part=1")
    service.page.published(
      Array("{\"a\":1}".utf8), to: asked.id, at: service.now, roundTrip: 90_000)
    #expect(service.text.contains("What the service sent is not a Cubist record"))
  }

  @Test("A code without a game is said, and is not asked for again and again")
  mutating func unknown() throws {
    try service.publish(nil as MatchView?)
    guard case .failed(let text) = service.page.app.match?.content else {
      Issue.record("\(String(describing: service.page.app.match))")
      return
    }
    #expect(text == "No shared game has that code.")
    #expect(try service.send().isEmpty)
  }

  @Test("A silent service is tried again")
  mutating func away() throws {
    let sent = try service.take { $0.path != nil }
    service.page.lost(sent.id)
    service.keepTimers()
    try service.pass("search")
    #expect(try service.send().contains { $0.path != nil })
  }

  @Test("A page without a key asks for everything where it is public, the service too")
  mutating func keyless() throws {
    service = try Service(key: String(repeating: "0", count: 64), sharedGame: code)
    func path(_ sent: Service.Sent) -> String? { sent.path }
    #expect(try service.send().map(path) == ["/v1/service"])
    // Nobody has an answer, and the service is tried again.
    try service.publish(nil as MatchView?)
    #expect(service.page.app.connection == .lost)
    try service.pass("search")
    let sent = try service.take { $0.path == "/v1/service" }
    let answer = Spoken.serviceInfo(to: sent.id.description)
    let content = try #require(answer.split(separator: ",\"ok\":").last).dropLast()
    service.page.published(Array(content.utf8), to: sent.id, at: service.now, roundTrip: 90_000)
    #expect(try service.send().map(path) == ["/v1/games/\(code)"])
    var view = try service.view([[try Service.word("CRAPY")]])
    view.seats[0].player = PlayerID(rawValue: 98)
    try service.publish(view)
    #expect(service.page.app.connection == .there && service.text.contains("CRAPY"))
    // Nobody can be a player there.
    try service.act("name ada", "code ABCD", "register", "leave", "menu new", "pick anyone")
    #expect(try service.send().isEmpty && !service.text.contains(#""isSending":true"#))
  }

  @Test("A player with a name asks for it by a signed query")
  func named() throws {
    var named = try Service(
      kept: " \(Spoken.service) \(Spoken.rootKey) ada", sharedGame: code)
    try named.meet()
    let queries = try named.send() + named.open
    #expect(queries.contains { $0.query == .matchByCode(Query.MatchByCode(code)) })
    #expect(!queries.contains { $0.path != nil })
  }
}
