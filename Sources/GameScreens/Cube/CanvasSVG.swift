package import TerminalScreen

extension Canvas {
  /// The canvas as an SVG picture of a terminal with a dark background.
  ///
  /// Half blocks become filled paths, one a color. Characters become text with a place for each, so
  /// that the picture is the same in any monospaced font.
  package func svg() -> String {
    let width = self.width * Self.cellWidth + 2 * Self.margin
    let height = self.height * Self.cellHeight + 2 * Self.margin
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
      width="\(width)" height="\(height)">
      """,
      "<rect width=\"100%\" height=\"100%\" rx=\"12\" fill=\"#14161b\"/>",
      """
      <g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" \
      font-size="16.6" transform="translate(\(Self.margin) \(Self.margin))">
      """,
    ]
    lines += svgPaths()
    for row in 0..<self.height {
      lines += svgTexts(in: row)
    }
    return (lines + ["</g>", "</svg>"]).map { $0 + "\n" }.joined()
  }

  private static var cellWidth: Int { 10 }
  private static var cellHeight: Int { 20 }
  private static var margin: Int { 20 }
  private static var defaultText: RGB { RGB(216, 220, 228) }

  private func svgPaths() -> [String] {
    var paths: [RGB: String] = [:]
    for halfRow in 0..<2 * height {
      let colors = (0..<width).map { self[$0, halfRow / 2].halves[halfRow % 2] }
      var start = 0
      while start < width {
        let end = colors[start...].firstIndex { $0 != colors[start] } ?? width
        if let color = colors[start] {
          let length = (end - start) * Self.cellWidth
          paths[color, default: ""] +=
            "M\(start * Self.cellWidth) \(halfRow * Self.cellHeight / 2)h\(length)v10h-\(length)z"
        }
        start = end
      }
    }
    return paths.sorted { $0.key.hex < $1.key.hex }.map { color, path in
      "<path fill=\"\(color.hex)\" shape-rendering=\"crispEdges\" d=\"\(path)\"/>"
    }
  }

  /// The runs of one look in a row, each a text element.
  private func svgTexts(in row: Int) -> [String] {
    var texts: [String] = []
    var column = 0
    while column < width {
      let look = self[column, row].look
      let end =
        (column..<width).first { !self[$0, row].isText || self[$0, row].look != look } ?? width
      guard end > column else {
        column += 1
        continue
      }
      let run = column..<end
      let places = run.map { String($0 * Self.cellWidth) }
      let weight = look.isBold ? " font-weight=\"bold\"" : ""
      let fill = (look.foreground ?? Self.defaultText).hex
      texts.append(
        """
        <text x="\(places.joined(separator: " "))" y="\(row * Self.cellHeight + 16)" \
        fill="\(fill)"\(weight)>\(run.map { self[$0, row].character.escapedForXML }.joined())</text>
        """)
      column = end
    }
    return texts
  }
}

extension Canvas.Cell {
  fileprivate var isText: Bool { ![" ", "▀", "▄"].contains(character) }

  /// The colors of the upper and the lower half, as far as they are filled.
  fileprivate var halves: [RGB?] {
    switch character {
    case "▀": [look.foreground, look.background]
    case "▄": [look.background, look.foreground]
    default: [look.background, look.background]
    }
  }
}

extension Character {
  fileprivate var escapedForXML: String {
    switch self {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    default: String(self)
    }
  }
}
