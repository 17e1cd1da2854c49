// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import Dispatch
import Foundation
import Glibc
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import PlayerClient

@Suite("Streams of changes by HTTP")
struct EventStreamTests {
  @Test("Events are read whatever the ends of lines and the pieces in which they come")
  func parsing() throws {
    let text =
      "\u{feff}: hello\n\nevent: match\ndata: {\"a\":1}\n\n\r\nevent:overview\rdata:one\rdata: two\r\r"
      + "id: 7\nretry: 5\ndata\n\nevent: end\r\ndata: {}\r\n\r\nevent: left\n"
    let expected = [
      EventStreamParser.Event(name: "match", data: Array(#"{"a":1}"#.utf8)),
      .init(name: "overview", data: Array("one\ntwo".utf8)), .init(name: "message", data: []),
      .init(name: "end", data: Array("{}".utf8)),
    ]
    for size in 1...20 {
      var parser = EventStreamParser()
      var events: [EventStreamParser.Event] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let taken = parser.take(rest.prefix(size))
        events += try #require(taken)
        rest = rest.dropFirst(size)
      }
      #expect(events == expected)
    }
  }

  @Test("An event without an end is given up, in one line and in many")
  func endless() {
    var parser = EventStreamParser()
    let long = parser.take(Array(repeating: 65, count: 300_000))
    #expect(long == nil)
    parser = EventStreamParser()
    let line = Array("data: \(String(repeating: "x", count: 1_000))\n".utf8)
    var readCount = 0
    while readCount < 400, parser.take(line) != nil { readCount += 1 }
    #expect(readCount < 400)
    parser = EventStreamParser()
    readCount = 0
    while readCount < 400, parser.take(line + [10]) != nil { readCount += 1 }
    #expect(readCount == 400)
  }

  static let overview = Overview(
    matches: [.init(match: MatchID(rawValue: 1), version: 3)], inbox: nil, settings: "s1")

  static func event(_ name: String, _ value: some Encodable) -> RawServer.Step {
    let json = String(decoding: try! JSONEncoder().encode(value), as: UTF8.self)
    return .text("event: \(name)\ndata: \(json)\n\n")
  }

  static func match(_ match: UInt128, _ version: Int64) -> RawServer.Step {
    event("match", Overview.Version(match: MatchID(rawValue: match), version: version))
  }

  static let head = RawServer.Step.text(
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n")

  static func open(_ server: RawServer) throws -> ChangesAnswer {
    let bus = PlayerBus.http(try GatewayAddress(url: server.url))
    let changes = try #require(bus.changes)
    return try changes([9, 9], .seconds(60))
  }

  static func stream(_ steps: [RawServer.Step]) throws -> ChangeStream {
    let server = try RawServer { _, _ in steps }
    guard case .stream(let stream) = try open(server) else { throw POSIXError(.EPROTO) }
    return stream
  }

  @Test("A stream gives the overview, then versions, until it is closed")
  func news() throws {
    let taken = DispatchSemaphore(value: 0)
    let server = try RawServer { _, _ in
      [
        Self.head, Self.event("overview", Self.overview), .text(": \n\n"), .wait(taken),
        .text("event: other\ndata: {}\n\n"), Self.match(2, 5), .hold,
      ]
    }
    guard case .stream(let stream) = try Self.open(server) else { throw POSIXError(.EPROTO) }
    #expect(server.requests.map(\.line) == ["POST /v1/changes"])
    #expect(server.requests[0].body == [9, 9])
    #expect(server.requests[0].header("Accept") == "text/event-stream")
    #expect(try stream.next(.seconds(60)) == .overview(Self.overview))
    #expect(try stream.next(.zero) == nil)
    taken.signal()
    #expect(
      try stream.next(.seconds(60)) == .match(.init(match: MatchID(rawValue: 2), version: 5)))
    #expect(try stream.next(.milliseconds(50)) == nil)
    let close = stream.close
    Thread.detachNewThread {
      // Nothing shows that the other thread waits.
      Thread.sleep(forTimeInterval: 0.3)
      close()
    }
    let start = ContinuousClock.now
    #expect(throws: BusError.self) { try stream.next(.seconds(200)) }
    #expect(ContinuousClock.now - start < .seconds(100))
  }

  /// A stream to which nobody has listened yet.
  private static func feed(_ steps: [RawServer.Step]) -> ChangeFeed {
    let feed = ChangeFeed()
    _ = feed.receive(HTTPHead(status: 200, mediaType: "text/event-stream"))
    for case .send(let bytes) in steps { _ = feed.receive(Data(bytes)) }
    return feed
  }

  @Test("What nobody took yet of a match is one, with the latest version")
  func untaken() throws {
    let feed = Self.feed([
      Self.match(2, 5), Self.match(1, 4), Self.match(2, 7), Self.match(2, 6),
      Self.event("overview", Self.overview),
    ])
    #expect(try feed.next(.zero) == .overview(Self.overview))
    #expect(try feed.next(.zero) == .match(.init(match: MatchID(rawValue: 2), version: 7)))
    #expect(try feed.next(.zero) == .match(.init(match: MatchID(rawValue: 1), version: 4)))
    #expect(try feed.next(.zero) == nil)
  }

  @Test(
    "A stream that ends or makes no sense is over, after all that it told before",
    arguments: [
      ("the gateway ends it", [.text("event: end\ndata: {\"reason\":\"leaving\"}\n\n"), .hold]),
      ("it has ended", []),
      ("an overview cannot be read", [.text("event: overview\ndata: {\n\n"), .hold]),
      ("the version of a match cannot be read", [.text("event: match\ndata: []\n\n"), .hold]),
      ("larger than", [.endless(Array("data: \(String(repeating: "x", count: 9_000))\n".utf8))]),
      ("larger than", [.endless(Array(repeating: 65, count: 9_000))]),
    ] as [(String, [RawServer.Step])])
  func ends(reason: String, steps: [RawServer.Step]) throws {
    let stream = try Self.stream([Self.head, Self.match(1, 2)] + steps)
    #expect(
      try stream.next(.seconds(60)) == .match(.init(match: MatchID(rawValue: 1), version: 2)))
    let error = try #require(throws: BusError.self) {
      while try stream.next(.seconds(60)) != nil {}
    }
    #expect("\(error)".contains(reason), "\(error)")
  }

  @Test("While a stream is silent the program sleeps")
  func sleeps() async {
    // The kernel counts for the whole process, so it is one of its own.
    await #expect(processExitsWith: .success) {
      let stream = try EventStreamTests.stream([EventStreamTests.head, .hold])
      func switches() -> Int {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_nvcsw
      }
      let before = switches()
      _ = try stream.next(.seconds(2))
      exit(switches() - before < 500 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test("More matches than any player has are no gateway's")
  func tooMany() throws {
    let feed = Self.feed((1...2_000).map { Self.match(UInt128($0), 1) })
    let error = try #require(throws: BusError.self) {
      while try feed.next(.zero) != nil {}
    }
    #expect("\(error)".contains("too many matches"))
  }

  @Test("A refusal comes back as the service gave it, anything else as an error")
  func refusals() throws {
    func end(_ steps: [RawServer.Step], within limit: Duration = .seconds(60)) throws -> String {
      let server = try RawServer { _, _ in steps }
      do throws(BusError) {
        let bus = PlayerBus.http(GatewayAddress(unchecked: server.url))
        guard let changes = bus.changes else { return "no changes" }
        switch try changes([1], limit) {
        case .stream: return "stream"
        case .answer(let bytes): return String(decoding: bytes, as: UTF8.self)
        }
      } catch {
        return "\(error)"
      }
    }
    #expect(try end([.json(#"{"refused":1}"#, "401 Unauthorized")]) == #"{"refused":1}"#)
    let limit = try end([.problem("streams", "429 Too Many Requests")])
    #expect(limit.hasPrefix("unavailable") && limit.contains("streams"))
    let used = try end([.problem("alreadyUsed", "409 Conflict")])
    #expect(used.hasPrefix("refused") && used.contains("alreadyUsed"))
    #expect(try end([.answer("200 OK", "text/html", "hello")]).hasPrefix("unroutable"))
    let cut = try end([], within: .seconds(2))
    // libcurl tries a kept connection that breaks once more by a new one, and FoundationNetworking
    // has no body for that.
    #expect(cut.hasPrefix("disconnected") || cut.hasPrefix("timed out"), "\(cut)")
    #expect(try end([.hold], within: .seconds(2)).hasPrefix("timed out"))
    #expect(
      try end([.answer("500 Oops", "text/event-stream", "event: x\ndata: {}\n\n")])
        .hasPrefix("unroutable"))
    #expect(
      try end([.text("HTTP/1.1 404 No\r\n\r\n"), .endless(Array(repeating: 65, count: 9_000))])
        .contains("too large"))
  }
}

extension GatewayAddress {
  /// The address of a server of a test.
  init(unchecked url: String) { self = try! GatewayAddress(url: url) }
}
