import CubeRules
import TerminalScreen

/// The faces of a game that can be played, as three grids of letters in ASCII.
///
/// For each row and column of a side the grid shows the nearest face in sight. Deeper faces follow
/// below the grid, so that every playable face is there. After the letter stands `+1` after one use
/// and `+2` after two, and highlighted letters stand in brackets. The faces bear their notation. At
/// most 80 columns and 23 rows.
struct CubeGrids: Sendable {
  let game: CubeGame
  var highlighted = FaceSet()
  var highlightMeaning = "last word"
  var notes: [String] = []

  /// The greatest number of rows. The notes take the rows that the rest leaves.
  static let rowLimit = 23

  /// The columns that a grid takes where its letters are `[QU+1]`.
  static let leastColumns = 37

  /// The notes, the grids and the legend as text.
  ///
  /// - Parameter columns: How wide the lines may be, 37...80; other numbers count as the nearest.
  func text(columns: Int = CubeDrawing.columnLimit) -> String {
    let columns = min(CubeDrawing.columnLimit, max(Self.leastColumns, columns))
    var lines: [String] = []
    for side in Side.allCases {
      lines += self.lines(of: side, columns: columns)
    }
    lines += TerminalText.wrap(legend, columns: columns)
    let notes = notes.flatMap { TerminalText.wrap(TerminalText.safe($0), columns: columns) }
    let shown = notes.prefix(max(0, Self.rowLimit - lines.count))
    return (shown + lines).map { $0 + "\n" }.joined()
  }

  private var legend: String {
    let highlight = highlighted.isEmpty ? "" : ", [ ] \(TerminalText.safe(highlightMeaning))"
    return "+1 used once, +2 used twice\(highlight)."
  }

  private func lines(of side: Side, columns: Int) -> [String] {
    let faces = game.playable.filter { $0.side == side }
    var nearest: [Int: Face] = [:]
    for face in faces {
      let place = side.place(of: face.cube)
      if let other = nearest[place], side.height(of: other.cube) > side.height(of: face.cube) {
        continue
      }
      nearest[place] = face
    }
    let labels = (0..<9).map { nearest[$0].map(label) ?? "." }
    let width = labels.map(\.count).max() ?? 0
    var lines = [side.heading]
    for row in 0..<3 {
      let padded = labels[3 * row..<3 * row + 2]
        .map { $0 + String(repeating: " ", count: width + 2 - $0.count) }
      lines.append(padded.joined() + labels[3 * row + 2])
    }
    let deeper = faces.filter { !nearest.values.contains($0) }.map(label)
    if !deeper.isEmpty {
      lines += TerminalText.wrap("Deeper: " + deeper.joined(separator: ", "), columns: columns)
    }
    return lines
  }

  private func label(of face: Face) -> String {
    let uses = game.uses(of: face)
    let letters = game.puzzle[face].spelling + (uses > 0 ? "+\(uses)" : "")
    return "\(face) " + (highlighted.contains(face) ? "[\(letters)]" : letters)
  }
}

extension Side {
  fileprivate var heading: String {
    switch self {
    case .top: "Top faces, back row first:"
    case .left: "Left faces, upper row first:"
    case .right: "Right faces, upper row first:"
    }
  }

  /// The place of a cube in the grid of the side as the viewer sees it, row by row, 0...8.
  fileprivate func place(of cube: Cube) -> Int {
    switch self {
    case .top: 3 * cube.z + cube.x
    case .left: 3 * (2 - cube.y) + cube.x
    case .right: 3 * (2 - cube.y) + (2 - cube.z)
    }
  }

  /// How near the viewer a cube is among those at the same place of the grid.
  fileprivate func height(of cube: Cube) -> Int {
    switch self {
    case .top: cube.y
    case .left: cube.z
    case .right: cube.x
    }
  }
}
