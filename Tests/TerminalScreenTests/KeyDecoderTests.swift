import CubistBasics
import CustomDump
import Testing

@testable import TerminalScreen

@Suite("Keys of a terminal's bytes")
struct KeyDecoderTests {
  private static func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.keys(Array(text.utf8))
  }

  @Test(
    "A sequence is its key",
    arguments: [
      ("a", Key.character("a")), ("?", .character("?")), ("é", .character("é")),
      ("✓", .character("✓")), ("🙂", .character("🙂")), ("\r", .enter), ("\n", .enter),
      ("\t", .tab), ("\u{7f}", .backspace), ("\u{8}", .backspace), ("\u{3}", .control("c")),
      ("\u{1a}", .control("z")), ("\u{1b}[A", .arrow(.up)), ("\u{1b}[B", .arrow(.down)),
      ("\u{1b}[C", .arrow(.right)), ("\u{1b}[D", .arrow(.left)), ("\u{1b}OA", .arrow(.up)),
      ("\u{1b}[1;5C", .arrow(.right)), ("\u{1b}[H", .home), ("\u{1b}[F", .end),
      ("\u{1b}[1~", .home), ("\u{1b}[4~", .end), ("\u{1b}[2~", .insert), ("\u{1b}[3~", .delete),
      ("\u{1b}[3;2~", .delete), ("\u{1b}[5~", .pageUp), ("\u{1b}[6~", .pageDown),
      ("\u{1b}[Z", .backTab), ("\u{1b}OP", .function(1)), ("\u{1b}[15~", .function(5)),
      ("\u{1b}[24~", .function(12)), ("\u{1b}OM", .enter),
      ("\u{1b}[200~two words\u{1b}[201~", .paste("two words")),
      ("\u{1b}[<0;12;5M", .mouse(.init(.press, column: 11, row: 4))),
      ("\u{1b}[<0;12;5m", .mouse(.init(.release, column: 11, row: 4))),
      ("\u{1b}[<36;1;1M", .mouse(.init(.drag, column: 0, row: 0))),
      ("\u{1b}[<64;1;1M", .mouse(.init(.wheelUp, column: 0, row: 0))),
      ("\u{1b}[<65;1;1M", .mouse(.init(.wheelDown, column: 0, row: 0))),
    ])
  func known(text: String, key: Key) { #expect(Self.keys(text) == [key]) }

  @Test("An escape alone is a key once nothing came for a while")
  func escapeAlone() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1b]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.timeout() == [.escape])
    #expect(!decoder.isWaiting)
    #expect(decoder.timeout() == [])
    #expect(decoder.keys(Array("[A".utf8)) == [.character("["), .character("A")])
  }

  @Test("The first of two escapes is a key at once, and a key after Escape is one of its own")
  func escapeTwice() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1b, 0x1b]) == [.escape])
    #expect(decoder.timeout() == [.escape])
    #expect(decoder.keys(Array("\u{1b}x".utf8)) == [.escape, .character("x")])
  }

  @Test("A sequence that time cuts in two stays one: nothing of it is taken for letters")
  func slowSequence() {
    var decoder = KeyDecoder()
    #expect(decoder.keys(Array("\u{1b}[1".utf8)) == [])
    #expect(!decoder.isWaiting)
    #expect(decoder.timeout() == [])
    #expect(decoder.keys(Array(";5A".utf8)) == [.arrow(.up)])
  }

  @Test(
    "A sequence that no key has is skipped as a whole",
    arguments: [
      "\u{1b}[99~", "\u{1b}[?1;2c", "\u{1b}[<3;1;1M", "\u{1b}[<0;0;1M", "\u{1b}[<0;1M",
      "\u{1b}[I", "\u{1b}[99999999999999999999~",
      "\u{1b}[" + String(repeating: "1", count: 40) + "A",
    ])
  func skipped(text: String) {
    expectNoDifference(Self.keys(text + "a"), [.character("a")])
  }

  @Test("Bytes that are no UTF-8 are no key and take none with them")
  func notUTF8() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0xff, 0x61]) == [.character("a")])
    #expect(decoder.keys([0xc3, 0x61]) == [.character("a")])
    #expect(decoder.keys([0xe2, 0x9c, 0x1b, 0x5b, 0x41]) == [.arrow(.up)])
    #expect(decoder.keys([0xed, 0xa0, 0x80, 0x61]) == [.character("a")])
  }

  @Test("A paste keeps characters that look like keys, and no more than a limit")
  func paste() {
    #expect(
      Self.keys("\u{1b}[200~a\r\u{1b}[A\u{1b}[201~b") == [.paste("a\r\u{1b}[A"), .character("b")])
    let long = String(repeating: "x", count: 3 * KeyDecoder.pasteLimit)
    let kept = String(repeating: "x", count: KeyDecoder.pasteLimit)
    #expect(Self.keys("\u{1b}[200~\(long)\u{1b}[201~b") == [.paste(kept), .character("b")])
  }

  @Test("Bytes cut into any pieces are the same keys", arguments: 0..<200)
  func pieces(seed: UInt64) {
    var random = SplitMix64(state: seed &* SplitMix64.increment)
    let alphabet: [UInt8] = [
      0x1b, 0x1b, 0x5b, 0x4f, 0x41, 0x7e, 0x3b, 0x3c, 0x30, 0x32, 0x31, 0x4d, 0x6d, 0x61, 0xc3,
      0xa9, 0xe2, 0x9c, 0x93, 0x0d, 0x7f, 0xff, 0x03,
    ]
    let bytes = (0..<200).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] }
    var whole = KeyDecoder()
    let expected = whole.keys(bytes)
    var pieces = KeyDecoder()
    var found: [Key] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(7, rest.count), using: &random)
      found += pieces.keys(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    expectNoDifference(found, expected, "seed \(seed)")
    #expect(pieces == whole)
  }
}
