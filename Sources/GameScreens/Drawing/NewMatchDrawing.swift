import CubePlay
import TerminalScreen

/// The choice of a new match, as a list with two texts to fill in.
struct NewMatchDrawing {
  let screen: NewMatchScreen
  let symbols: Symbols

  func draw(on canvas: inout Canvas) {
    canvas.write("New match", column: 0, row: 0, look: .strong)
    canvas.write("Against", column: 0, row: 2)
    draw(.anyone, "anyone", row: 3, on: &canvas)
    let name = FieldText(screen.name, hasFocus: has(.named))
    draw(.named, "player \(name.text)", fault: name.fault(symbols), row: 4, on: &canvas)
    draw(.open, "anyone with a code, which you get", row: 5, on: &canvas)
    let code = FieldText(screen.code, hasFocus: has(.join))
    draw(
      .join, "the player who sent you the code \(code.text)", fault: code.fault(symbols), row: 6,
      on: &canvas)
    let limit = FieldText(screen.turnLimit, hasFocus: has(.turnLimit))
    canvas.write("Alone", column: 0, row: 8)
    draw(.daily, "today's challenge, until its day ends", row: 9, on: &canvas)
    draw(.timedDaily, "today's challenge, 180 seconds", row: 10, on: &canvas)
    draw(.alone, "as long as you like", row: 11, on: &canvas)
    draw(.timedAlone, "180 seconds", row: 12, on: &canvas)
    canvas.write("Where two play", column: 0, row: 14)
    draw(
      .turnLimit, "time for a turn \(limit.text)", fault: limit.fault(symbols), row: 15,
      on: &canvas)
    draw(.casual, "[\(screen.isCasual ? " " : "x")] the match is rated", row: 16, on: &canvas)
    canvas.line(
      status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  private func has(_ item: NewMatchScreen.Item) -> Bool { screen.focus == item }

  private func draw(
    _ item: NewMatchScreen.Item, _ text: String, fault: String = "", row: Int,
    on canvas: inout Canvas
  ) {
    canvas.row(text, fault, isSelected: has(item), row: row, symbols)
  }

  private var status: String {
    switch screen.stage {
    case .choosing: screen.notice ?? screen.trouble ?? ""
    case .asked(.daily), .asked(.alone): "Starting the game."
    case .asked(.join): "Joining the match."
    case .asked: "Asking for a match."
    case .pending: "Your start has no answer yet. It is sent again until then, and counts once."
    case .doubted(.named(let name, _)):
      "\(name) has an invitation of yours already. Send another one? Y or N"
    case .doubted: "You have asked for this already. Once more? Y or N"
    }
  }

  private var keys: String {
    switch screen.stage {
    case .doubted: "Y once more   N no"
    case .asked, .pending: "Esc back"
    case .choosing:
      switch screen.focus {
      case .turnLimit: "Type 12h, 90m or 45s   Arrows select   Esc back"
      case .casual: "Space change   Arrows select   Esc back"
      case .join: "Type a code   Enter join   Arrows select   Esc back"
      case .named: "Type a name   Enter start   Arrows select   Esc back"
      default: "Enter start   Arrows select   Esc back"
      }
    }
  }
}

/// A text that is being typed, as it stands on the screen.
struct FieldText {
  private let entry: TextEntry
  private let hasFocus: Bool

  init(_ entry: TextEntry, hasFocus: Bool) { (self.entry, self.hasFocus) = (entry, hasFocus) }

  /// In brackets, with a line where the next character will stand.
  var text: String { "[\(TerminalText.safe(entry.text))\(hasFocus ? "_" : "")]" }

  /// Its fault, in words.
  func fault(_ symbols: Symbols) -> String {
    entry.fault.map { "\(symbols.no) \($0)" } ?? ""
  }
}

extension Canvas {
  /// A row of a list with a selection; its fault stands beside it.
  mutating func row(
    _ text: String, _ fault: String = "", isSelected: Bool, row: Int, _ symbols: Symbols
  ) {
    let line = (isSelected ? "> " : "  ") + text + (fault.isEmpty ? "" : "  " + fault)
    self.line(
      line, row: row, isUnicode: symbols.isUnicode, look: isSelected ? .strong : Ansi.Look())
  }
}
