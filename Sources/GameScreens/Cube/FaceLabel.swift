import CubeRules

/// The text on a face: its letter, a mark of its uses, and brackets where it is highlighted.
struct FaceLabel: Hashable, Sendable {
  let letters: String
  let mark: String
  private var opening: String
  private var closing: String

  init(letters: String, mark: String, isHighlighted: Bool) {
    self.letters = letters
    self.mark = mark
    opening = isHighlighted ? "[" : ""
    closing = isHighlighted ? "]" : ""
  }

  var text: String { opening + letters + mark + closing }

  /// The place of the middle of the letters from the beginning of the text, in columns.
  var middle: Double { Double(opening.count) + Double(letters.count) / 2 }

  /// Puts other signs around the letter.
  mutating func enclose(_ opening: String, _ closing: String) {
    (self.opening, self.closing) = (opening, closing)
  }

  /// Gives up the closing bracket: `QU` with a mark has no room for it on half a face.
  mutating func shorten() {
    closing = ""
  }
}

/// The cells that belong to one face as a whole.
struct LabelArea: Sendable {
  private var cells: [(column: Int, row: Int)] = []
  private var columnSum = 0.0
  private var rowSum = 0.0
  private var pixelCount = 0

  init(of face: Face, in raster: FaceRaster) {
    for row in 0..<raster.side {
      for column in 0..<raster.side where raster[column, row] == face {
        columnSum += Double(column) + 0.5
        rowSum += Double(row) + 0.5
        pixelCount += 1
        if row.isMultiple(of: 2), raster[column, row + 1] == face {
          cells.append((column, row / 2))
        }
      }
    }
  }

  /// The place where a label's letters stand nearest to the middle of the visible part of the face;
  /// nil where no row has room for it.
  ///
  /// A label for which there is no room is shortened first.
  func place(for label: inout FaceLabel) -> (column: Int, row: Int)? {
    if let place = place(count: label.text.count, middle: label.middle) { return place }
    label.shorten()
    return place(count: label.text.count, middle: label.middle)
  }

  private func place(count: Int, middle: Double) -> (column: Int, row: Int)? {
    guard pixelCount > 0 else { return nil }
    let column = columnSum / Double(pixelCount)
    let row = rowSum / Double(pixelCount)
    let fitting = cells.indices.filter { index in
      let end = index + count - 1
      return end < cells.count && cells[end].row == cells[index].row
        && cells[end].column == cells[index].column + count - 1
    }
    // A row is as high as two columns are wide.
    func distance(_ index: Int) -> Double {
      let across = Double(cells[index].column) + middle - column
      let down = Double(2 * cells[index].row + 1) - row
      return across * across + down * down
    }
    return fitting.min { distance($0) < distance($1) }.map { cells[$0] }
  }
}
