import FoundationEssentials
import MatchCore
import Testing

@testable import MatchWire

@Suite("Parts of a record")
struct RecordPartTests {
  @Test(
    "The last part is smaller than the others, and may be empty",
    arguments: [
      (0, [0]), (1, [1]), (98_303, [98_303]), (98_304, [98_304, 0]), (98_305, [98_304, 1]),
      (196_608, [98_304, 98_304, 0]),
    ])
  func sizes(count: Int, sizes: [Int]) {
    let record = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }
    let parts = (1...sizes.count).map { RecordPart.bytes($0, of: record) }
    #expect(parts.map { $0?.count } == sizes)
    #expect(parts.flatMap { $0 ?? [] } == record)
    #expect(RecordPart.bytes(sizes.count + 1, of: record) == nil)
  }

  @Test("Other numbers than 1 to 128 are those of no part")
  func numbers() throws {
    for number in [0, -1, 129, .max, .min] {
      #expect(RecordPart.bytes(number, of: [1]) == nil)
    }
    for text in ["0", "-1", "129", "1.5", #""1""#] {
      let fields = #"{"match":"\#(MatchID(rawValue: 1))","part":\#(text)}"#
      #expect(throws: WireFault.self) {
        _ = try Query.Record(JSONReader.object(of: bytes(fields)))
      }
    }
  }

  @Test("A part, written as an answer, is smaller than an answer may be", arguments: 1...2)
  func room(version: Int) throws {
    let path = #filePath.replacing(
      "RecordPartTests.swift", with: "Fixtures/record-\(version).json")
    let record = text(Array(try Data(contentsOf: URL(filePath: path))))
    // As many quotation marks as a record has: each takes two bytes.
    let part = String(repeating: record, count: 10).prefix(RecordPart.byteCount)
    let answer = RecordAnswer(record: String(part))
    #expect(AnswerCodec.encode(answer, query: EventID(rawValue: 1)).count < 120_000)
  }
}
