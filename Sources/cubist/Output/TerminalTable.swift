import CubistBasics
import TerminalScreen
import GameScreens

/// Rows of text under headings, each column as wide as its widest cell.
struct TerminalTable: Sendable {
  /// The side on which the cells of a column line up.
  enum Alignment: Hashable, Sendable {
    case left
    case right
  }

  /// The heading of a column and how its cells line up.
  struct Column: Hashable, Sendable {
    var heading: String
    var alignment = Alignment.left
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row; cells that are missing are blank, and cells beyond the last column are left out.
  mutating func append(_ cells: [String]) {
    let blanks = Array(repeating: "", count: max(0, columns.count - cells.count))
    rows.append(Array((cells.map(TerminalText.safe) + blanks).prefix(columns.count)))
  }

  /// The headings and rows, each line ended by a line feed and cut where the terminal ends.
  func text(_ style: TerminalStyle) -> String {
    let table = TextTable(
      header: columns.map(\.heading), rows: rows,
      rightAligned: Set(columns.indices.filter { columns[$0].alignment == .right }))
    let lines = table.lines { TerminalText.width(of: $0) }.map { line in
      style.isTerminal ? TerminalText.cut(line, columns: style.columns) : line
    }
    let first = lines.prefix(1).map { Ansi.bold($0, style.colorDepth) }
    return (first + lines.dropFirst()).map { $0 + "\n" }.joined()
  }
}
