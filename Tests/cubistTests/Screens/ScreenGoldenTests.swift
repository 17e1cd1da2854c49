import CubeLexicon
import CubePlay
import CubeRules
import CustomDump
import Foundation
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

/// Whole screens as text. `CUBIST_GOLDEN=1` writes the files anew; review the changes.
@Suite("Screens")
struct ScreenGoldenTests {
  /// A terminal of a test.
  struct Terminal: Sendable, CustomTestStringConvertible {
    var columns: Int
    var rows: Int
    var depth: ColorDepth
    var isUnicode = true

    var testDescription: String { name }

    var name: String {
      let color = ["none": "no-color", "palette": "256", "trueColor": "24-bit"]["\(depth)"] ?? ""
      return "\(columns)x\(rows)-\(color)\(isUnicode ? "" : "-ascii")"
    }
  }

  static let terminals = [
    Terminal(columns: 80, rows: 24, depth: .none),
    Terminal(columns: 80, rows: 24, depth: .palette),
    Terminal(columns: 80, rows: 24, depth: .trueColor),
    Terminal(columns: 80, rows: 24, depth: .none, isUnicode: false),
    Terminal(columns: 80, rows: 24, depth: .palette, isUnicode: false),
    Terminal(columns: 120, rows: 40, depth: .none),
    Terminal(columns: 200, rows: 60, depth: .none),
  ]

  private static let least = Terminal(columns: 64, rows: 24, depth: .none)

  @Test(
    "A screen of the smallest size is unchanged since a person looked at it",
    arguments: [
      Scenery.home, .settings, .boardToday, .yourTurn, .typed, .removed, .lookedBack, .over,
      .shared,
    ])
  func least(scenery: Scenery) throws { try golden(scenery: scenery, terminal: Self.least) }

  @Test("The smallest size cuts no score and no key", arguments: Scenery.allCases)
  func leastKeys(scenery: Scenery) throws {
    let app = try scenery.app()
    func rows(_ columns: Int) -> [String] {
      ScreenDrawing(
        app: app, size: TerminalSize(columns: columns, rows: 24),
        setting: ScreenSetting(depth: .none, isUnicode: true)
      ).canvas().text(.none).split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init)
    }
    let (narrow, wide) = (KeyLine.split(rows(64)[23]), KeyLine.split(rows(200)[23]))
    #expect(Set(narrow).isSubset(of: wide))
    #expect(narrow.contains("? help") == wide.contains("? help"))
    guard scenery == .over || scenery == .yourTurn || scenery == .lookedBack else { return }
    let turns = rows(64).filter { $0.contains(#/ (\d\. |best: )/#) }
    #expect(!turns.isEmpty && turns.allSatisfy { $0.contains(#/ \d+$/#) }, "\(turns)")
  }

  @Test("A screen is unchanged since a person looked at it", arguments: Scenery.allCases, terminals)
  func golden(scenery: Scenery, terminal: Terminal) throws {
    let app = try scenery.app()
    let drawing = ScreenDrawing(
      app: app, size: TerminalSize(columns: terminal.columns, rows: terminal.rows),
      setting: ScreenSetting(depth: terminal.depth, isUnicode: terminal.isUnicode))
    let canvas = drawing.canvas()
    #expect(canvas.width == terminal.columns && canvas.height == terminal.rows)
    var text = canvas.text(terminal.depth).replacing("\u{1b}", with: "^")
    if !terminal.isUnicode { text = String(text.map { $0.isASCII ? $0 : "?" }) }
    // Colors change the cube; of the other screens the text is enough.
    guard scenery.hasCube || terminal.depth == .none else { return }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Golden/\(scenery)-\(terminal.name).txt")
    if ProcessInfo.processInfo.environment["CUBIST_GOLDEN"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    expectNoDifference(text, try String(contentsOf: file, encoding: .utf8))
  }

  @Test("The keys below name R where the sentence does", arguments: Scenery.allCases)
  func rematchKey(scenery: Scenery) throws {
    let canvas = ScreenDrawing(
      app: try scenery.app(), size: TerminalSize(columns: 80, rows: 24),
      setting: ScreenSetting(depth: .none, isUnicode: true)
    ).canvas()
    let rows = canvas.text(.none).split(separator: "\n", omittingEmptySubsequences: false)
    let (status, keys) = (rows[22], rows[23])
    let names = ["R asks", "R agrees", "R tries", "R goes"].contains { status.contains($0) }
    #expect(names == keys.contains("R rematch"), "\(status)\n\(keys)")
  }

  @Test("A turn that was not played is told of before the end of the match")
  func displacedByTheEnd() throws {
    let reducer = MatchScreen.reducer(words: .english)
    var screen = MatchScreen(Scenery.key)
    _ = reducer.reduce(&screen, .arrived(try Scenery.news(.yours(secondsLeft: nil), turns: 4)))
    // Another device of the player plays CONTEXT meanwhile.
    let words = Lexicon.english.words(on: try Position.midGame(4)).map(\.word)
    let word = try #require(words.first { $0 != "CONTEXT" && !$0.contains("Q") })
    for letter in word.compactMap({ Letter($0) }) {
      _ = reducer.reduce(&screen, .play(.draft(.letterTyped(letter))))
    }
    #expect(reducer.reduce(&screen, .play(.submit)).count == 1)
    let over = try Scenery.news(.over(.cleared), ending: "Over: won.")
    _ = reducer.reduce(&screen, .arrived(over))
    guard case .shown(let match) = screen.content else {
      Issue.record("no match is shown")
      return
    }
    #expect(
      MatchWording(table: match, symbols: Symbols(isUnicode: true)).status
        == "The match had gone on. Your turn was not played. Over: won.")
  }

  @Test("The picture in the README is a screen")
  func picture() throws {
    let drawing = ScreenDrawing(
      app: try Scenery.typed.app(), size: TerminalSize(columns: 80, rows: 24),
      setting: ScreenSetting(depth: .trueColor, isUnicode: true))
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "docs/play.svg")
    let svg = drawing.canvas().svg()
    if ProcessInfo.processInfo.environment["CUBIST_GOLDEN"] != nil {
      try svg.write(to: file, atomically: true, encoding: .utf8)
    }
    expectNoDifference(svg, try String(contentsOf: file, encoding: .utf8))
  }

  @Test("Nothing shows a coordinate", arguments: Scenery.allCases)
  func noCoordinates(scenery: Scenery) throws {
    let app = try scenery.app()
    let drawing = ScreenDrawing(
      app: app, size: TerminalSize(columns: 120, rows: 40),
      setting: ScreenSetting(depth: .none, isUnicode: true))
    let text = drawing.canvas().text(.none)
    #expect(text.firstMatch(of: /\b[0-2]{3}[TLR]\b/) == nil)
  }

  @Test("A window of any size that is too small says so", arguments: [1, 5, 23, 63])
  func tooSmall(size: Int) throws {
    let drawing = ScreenDrawing(
      app: try Scenery.yourTurn.app(), size: TerminalSize(columns: size, rows: min(size, 23)),
      setting: ScreenSetting(depth: .none, isUnicode: true))
    let canvas = drawing.canvas()
    #expect(canvas.width == size)
    #expect(
      canvas.text(.none).hasPrefix(
        String("The window is too small.".prefix(size)).trimmingCharacters(in: .whitespaces)))
  }
}
