import CustomDump
import Testing

@testable import TerminalScreen

@Suite("Frames")
struct FrameTests {
  private static var canvas: Canvas {
    var canvas = Canvas(width: 6, height: 2)
    canvas.write("CAB ✓", column: 0, row: 0)
    canvas.write(
      "x", column: 2, row: 1,
      look: .init(foreground: .black, background: RGB(200, 100, 50), isBold: true))
    return canvas
  }

  private static func text(_ depth: ColorDepth, isUnicode: Bool = true) -> String {
    let bytes = Frame(depth: depth, isUnicode: isUnicode).bytes(canvas)
    return String(decoding: bytes, as: UTF8.self).replacing("\u{1b}", with: "^")
  }

  @Test("A frame without colors places rows and says nothing of looks")
  func plain() {
    expectNoDifference(
      Self.text(.none), "^[?2026h^[1;1HCAB ✓^[K^[2;1H  x^[K^[?2026l")
  }

  @Test("A frame in 256 colors names them by number")
  func palette() {
    expectNoDifference(
      Self.text(.palette),
      "^[?2026h^[1;1HCAB ✓^[K^[2;1H  ^[0;1;38;5;16;48;5;167mx^[0m^[K^[?2026l")
  }

  @Test("A frame in 24 bits names the colors themselves")
  func trueColor() {
    expectNoDifference(
      Self.text(.trueColor),
      "^[?2026h^[1;1HCAB ✓^[K^[2;1H  ^[0;1;38;2;0;0;0;48;2;200;100;50mx^[0m^[K^[?2026l")
  }

  @Test("A frame after another one has the rows that differ, and all where the size does")
  func differences() {
    let frame = Frame(depth: .none, isUnicode: true)
    var changed = Self.canvas
    #expect(frame.bytes(changed, after: Self.canvas).isEmpty)
    changed.write("y", column: 3, row: 1)
    let bytes = frame.bytes(changed, after: Self.canvas)
    expectNoDifference(
      String(decoding: bytes, as: UTF8.self).replacing("\u{1b}", with: "^"),
      "^[?2026h^[2;1H  xy^[K^[?2026l")
    let other = Canvas(width: 6, height: 3)
    #expect(frame.bytes(other, after: changed) == frame.bytes(other))
  }

  @Test("Every byte is ASCII without UTF-8")
  func ascii() {
    expectNoDifference(
      Self.text(.none, isUnicode: false), "^[?2026h^[1;1HCAB ?^[K^[2;1H  x^[K^[?2026l")
  }

  @Test(
    "A wide character takes two columns, so that the next one stands in its place",
    arguments: [
      ("[日本]", "[日本]", "[????]"), ("🎲 a", "🎲 a", "?? a"), ("e\u{301}x", "e\u{301}x", "?x"),
      // A character that does not fit, and the other half of one that was overwritten.
      ("abcde日", "abcde?", "abcde?"), ("abcd日", "abcd日", "abcd??"),
    ])
  func wide(text: String, shown: String, ascii: String) {
    var canvas = Canvas(width: 6, height: 1)
    canvas.write(text, column: 0, row: 0)
    #expect(canvas.text(.none) == shown + "\n")
    for (isUnicode, expected) in [(true, shown), (false, ascii)] {
      let bytes = Frame(depth: .none, isUnicode: isUnicode).bytes(canvas)
      let isFull = TerminalText.width(of: shown) == 6
      let end = isFull ? "" : "\u{1b}[K"
      #expect(
        String(decoding: bytes, as: UTF8.self)
          == "\u{1b}[?2026h\u{1b}[1;1H\(expected)\(end)\u{1b}[?2026l")
    }
  }

  @Test("No half of a wide character is left when it is written over", arguments: [0, 1])
  func writtenOver(column: Int) {
    var canvas = Canvas(width: 6, height: 1)
    canvas.write("日x", column: 0, row: 0)
    canvas.write("a", column: column, row: 0)
    #expect(canvas.text(.none) == (column == 0 ? "a?x\n" : "?ax\n"))
  }

  @Test("No text on a canvas steers the terminal")
  func safety() {
    for value in UInt32(0)...0x2fff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      // A wide one leaves room at the end of the row, too.
      var canvas = Canvas(width: 5, height: 1)
      canvas.write("a" + String(scalar) + "b", column: 0, row: 0)
      let frame = Frame(depth: .none, isUnicode: true).bytes(canvas)
      let expected = Frame(depth: .none, isUnicode: true).bytes(Canvas(width: 5, height: 1))
      let controls = { (bytes: [UInt8]) in bytes.filter { $0 < 0x20 || $0 == 0x7f } }
      #expect(controls(frame) == controls(expected), "U+\(String(value, radix: 16))")
    }
  }

  @Test(
    "The environment tells the terminal's abilities",
    arguments: [
      (["TERM": "xterm", "LANG": "C.UTF-8"], ScreenSetting(depth: .palette, isUnicode: true)),
      (["TERM": "xterm", "COLORTERM": "truecolor"], .init(depth: .trueColor, isUnicode: true)),
      (["TERM": "xterm", "NO_COLOR": "1"], .init(depth: .none, isUnicode: true)),
      (["TERM": "xterm", "NO_COLOR": "", "LC_ALL": "C"], .init(depth: .palette, isUnicode: false)),
      (["TERM": "dumb"], nil), ([:], nil), (["TERM": ""], nil),
    ])
  func setting(environment: [String: String], setting: ScreenSetting?) {
    #expect(ScreenSetting(environment: environment) == setting)
  }
}
