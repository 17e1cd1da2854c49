import Foundation
import RealServers
import Testing

@testable import LibCurl

@Suite("Many requests at a time")
struct CurlMultiTests {
  private static func multi(
    hostConnections: Int = 32, _ change: (inout CurlSettings) -> Void = { _ in }
  ) throws -> CurlMulti {
    var settings = CurlSettings()
    settings.timeout = .seconds(20)
    change(&settings)
    return try CurlMulti(settings, hostConnections: hostConnections)
  }

  /// All answers, by number.
  private static func answers(
    _ multi: CurlMulti
  ) -> [UInt64: Result<CurlResponse, CurlError>] {
    var all: [UInt64: Result<CurlResponse, CurlError>] = [:]
    while multi.count > 0 {
      for answer in multi.poll(.seconds(1)) { all[answer.number] = answer.result }
    }
    return all
  }

  private static func answer(
    _ multi: CurlMulti, _ request: CurlRequest
  ) throws -> Result<CurlResponse, CurlError> {
    multi.begin(1, request)
    return try #require(answers(multi)[1])
  }

  /// So many bytes; among them are zeros, line breaks and bytes that are no text.
  private static func body(_ count: UInt64) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 130) }
  }

  private static func code(_ result: Result<CurlResponse, CurlError>) -> CurlError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  @Test("Requests arrive byte for byte, each answer has its number, and connections are kept")
  func many() throws {
    // From 210: an answer 204 has no body.
    let receiver = try HTTPReceiver { request, _ in
      .status(210 + request.body.count, headers: ["Retry-After: 7"], body: "taken")
    }
    defer { receiver.close() }
    let multi = try Self.multi(hostConnections: 4)
    for round in 0..<3 {
      for number in 0..<40 as Range<UInt64> {
        multi.begin(
          number,
          CurlRequest(
            .post, receiver.url, headers: [("number", "\(round)")],
            body: Self.body(number)))
      }
      let answers = Self.answers(multi)
      #expect(answers.count == 40)
      for (number, answer) in answers {
        #expect(
          answer
            == .success(
              CurlResponse(
                status: 210 + Int(number), body: Array("taken".utf8), retryAfter: .seconds(7))))
      }
    }
    #expect(receiver.requests.count == 120)
    #expect(receiver.requests.allSatisfy { $0.body == Self.body(UInt64($0.body.count)) })
    #expect(Set(receiver.requests.map(\.connection)).count <= 4)
  }

  @Test("A server that says nothing holds up no request to another one")
  func slow() throws {
    let slow = try HTTPReceiver { _, _ in .nothing }
    let quick = try HTTPReceiver { _, _ in .status(201) }
    defer {
      slow.close()
      quick.close()
    }
    let multi = try Self.multi { $0.timeout = .seconds(600) }
    for number in 0..<8 as Range<UInt64> {
      multi.begin(number, CurlRequest(.post, number < 4 ? slow.url : quick.url))
    }
    var quickOnes: Set<UInt64> = []
    while quickOnes.count < 4 {
      for answer in multi.poll(.seconds(1)) { quickOnes.insert(answer.number) }
    }
    #expect(quickOnes == [4, 5, 6, 7])
    #expect(multi.count == 4)
  }

  @Test("A server that says nothing is given up after the time that is set")
  func timeout() throws {
    let receiver = try HTTPReceiver { _, _ in .nothing }
    defer { receiver.close() }
    let multi = try Self.multi { $0.timeout = .milliseconds(200) }
    #expect(Self.code(try Self.answer(multi, CurlRequest(.post, receiver.url))) == .timedOut)
  }

  @Test("An answer that came while nobody polled is one, however late it is read")
  func lateLook() throws {
    let held = DispatchSemaphore(value: 0)
    let receiver = try HTTPReceiver { _, _ in
      held.wait()
      return .status(201)
    }
    defer { receiver.close() }
    var now: UInt64 = 0
    let multi = try CurlMulti(uptime: { now })
    multi.begin(1, CurlRequest(.post, receiver.url))
    while receiver.requests.isEmpty { #expect(multi.poll(.zero).isEmpty) }
    held.signal()
    try Patience.wait(for: "the answer") { receiver.answeredCount == 1 }
    now += 3_600_000_000_000
    #expect(try #require(Self.answers(multi)[1]).get().status == 201)
  }

  @Test("A standstill of the owner counts as a second of a request's time")
  func standstill() throws {
    let receiver = try HTTPReceiver { _, _ in .nothing }
    defer { receiver.close() }
    var now: UInt64 = 0
    let multi = try CurlMulti(uptime: { now })
    multi.begin(1, CurlRequest(.post, receiver.url))
    while receiver.requests.isEmpty { #expect(multi.poll(.zero).isEmpty) }
    for _ in 0..<7 {
      now += 3_600_000_000_000
      #expect(multi.poll(.zero).isEmpty)
    }
    now += 3_600_000_000_000
    #expect(multi.poll(.zero).map { Self.code($0.result) } == [.timedOut])
    #expect(multi.count == 0)
  }

  @Test("A redirect is an answer and is not followed")
  func redirect() throws {
    let other = try HTTPReceiver { _, _ in .status(200) }
    let target = other.url
    let receiver = try HTTPReceiver { _, number in
      .status([301, 302, 303, 307, 308][number], headers: ["Location: \(target)"])
    }
    defer {
      other.close()
      receiver.close()
    }
    let multi = try Self.multi()
    for status in [301, 302, 303, 307, 308] {
      let answer = try Self.answer(multi, CurlRequest(.post, receiver.url, body: [1]))
      #expect(try answer.get().status == status)
    }
    #expect(other.requests.isEmpty)
  }

  @Test("Of an endless body the beginning is kept, and the status counts")
  func longBody() throws {
    let body = String(repeating: "x", count: 2_000_000)
    let receiver = try HTTPReceiver { _, number in
      number == 0
        ? .status(200, body: body) : .bytes("HTTP/1.1 201 Made\r\n\r\n" + body)
    }
    defer { receiver.close() }
    let multi = try Self.multi { $0.bodyLimit = 100 }
    for status in [200, 201] {
      let response = try Self.answer(multi, CurlRequest(.post, receiver.url)).get()
      #expect(response.status == status)
      #expect(response.body == Array(repeating: UInt8(ascii: "x"), count: 100))
    }
  }

  @Test(
    "A flood of headers, or of answers before the answer, is refused",
    arguments: [
      "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 100_000) + "\r\n",
      String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 100_000),
      "HTTP/1.1 200 OK\r\nA: " + String(repeating: "b", count: 1_000_000) + "\r\n\r\n",
    ])
  func headerFlood(bytes: String) throws {
    let receiver = try HTTPReceiver { _, _ in .bytes(bytes) }
    defer { receiver.close() }
    let multi = try Self.multi()
    #expect(Self.code(try Self.answer(multi, CurlRequest(.post, receiver.url))) != nil)
  }

  @Test(
    "Half an answer is none",
    arguments: ["", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
  func half(bytes: String) throws {
    let receiver = try HTTPReceiver { _, _ in .bytes(bytes) }
    defer { receiver.close() }
    let multi = try Self.multi()
    #expect(Self.code(try Self.answer(multi, CurlRequest(.post, receiver.url))) == .cutOff)
  }

  // Failure: CurlError
  @Test(
    "An address that the gate refuses gets no connection, by name, by literal and by odd spelling",
    arguments: [
      "127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "[::ffff:127.0.0.1]",
    ])
  func gate(host: String) throws {
    let receiver = try HTTPReceiver { _, _ in .status(200) }
    defer { receiver.close() }
    var asked: [(UInt128, Int)] = []
    var request = CurlRequest(.post, "http://\(host):\(receiver.port)/")
    request.gate = { address, port in
      asked.append((address, port))
      return "no such place"
    }
    let result = try Self.answer(try Self.multi(), request)
    #expect(Self.code(result) == .addressRefused)
    if case .failure(let error) = result { #expect(error.description == "no such place") }
    #expect(receiver.requests.isEmpty)
    // The loopback of either family, with the port.
    #expect(!asked.isEmpty)
    #expect(
      asked.allSatisfy { [0xffff_7f00_0001, 1].contains($0.0) && $0.1 == Int(receiver.port) })
  }

  @Test("A connection that was opened without a gate is of no use to a request with one")
  func keptConnection() throws {
    let receiver = try HTTPReceiver { _, _ in .status(200) }
    defer { receiver.close() }
    let multi = try Self.multi()
    let request = CurlRequest(.post, receiver.url)
    #expect(try Self.answer(multi, request).get().status == 200)
    var gated = request
    gated.gate = { _, _ in "private" }
    #expect(Self.code(try Self.answer(multi, gated)) == .addressRefused)
    #expect(receiver.requests.count == 1)
    gated.gate = { _, _ in nil }
    #expect(try Self.answer(multi, gated).get().status == 200)
  }

  @Test(
    "Only HTTPS, without a user, is spoken where only that is allowed",
    arguments: [
      "http://localhost/", "ftp://localhost/", "file:///etc/passwd", "gopher://localhost/",
      "https://user@localhost/", "https://user:word@localhost/", "", "x y", "https://a\r\nb/",
      "https://\u{0}localhost/", "//localhost", "https:///", "https://localhost:99999/",
    ])
  func schemes(url: String) throws {
    var request = CurlRequest(.post, url)
    request.isSecureOnly = true
    request.gate = { _, _ in "no such place" }
    #expect(Self.code(try Self.answer(try Self.multi(), request)) != nil)
  }

  @Test("A header with a line break is refused, and the next request goes well")
  func headers() throws {
    let receiver = try HTTPReceiver { _, _ in .status(200) }
    defer { receiver.close() }
    let multi = try Self.multi()
    for value in ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b", "\r"] {
      let request = CurlRequest(.post, receiver.url, headers: [("a", value)])
      #expect(Self.code(try Self.answer(multi, request)) == .unusable)
    }
    let request = CurlRequest(.post, receiver.url, headers: [("a", "b")])
    #expect(try Self.answer(multi, request).get().status == 200)
    #expect(receiver.requests.map { $0.headers["a"] } == ["b"])
  }

  @Test("Without requests nothing waits")
  func idle() throws {
    #expect(try Self.multi().poll(.seconds(86_400)).isEmpty)
  }
}
