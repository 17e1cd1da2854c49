import CubePlay
import TerminalScreen

/// The first steps: the match as everywhere, with the task beside it.
struct FirstStepsDrawing {
  let steps: FirstSteps
  let setting: ScreenSetting
  let symbols: Symbols

  func draw(on canvas: inout Canvas) {
    let title = "First steps: \(steps.step.rawValue) of \(FirstStep.count)"
    canvas.write(title, column: 0, row: 0, look: .strong)
    let match = MatchScreen(MatchKey("first steps"), steps.shown)
    MatchDrawing(match: match, name: nil, hasOthers: false, setting: setting, symbols: symbols)
      .drawCube(steps.shown, on: &canvas)
    drawPanel(on: &canvas)
    let advice = steps.advice.map { FirstStepsWording.text($0) } ?? ""
    canvas.line(advice, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.line(
      "Esc leave: F in the list goes on   ? rules and keys", row: canvas.height - 1,
      isUnicode: symbols.isUnicode)
  }

  private func drawPanel(on canvas: inout Canvas) {
    let column = MatchDrawing.panelColumn(on: TerminalSize(canvas))
    let room = min(canvas.width - column, 36)
    let words = MatchWording(table: steps.shown, symbols: symbols)
    var row = MatchDrawing.cubeRow
    func write(_ text: String, _ look: Ansi.Look = Ansi.Look(), on canvas: inout Canvas) {
      canvas.line(text, column: column, row: row, isUnicode: symbols.isUnicode, look: look)
      row += 1
    }
    for line in words.scores(room: room) { write(line, on: &canvas) }
    row += 1
    for line in words.preview { write(line, on: &canvas) }
    row = MatchDrawing.cubeRow + 7
    let lines = TextWrap.lines(FirstStepsWording.text(steps.step), columns: room - 1)
    for line in lines { write(line, .strong, on: &canvas) }
    let legend = words.legend(room: room)
    row = canvas.height - 3 - legend.count
    for line in legend { write(line, on: &canvas) }
  }
}

/// Breaks text between words.
enum TextWrap {
  /// The lines of a text; a word longer than a line gets one of its own.
  static func lines(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= columns {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
