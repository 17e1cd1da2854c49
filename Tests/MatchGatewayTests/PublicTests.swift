import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("What is public by HTTP", .ownThreads)
struct PublicTests {
  static func answer(_ message: GatewayBus.Outgoing) -> [GatewayBus.Incoming] {
    guard let query = try? GatewayQuery(message.body), case .asAnybody(let kind) = query.question
    else { return [] }
    let bytes: [UInt8]
    switch kind {
    case .ladder:
      bytes = AnswerCodec.encode(Ladder(rows: [], you: nil, around: [], outOf: 0), query: query.id)
    case .recordByCode:
      bytes = AnswerCodec.encode(RecordAnswer(record: "{\"a\": 1}"), query: query.id)
    case .standings(let standings):
      bytes = AnswerCodec.encode(refusal: .dailyNotDealt(standings.daily.day), query: query.id)
    default: return []
    }
    return [.reply(message.number, bytes)]
  }

  @Test("An answer has a tag, and is not sent to someone who has it")
  func tags() throws {
    let lab = try Lab(clock: HandClock().clock, answer: { Self.answer($0) })
    let client = try lab.connect()
    let ladder = try client.ask("GET", "/v1/ladder?limit=5")
    #expect(ladder.status == 200 && ladder["cache-control"] == "public, max-age=10")
    #expect(ladder.text == "{\"around\":[],\"outOf\":0,\"rows\":[]}")
    let tag = try #require(ladder["etag"])
    for known in [tag, "\"x\", \(tag)", "W/\(tag)", "*"] {
      let same = try client.ask("GET", "/v1/ladder?limit=5", ["If-None-Match: \(known)"])
      #expect(same.status == 304 && same["etag"] == tag && same.body.isEmpty)
    }
    #expect(try client.ask("GET", "/v1/ladder?limit=5", ["If-None-Match: \"x\""]).status == 200)
    let head = try client.ask("HEAD", "/v1/ladder?limit=5")
    #expect(head.status == 200 && head["content-length"] == "\(ladder.body.count)")
    let ladders = lab.broker.questions.filter {
      $0.question == .asAnybody(.ladder(Query.Ladder(limit: 5)))
    }
    #expect(ladders.count == 1, "the readers are asked once")
  }

  @Test("A record comes as its own bytes, and a refusal with its status")
  func contents() throws {
    let lab = try Lab(answer: { Self.answer($0) })
    let client = try lab.connect()
    #expect(try client.ask("GET", "/v1/games/ABCD1234/record").text == "{\"a\": 1}")
    #expect(try client.ask("GET", "/v1/games/abcd-I234/record?part=2").status == 200)
    let code = try #require(ShareCode("ABCD1234"))
    let asked = lab.broker.questions.map(\.question)
    #expect(asked.contains(.asAnybody(.recordByCode(Query.RecordByCode(code)))))
    #expect(asked.contains(.asAnybody(.recordByCode(Query.RecordByCode(code, part: 2)))))
    let refused = try client.ask("GET", "/v1/dailies/2026-05-01/timed/en")
    #expect(refused.status == 404 && refused["content-type"] == "application/json")
    #expect(
      refused.text.hasPrefix("{\"v\":1,\"query\":null,\"refused\":{\"name\":\"dailyNotDealt\""))
    let today = try client.ask("GET", "/v1/daily?mode=timed&language=en")
    #expect(today.status == 404 && today.text.contains("2026-05-01"))
  }

  @Test("Refusals, for which anybody can ask, push out no content")
  func refusals() throws {
    let lab = try Lab(clock: HandClock().clock, answer: { Self.answer($0) })
    let client = try lab.connect()
    // It is kept for a minute.
    let record = "/v1/games/ABCD1234/record"
    #expect(try client.ask("GET", record).status == 200)
    for month in 1...9 {
      for day in 10...28 {
        for kind in ["timed/en", "unlimited/en"] {
          let answer = try client.ask("GET", "/v1/dailies/2025-0\(month)-\(day)/\(kind)")
          #expect(answer.status == 404)
        }
      }
    }
    #expect(try client.ask("GET", record).status == 200)
    let records = lab.broker.questions.count {
      if case .asAnybody(.recordByCode) = $0.question { true } else { false }
    }
    #expect(records == 1, "the readers are asked once")
  }

  @Test("Who leaves gives the place of a public question back; others who ask the same wait on")
  func leaving() throws {
    // No reader answers.
    let lines = LogLines()
    let lab = try Lab(log: lines.logger()) { $0.waitsPerAddress = 3 }
    func waits(_ count: Int, _ questions: Int) throws {
      try wait("\(count) wait for \(questions) questions") {
        lab.gateway.wall.count(of: .wait) == count && lab.gateway.desk.openCount == questions
      }
    }
    for path in ["/v1/ladder", "/s/SHAREDGAME234567"] {
      let clients = try (0..<3).map { _ in
        let client = try lab.connect()
        client.send(RawClient.request("GET", path))
        return client
      }
      try waits(3, 1)
      #expect(try lab.connect().ask("GET", "/v1/ladder").status == 429)
      clients[0].abort()
      clients[1].close()
      try waits(1, 1)
      let other = try lab.connect()
      other.send(RawClient.request("GET", path))
      try waits(2, 1)
      clients[2].close()
      try waits(1, 1)
      other.close()
      try waits(0, 0)
      // The question is asked again.
      let late = try lab.connect()
      late.send(RawClient.request("GET", path))
      try waits(1, 1)
      late.close()
      try waits(0, 0)
    }
    // Nothing of the service failed.
    #expect(lines.all.filter { $0.contains("request failed") } == [])
  }

  @Test("The service's time goes on between two answers, and is no part of the tag")
  func service() throws {
    let lab = try Lab()
    let client = try lab.connect()
    let first = try client.ask("GET", "/v1/service")
    var second = first
    try wait("the time goes on") {
      second = try client.ask("GET", "/v1/service")
      return first.body != second.body
    }
    #expect(first["etag"] == second["etag"] && first["etag"]?.hasPrefix("W/\"") == true)
    #expect(first["cache-control"] == "no-cache")
    let etag = try #require(first["etag"])
    #expect(try client.ask("GET", "/v1/service", ["If-None-Match: \(etag)"]).status == 304)
  }

  // Failure: Problem.parameterInvalid: A parameter of a public path is not allowed. The detail
  //   names its values.
  @Test(
    "A wrong parameter is named",
    arguments: [
      "/v1/daily?mode=fast", "/v1/daily?language=xx", "/v1/dailies/2026-13-01/timed/en",
      "/v1/boards/solo/timed/points/year", "/v1/boards/x/timed/points/day", "/v1/ladder?limit=x",
      "/v1/ladder?limit=101", "/v1/games/abc", "/v1/games/a%20b%20c/record",
      "/v1/games/ABCD1234/record?part=0", "/v1/games/ABCD1234/record?part=129",
      "/v1/games/ABCD1234/record?part=01",
    ])
  func parameters(_ path: String) throws {
    let lab = try Lab()
    let answer = try lab.connect().ask("GET", path)
    #expect(answer.status == 400 && answer.text.contains("parameterInvalid"))
  }
}
