import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Style of the terminal")
struct TerminalStyleTests {
  static let cases: [([String: String], Bool, Int?, TerminalStyle.Form, ColorDepth, Int)] = [
    (["TERM": "xterm"], true, 100, .isometric, .palette, 100),
    (["TERM": "xterm", "COLORTERM": "truecolor"], true, 80, .isometric, .trueColor, 80),
    (["TERM": "xterm", "COLORTERM": "24bit"], true, 80, .isometric, .trueColor, 80),
    (["TERM": "xterm", "NO_COLOR": "1"], true, 80, .isometric, .none, 80),
    (["TERM": "xterm", "NO_COLOR": ""], true, 80, .isometric, .palette, 80),
    (["TERM": "xterm", "COLORTERM": "truecolor"], false, 80, .isometric, .none, 80),
    (["TERM": "dumb", "COLORTERM": "truecolor"], true, 80, .plain, .none, 80),
    ([:], true, 80, .plain, .none, 80),
    ([:], false, nil, .isometric, .none, 80),
    (["TERM": "xterm"], true, 60, .isometric, .palette, 60),
    (["TERM": "xterm"], true, 59, .plain, .palette, 59),
    (["TERM": "xterm", "COLUMNS": "40"], true, nil, .plain, .palette, 40),
    (["TERM": "xterm", "COLUMNS": "40"], true, 90, .isometric, .palette, 90),
    (["TERM": "xterm", "COLUMNS": "-3"], true, 0, .isometric, .palette, 80),
    (["TERM": "xterm", "LANG": "C"], true, 80, .plain, .palette, 80),
    (["TERM": "xterm", "LANG": "de_DE.UTF-8"], true, 80, .isometric, .palette, 80),
    (["TERM": "xterm", "LANG": "C", "LC_ALL": "C.utf8"], true, 80, .isometric, .palette, 80),
  ]

  @Test("Form, colors and width follow the environment and the terminal", arguments: cases.indices)
  func detect(index: Int) {
    let (environment, isTerminal, columns, form, depth, width) = Self.cases[index]
    let style = TerminalStyle.detect(
      environment: environment, isTerminal: isTerminal, columns: columns)
    #expect(
      style
        == TerminalStyle(form: form, colorDepth: depth, columns: width, isTerminal: isTerminal))
  }

  @Test("Colors of the palette are the nearest of the cube and the gray ramp")
  func palette() {
    #expect((16...255).allSatisfy { RGB(paletteIndex: $0).paletteIndex == $0 })
    #expect(RGB.black.paletteIndex == 16)
    #expect(RGB.white.paletteIndex == 231)
    #expect(RGB(255, 0, 0).paletteIndex == 196)
    #expect(RGB(95, 135, 175).paletteIndex == 67)
    #expect(RGB(128, 128, 128).paletteIndex == 244)
  }

  @Test("Bold text is bold where there are colors, and safe everywhere")
  func bold() {
    #expect(Ansi.bold("a\u{1b}b", .none) == "a?b")
    #expect(Ansi.bold("a\u{1b}b", .palette) == "\u{1b}[1ma?b\u{1b}[0m")
  }
}

@Suite("Text for a terminal")
struct TerminalTextTests {
  @Test(
    "Control and format characters become question marks",
    arguments: [
      ("ada", "ada"), ("a\u{0}b", "a?b"), ("\u{1b}]0;x\u{7}", "?]0;x?"), ("a\r\nb", "a??b"),
      ("\u{9b}1m", "?1m"), ("\u{202e}abc", "?abc"), ("\u{2028}", "?"), ("\u{7f}", "?"),
      ("\u{200b}", "?"), ("é ü 日", "é ü 日"),
    ])
  func safe(text: String, expected: String) {
    #expect(TerminalText.safe(text) == expected)
  }

  @Test(
    "Width counts columns",
    arguments: [("abc", 3), ("", 0), ("日本", 4), ("e\u{301}", 1), ("🎲", 2), ("·▀⡇", 3)])
  func width(text: String, columns: Int) {
    #expect(TerminalText.width(of: text) == columns)
  }

  @Test("Text is cut to columns with an ellipsis")
  func cut() {
    #expect(TerminalText.cut("abcdef", columns: 6) == "abcdef")
    #expect(TerminalText.cut("abcdef", columns: 5) == "abcd…")
    #expect(TerminalText.cut("日本語", columns: 4) == "日…")
    #expect(TerminalText.cut("abc", columns: 0) == "")
  }

  @Test("Text is wrapped at spaces, and within words that are too long")
  func wrap() {
    #expect(TerminalText.wrap("one two three", columns: 7) == ["one two", "three"])
    #expect(TerminalText.wrap("a abcdefgh b", columns: 3) == ["a", "abc", "def", "gh", "b"])
    #expect(TerminalText.wrap("", columns: 3) == [""])
  }
}

@Suite("Tables, waiting lines and times")
struct TerminalLinesTests {
  @Test("Columns are as wide as their widest cell and line up on their side")
  func table() {
    var table = TerminalTable([
      .init(heading: "NAME"), .init(heading: "POINTS", alignment: .right), .init(heading: "WHEN"),
    ])
    table.append(["ada", "1200", "5 min ago"])
    table.append(["日本", "7"])
    table.append(["a\u{1b}b", "9", "now", "left out"])
    #expect(
      table.text(.with()) == """
        NAME  POINTS  WHEN
        ada     1200  5 min ago
        日本       7
        a?b        9  now

        """)
    #expect(table.text(.with(columns: 8)).hasPrefix("NAME  P…\nada    …\n"))
    #expect(table.text(.with(columns: 8, isTerminal: false)).hasPrefix("NAME  POINTS  WHEN\n"))
    #expect(
      table.text(.with(.isometric, .palette)).hasPrefix("\u{1b}[1mNAME  POINTS  WHEN\u{1b}[0m\n"))
  }

  @Test("A wait is told only on a terminal and only after half a second")
  func progress() {
    let line = ProgressLine(label: "Waiting for the\tservice")
    #expect(line.text(elapsed: .milliseconds(500), style: .with()) == nil)
    #expect(line.text(elapsed: .seconds(9), style: .with(isTerminal: false)) == nil)
    #expect(
      line.text(elapsed: .milliseconds(3501), style: .with())
        == "\rWaiting for the?service... 3 s")
    #expect(line.text(elapsed: .seconds(3), style: .with(columns: 11)) == "\rWaiting f…")
    #expect(line.removal(elapsed: .milliseconds(500), style: .with()) == nil)
    #expect(line.removal(elapsed: .seconds(1), style: .with()) == "\r\u{1b}[K")
    #expect(
      ProgressLine(label: "a").removal(elapsed: .seconds(1), style: .with(.plain))
        == "\r        \r")
  }
}
