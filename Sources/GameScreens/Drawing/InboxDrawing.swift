import CubePlay
import TerminalScreen

/// Notifications that were sent, two lines each.
struct InboxDrawing {
  let screen: InboxScreen
  let symbols: Symbols

  /// The row of the first notification.
  private static let firstRow = 2
  private static let linesOfOne = 2

  func draw(on canvas: inout Canvas) {
    canvas.write("Notifications", column: 0, row: 0, look: .strong)
    switch screen.content {
    case .loading: canvas.write("Loading", column: 2, row: Self.firstRow)
    case .failed(let text):
      canvas.line(text, column: 2, row: Self.firstRow, isUnicode: symbols.isUnicode)
    case .shown([]):
      canvas.write("Nothing that you have not seen.", column: 2, row: Self.firstRow)
    case .shown(let rows): draw(rows, on: &canvas)
    }
    canvas.line(
      screen.leaving == nil ? screen.notice ?? "" : "Taking it away.", row: canvas.height - 2,
      isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  private func draw(_ rows: [InboxRow], on canvas: inout Canvas) {
    let room = max(1, (canvas.height - Self.firstRow - 3) / Self.linesOfOne)
    var line = Self.firstRow
    for index in rows.places(around: screen.selectedIndex, room: room) {
      let (row, isSelected) = (rows[index], index == screen.selectedIndex)
      canvas.line(
        "\(isSelected ? ">" : " ") \(row.title), \(row.time)", row: line,
        isUnicode: symbols.isUnicode, look: isSelected ? .strong : Ansi.Look())
      canvas.line("  \(row.text)", row: line + 1, isUnicode: symbols.isUnicode)
      line += Self.linesOfOne
    }
  }

  private var keys: String {
    let open = screen.selected?.match == nil ? "" : "Enter open  "
    let leave = screen.rows.isEmpty ? "" : "D take away  A take all away  Arrows select  "
    let player = screen.wantedPlayer(in: screen.selectedIndex) == nil ? "" : "O player  "
    return "\(open)\(player)\(leave)Esc back"
  }
}
