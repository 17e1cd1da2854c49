import CubistBasics
import Testing

@testable import HTTPServer

@Suite("Bytes that are requests, and bytes that are none")
struct RequestReaderTests {
  static let samples = Sample.good.map(\.text) + Sample.bad.map(\.text)

  @Test("Requests are read, one after the other", arguments: Sample.good)
  func reads(_ sample: (text: String, events: [String])) {
    let reading = Reading(sample.text)
    #expect(reading.events == sample.events && reading.refusal == nil)
  }

  // Failure: HTTPRefusal.malformed, HTTPRefusal.headTooLarge, HTTPRefusal.bodyTooLarge,
  //   HTTPRefusal.versionNotSupported, HTTPRefusal.codingNotImplemented,
  //   HTTPRefusal.expectationFailed: A request is not read further. The client gets the problem of that
  //   name, and the connection closes.
  @Test("What another reader could understand otherwise is refused by name", arguments: Sample.bad)
  func refuses(_ sample: (text: String, refusal: HTTPRefusal)) {
    let reading = Reading(sample.text)
    #expect(reading.refusal == sample.refusal)
    #expect(!reading.events.contains { $0 != "head" })
  }

  @Test("Wherever bytes are split, they mean the same", arguments: samples)
  func splits(_ text: String) {
    let bytes = Array(text.utf8)
    let whole = Reading(bytes)
    #expect(Reading(bytes, inPartsOf: [1]) == whole)
    for place in 1..<bytes.count {
      #expect(Reading(bytes, inPartsOf: [place, bytes.count]) == whole, "split at \(place)")
    }
  }

  @Test("Spoiled requests do no harm, and mean the same however they are split", arguments: 0..<40)
  func spoiled(_ seed: UInt64) {
    var numbers = SplitMix64(state: seed)
    for _ in 0..<250 {
      var bytes = (0..<Int.random(in: 1...4, using: &numbers)).flatMap { _ in
        Array((RequestReaderTests.samples.randomElement(using: &numbers) ?? "").utf8)
      }
      for _ in 0..<Int.random(in: 0...4, using: &numbers) {
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(Array("\r\n: ;0".utf8)[place % 6], at: place)
        default: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
        }
        guard !bytes.isEmpty else { break }
      }
      let sizes = (0..<5).map { _ in Int.random(in: 1...40, using: &numbers) }
      let (whole, parts) = (Reading(bytes), Reading(bytes, inPartsOf: sizes))
      #expect(whole == parts, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test(
    "A request keeps the bytes of its own head, whatever came before and behind it",
    arguments: ["\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"])
  func kept(_ other: String) throws {
    let own = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    let others = String(repeating: other, count: 16_000 / other.utf8.count)
    var reader = RequestReader(.init(headBytes: 16_384, fieldCount: 64, bodyBytes: 64))
    Array((others + own + others).utf8).withUnsafeBytes { reader.append($0) }
    while let event = try reader.next() {
      guard case .request(let request) = event else { continue }
      #expect(request.byteCount < 300)
    }
  }

  @Test("Random bytes are no request", arguments: 0..<10)
  func random(_ seed: UInt64) {
    var numbers = SplitMix64(state: seed)
    for _ in 0..<1_000 {
      let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      let reading = Reading(bytes, inPartsOf: [7, 50])
      #expect(reading.refusal != nil && reading.events.isEmpty)
    }
  }

  @Test("A client waits for a word once, and not if it has begun to send")
  func expectation() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    for (sent, isWaiting) in [(head, true), (head + "a", false), (head + "ab", false)] {
      var reader = RequestReader(Reading.limits)
      Array(sent.utf8).withUnsafeBytes { reader.append($0) }
      while (try? reader.next()) != nil {}
      #expect([reader.takeExpectation(), reader.takeExpectation()] == [isWaiting, false])
    }
  }
}
