import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import RealServers
import Synchronization
import Testing

@testable import MatchGateway

@Suite("Requests sent without waiting for answers", .ownThreads)
struct PipelineTests {
  static let answer = AnswerCodec.encode(
    Overview(matches: [], inbox: nil, settings: "s"), query: nil)

  /// How often a part is in a text.
  func count(_ part: String, in client: RawClient) -> Int {
    client.text.components(separatedBy: part).count - 1
  }

  /// Waits until the gateway has refused a request. Its log names limits once in a minute.
  func waitForLimit(_ lines: LogLines) throws {
    try wait("a limit is told") {
      lines.all.contains("notice limits held clients off 1")
    }
  }

  @Test("One request waits behind a stream, whether it comes before or after its beginning")
  func behindStream() throws {
    for isEarly in [true, false] {
      let lines = LogLines()
      let lab = try Lab(log: lines.logger())
      let client = try lab.connect()
      client.send(RawClient.request("POST", "/v1/changes", [], try Actor(1).query(.overview)))
      let many = (0..<5).flatMap { _ in RawClient.request("GET", "/") }
      if isEarly { client.send(many) }
      try wait("the query is there") { lab.broker.messages.count == 1 }
      // The gateway reads the earlier bytes before the answer comes.
      client.receive(milliseconds: 200)
      lab.broker.deliver([.reply(lab.broker.messages[0].number, Self.answer)])
      try client.waitFor("event: overview")
      if !isEarly { client.send(many) }
      try waitForLimit(lines)
      lab.gateway.changes.leave()
      try client.waitForEnd()
      #expect(count("HTTP/1.1 200 OK", in: client) == 2, "the stream and one request")
      #expect(count("HTTP/1.1 429", in: client) == 1)
      #expect(count("urn:cubist:problem:pipelining", in: client) == 1)
      try wait("nothing is open") { lab.gateway.wall.count(of: .connection) == 0 }
    }
  }

  @Test("A body behind a stream or a pending answer has its time, too, however it drips")
  func slowBody() throws {
    for isStream in [true, false] {
      let lines = LogLines()
      let lab = try Lab(log: lines.logger()) { $0.bodyTime = .seconds(1) }
      let client = try lab.connect()
      let query = try Actor(1).query(isStream ? .overview : .whoAmI)
      let path = isStream ? "/v1/changes" : "/v1/queries"
      client.send(RawClient.request("POST", path, [], query))
      try wait("the query is there") { lab.broker.messages.count == 1 }
      let answer = GatewayBus.Incoming.reply(lab.broker.messages[0].number, Self.answer)
      if isStream {
        lab.broker.deliver([answer])
        try client.waitFor("event: overview")
      }
      // A chunk whose extension does not end: not one byte of it is the body's.
      client.send(
        "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;a")
      client.receive(milliseconds: 200)
      client.send("b")
      try waitForLimit(lines)
      if isStream { lab.gateway.changes.leave() } else { lab.broker.deliver([answer]) }
      try client.waitForEnd()
      #expect(count("HTTP/1.1 200 OK", in: client) == 1)
      #expect(count("HTTP/1.1 408", in: client) == 1)
      #expect(count("urn:cubist:problem:requestTimeout", in: client) == 1)
      try wait("nothing is open") { lab.gateway.wall.count(of: .connection) == 0 }
    }
  }

  @Test("A client that closes its side behind several requests gets all their answers")
  func halfClosed() throws {
    let lab = try Lab()
    for number in 1...5 {
      // The system keeps little for it, so that the end waits for the last answer's bytes.
      let client = try RawClient(port: lab.portNumber, receiveBytes: 4_096)
      client.send((0..<number).flatMap { _ in RawClient.request("GET", "/v1/openapi.json") })
      client.closeSending()
      try client.waitForEnd()
      #expect(count("HTTP/1.1 200 OK", in: client) == number)
      #expect(client.text.hasSuffix("}") || client.text.hasSuffix("}\n"), "the last one is whole")
    }
    try wait("nothing is open") { lab.gateway.wall.count(of: .connection) == 0 }
  }

  @Test("Requests that wait behind a long answer have the bytes of two of the longest at most")
  func bytes() throws {
    let lines = LogLines()
    let lab = try Lab(log: lines.logger())
    let client = try lab.connect()
    client.send(RawClient.request("POST", "/v1/queries", [], try Actor(1).query(.whoAmI)))
    try wait("the query is there") { lab.broker.messages.count == 1 }
    let long = "X: \(String(repeating: "x", count: 12_000))"
    client.send((0..<5).flatMap { _ in RawClient.request("GET", "/", [long]) })
    try waitForLimit(lines)
    lab.broker.deliver([.reply(lab.broker.messages[0].number, Self.answer)])
    try client.waitForEnd()
    #expect(count("HTTP/1.1 200 OK", in: client) == 3, "the query and two requests")
    #expect(count("urn:cubist:problem:pipelining", in: client) == 1)
    // Short ones wait in a greater number, and the bytes of those that were answered do not count.
    let short = try lab.connect()
    for _ in 0..<3 {
      short.send((0..<10).flatMap { _ in RawClient.request("GET", "/") })
      for _ in 0..<10 { #expect(try short.answer().status == 200) }
    }
  }

  @Test("A request that expects 100 gets it when its turn comes, not before")
  func expectation() throws {
    let lab = try Lab()
    let (client, anna) = (try lab.connect(), try Actor(1))
    func next(_ number: Int) throws {
      try wait("query \(number) is there") { lab.broker.messages.count == number }
    }
    func answer(_ number: Int) {
      lab.broker.deliver([.reply(lab.broker.messages[number - 1].number, Self.answer)])
    }
    let body = anna.query(.whoAmI, id: 2)
    let head =
      "POST /v1/queries HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    client.send(RawClient.request("POST", "/v1/queries", [], anna.query(.whoAmI)) + head.utf8)
    try next(1)
    client.receive(milliseconds: 300)
    #expect(client.text.isEmpty)
    answer(1)
    #expect(try client.answer().status == 200)
    try client.waitFor("HTTP/1.1 100 Continue\r\n\r\n")
    #expect(try client.answer().status == 100)
    client.send(body)
    try next(2)
    answer(2)
    #expect(try client.answer().status == 200)
    // With another request in between, and with a body that comes without waiting.
    client.send(
      RawClient.request("POST", "/v1/queries", [], anna.query(.whoAmI, id: 3))
        + RawClient.request("GET", "/") + head.utf8)
    try next(3)
    answer(3)
    #expect(try [200, 200, 100] == (0..<3).map { _ in try client.answer().status })
    client.send(body)
    try next(4)
    client.send(Array(head.utf8) + body)
    client.receive(milliseconds: 200)
    answer(4)
    #expect(try client.answer().status == 200)
    try next(5)
    answer(5)
    let last = try client.answer().status
    // If the gateway was so slow that the turn had come before the head.
    #expect(try (last == 100 ? client.answer().status : last) == 200)
    #expect(client.text.isEmpty)
  }
}
