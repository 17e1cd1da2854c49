import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("The wall against strangers, from outside", .ownThreads)
struct WallTests {
  func name(_ answer: RawClient.Answer) -> String? {
    let start = "{\"type\":\"urn:cubist:problem:"
    guard answer.text.hasPrefix(start) else { return nil }
    return String(answer.text.dropFirst(start.count).prefix { $0 != "\"" })
  }

  /// Whether the gateway still answers others.
  func stillWorks(_ lab: Lab) throws {
    #expect(try lab.connect().ask("GET", "/v1/service").status == 200)
    #expect(lab.broker.messages.isEmpty)
  }

  // Failure: Problem.requestTimeout: The head or the body took too long. The connection closes.
  @Test("A head that comes byte by byte is given up, with 408")
  func slowHead() throws {
    let lab = try Lab { $0.headTime = .seconds(1) }
    let client = try lab.connect()
    for byte in "GET / HTTP/1.1\r\nHost: a\r\n".utf8 {
      client.send([byte])
      client.receive(milliseconds: 100)
      if client.isEnded || !client.text.isEmpty { break }
    }
    let answer = try client.answer()
    #expect(answer.status == 408 && name(answer) == "requestTimeout")
    try client.waitForEnd()
    try stillWorks(lab)
  }

  @Test("A body that does not come is given up, with 408")
  func slowBody() throws {
    let lab = try Lab { $0.bodyTime = .seconds(1) }
    let client = try lab.connect()
    client.send("POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\nabc")
    let answer = try client.answer()
    #expect(answer.status == 408 && name(answer) == "requestTimeout")
    try client.waitForEnd()
    try stillWorks(lab)
  }

  @Test("A connection without a request is closed after a while, also after a request")
  func idle() throws {
    let lab = try Lab { $0.idleTime = .seconds(1) }
    /// A connection with an answer. A busy machine may ask too late on the first one.
    func answered() throws -> RawClient {
      var client = try lab.connect()
      try wait("it asks in time") {
        if (try? client.ask("GET", "/").status) == 200 { return true }
        client = try lab.connect()
        return false
      }
      return client
    }
    let (silent, used) = (try lab.connect(), try answered())
    try silent.waitForEnd()
    try used.waitForEnd()
    #expect(silent.text.isEmpty)
    _ = try answered()
  }

  // Failure: Problem.headersTooLarge: The head is too long or has too many fields. The connection
  //   closes.
  @Test(
    "Too long a head is refused by name, in one field, in many, and in the path",
    arguments: [
      "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "A: b\r\n", count: 100_000) + "\r\n",
      "GET /\(String(repeating: "x", count: 200_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
  func longHead(_ request: String) throws {
    let lab = try Lab()
    let client = try lab.connect()
    client.send(request)
    let answer = try client.answer()
    #expect(answer.status == 431 && name(answer) == "headersTooLarge")
    try client.waitForEnd()
    try stillWorks(lab)
  }

  // Failure: Problem.bodyTooLarge: The body is longer than an envelope can be. The connection
  //   closes.
  @Test("Too long a body is refused by name, by its length, and in chunks without an end")
  func longBody() throws {
    let lab = try Lab()
    let said = try lab.connect()
    said.send("POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 4194\r\n\r\n")
    let first = try said.answer()
    #expect(first.status == 413 && name(first) == "bodyTooLarge")
    let chunked = try lab.connect()
    chunked.send("POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<200 where !chunked.isEnded {
      chunked.send("400\r\n\(String(repeating: "x", count: 1_024))\r\n")
    }
    let second = try chunked.answer()
    #expect(second.status == 413 && name(second) == "bodyTooLarge")
    try chunked.waitForEnd()
    try stillWorks(lab)
  }

  // Failure: Problem.lengthRequired: A message has neither `Content-Length` nor chunks.
  @Test("A body in chunks is taken, and one without a length is not")
  func chunks() throws {
    let lab = try Lab()
    let client = try lab.connect()
    client.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3\r\nabc\r\n0\r\n\r\n")
    let taken = try client.answer()
    #expect(taken.status == 422 && taken["content-type"] == "application/json")
    let answer = try client.ask("POST", "/v1/events")
    #expect(answer.status == 411 && name(answer) == "lengthRequired")
    try stillWorks(lab)
  }

  // Failure: Problem.malformedRequest: The bytes are no request of HTTP/1.1, or could mean two
  //   requests to two readers. The connection closes.
  // Failure: Problem.notImplemented: A transfer coding other than `chunked`.
  // Failure: Problem.versionNotSupported: Another version than HTTP/1.1.
  @Test(
    "What could mean two requests to two readers is none",
    arguments: [
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        + "Content-Length: 3\r\n\r\n0\r\n\r\n",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\nabc",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
      "GET / HTTP/3.7\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n",
      "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /\u{e4} HTTP/1.1\r\nHost: a\r\n\r\n",
      "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3}",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET / HTTP/1.1\nHost: a\nX:\u{b}\n\n",
    ])
  func smuggling(_ request: String) throws {
    let lab = try Lab()
    let client = try lab.connect()
    client.send(request)
    let answer = try client.answer()
    #expect([400, 501, 505].contains(answer.status), "\(answer.status)")
    #expect(answer["content-type"] == "application/problem+json")
    try client.waitForEnd()
    #expect(client.text.isEmpty, "nothing else is answered")
    try stillWorks(lab)
  }

  @Test("Requests without waiting are answered in their order, up to a number")
  func pipelining() throws {
    let lab = try Lab()
    let client = try lab.connect()
    client.send(
      RawClient.request("GET", "/") + RawClient.request("GET", "/nothing")
        + RawClient.request("GET", "/v1/service"))
    #expect(try [200, 404, 200] == (0..<3).map { _ in try client.answer().status })
    let many = try lab.connect()
    many.send((0..<2_000).flatMap { _ in RawClient.request("GET", "/") })
    try many.waitForEnd()
    #expect(many.text.contains("urn:cubist:problem:pipelining"))
    try stillWorks(lab)
  }

  // Failure: Wall.Refusal: A limit holds somebody off. It becomes the problem `limited`, or closes
  //   the connection.
  @Test("An address has so many connections, and all have so many; a proxy may have more")
  func connections() throws {
    let lab = try Lab { $0.connectionsPerAddress = 3 }
    let kept = try (0..<3).map { _ in try lab.connect() }
    for client in kept { #expect(try client.ask("GET", "/").status == 200) }
    let refused = try lab.connect()
    let answer = try refused.answer()
    #expect(answer.status == 429 && name(answer) == "addressConnections")
    try refused.waitForEnd()
    kept[0].close()
    try wait("one more is let in") { try lab.connect().ask("GET", "/").status == 200 }
    let all = try Lab { $0.connections = 2 }
    let both = try (0..<2).map { _ in try all.connect() }
    for client in both { #expect(try client.ask("GET", "/").status == 200) }
    let third = try all.connect().answer()
    #expect(third.status == 503 && name(third) == "connections")
    let behind = try Lab {
      $0.connectionsPerAddress = 1
      $0.proxies = [AddressRange("127.0.0.0/8")!]
    }
    let proxied = try (0..<3).map { _ in try behind.connect() }
    for client in proxied { #expect(try client.ask("GET", "/").status == 200) }
  }

  @Test("Requests that are refused before they are read count for their address")
  func malformed() throws {
    let lab = try Lab(clock: HandClock().clock) { $0.requestsPerAddress = 3 }
    let statuses = try (0..<4).map { _ in
      let client = try lab.connect()
      client.send("GET /v1/ü HTTP/1.1\r\nHost: localhost\r\n\r\n")
      return try client.answer().status
    }
    #expect(statuses == [400, 400, 400, 429])
    #expect(try lab.connect().ask("GET", "/").status == 429)
  }

  // Failure: Problem.limited: A limit of the gateway; the name of the problem is that of the
  //   [limit](security.md#by-http). `Retry-After` says when to come again, where that is known.
  @Test("An address has so many requests in a minute, by the word of a believed proxy too")
  func requests() throws {
    let lab = try Lab(clock: HandClock().clock) { $0.requestsPerAddress = 5 }
    let client = try lab.connect()
    for _ in 0..<5 { #expect(try client.ask("GET", "/").status == 200) }
    let refused = try client.ask("GET", "/", ["X-Forwarded-For: 9.9.9.9"])
    #expect(refused.status == 429 && name(refused) == "addressRequests")
    #expect(refused["retry-after"].flatMap { Int($0) }.map { 1...60 ~= $0 } == true)
    let behind = try Lab(clock: HandClock().clock) {
      $0.requestsPerAddress = 2
      $0.proxies = [AddressRange("127.0.0.1")!]
    }
    let proxy = try behind.connect()
    func from(_ address: String) throws -> Int {
      try proxy.ask("GET", "/", ["X-Forwarded-For: \(address)"]).status
    }
    #expect(
      try [from("2001:db8::1"), from("2001:db8::2"), from("2001:db8::3")] == [200, 200, 429])
    #expect(
      try [from("2001:db8:0:1::1"), from("1.2.3.4"), from("::ffff:1.2.3.4")] == [200, 200, 200])
    #expect(
      try [from("1.2.3.4"), from("6.6.6.6, 1.2.3.4"), from("1.2.3.4, 6.6.6.6")] == [429, 429, 200])
  }

  @Test("A peer that writes like a proxy and is none that is named is logged once")
  func unnamedProxy() throws {
    for isNamed in [true, false] {
      let lines = LogLines()
      let lab = try Lab(log: lines.logger()) {
        $0.proxies = isNamed ? [AddressRange("127.0.0.1")!] : []
      }
      let client = try lab.connect()
      for field in [
        "X-Forwarded-For: 1.2.3.4", "Forwarded: for=1.2.3.4", "X-Forwarded-For: 5.6.7.8",
      ] {
        #expect(try client.ask("GET", "/", [field]).status == 200)
      }
      let told = lines.all.filter { $0.contains("CUBIST_GATEWAY_PROXIES") }
      let line =
        "warning a peer writes X-Forwarded-For or Forwarded and is not believed 127.0.0.1 "
        + "set CUBIST_GATEWAY_PROXIES if 127.0.0.1 is your proxy"
      #expect(told == (isNamed ? [] : [line]))
    }
    let (lines, many) = (LogLines(), UnnamedProxies())
    for number in UInt128(1)...100 {
      many.warn(of: InternetAddress(bits: number), lines.logger())
    }
    #expect(lines.all.count == UnnamedProxies.limit)
  }

  @Test("A key has so many signed requests in a minute; forged ones use up nobody's")
  func keys() throws {
    let lab = try Lab(clock: HandClock().clock, { $0.requestsPerKey = 2 }) { message in
      [.reply(message.number, AnswerCodec.encode(refusal: .notRegistered, query: nil))]
    }
    let (anna, client) = (try Actor(1), try lab.connect())
    var forged = anna.query(.whoAmI)
    forged[40] ^= 1
    for _ in 0..<5 { #expect(try client.ask("POST", "/v1/queries", [], forged).status == 403) }
    for _ in 0..<2 {
      #expect(try client.ask("POST", "/v1/queries", [], anna.query(.whoAmI)).status == 401)
    }
    let refused = try client.ask("POST", "/v1/queries", [], anna.query(.whoAmI))
    #expect(refused.status == 429 && name(refused) == "keyRequests")
    #expect(refused.text.contains("\"sent\":false"))
    #expect(try client.ask("POST", "/v1/queries", [], Actor(2).query(.whoAmI)).status == 401)
    #expect(lab.broker.messages.count == 3)
  }

  @Test("So many players are registered from one address in an hour")
  func registrations() throws {
    let lab = try Lab({ $0.registrationsPerAddress = 2 }) { message in
      [.reply(message.number, ReplyCodec.encode(.refused(.codeRequired), event: nil))]
    }
    let client = try lab.connect()
    for number in UInt8(1)...2 {
      let body = try Actor(number).registration("Anna", id: UInt128(number))
      // A resend does not count.
      for _ in 0..<3 { #expect(try client.ask("POST", "/v1/events", [], body).status == 401) }
    }
    let refused = try client.ask("POST", "/v1/events", [], Actor(3).registration("Anna", id: 3))
    #expect(refused.status == 429 && name(refused) == "registrations")
    #expect(try client.ask("POST", "/v1/events", [], Actor(3).event()).status == 401)
  }

  @Test("So many requests of an address wait at a time, and so many of all")
  func waits() throws {
    let lab = try Lab { $0.waitsPerAddress = 2 }
    let anna = try Actor(1)
    let waiting = try (0..<2).map { _ in
      let client = try lab.connect()
      client.send(RawClient.request("POST", "/v1/queries", [], anna.query(.whoAmI)))
      return client
    }
    try wait("both wait") { lab.broker.messages.count == 2 }
    let client = try lab.connect()
    let refused = try client.ask("POST", "/v1/queries", [], anna.query(.whoAmI))
    #expect(refused.status == 429 && name(refused) == "addressWaits")
    waiting[0].abort()
    try wait("the place of one who left is free") {
      lab.gateway.wall.count(of: .wait) == 1 && !lab.broker.forgotten.isEmpty
    }
    let later = try client.ask("POST", "/v1/queries", ["Prefer: wait=0"], anna.query(.whoAmI))
    #expect(later.status == 504)
    let all = try Lab { $0.waits = 1 }
    let one = try all.connect()
    one.send(RawClient.request("POST", "/v1/queries", [], anna.query(.whoAmI)))
    try wait("it waits") { all.broker.messages.count == 1 }
    let other = try all.connect().ask("POST", "/v1/queries", [], anna.query(.whoAmI))
    #expect(other.status == 503 && name(other) == "waits")
  }

  @Test("Who does not wait for an answer has a place until it comes: none can ask more than others")
  func impatient() throws {
    let lab = try Lab { ($0.waits, $0.waitsPerAddress) = (4, 2) }
    let (anna, client) = (try Actor(1), try lab.connect())
    func event(_ number: UInt128) throws -> RawClient.Answer {
      try client.ask("POST", "/v1/events", ["Prefer: wait=0"], anna.event(id: number))
    }
    #expect(try [event(1), event(2)].map(\.status) == [202, 202])
    let refused = try event(3)
    #expect(refused.status == 429 && name(refused) == "addressWaits")
    try wait("both are sent") { lab.broker.messages.count == 2 }
    lab.broker.deliver([.reply(lab.broker.messages[0].number, [1])])
    try wait("one is answered") { lab.gateway.wall.count(of: .wait) == 1 }
    #expect(try event(4).status == 202)
    // The broker is lost, and the answers with it.
    lab.broker.goDown()
    try wait("nothing is on its way") { lab.gateway.wall.count(of: .wait) == 0 }
    let watching = try Lab { $0.waits = 2 }
    func watch(_ number: UInt128) throws -> Int {
      let query = anna.query(.match(Query.Match(MatchID(rawValue: 1), newerThan: 5)), id: number)
      return try watching.connect().ask("POST", "/v1/queries", ["Prefer: wait=1"], query).status
    }
    #expect(try [watch(1), watch(2)] == [504, 503])
  }

  @Test("Queries that wait for a change take half of the places; the rest is left to turns")
  func watches() throws {
    let lab = try Lab { $0.waits = 4 }
    let anna = try Actor(1)
    func watch(_ number: UInt128) -> [UInt8] {
      let asked = Query.Match(MatchID(rawValue: number), newerThan: 5)
      return anna.query(.match(asked), id: number)
    }
    let watching = try (1...2).map { number in
      let client = try lab.connect()
      client.send(RawClient.request("POST", "/v1/queries", [], watch(UInt128(number))))
      return client
    }
    try wait("both wait") { lab.broker.messages.count == 2 }
    let third = try lab.connect().ask("POST", "/v1/queries", [], watch(3))
    #expect(third.status == 503 && name(third) == "waits")
    let turn = try lab.connect().ask("POST", "/v1/events", ["Prefer: wait=0"], anna.event())
    #expect(turn.status == 202)
    let question = try lab.connect().ask(
      "POST", "/v1/queries", ["Prefer: wait=0"], anna.query(.whoAmI))
    #expect(question.status == 504 && name(question) == "noAnswer")
    watching[0].abort()
    try wait("the place is free") { lab.gateway.wall.count(of: .watch) == 1 }
  }

  @Test("A client that closes its sending side gets what is known, and nobody waits on")
  func halfClosed() throws {
    let event = try Actor(1).event()
    let lab = try Lab(answer: { message in
      let confirmed = GatewayBus.Incoming.confirmed(message.number)
      return message.body == event ? [confirmed] : [confirmed, .reply(message.number, [1])]
    })
    let client = try lab.connect()
    client.send(RawClient.request("POST", "/v1/events", [], event))
    try wait("it is sent") { lab.broker.messages.count == 1 }
    // The gateway takes in what the broker says in its order: then the confirmation is known, too.
    _ = try lab.connect().ask("POST", "/v1/events", [], try Actor(2).event())
    client.closeSending()
    let answer = try client.answer()
    #expect(answer.status == 202 && answer.text == "{\"pending\":\"confirmed\"}")
    try client.waitForEnd()
  }

  @Test("Fields of any length and content decide nothing: marks in another form are made anew")
  func fields() throws {
    let lab = try Lab()
    let client = try lab.connect()
    let long = String(repeating: "9", count: 5_000)
    for field in [
      "X-Request-Id: \(long)", "X-Request-Id: a b", "X-Request-Id: \u{e4}",
      "Prefer: wait=\(long)", "Prefer: wait=-1, wait=\"", "X-Forwarded-For: \(long)",
      "Forwarded: for=\(long)", "Traceparent: 00-\(long)", "Accept: \(long), */*",
      "If-None-Match: \(long)",
    ] {
      let answer = try client.ask("GET", "/v1/service", [field])
      #expect(answer.status == 200, "\(field.prefix(40))")
      #expect(answer["x-request-id"]?.count == 32)
    }
    let kept = try client.ask("GET", "/", ["X-Request-Id: turn-7"])
    #expect(kept["x-request-id"] == "turn-7")
  }

  @Test("An abort in the middle of a head, a body or an answer leaves nothing open")
  func aborts() throws {
    let lab = try Lab()
    let whole = RawClient.request("POST", "/v1/queries", [], try Actor(1).query(.whoAmI))
    for count in stride(from: 1, to: whole.count + 1, by: 20) {
      let client = try lab.connect()
      client.send(Array(whole.prefix(count)))
      client.abort()
    }
    let client = try lab.connect()
    client.send(whole)
    client.abort()
    try wait("nothing is open") {
      lab.gateway.wall.count(of: .connection) == 0 && lab.gateway.wall.count(of: .wait) == 0
        && lab.gateway.desk.openCount <= 1
    }
    #expect(try lab.connect().ask("GET", "/").status == 200)
  }

  @Test("A client that does not read is closed")
  func slowReader() throws {
    let lab = try Lab { $0.writeTime = .seconds(1) }
    let client = try RawClient(port: lab.portNumber, receiveBytes: 4_096)
    // Answers to many requests fill every buffer on the way.
    let request = RawClient.request("GET", "/v1/openapi.json")
    try wait("its connection ends") {
      client.send(request)
      return lab.gateway.wall.count(of: .connection) == 0
    }
    try stillWorks(lab)
  }
}
