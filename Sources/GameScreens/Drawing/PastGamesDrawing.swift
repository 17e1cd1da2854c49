import CubePlay
import TerminalScreen

/// The list of past games with one row selected.
struct PastGamesDrawing {
  let screen: PastGamesScreen
  let symbols: Symbols

  /// The row of the first game.
  private static let firstRow = 4

  func draw(on canvas: inout Canvas) {
    canvas.write("Past games", column: 0, row: 0, look: .strong)
    canvas.line(
      TerminalText.safe(screen.wanted.text), column: 2, row: 1, isUnicode: symbols.isUnicode)
    switch screen.content {
    case .loading: canvas.write("Loading", column: 2, row: 2)
    case .failed(let text): canvas.line(text, column: 2, row: 2, isUnicode: symbols.isUnicode)
    case .shown(let news) where news.rows.isEmpty:
      canvas.line(
        TerminalText.safe(screen.wanted.nothing), column: 2, row: 2, isUnicode: symbols.isUnicode)
    case .shown(let news): draw(news.rows, on: &canvas)
    }
    canvas.line(status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  private func draw(_ rows: [PastGameRow], on canvas: inout Canvas) {
    let list = BoardNews(
      head: "", columns: ["Against", "Points", "Ended", "Result", "Kind"],
      rows: rows.map { row in
        let points = row.points.map(String.init).joined(separator: symbols.colon)
        return BoardRow([row.opponent, points, row.ended, row.result, row.kind])
      })
    let table = BoardColumns(list)
    canvas.line("  " + table.line(list.columns), row: 2, isUnicode: symbols.isUnicode)
    let room = canvas.height - Self.firstRow - 3
    let places = rows.places(around: screen.selectedIndex, room: room)
    for (line, index) in zip(Self.firstRow..., places) {
      let isSelected = index == screen.selectedIndex
      canvas.line(
        (isSelected ? "> " : "  ") + table.line(list.rows[index].cells), row: line,
        isUnicode: symbols.isUnicode, look: isSelected ? .strong : Ansi.Look())
    }
  }

  private var status: String {
    if screen.isLoadingMore { return "Loading older games." }
    return screen.trouble ?? ""
  }

  private var keys: String {
    let open = screen.news?.rows.isEmpty == false ? "Enter open  " : ""
    let more = screen.news?.next == nil ? "" : "M older games  "
    let player = screen.wantedPlayer(in: screen.selectedIndex) == nil ? "" : "O player  "
    let all = screen.wanted == .all ? "" : "A all games  "
    return "\(open)\(player)\(more)K kind  R result  \(all)Arrows select  Esc back"
  }
}
