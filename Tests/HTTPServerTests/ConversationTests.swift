import Testing

@testable import HTTPServer

@Suite("A connection from its first byte to its end")
struct ConversationTests {
  /// A conversation whose client reads at once, and what came of it.
  struct Talk {
    var conversation = Conversation(
      Conversation.Limits(
        request: RequestReader.Limits(headBytes: 4_096, fieldCount: 8, bodyBytes: 64),
        times: ConnectionTimes.Limits(
          idle: .seconds(75), head: .seconds(10), body: .seconds(10), write: .seconds(20))),
      date: { "now" }, at: 0)
    var now: UInt64 = 0
    /// What happened, as words.
    var said: [String] = []
    /// Everything that was sent.
    var sent = ""
    /// Whether the client reads.
    var isReading = true

    mutating func receive(_ text: String) {
      let effects = Array(text.utf8).withUnsafeBytes { conversation.receive($0, at: now) }
      note(effects)
    }

    mutating func note(_ effects: [Conversation.Effect]) {
      for effect in effects {
        switch effect {
        case .respond(let request): said.append("respond \(request.target)")
        case .refuse(let why):
          said.append("refuse \(why)")
          conversation.explain(HTTPResponse(status: 400, body: Array("no".utf8)), at: now)
        case .gone: said.append("gone")
        case .pull: said.append("pull")
        case .endSending: said.append("end")
        case .close(let why): said.append(why.map { "close \($0)" } ?? "close")
        }
      }
      read()
    }

    mutating func read() {
      while isReading, !conversation.output.isEmpty {
        let bytes = conversation.output.next.bytes
        sent += String(decoding: bytes, as: UTF8.self)
        note(conversation.wrote(bytes.count, at: now))
      }
    }

    mutating func answer(_ body: String = "ok") {
      conversation.respond(HTTPResponse(status: 200, body: Array(body.utf8)), at: now)
      read()
    }

    /// What was said since the last time.
    mutating func news() -> [String] {
      defer { said = [] }
      return said
    }
  }

  static func get(_ path: String, _ field: String = "X: y") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n"
  }
  static let post = "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"

  @Test("One request at a time is let through, and each answer is whole before the next")
  func order() {
    var talk = Talk()
    talk.receive(Self.get("/1") + Self.get("/2") + Self.post + "\r\na")
    #expect(talk.news() == ["respond /1"])
    talk.answer()
    #expect(talk.news() == ["respond /2"])
    talk.answer()
    #expect(talk.news() == [] && talk.conversation.times.phase == .body)
    talk.receive("b" + "GET /next")
    #expect(talk.news() == ["respond /p"])
    talk.answer()
    #expect(talk.conversation.times.phase == .head)
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
    #expect(talk.sent == String(repeating: head + "Date: now\r\n\r\nok", count: 3))
  }

  @Test("HEAD, 204 and 304 have no content, and a long one follows its head")
  func contents() {
    var talk = Talk()
    talk.receive("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    talk.answer()
    #expect(talk.sent.hasSuffix("Content-Length: 2\r\nDate: now\r\n\r\n"))
    talk.receive(Self.get("/"))
    talk.sent = ""
    talk.conversation.respond(HTTPResponse(status: 304), at: 0)
    talk.read()
    #expect(talk.sent == "HTTP/1.1 304 Not Modified\r\nDate: now\r\n\r\n")
    talk.receive(Self.get("/"))
    talk.isReading = false
    talk.answer(String(repeating: "x", count: 20_000))
    #expect(talk.conversation.output.next.isMore)
    _ = talk.conversation.wrote(5, at: 1)
    talk.isReading = true
    talk.sent = ""
    talk.read()
    #expect(talk.sent.hasPrefix("1.1 200") && talk.sent.hasSuffix("x") && talk.sent.count > 20_000)
  }

  @Test("What is refused is told behind everything before it, and the connection ends")
  func refusal() {
    var talk = Talk()
    talk.receive(Self.get("/1") + Self.get("/2") + "NONSENSE\r\n" + Self.get("/3"))
    #expect(talk.news() == ["respond /1", "refuse malformed"])
    talk.receive("more")
    talk.answer()
    #expect(talk.news() == ["respond /2"])
    talk.answer()
    #expect(
      talk.news() == ["end"] && talk.sent.hasSuffix("Connection: close\r\nDate: now\r\n\r\nno"))
    talk.receive(Self.get("/4"))
    #expect(talk.news() == [] && talk.conversation.wantsInput)
    #expect(talk.conversation.times.deadline?.why == .closing)
    talk.note(talk.conversation.endInput(at: 1))
    #expect(talk.news() == ["gone", "close"])
  }

  @Test("A client that has closed its side gets the answers to all that it asked before")
  func halfClosed() {
    var talk = Talk()
    talk.receive(Self.get("/1") + Self.get("/2") + "GET /part")
    talk.note(talk.conversation.endInput(at: 1))
    #expect(talk.news() == ["respond /1", "gone"] && !talk.conversation.wantsInput)
    talk.answer()
    #expect(talk.news() == ["respond /2"])
    talk.isReading = false
    talk.answer()
    #expect(talk.news() == [])
    talk.isReading = true
    talk.read()
    #expect(talk.news() == ["close"])
    var idle = Talk()
    idle.note(idle.conversation.endInput(at: 1))
    #expect(idle.news() == ["gone", "close"])
  }

  @Test("A stream is pulled when its bytes are gone, and one request waits behind it")
  func stream() {
    var talk = Talk()
    talk.receive(Self.get("/s") + Self.get("/1") + Self.get("/2"))
    let head = HTTPResponse(status: 200, mediaType: "text/event-stream")
    talk.note(talk.conversation.stream(head, at: 0))
    #expect(talk.news() == ["respond /s", "refuse pipelining", "pull"])
    #expect(talk.sent.contains("Transfer-Encoding: chunked") && !talk.conversation.wantsInput)
    talk.isReading = false
    talk.conversation.append(Array("piece".utf8), at: 1)
    #expect(!talk.conversation.wantsPiece && talk.conversation.times.deadline?.why == .slowReader)
    talk.isReading = true
    talk.read()
    #expect(talk.news() == ["pull"] && talk.sent.hasSuffix("5\r\npiece\r\n"))
    talk.conversation.append(nil, at: 2)
    talk.read()
    #expect(talk.news() == ["respond /1"] && talk.sent.hasSuffix("0\r\n\r\n"))
    talk.answer()
    #expect(talk.news() == ["end"] && talk.sent.hasSuffix("no"))
  }

  // Failure: HTTPRefusal.pipelining: Too many requests wait for an answer. Those before are answered,
  //   then the connection closes.
  @Test("Seventeen requests behind a pending answer are too many, and so are too many bytes")
  func pipeline() {
    var talk = Talk()
    talk.receive((0..<17).map { Self.get("/\($0)") }.joined())
    #expect(talk.news() == ["respond /0"])
    talk.receive(Self.get("/17"))
    #expect(talk.news() == ["refuse pipelining"])
    var long = Talk()
    let field = "X: \(String(repeating: "x", count: 800))"
    long.receive((0..<8).map { Self.get("/\($0)", field) }.joined())
    #expect(long.news() == ["respond /0", "refuse pipelining"])
  }

  @Test("100 comes when the body is awaited and has not begun")
  func expectation() {
    var talk = Talk()
    let head = Self.post + "Expect: 100-continue\r\n\r\n"
    talk.receive(Self.get("/1") + head)
    #expect(talk.sent.isEmpty)
    talk.answer()
    #expect(talk.sent.hasSuffix("HTTP/1.1 100 Continue\r\n\r\n"))
    talk.receive("ab" + head + "ab")
    #expect(talk.news() == ["respond /1", "respond /p"])
    talk.sent = ""
    talk.answer()
    talk.answer()
    #expect(!talk.sent.contains("100 Continue"))
  }

  @Test("A body behind a stream has its time from its first byte, even if its head brings that")
  func expectedBodies() {
    let head =
      "POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 40\r\n\r\n"
    func behindStream(_ parts: [String]) -> Talk {
      var talk = Talk()
      talk.receive(Self.get("/s"))
      talk.note(talk.conversation.stream(HTTPResponse(status: 200), at: 0))
      for part in parts { talk.receive(part) }
      return talk
    }
    let splits = [
      [head + "abc"], [head, "abc"], [String(head.dropLast(9)), String(head.suffix(9)) + "abc"],
    ]
    for parts in splits {
      var talk = behindStream(parts)
      #expect(talk.conversation.times.deadline?.why == .body)
      #expect(talk.conversation.times.deadline?.at == 10_000_000_000)
      talk.note(talk.conversation.expire(.body))
      #expect(talk.news() == ["respond /s", "pull", "refuse bodyTimeout"])
      #expect(!talk.conversation.wantsInput && !talk.sent.contains("100 Continue"))
    }
    // One that waits for the word has no time yet.
    #expect(behindStream([head]).conversation.times.deadline == nil)
  }

  @Test("A server that leaves closes idle connections, and the others after their answers")
  func leaving() {
    var idle = Talk()
    idle.note(idle.conversation.leave())
    #expect(idle.news() == ["close"])
    for (sent, rest) in [(Self.get("/"), ""), ("GET / HTTP/1.1\r\nHost:", " a\r\n\r\n")] {
      var talk = Talk()
      talk.receive(sent)
      talk.note(talk.conversation.leave())
      talk.receive(rest)
      talk.answer()
      #expect(talk.news() == ["respond /", "end"] && talk.sent.contains("Connection: close"))
    }
  }

  // Failure: HTTPRefusal.headTimeout, HTTPRefusal.bodyTimeout: A request took too long to come. The
  //   client gets 408, and the connection closes.
  @Test("Slow clients are given up: with a word while they send, without one while they read")
  func times() {
    var talk = Talk()
    talk.receive("GET /")
    #expect(talk.conversation.times.deadline?.why == .head)
    talk.note(talk.conversation.expire(.head))
    #expect(talk.news() == ["refuse headTimeout", "end"])
    for why in [ConnectionTimes.Expiry.idle, .slowReader, .closing] {
      var other = Talk()
      other.note(other.conversation.expire(why))
      #expect(other.news() == ["close \(why)"] && other.sent.isEmpty)
    }
  }
}

@Suite("Alarms")
struct AlarmsTests {
  @Test("They ring in the order of their times, none too early")
  func order() {
    var alarms = Alarms()
    let times = (0..<500).map { UInt64($0 * 7_919 % 503) }
    for (index, time) in times.enumerated() {
      alarms.set(Alarms.Alarm(at: time, connection: UInt64(index)))
    }
    #expect(alarms.next == times.min())
    var rung: [UInt64] = []
    for now in UInt64(0)...503 {
      while let alarm = alarms.take(at: now) {
        #expect(alarm.at == now)
        rung.append(alarm.at)
      }
    }
    #expect(rung == times.sorted() && alarms.next == nil)
  }
}
