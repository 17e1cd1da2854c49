/// Cells of characters with colors, to be shown on a terminal or as a picture.
public struct Canvas: Hashable, Sendable {
  /// One place of a canvas.
  public struct Cell: Hashable, Sendable {
    /// What stands there; always one column wide.
    public var character: Character
    /// How it looks.
    public var look: Ansi.Look

    /// A cell; without anything a blank one.
    public init(character: Character = " ", look: Ansi.Look = Ansi.Look()) {
      self.character = character
      self.look = look
    }
  }

  /// How many columns there are.
  public let width: Int
  /// How many rows there are.
  public let height: Int
  private var cells: [Cell]

  /// A blank canvas.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Array(repeating: Cell(), count: width * height)
  }

  /// The cell at a place, from 0 at the top left.
  public subscript(column: Int, row: Int) -> Cell {
    get { cells[row * width + column] }
    set { cells[row * width + column] = newValue }
  }

  /// Writes text that begins at a place; what does not fit into the row is left out.
  ///
  /// Wide characters and what could steer the terminal become question marks, so that a cell is
  /// always a column.
  public mutating func write(
    _ text: String, column: Int, row: Int, look: Ansi.Look = Ansi.Look()
  ) {
    guard 0..<height ~= row else { return }
    for (column, character) in zip(column..., TerminalText.safe(text)) {
      guard 0..<width ~= column else { continue }
      let fits = TerminalText.width(of: character) == 1
      self[column, row] = Cell(character: fits ? character : "?", look: look)
    }
  }

  /// The rows as text without blanks at their ends, each ended by a line feed.
  public func text(_ depth: ColorDepth) -> String {
    (0..<height).map { line($0, depth) + "\n" }.joined()
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
      line.append(cell.character)
    }
    return sequence == plain ? line : line + plain
  }
}
