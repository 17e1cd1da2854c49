import Foundation
import RealServers
import Testing

@testable import LibCurl

@Suite("The HTTP client")
struct CurlClientTests {
  static func client(_ change: (inout CurlSettings) -> Void = { _ in }) throws -> CurlClient {
    var settings = CurlSettings()
    settings.timeout = .seconds(20)
    change(&settings)
    return try CurlClient(settings)
  }

  private func error(_ body: () throws -> Void) -> CurlError? {
    do { try body() } catch { return error as? CurlError }
    return nil
  }

  @Test("Headers and body arrive byte for byte, and one connection serves many requests")
  func posted() throws {
    let receiver = try HTTPReceiver { _, number in
      .status(number == 0 ? 200 : 404, body: "taken")
    }
    defer { receiver.close() }
    let client = try Self.client { $0.userAgent = "test/1" }
    let body = Array(0...255 as ClosedRange<UInt8>)
    let first = try client.post(
      receiver.url, headers: [("webhook-id", "1"), ("content-type", "a/b")], body: body)
    #expect(first == CurlResponse(status: 200, body: Array("taken".utf8)))
    #expect(try client.post(receiver.url, headers: [], body: []).status == 404)
    let requests = receiver.requests
    #expect(requests.map(\.body) == [body, []])
    #expect(requests.map(\.line) == ["POST /push HTTP/1.1", "POST /push HTTP/1.1"])
    #expect(requests.map(\.connection) == [1, 1])
    #expect(requests[0].headers["webhook-id"] == "1")
    #expect(requests[0].headers["content-type"] == "a/b")
    #expect(requests[0].headers["user-agent"] == "test/1")
    #expect(requests[0].headers["expect"] == nil)
    #expect(requests[1].headers["webhook-id"] == nil)
  }

  @Test("A server that wants to be left alone says for how long")
  func retryAfter() throws {
    let receiver = try HTTPReceiver { _, number in
      .status(429, headers: number == 0 ? ["Retry-After: 7"] : [])
    }
    defer { receiver.close() }
    let client = try Self.client()
    #expect(
      try client.post(receiver.url, headers: [], body: [])
        == CurlResponse(status: 429, retryAfter: .seconds(7)))
    #expect(try client.post(receiver.url, headers: [], body: []) == CurlResponse(status: 429))
  }

  @Test("A redirect is an answer and is not followed")
  func redirect() throws {
    let other = try HTTPReceiver { _, _ in .status(200) }
    defer { other.close() }
    let target = other.url
    let receiver = try HTTPReceiver { _, _ in .status(307, headers: ["Location: \(target)"]) }
    defer { receiver.close() }
    #expect(try Self.client().post(receiver.url, headers: [], body: [1]).status == 307)
    #expect(other.requests.isEmpty)
  }

  @Test("The beginning of a long answer is kept, and the status counts")
  func longAnswer() throws {
    let receiver = try HTTPReceiver { _, _ in
      .status(200, body: String(repeating: "x", count: 2_000_000))
    }
    defer { receiver.close() }
    let client = try Self.client { $0.bodyLimit = 1_000 }
    for _ in 0..<2 {
      let response = try client.post(receiver.url, headers: [], body: [])
      #expect(response.status == 200)
      #expect(response.body == Array(repeating: UInt8(ascii: "x"), count: 1_000))
    }
  }

  // Failure: CurlError: A server did not answer, or its address is refused. The error names the
  //   kind.
  @Test("A request without a listener has no answer, and a later one finds a new listener")
  func refused() throws {
    let gone = try HTTPReceiver { _, _ in .status(200) }
    gone.close()
    let client = try Self.client()
    let refused = error { _ = try client.post(gone.url, headers: [], body: []) }
    #expect(refused?.code == .unreachable)
    #expect(refused?.description.contains("\(gone.port)") == true)
    let receiver = try HTTPReceiver { _, _ in .status(204) }
    defer { receiver.close() }
    #expect(try client.post(receiver.url, headers: [], body: []).status == 204)
  }

  @Test("A receiver that was closed at once takes no connection of those after it")
  func closedReceivers() throws {
    let client = try Self.client()
    for _ in 0..<200 {
      try HTTPReceiver { _, _ in .status(500) }.close()
      let receiver = try HTTPReceiver { _, _ in .status(200) }
      defer { receiver.close() }
      #expect(try client.post(receiver.url, headers: [], body: []).status == 200)
    }
  }

  @Test("A server that says nothing is given up after the time that is set")
  func slow() throws {
    let receiver = try HTTPReceiver { _, _ in .nothing }
    defer { receiver.close() }
    let client = try Self.client { $0.timeout = .milliseconds(200) }
    #expect(error { _ = try client.post(receiver.url, headers: [], body: [1]) }?.code == .timedOut)
    // The receiver may read more slowly than the client gives up.
    try Patience.wait(for: "the request is read") { !receiver.requests.isEmpty }
    #expect(receiver.requests.count == 1)
  }

  @Test(
    "Half an answer is none",
    arguments: [
      "", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
      "no HTTP at all\r\n\r\n",
    ])
  func half(bytes: String) throws {
    let receiver = try HTTPReceiver { _, _ in .bytes(bytes) }
    defer { receiver.close() }
    let client = try Self.client()
    let code = error { _ = try client.post(receiver.url, headers: [], body: [1]) }?.code
    #expect(code == (bytes.hasPrefix("no") ? .unusable : .cutOff))
  }

  @Test("Only HTTP is spoken", arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "x y"])
  func otherSchemes(url: String) throws {
    let client = try Self.client()
    #expect(error { _ = try client.post(url, headers: [], body: []) }?.code == .unusable)
  }
}
