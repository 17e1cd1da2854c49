import CubeLexicon
import CubePlay
import CubeRules
import CustomDump
import Foundation
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

/// Whole screens, and the texts of all others. `CUBIST_GOLDEN=1` writes the files anew; review the changes.
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

  static let common = Terminal(columns: 80, rows: 24, depth: .none)
  private static let least = Terminal(columns: 64, rows: 24, depth: .none)
  private static let colors = Terminal(columns: 80, rows: 24, depth: .palette)

  private static let ascii = Terminal(columns: 80, rows: 24, depth: .none, isUnicode: false)

  static let otherTerminals = [
    least, colors, Terminal(columns: 80, rows: 24, depth: .trueColor), ascii,
    Terminal(columns: 80, rows: 24, depth: .palette, isUnicode: false),
    Terminal(columns: 120, rows: 40, depth: .none), Terminal(columns: 200, rows: 60, depth: .none),
  ]

  /// One screen of each kind, each drawing of a cube, and a match on each terminal. The picture in the
  /// README is that of 24-bit colors.
  static let whole: [(Scenery, Terminal)] = {
    let kinds = Set(Scenery.allCases.map(\.kind))
    let cubes: [Scenery] = [.typed, .removed, .values, .arriving, .vanishing, .lookedBack]
    var whole: [(Scenery, Terminal)] = kinds.map { ($0, common) }
    whole += cubes.map { ($0, common) }
    for scenery: Scenery in [.typed, .removed, .vanishing] { whole.append((scenery, colors)) }
    for terminal in otherTerminals where terminal.depth != .trueColor {
      whole.append((.yourTurn, terminal))
    }
    return whole + [(.home, least), (.pastGames, ascii)]
  }()

  @Test("A whole screen is unchanged since a person looked at it", arguments: whole)
  func golden(scenery: Scenery, terminal: Terminal) throws {
    var text = try Self.canvas(scenery, terminal).text(terminal.depth)
      .replacing("\u{1b}", with: "^")
    if !terminal.isUnicode { text = String(text.map { $0.isASCII ? $0 : "?" }) }
    try Self.compare(text, with: "\(scenery)-\(terminal.name).txt")
  }

  @Test("No picture is kept that no test compares")
  func files() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let wanted = Self.whole.map { "\($0)-\($1.name).txt" } + ["texts.txt"]
    expectNoDifference(files.sorted(), wanted.sorted())
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  private static func compare(_ text: String, with name: String) throws {
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["CUBIST_GOLDEN"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    expectNoDifference(text, try String(contentsOf: file, encoding: .utf8))
  }

  private static func canvas(_ scenery: Scenery, _ terminal: Terminal) throws -> Canvas {
    ScreenDrawing(
      app: try scenery.app(), size: TerminalSize(columns: terminal.columns, rows: terminal.rows),
      setting: ScreenSetting(depth: terminal.depth, isUnicode: terminal.isUnicode)
    ).canvas()
  }

  /// The lines without the cube: above, beside and below it.
  private static func lines(_ scenery: Scenery, _ terminal: Terminal = common) throws -> [String] {
    let rows = try canvas(scenery, terminal).text(.none).split(
      separator: "\n", omittingEmptySubsequences: false)
    return rows.enumerated().map { row, text in
      let isBeside = scenery.hasCube && (1..<terminal.rows - 2).contains(row)
      return text.dropFirst(isBeside ? 44 : 0).trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty }
  }

  @Test("The lines in which a screen differs from the one of its kind are unchanged")
  func texts() throws {
    let parts = try Scenery.allCases.filter { $0.kind != $0 }.map { scenery in
      let common = Set(try Self.lines(scenery.kind))
      let own = try Self.lines(scenery).filter { !common.contains($0) }
      return "\(scenery) (\(scenery.kind))\n" + own.map { "  \($0)\n" }.joined()
    }
    try Self.compare(parts.joined(), with: "texts.txt")
  }

  @Test(
    "A screen fills every terminal, and its colors and its alphabet change no word",
    arguments: Scenery.allCases)
  func everyTerminal(scenery: Scenery) throws {
    func words(_ lines: [String]) -> [String] {
      lines.map {
        $0.replacing("✓", with: "OK").split { !$0.isASCII || !$0.isLetter && !$0.isNumber }
          .joined(separator: " ")
      }
    }
    let common = try words(Self.lines(scenery))
    for terminal in Self.otherTerminals {
      let canvas = try Self.canvas(scenery, terminal)
      #expect(canvas.width == terminal.columns && canvas.height == terminal.rows)
      // A table that is cut shows more or less of its last column.
      let isCut = scenery.kind == .pastGames && !terminal.isUnicode
      guard terminal.columns == 80, !isCut else { continue }
      expectNoDifference(try words(Self.lines(scenery, terminal)), common, "\(terminal.name)")
    }
  }

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

  @Test("A joiner who may leave the match instead is not told that giving up loses it")
  func doubtfulLoss() throws {
    let reducer = MatchScreen.reducer(words: .english)
    var screen = MatchScreen(Scenery.key)
    var news = try Scenery.news(.yours(secondsLeft: nil))
    news.lines = [
      TurnLine(number: 1, player: .them, word: "CAT", removedCount: 0, score: 3)
    ]
    news.waitedForAnyone = true
    for action: MatchAction in [.arrived(news), .giveUp(.asked)] {
      _ = reducer.reduce(&screen, action)
    }
    guard case .shown(let match) = screen.content else {
      Issue.record("no match is shown")
      return
    }
    let status = MatchWording(table: match, symbols: Symbols(isUnicode: true)).status
    #expect(status == "Give up against \(news.opponent ?? "")? This may count as a loss.")
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
    let app = try Scenery.yourTurn.app()
    let window = TerminalSize(columns: size, rows: min(size, 23))
    let canvas = ScreenDrawing(
      app: app, size: window, setting: ScreenSetting(depth: .none, isUnicode: true)
    ).canvas()
    #expect(canvas.width == size)
    let text = canvas.text(.none)
    #expect(text.hasPrefix(String("The window".prefix(min(size, 3)))))
    #expect(text.contains("Ctrl-C quits.") == (size > 12))
    #expect(ScreenKeys.action(.control("c"), in: app, on: window) == .quit)
    // Nobody sees what they would do.
    for key in [Key.enter, .character("y"), .control("n"), .function(1)] {
      #expect(ScreenKeys.action(key, in: app, on: window) == nil)
    }
  }
}
