import CubePlay
import TerminalScreen

/// The whole screen of a state of the game: a pure function.
///
/// Nothing is said by color alone.
struct ScreenDrawing {
  let app: GameApp
  let size: TerminalSize
  let setting: ScreenSetting
  /// Whether the turn of the shown match that has no answer is kept.
  var isTurnKept = true
  /// What is said while the end of the program waits; nil: it does not.
  var waitBeforeEnd: String?

  /// On a smaller screen only a request for more room is drawn, and no key but Ctrl-C means anything.
  static let leastSize = FullScreen.leastSize

  func canvas() -> Canvas {
    var canvas = Canvas(width: max(1, size.columns), height: max(1, size.rows))
    guard isLargeEnough else {
      let (least, columns) = (Self.leastSize, max(1, size.columns))
      let text = "The window is too small: \(least.columns) x \(least.rows) at least. Ctrl-C quits."
      for (row, line) in zip(0..<canvas.height, TerminalText.wrap(text, columns: columns)) {
        canvas.write(line, column: 0, row: row)
      }
      return canvas
    }
    if app.isHelpShown {
      HelpDrawing.draw(on: &canvas, app.facilities, symbols)
    } else {
      switch app.place {
      case .home:
        HomeDrawing(home: app.home, facilities: app.facilities, symbols: symbols)
          .draw(on: &canvas)
      case .firstSteps(let steps):
        FirstStepsDrawing(steps: steps, setting: setting, symbols: symbols).draw(on: &canvas)
      case .match(let match):
        MatchDrawing(
          match: match, name: app.home.list?.name, hasOthers: !app.othersWaiting.isEmpty,
          facilities: app.facilities, isTurnKept: isTurnKept, setting: setting, symbols: symbols
        ).draw(on: &canvas)
      case .menu(.newMatch(let screen)):
        NewMatchDrawing(screen: screen, symbols: symbols).draw(on: &canvas)
      case .menu(.boards(let screen)):
        BoardsDrawing(screen: screen, symbols: symbols).draw(on: &canvas)
      case .menu(.pastGames(let screen)):
        PastGamesDrawing(screen: screen, symbols: symbols).draw(on: &canvas)
      case .menu(.settings(let screen)):
        SettingsDrawing(screen: screen, symbols: symbols).draw(on: &canvas)
      case .menu(.inbox(let screen)):
        InboxDrawing(screen: screen, symbols: symbols).draw(on: &canvas)
      case .menu(.player(let screen)):
        PlayerDrawing(screen: screen, symbols: symbols).draw(on: &canvas)
      case .menu(.keys(let screen)):
        KeysDrawing(screen: screen, symbols: symbols).draw(on: &canvas)
      }
    }
    let others = app.othersWaiting.count
    if app.match != nil, others > 0, !app.isHelpShown {
      canvas.right("Ctrl-N: \(others == 1 ? "1 other waits" : "\(others) others wait")", row: 0)
    }
    if app.connection == .lost {
      canvas.right("Connection lost. Trying again", row: 0, look: .strong)
    }
    if let waitBeforeEnd {
      canvas.write(
        String(repeating: " ", count: canvas.width), column: 0, row: canvas.height - 1)
      canvas.line(
        waitBeforeEnd, row: canvas.height - 1, isUnicode: symbols.isUnicode, look: .strong)
    }
    return canvas
  }

  private var isLargeEnough: Bool { FullScreen.fits(size) }

  private var symbols: Symbols { Symbols(isUnicode: setting.isUnicode) }
}

/// The signs that are not in ASCII, and their replacements there.
struct Symbols: Hashable {
  let isUnicode: Bool

  var yes: String { isUnicode ? "✓" : "OK" }
  var no: String { isUnicode ? "✗" : "-" }
  var once: String { isUnicode ? "·" : "." }
  var arrow: String { isUnicode ? "→" : "->" }
  var colon: String { isUnicode ? " : " : ":" }
}

extension Ansi.Look {
  /// The look of text that stands out.
  static let strong = Ansi.Look(isBold: true)
}

extension Canvas {
  /// Writes text that ends at the right border.
  mutating func right(_ text: String, row: Int, look: Ansi.Look = Ansi.Look()) {
    write(
      " " + text, column: max(0, width - TerminalText.width(of: text) - 1), row: row, look: look)
  }

  /// Writes text cut to the room there is.
  mutating func line(
    _ text: String, column: Int = 0, row: Int, isUnicode: Bool, look: Ansi.Look = Ansi.Look()
  ) {
    let room = width - column
    guard room > 0 else { return }
    // Without UTF-8 there is no ellipsis.
    let cut = isUnicode ? TerminalText.cut(text, columns: room) : text
    write(cut, column: column, row: row, look: look)
  }

  /// Writes the keys in the last row.
  mutating func keys(_ text: String, isUnicode: Bool) {
    line(KeyLine.text(text, columns: width), row: height - 1, isUnicode: isUnicode)
  }
}
