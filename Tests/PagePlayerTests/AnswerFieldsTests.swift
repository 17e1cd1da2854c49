import CubistBasics
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("Answers without a decoder")
struct AnswerFieldsTests {
  @Test("An answer is the same in both readers", arguments: AnswerSample.all)
  func same(sample: AnswerSample) throws {
    #expect(try sample.read(sample.bytes) == sample.decode(sample.bytes))
    #expect(try sample.read(sample.bytes) == AnyHashable(sample.value))
  }

  @Test("A full sample leaves nothing out", arguments: AnswerSample.all.filter(\.isFull))
  func full(sample: AnswerSample) {
    #expect(missing(in: sample.value) == [])
  }

  /// The optional values in a value that are nil.
  private func missing(in value: Any, at path: String = "") -> [String] {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, mirror.children.isEmpty { return [path] }
    return mirror.children.flatMap { missing(in: $0.value, at: "\(path).\($0.label ?? "")") }
  }

  @Test("A field of a newer service is passed over", arguments: AnswerSample.all)
  func unknownFields(sample: AnswerSample) throws {
    let answer = try JSONReader.value(of: sample.bytes, limits: .answer)
    // The kinds of notifications are values, not fields.
    let isOpen = sample.testDescription.hasPrefix("SettingsView")
    let bytes = extended(answer, except: isOpen ? "kinds" : "").serialized
    #expect(bytes.count > sample.bytes.count)
    #expect(try sample.read(bytes) == sample.read(sample.bytes))
    #expect(try sample.decode(bytes) == sample.decode(sample.bytes))
  }

  /// The value with one more field in each of its objects.
  private func extended(_ value: JSON, except key: String) -> JSON {
    switch value {
    case .array(let values): return .array(values.map { extended($0, except: key) })
    case .object(var object):
      for index in object.members.indices where object.members[index].key != key {
        object.members[index].value = extended(object.members[index].value, except: key)
      }
      object.members += JSONObject([("news", .array([.bool(true), .fraction("0.5")]))]).members
      return .object(object)
    default: return value
    }
  }

  @Test(
    "A field of another kind, a missing one and a huge one are refused or read alike",
    arguments: AnswerSample.all)
  func changedFields(sample: AnswerSample) throws {
    let answer = try JSONReader.value(of: sample.bytes, limits: .answer)
    let values: [JSON] = [
      .null, .bool(false), .integer(-1), .integer(JSONReader.largestInteger), .fraction("1e3"),
      .string(""), .string(String(repeating: "é", count: 5_000)), .array([]), .object([]),
      .array(Array(repeating: .object([]), count: JSONObject.rowLimit + 1)),
    ]
    for value in values {
      for changed in variants(of: answer, with: value) {
        expectAgreement(sample, changed.serialized)
      }
    }
  }

  /// The value with another one in the place of each of its parts, one at a time.
  private func variants(of value: JSON, with other: JSON) -> [JSON] {
    switch value {
    case .array(var values):
      var variants: [JSON] = [other]
      for (index, part) in values.enumerated() {
        for variant in self.variants(of: part, with: other) {
          values[index] = variant
          variants.append(.array(values))
        }
        values[index] = part
      }
      return variants
    case .object(var object):
      var variants: [JSON] = [other]
      for (index, part) in object.members.enumerated() {
        for variant in self.variants(of: part.value, with: other) {
          object.members[index].value = variant
          variants.append(.object(object))
        }
        object.members[index] = part
      }
      return variants
    default: return [other]
    }
  }

  @Test("A turn has a number that can be counted on from", arguments: [0, 1_000_001, 1 << 31])
  func turnNumbers(number: Int64) throws {
    for sample in AnswerSample.all {
      let text = String(decoding: sample.bytes, as: UTF8.self)
      for turn in ["\"turn\":2,", "\"turn\":3,", "\"number\":1,"] where text.contains(turn) {
        let key = turn.prefix { $0 != ":" }
        let changed = text.split(separator: turn, omittingEmptySubsequences: false)
          .joined(separator: "\(key):\(number),")
        #expect(throws: WireFault.self) { try sample.read(Array(changed.utf8)) }
      }
    }
  }

  @Test("More keys than a player may have are no answer", arguments: [16, 17])
  func manyKeys(count: Int) throws {
    let row = KeyList.Row(
      key: try #require(PublicKey(bytes: Array(repeating: 1, count: 32))),
      addedAt: AnswerSample.time)
    let sample = AnswerSample(
      KeyList(keys: Array(repeating: row, count: count)), isFull: false
    ) { object throws(WireFault) in try KeyList(object) }
    guard count > PlayerKeys.limit else {
      #expect(try sample.read(sample.bytes) == sample.decode(sample.bytes))
      return
    }
    #expect(throws: WireFault.self) { try sample.read(sample.bytes) }
    #expect(throws: (any Error).self) { try sample.decode(sample.bytes) }
  }

  @Test("No bytes make a reader crash, and both readers agree on them", arguments: 0..<16)
  func changedBytes(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var readCount = 0
    for sample in AnswerSample.all {
      for _ in 0..<64 where expectAgreement(sample, changed(sample.bytes, &random)) {
        readCount += 1
      }
    }
    // Some changes leave an answer.
    #expect(readCount > 20)
  }

  private func changed(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0..<3, using: &random) {
      let index = Int.random(in: bytes.indices, using: &random)
      let end = min(bytes.count, index + Int.random(in: 1..<40, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.removeSubrange(index..<end)
      case 2: bytes.insert(contentsOf: bytes[index..<end], at: index)
      case 3: bytes.insert(contentsOf: Array("99999999999".utf8), at: index)
      case 4: bytes[index] = Array("{}[]\",:0-9nt".utf8).randomElement(using: &random) ?? 0
      default: bytes.removeSubrange(max(1, index)...)
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return bytes
  }

  /// Both readers find the same value, if both find one.
  ///
  /// - Returns: Whether both do.
  @discardableResult
  private func expectAgreement(
    _ sample: AnswerSample, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    guard let read = try? sample.read(bytes), let decoded = try? sample.decode(bytes) else {
      return false
    }
    #expect(
      read == decoded, "\(String(decoding: bytes, as: UTF8.self))", sourceLocation: sourceLocation)
    return true
  }
}
