import CubePlay
import TerminalScreen

/// Lists of results: their names above, one of them below.
struct BoardsDrawing {
  let screen: BoardsScreen
  let symbols: Symbols

  /// The row of the first result.
  private static let firstRow = 5

  func draw(on canvas: inout Canvas) {
    drawTabs(on: &canvas)
    switch screen.content {
    case .loading: canvas.write("Loading", column: 2, row: 2)
    case .failed(let text): canvas.line(text, column: 2, row: 2, isUnicode: symbols.isUnicode)
    case .shown(let news): draw(news, on: &canvas)
    }
    canvas.line(
      status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  private func drawTabs(on canvas: inout Canvas) {
    var column = 0
    for tab in BoardsScreen.Tab.allCases {
      let isShown = tab == screen.tab
      let name = isShown ? "[\(Self.name(tab))]" : " \(Self.name(tab)) "
      canvas.write(name, column: column, row: 0, look: isShown ? .strong : Ansi.Look())
      column += name.count + 1
    }
  }

  private static func name(_ tab: BoardsScreen.Tab) -> String {
    switch tab {
    case .today: "Today"
    case .solo: "Solo games"
    case .dailies: "Dailies"
    case .ladder: "Ladder"
    case .history: "Your dailies"
    case .review: "Your week"
    }
  }

  private func draw(_ news: BoardNews, on canvas: inout Canvas) {
    canvas.line(news.head, column: 2, row: 2, isUnicode: symbols.isUnicode)
    guard !news.rows.isEmpty else { return }
    let table = BoardColumns(news)
    canvas.line("    " + table.line(news.columns), row: 4, isUnicode: symbols.isUnicode)
    let room = canvas.height - Self.firstRow - 3
    let places = news.rows.places(around: screen.selectedIndex, room: room)
    for (row, index) in zip(Self.firstRow..., places) {
      let (isSelected, isOwn) = (index == screen.selectedIndex, news.rows[index].isOwn)
      canvas.line(
        (isSelected ? "> " : "  ") + (isOwn ? "* " : "  ") + table.line(news.rows[index].cells),
        row: row, isUnicode: symbols.isUnicode,
        look: isSelected || isOwn ? .strong : Ansi.Look())
    }
  }

  private var status: String {
    if screen.isStarting { return "Beginning the challenge." }
    if screen.isDoubted { return HomeDrawing.timedDailyQuestion }
    return screen.notice ?? screen.trouble
      ?? (screen.news?.rows.contains { $0.isOwn } == true ? "* is you." : "")
  }

  private var keys: String {
    if screen.isDoubted { return "Y yes   any other key: no" }
    let chosen: String
    switch screen.news?.today {
    case .open?: chosen = "Enter begin  "
    case .begun?: chosen = "Enter open  "
    case .missing?, nil: chosen = ""
    }
    let player = screen.wantedPlayer(in: screen.selectedIndex) == nil ? "" : "O player  "
    let other = screen.clock == .timed ? "T without a clock  " : "T timed  "
    switch screen.tab {
    case .today: return "\(chosen)\(other)\(player)Tab next list  Arrows select  Esc back"
    case .solo, .dailies:
      let measure = screen.measure == .points ? "W words  " : "W points  "
      return "\(other)\(measure)S span  \(player)Tab next list  Arrows select  Esc back"
    case .ladder, .history, .review: return "\(player)Tab next list  Arrows select  Esc back"
    }
  }
}

/// The columns of a list; those of numbers end at the right.
struct BoardColumns {
  private let widths: [Int]
  private let areNumbers: [Bool]

  init(_ news: BoardNews) {
    let rows = news.rows.map(\.cells)
    let columns = news.columns.indices
    widths = columns.map { column in
      ([news.columns] + rows).map { Self.width(Self.cell(column, of: $0)) }.max() ?? 0
    }
    areNumbers = columns.map { column in
      rows.allSatisfy { Self.cell(column, of: $0).allSatisfy { $0.isNumber } }
    }
  }

  func line(_ cells: [String]) -> String {
    zip(widths.indices, widths).map { column, width in
      let text = TerminalText.safe(Self.cell(column, of: cells))
      let blank = String(repeating: " ", count: max(0, width - Self.width(text)))
      return areNumbers[column] ? blank + text : text + blank
    }.joined(separator: "  ")
  }

  private static func cell(_ column: Int, of cells: [String]) -> String {
    cells.indices.contains(column) ? cells[column] : ""
  }

  private static func width(_ text: String) -> Int { TerminalText.width(of: text) }
}
