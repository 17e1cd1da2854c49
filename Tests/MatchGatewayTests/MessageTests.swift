import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("Events and queries by HTTP", .ownThreads)
struct MessageTests {
  static let taken = ReplyCodec.encode(.accepted(.noted), event: EventID(rawValue: 5))

  @Test("A reply comes as its own bytes, in its slot, with the request's marks")
  func reply() throws {
    let lab = try Lab(answer: { message in
      [.confirmed(message.number), .reply(message.number, Self.taken)]
    })
    let (client, anna) = (try lab.connect(), try Actor(1))
    let body = try anna.event()
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    let answer = try client.ask(
      "POST", "/v1/events",
      ["Content-Type: application/octet-stream", "X-Request-Id: r1", "Traceparent: \(trace)"], body)
    #expect(answer.status == 200 && answer.body == Self.taken)
    #expect(answer["content-type"] == "application/json" && answer["cache-control"] == "no-store")
    #expect(answer["x-request-id"] == "r1")
    let message = try #require(lab.broker.messages.first)
    #expect(message.body == body && message.destination == .events(Slot(of: anna.player)))
    #expect(message.trace?.requestID == "r1")
    let parent = try #require(message.trace?.parent)
    #expect(parent.hasPrefix(trace.prefix(36)) && parent.hasSuffix("-01") && parent != trace)
    #expect(answer["traceparent"] == parent)
  }

  @Test("Each refusal of an event has its status, and tells when to come again")
  func refusals() throws {
    let lab = try Lab(answer: { message in
      let refusal = Refusal.rateLimited(.eventsPerMinute, retryAfterSeconds: 7)
      return [.reply(message.number, ReplyCodec.encode(.refused(refusal), event: nil))]
    })
    let answer = try lab.connect().ask("POST", "/v1/events", [], Actor(1).event())
    #expect(answer.status == 429 && answer["retry-after"] == "7")
  }

  // Failure: Problem.noAnswer: A query had no answer in time. Nothing changed. `cubist` asks once
  //   more, then names the request.
  @Test("No reply in time is 202, and says whether the broker has the event")
  func pending() throws {
    let (anna, bert) = (try Actor(1), try Actor(2))
    let (bertsEvent, answered) = (try bert.event(), try Actor(3).event())
    let time = HandClock()
    let lab = try Lab(
      clock: time.clock,
      answer: { message in
        switch message.body {
        case bertsEvent: [.confirmed(message.number)]
        case answered: [.reply(message.number, Self.taken)]
        default: []
        }
      })
    let client = try lab.connect()
    /// Asks, and lets a second pass once the gateway has heard what the broker says.
    func ask(_ path: String, _ preference: String, _ body: [UInt8]) throws -> RawClient.Answer {
      client.send(RawClient.request("POST", path, ["Prefer: \(preference)"], body))
      try wait("the broker has it") { lab.broker.messages.contains { $0.body == body } }
      // The gateway takes in what the broker says in its order.
      try lab.connect().ask("POST", "/v1/events", [], answered)
      time.pass(seconds: 1)
      return try client.answer()
    }
    // The bus may never have had the first one: its wait is over at once.
    let answers = [
      "wait=0": try client.ask("POST", "/v1/events", ["Prefer: wait=0"], anna.event()),
      "wait=1": try ask("/v1/events", "wait=1", anna.event(id: 2)),
    ]
    for (wait, unknown) in answers {
      #expect(unknown.status == 202 && unknown.text == "{\"pending\":\"unknown\"}")
      #expect(unknown["retry-after"] == "1" && unknown["preference-applied"] == wait)
    }
    let confirmed = try ask("/v1/events", "respond-async, wait=1", bertsEvent)
    #expect(confirmed.status == 202 && confirmed.text == "{\"pending\":\"confirmed\"}")
    #expect(confirmed["preference-applied"] == "wait=1")
    let query = try ask("/v1/queries", "wait=1", anna.query(.whoAmI))
    #expect(query.status == 504 && query.text.contains("urn:cubist:problem:noAnswer"))
    #expect(!query.text.contains("\"sent\""))
    // Until then the answers may come.
    time.pass(seconds: 25)
    try wait("the bus forgets them") { lab.broker.forgotten.count >= 3 }
  }

  // Failure: Problem.brokerRefused: The broker did not take the message. Nobody has it.
  @Test("What the broker refuses certainly was not sent")
  func refused() throws {
    let lab = try Lab(answer: { [.failed($0.number, .refused("full"))] })
    let answer = try lab.connect().ask("POST", "/v1/events", [], Actor(1).event())
    #expect(answer.status == 503 && answer.text.contains("brokerRefused"))
    #expect(answer.text.contains("\"sent\":false") && answer["retry-after"] == "1")
  }

  @Test("A request that fails has one line at info, with its id, its event and the problem")
  func failedRequests() throws {
    let (lines, anna) = (LogLines(), try Actor(1))
    let lab = try Lab(
      log: lines.logger(),
      answer: { message in
        message.trace?.requestID == "request-2" ? [] : [.failed(message.number, .refused("full"))]
      })
    let client = try lab.connect()
    func told(_ number: UInt128) -> [String] {
      lines.all.filter { $0.contains("request-\(number)") }
    }
    for (number, status, message) in [
      (UInt128(1), 503, "request failed"), (2, 202, "event unanswered"),
    ] {
      // One that waits for nothing may end before the broker has refused it.
      let preference = status == 202 ? ["Prefer: wait=0"] : []
      let fields = preference + ["X-Request-Id: request-\(number)"]
      let event = try anna.event(id: number)
      #expect(try client.ask("POST", "/v1/events", fields, event).status == status)
      try wait("it is logged") { !told(number).isEmpty }
      let lines = told(number)
      #expect(lines.count == 1 && lines[0].hasPrefix("info \(message) "), "\(lines)")
      // The event's id begins with the time at which it was made.
      #expect(lines[0].contains("-7000-8000-00000000000\(number) "), "\(lines)")
    }
    #expect(told(1)[0].contains(" brokerRefused "))
    #expect(try client.ask("GET", "/", ["X-Request-Id: request-3"]).status == 200)
    #expect(told(3).isEmpty)
  }

  @Test("Failed requests fill no disk: after some within a minute one line says so")
  func manyFailures() {
    let (lines, failed) = (LogLines(), FailedRequests())
    let minute: UInt64 = 60_000_000_000
    for number in 0..<1_000 { failed.note(503, at: UInt64(number), lines.logger()) { [:] } }
    #expect(lines.all.filter { $0.hasPrefix("info ") }.count == FailedRequests.limit)
    #expect(lines.all.filter { $0.hasPrefix("notice many requests fail") }.count == 1)
    failed.note(503, at: minute, lines.logger()) { [:] }
    #expect(lines.all.filter { $0.hasPrefix("info ") }.count == FailedRequests.limit + 1)
  }

  // Failure: Problem.brokerUnreachable: The gateway has no connection to its broker. Nothing was
  //   sent. It connects anew by itself.
  @Test("A lost broker ends every wait at once, and is used again when it is back")
  func broker() throws {
    let anna = try Actor(1)
    let event = try anna.event()
    let lab = try Lab(answer: { message in
      let confirmed = GatewayBus.Incoming.confirmed(message.number)
      return message.body == event ? [confirmed] : [confirmed, .reply(message.number, Self.taken)]
    })
    let client = try lab.connect()
    client.send(RawClient.request("POST", "/v1/events", [], event))
    try wait("it is sent") { lab.broker.messages.count == 1 }
    // The gateway takes in what the broker says in its order: then the confirmation is known, too.
    try lab.connect().ask("POST", "/v1/events", [], Actor(2).event())
    lab.broker.goDown()
    let cut = try client.answer()
    #expect(cut.status == 202 && cut.text == "{\"pending\":\"confirmed\"}")
    try wait("it is noticed") { !lab.gateway.desk.isConnected }
    let down = try client.ask("POST", "/v1/events", [], anna.event())
    #expect(down.status == 503 && down.text.contains("brokerUnreachable"))
    #expect(down.text.contains("\"sent\":false"))
    lab.broker.comeBack()
    try wait("it is back") { lab.gateway.desk.isConnected }
    #expect(try client.ask("POST", "/v1/events", ["Prefer: wait=0"], event).status == 202)
  }

  @Test("The gateway refuses an event with the very bytes of a worker, and the broker sees none")
  func likeWorker() throws {
    let lab = try Lab()
    let (client, anna) = (try lab.connect(), try Actor(1))
    var forged = try anna.event()
    forged[50] ^= 1
    let other = try anna.event(service: ServiceID(rawValue: 3))
    // A recovery to a key that its sender has not shown to have.
    let unproven = try anna.event(
      .playerRecovered(Actor(2).signer.publicKey, proof: Array(repeating: 0, count: 64)))
    for body in [
      [], [1], [2, 3], Array(repeating: 1, count: 200), forged, other, try anna.event() + [1],
      unproven,
    ] {
      let answer = try client.ask("POST", "/v1/events", [], body)
      guard
        case .refused(let refusal, let id) = EventReading.read(
          body, service: .test, verifier: .live, place: { _ in nil })
      else {
        Issue.record("a worker takes \(body)")
        continue
      }
      #expect(answer.body == ReplyCodec.encode(.refused(refusal), event: id))
      #expect(answer.status == refusal.httpStatus && answer["content-type"] == "application/json")
    }
    let tick = Event(
      service: .test, id: Lab.id(1), player: anna.player,
      action: .deadlinePassed(
        Event.DeadlinePassed(
          match: MatchID(rawValue: 1), turn: 1, deadline: Instant(microseconds: 0))))
    let asService = try client.ask(
      "POST", "/v1/events", [], Envelope.encode(anna.signer.sign(tick)))
    #expect(asService.status == 403 && asService.text.contains("notPermitted"))
    #expect(lab.broker.messages.isEmpty)
  }

  @Test("The gateway refuses a query with the very bytes of a reader, and the broker sees none")
  func likeReader() throws {
    let lab = try Lab()
    let (client, anna) = (try lab.connect(), try Actor(1))
    var forged = anna.query(.whoAmI)
    forged[50] ^= 1
    for body in [[], [1], [2, 3], forged, anna.query(.matches, service: ServiceID(rawValue: 3))] {
      for path in ["/v1/queries", "/v1/changes"] {
        let answer = try client.ask("POST", path, [], body)
        guard
          case .refused(let refusal, let id) = QueryDecoding.read(
            body, service: .test, verifier: .live)
        else {
          Issue.record("a reader takes \(body)")
          continue
        }
        #expect(answer.body == AnswerCodec.encode(refusal: refusal, query: id))
        #expect(answer.status == refusal.httpStatus)
      }
    }
    #expect(lab.broker.messages.isEmpty)
  }

  // Failure: Problem.notFound: There is no such path.
  // Failure: Problem.methodNotAllowed: `Allow` names the methods.
  // Failure: Problem.notAcceptable: `Accept` excludes the form of the answer.
  // Failure: Problem.unsupportedMediaType: The body is not `application/octet-stream`.
  // Failure: Problem.expectationFailed: `Expect` is not `100-continue`.
  @Test("Other methods, paths, types and answers are refused by name")
  func problems() throws {
    let lab = try Lab()
    let client = try lab.connect()
    let get = try client.ask("GET", "/v1/events")
    #expect(get.status == 405 && get["allow"] == "POST, OPTIONS")
    #expect(try client.ask("DELETE", "/").status == 405)
    #expect(try client.ask("GET", "/v2/service").status == 404)
    #expect(try client.ask("GET", "/v1/service", ["Accept: text/html"]).status == 406)
    #expect(try client.ask("GET", "/v1/service", ["Accept: text/html, */*;q=0.1"]).status == 200)
    #expect(try client.ask("POST", "/v1/events", ["Content-Type: text/plain"], [1]).status == 415)
    #expect(try client.ask("POST", "/v1/events", ["Expect: miracles"], [1]).status == 417)
    let next = try lab.connect()
    #expect(try next.ask("GET", "/v1/ladder?limit=0").status == 400)
    let options = try next.ask("OPTIONS", "/v1/events")
    #expect(options.status == 204 && options["access-control-allow-methods"] == nil)
    #expect(try next.ask("HEAD", "/v1/service")["content-length"] != "0")
    #expect(try next.ask("GET", "http://x.example/v1/service").status == 200)
  }

  @Test("Expect: 100-continue is told to go on")
  func expectation() throws {
    let lab = try Lab(answer: { [.reply($0.number, Self.taken)] })
    let client = try lab.connect()
    let body = try Actor(1).event()
    client.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        + "Content-Length: \(body.count)\r\n\r\n"
    )
    #expect(try client.answer(to: "HEAD").status == 100)
    client.send(body)
    #expect(try client.answer().status == 200)
  }

  @Test("Pages of named origins may call it, others may not")
  func origins() throws {
    let lab = try Lab { $0.origins = .some(["https://play.example"]) }
    let client = try lab.connect()
    let ours = try client.ask("GET", "/v1/service", ["Origin: https://play.example"])
    #expect(ours["access-control-allow-origin"] == "https://play.example")
    #expect(ours["vary"] == "Origin")
    let other = try client.ask("GET", "/v1/service", ["Origin: https://other.example"])
    #expect(other["access-control-allow-origin"] == nil && other["vary"] == "Origin")
    let preflight = try client.ask("OPTIONS", "/v1/events", ["Origin: https://play.example"])
    #expect(preflight["access-control-allow-methods"] == "POST, OPTIONS")
    // A lab that has no name may end before its answer.
    let open = try Lab { $0.origins = .all }
    let all = try open.connect().ask("GET", "/")
    #expect(all["access-control-allow-origin"] == "*")
  }

  // Failure: Problem.notReady: No reader has told the gateway which service this is.
  @Test("A gateway that no reader answers is not ready, and says so")
  func notReady() throws {
    let lab = try Lab(isMute: true)
    let client = try lab.connect()
    for (method, path) in [("POST", "/v1/events"), ("POST", "/v1/queries"), ("GET", "/v1/service")]
    {
      let body = method == "POST" ? try Actor(1).event() : nil
      let answer = try client.ask(method, path, [], body)
      #expect(answer.status == 503 && answer.text.contains("notReady"))
    }
    #expect(lab.broker.messages.isEmpty)
    lab.broker.fallMute(false)
    try wait("it is ready") { try client.ask("GET", "/v1/service").status == 200 }
  }

  // Failure: Problem.leaving: The gateway ends. Another one takes over.
  @Test("A gateway that leaves ends what is open, and takes nothing new")
  func leaving() throws {
    let time = HandClock()
    let lab = try Lab(clock: time.clock, answer: { message in [.confirmed(message.number)] })
    let (waiting, idle) = (try lab.connect(), try lab.connect())
    #expect(try idle.ask("GET", "/").status == 200)
    waiting.send(RawClient.request("POST", "/v1/events", ["Prefer: wait=1"], try Actor(1).event()))
    try wait("it is sent") { lab.broker.messages.count == 1 }
    lab.stop.ask()
    try wait("it takes nothing new") { !lab.gateway.life.isServing }
    time.pass(seconds: 1)
    let answer = try waiting.answer()
    #expect(answer.status == 202)
    try waiting.waitForEnd()
    try idle.waitForEnd()
    try lab.leave()
  }
}
