// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import CubistBasics
import Testing

@testable import MatchCore
@testable import MatchRecord
@testable import MatchWire

@Suite("JSON reader")
struct JSONReaderTests {
  @Test("A written value is read again and written alike")
  func roundTrip() throws {
    let text =
      #"{"a":1,"b":[true,false,null,-7,1.5e+3],"c":{"d":"\"\\/é\u0001"},"e":9007199254740992}"#
    #expect(
      String(decoding: try JSONReader.value(of: bytes(text)).serialized, as: UTF8.self) == text)
  }

  /// An object of zeros.
  private static func object(keys: [String]) -> String {
    "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
  }

  @Test("An object has room for 128 keys of 64 bytes")
  func room() throws {
    let keys = (0..<128).map { String(repeating: "k", count: 61) + "\($0 + 100)" }
    #expect(try JSONReader.object(of: bytes(Self.object(keys: keys))).members.count == 128)
  }

  @Test("Escapes and surrogate pairs stand for their characters")
  func escapes() throws {
    let value = try JSONReader.value(of: bytes(#" "\b\f\n\r\t\/\\\"\u00e9\ud83d\ude00" "#))
    #expect(value == .string("\u{8}\u{c}\n\r\t/\\\"é😀"))
  }

  @Test(
    "A text that two readers could see differently is refused by name",
    arguments: [
      (#"{"a":1,"a":2}"#, "byte 10: the key \"a\" is there twice"),
      (#"{"a":1,"\u0061":2}"#, "byte 15: the key \"a\" is there twice"),
      ("9007199254740993", "byte 16: an integer beyond 2^53"),
      ("-9007199254740993", "byte 17: an integer beyond 2^53"),
      ("99999999999999999999999", "byte 23: an integer beyond 2^53"),
      ("01", "byte 2: a number begins with 0"),
      ("-", "byte 1: a digit is due"),
      ("1.", "byte 2: a digit is due"),
      ("1e", "byte 2: a digit is due"),
      ("+1", "byte 0: a value is due"),
      ("nul", "byte 0: a value is due"),
      ("truth", "byte 0: a value is due"),
      ("", "byte 0: the text ends where a value is due"),
      ("1 2", "byte 2: something follows the value"),
      ("[1,]", "byte 3: a value is due"),
      ("[1", "byte 2: \",\" is due"),
      ("{,}", "byte 1: a key is due"),
      (#"{"a" 1}"#, "byte 5: \":\" is due"),
      (#""\x""#, "byte 3: an unknown escape"),
      (#""\ud800""#, "byte 7: half of a surrogate pair"),
      (#""\ud800\u0041""#, "byte 13: half of a surrogate pair"),
      (#""\udc00\ud800""#, "byte 7: half of a surrogate pair"),
      (#""\u00g0""#, "byte 5: four hexadecimal digits are due"),
      ("\"a\nb\"", "byte 2: a control character in a string"),
      (#""abc"#, "byte 4: the text ends within a string"),
      (#""abc\"#, "byte 5: the text ends within a string"),
      ("[[[[[[[[[1]]]]]]]]]", "byte 8: deeper than 8 levels"),
      (
        object(keys: ["a" + String(repeating: "b", count: 64)]),
        "byte 68: a key of more than 64 bytes"
      ),
      // Swift takes the kelvin sign for the letter K.
      (#"{"root\u212aey":1}"#, "byte 15: a key that is not ASCII"),
      (object(keys: ["\u{e9}"]), "byte 5: a key that is not ASCII"),
      // Comparing such a text takes the square of its length.
      (
        object(keys: ["a" + String(repeating: "\u{301}\u{316}", count: 16_000)]),
        "byte 64004: a key of more than 64 bytes"
      ),
      (object(keys: (0..<129).map { "k\($0 + 1_000)" }), "byte 1288: more than 128 members"),
    ])
  func refused(text: String, reason: String) {
    #expect(throws: WireFault.malformed(reason)) { try JSONReader.value(of: bytes(text)) }
  }

  @Test(
    "Strings that are not UTF-8 are refused",
    arguments: [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]])
  func notUTF8(inner: [UInt8]) {
    #expect(throws: WireFault.self) { try JSONReader.value(of: [0x22] + inner + [0x22]) }
    #expect(throws: WireFault.self) { try JSONReader.value(of: inner) }
  }

  @Test("Size and number of values are bounded")
  func bounds() {
    let limits = JSONReader.Limits(bytes: 10, depth: 3, values: 4)
    #expect(throws: WireFault.malformed("11 bytes where at most 10 may be")) {
      try JSONReader.value(of: bytes("[1,2,3,4,5]"), limits: limits)
    }
    #expect(throws: WireFault.malformed("byte 7: more than 4 values")) {
      try JSONReader.value(of: bytes("[1,2,3,4]"), limits: limits)
    }
  }

  @Test("Minus zero is no integer")
  func minusZero() throws {
    let object = try JSONReader.object(of: bytes(#"{"n":-0}"#))
    #expect(throws: WireFault.malformed("n: an integer is due")) { try object.integer("n") }
  }

  @Test("Any bytes give a value or a fault", arguments: [UInt64(1), 2, 3])
  func noise(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let alphabet = bytes(#"{}[]",:\u0123456789abcdeftrnl.+- "#) + [0, 0x80, 0xc3, 0xff]
    var refused = 0
    for _ in 0..<4_000 {
      let count = Int.random(in: 0..<40, using: &random)
      let noise = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
      if (try? JSONReader.value(of: noise)) == nil { refused += 1 }
    }
    #expect(refused > 3_000 && refused < 4_000, "seed \(seed)")
  }
}
