import CustomDump
import Testing

@testable import LibRabbitMQ

@Suite("Tables")
struct TableCodingTests {
  static func nested(_ depth: Int) -> [String: Argument] {
    var table: [String: Argument] = ["end": 1]
    for level in 1..<depth {
      table = level % 2 == 0 ? ["t": .table(table)] : ["a": .array([.table(table)])]
    }
    return table
  }

  @Test("Every kind of value survives the C library's structures")
  func roundTrip() throws {
    let arena = Arena()
    var encoder = TableEncoder(arena: arena, limits: .init())
    var source = TableSamples.everything
    source["uint16"] = .uint16(60_000)
    let encoded = try encoder.table(source)
    var decoder = TableDecoder(limits: .init())
    let decoded = decoder.table(encoded)
    expectNoDifference(decoded, source)
  }

  // Failure: TableEncoder.Excess: The headers are too deep or too large to send.
  @Test("Tables too deep, too large or with a key too long are refused when sent")
  func refusedOut() {
    let arena = Arena()
    for bad: [String: Argument] in [
      Self.nested(40), ["x": .string(String(repeating: "x", count: 70_000))],
      [String(repeating: "k", count: 256): 1],
      ["a": .array(Array(repeating: .void, count: 40_000))],
    ] {
      #expect(throws: TableEncoder.Excess.self) {
        var encoder = TableEncoder(arena: arena, limits: .init())
        _ = try encoder.table(bad)
      }
    }
  }

  @Test("Tables too deep or too large are refused when received")
  func refusedIn() throws {
    let arena = Arena()
    let wide = TableLimits(depth: 1000, byteCount: 1 << 20)
    for (bad, isGood): ([String: Argument], Bool) in [
      (Self.nested(16), true), (Self.nested(100), false),
      (["x": .bytes(Array(repeating: 0, count: 70_000))], false),
      (["x": .bytes(Array(repeating: 0, count: 60_000))], true),
    ] {
      var encoder = TableEncoder(arena: arena, limits: wide)
      let encoded = try encoder.table(bad)
      var decoder = TableDecoder(limits: .init())
      let decoded = decoder.table(encoded)
      #expect((decoded != nil) == isGood)
      arena.reset()
    }
  }
}
