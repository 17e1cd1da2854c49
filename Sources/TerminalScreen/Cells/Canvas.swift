/// Cells of characters with colors, to be shown on a terminal or as a picture.
package struct Canvas: Hashable, Sendable {
  /// One place of a canvas.
  package struct Cell: Hashable, Sendable {
    /// The character; a wide one also covers the cell at its right.
    package var character: Character
    package var look: Ansi.Look
    var extent = Extent.single

    /// How much of a character a cell has.
    enum Extent: Hashable {
      case single
      /// The beginning of a wide one.
      case left
      /// The rest of a wide one.
      case covered
    }

    /// A cell; without anything a blank one.
    package init(character: Character = " ", look: Ansi.Look = Ansi.Look()) {
      self.character = character
      self.look = look
    }
  }

  /// How many columns there are.
  package let width: Int
  /// How many rows there are.
  package let height: Int
  private var cells: [Cell]

  /// A blank canvas.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Array(repeating: Cell(), count: width * height)
  }

  /// The cell at a place, from 0 at the top left.
  package subscript(column: Int, row: Int) -> Cell {
    get { cells[row * width + column] }
    set { cells[row * width + column] = newValue }
  }

  /// Writes text that begins at a place; text that does not fit into the row is left out.
  ///
  /// A wide character takes two cells. Characters that could steer the terminal become question
  /// marks, and so do characters whose width differs between terminals.
  package mutating func write(
    _ text: String, column: Int, row: Int, look: Ansi.Look = Ansi.Look()
  ) {
    guard 0..<height ~= row else { return }
    var next = column
    for character in TerminalText.safe(text) {
      let (place, count) = (next, TerminalText.width(of: character))
      next += max(1, count)
      guard 0..<width ~= place else { continue }
      // There is no half of a wide character.
      let fits = count == 1 || count == 2 && place + 1 < width
      self[place, row] = Cell(character: fits ? character : "?", look: look)
      guard fits, count == 2 else { continue }
      self[place, row].extent = .left
      self[place + 1, row] = Cell(look: look)
      self[place + 1, row].extent = .covered
    }
  }

  /// Whether a row is as on another canvas of this width.
  func hasRow(_ row: Int, of other: Canvas) -> Bool {
    let places = row * width..<(row + 1) * width
    return cells[places] == other.cells[places]
  }

  /// The rows as text without blanks at their ends, each ended by a line feed.
  package func text(_ depth: ColorDepth) -> String {
    (0..<height).map { line($0, depth) + "\n" }.joined()
  }

  /// The character that a cell shows; nil: nothing. Where one half of a wide character was
  /// overwritten, the other half is not shown either.
  private func shown(_ column: Int, _ row: Int) -> Character? {
    let cell = self[column, row]
    switch cell.extent {
    case .single: return cell.character
    case .left: return self[column + 1, row].extent == .covered ? cell.character : "?"
    case .covered: return self[column - 1, row].extent == .left ? nil : "?"
    }
  }

  func line(_ row: Int, _ depth: ColorDepth) -> String {
    let isBlank = { (column: Int) in
      self[column, row].character == " " && self[column, row].look.background == nil
    }
    let end = (0..<width).last { !isBlank($0) }.map { $0 + 1 } ?? 0
    let plain = Ansi.Look().sequence(depth)
    var line = ""
    var sequence = plain
    for column in 0..<end {
      let cell = self[column, row]
      // Different looks may be one in a small palette.
      let wanted = cell.look.sequence(depth)
      if wanted != sequence {
        sequence = wanted
        line += wanted
      }
      if let character = shown(column, row) { line.append(character) }
    }
    return sequence == plain ? line : line + plain
  }
}
