/// Columns of text under headings, each as wide as its widest cell.
package struct TextTable: Hashable, Sendable {
  package var header: [String]
  package var rows: [[String]]
  /// The columns whose cells line up on the right.
  package var rightAligned: Set<Int>

  package init(header: [String], rows: [[String]], rightAligned: Set<Int> = []) {
    self.header = header
    self.rows = rows
    self.rightAligned = rightAligned
  }

  package var lines: [String] { lines { $0.count } }

  /// The header and the rows, two spaces between columns, no space at the end of a line.
  /// - Parameter width: How wide a text is shown.
  package func lines(width: (String) -> Int) -> [String] {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { width($0[column]) }.max() ?? 0 }
    return all.map { row in
      let cells = row.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - width(row[column]))
        return rightAligned.contains(column) ? padding + row[column] : row[column] + padding
      }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
