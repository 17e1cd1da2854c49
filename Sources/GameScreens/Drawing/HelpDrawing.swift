import CubePlay
import TerminalScreen

/// Rules and keys on one screen of 80 columns and 24 rows.
enum HelpDrawing {
  static func draw(on canvas: inout Canvas, _ facilities: Facilities, _ symbols: Symbols) {
    canvas.write("Rules", column: 0, row: 0, look: .strong)
    for (row, line) in zip(1..., HelpText.rules) { canvas.write(line, column: 2, row: row) }
    let row = HelpText.rules.count + 1
    canvas.write("Keys", column: 0, row: row, look: .strong)
    for (row, key) in zip((row + 1)..., HelpText.keys(facilities)) {
      canvas.write(key.0, column: 2, row: row, look: .strong)
      canvas.write(key.1, column: 2 + HelpText.keyWidth, row: row)
    }
    let marks = HelpText.marks(isUnicode: symbols.isUnicode)
    canvas.write(marks, column: 2, row: canvas.height - 3)
    canvas.write("Any key goes back.", column: 0, row: canvas.height - 1, look: .strong)
  }
}
