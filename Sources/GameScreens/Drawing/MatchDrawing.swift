import CubePlay
import CubeRules
import TerminalScreen

/// A match: the cube at the left, and the panel with everything else beside it.
struct MatchDrawing {
  let match: MatchScreen
  let name: String?
  let hasOthers: Bool
  var facilities = Facilities.service
  var isTurnKept = true
  let setting: ScreenSetting
  let symbols: Symbols

  /// The row of the cube's upper end.
  static let cubeRow = 1

  func draw(on canvas: inout Canvas) {
    switch match.content {
    case .loading:
      canvas.write("Loading the match", column: 0, row: 0, look: .strong)
      canvas.write("Esc back", column: 0, row: canvas.height - 1)
    case .failed(let text):
      canvas.line(text, row: 0, isUnicode: symbols.isUnicode, look: .strong)
      canvas.write("Esc back", column: 0, row: canvas.height - 1)
    case .shown(let table): draw(table, on: &canvas)
    }
  }

  private func draw(_ table: ShownMatch, on canvas: inout Canvas) {
    let words = MatchWording(
      table: table, symbols: symbols, hasOthers: hasOthers, facilities: facilities,
      isTurnKept: isTurnKept)
    canvas.line(
      words.title(name), row: 0, isUnicode: symbols.isUnicode, look: .strong)
    drawCube(table, on: &canvas)
    drawPanel(words, on: &canvas)
    canvas.line(
      words.status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(words.keys, isUnicode: symbols.isUnicode)
  }

  func drawCube(_ table: ShownMatch, on canvas: inout Canvas) {
    let drawing = Self.drawing(table, symbols, TerminalSize(canvas))
    let edge = drawing.edge
    var cube = Canvas(width: Self.panelColumn(edge) - 1, height: 3 * edge)
    drawing.drawCube(setting.depth, on: &cube)
    for row in 0..<cube.height {
      for column in 0..<cube.width { canvas[column, row + Self.cubeRow] = cube[column, row] }
    }
  }

  private static func drawing(
    _ table: ShownMatch, _ symbols: Symbols, _ size: TerminalSize
  ) -> CubeDrawing {
    let picture = table.picture
    var drawing = CubeDrawing(game: picture.game, highlighted: picture.lit)
    drawing.edge = edge(size)
    drawing.isTheirs = picture.litBy == .them
    drawing.showsValues = table.showsValues
    drawing.leaving = picture.leaving
    drawing.marked = picture.marked
    drawing.pointed = picture.cursor
    drawing.isShaded = true
    drawing.isASCII = !symbols.isUnicode
    return drawing
  }

  /// The face of the drawing at a place of the screen.
  static func face(
    column: Int, row: Int, in table: ShownMatch, on size: TerminalSize
  ) -> Face? {
    FaceRaster(table.picture.game.inPlay, edge: edge(size))[column, 2 * (row - cubeRow)]
  }

  /// The columns of an edge of the cube: as many as there is room for beside the panel.
  private static func edge(_ size: TerminalSize) -> Int {
    let room = min((size.rows - 3) / 3, (size.columns - panelWidth - 3) / 6)
    return max(FaceRaster.leastEdge, min(longestEdge, room))
  }

  private static let longestEdge = 14
  /// The most columns that the panel beside the cube makes use of.
  private static let panelWidth = 36

  private static func panelColumn(_ edge: Int) -> Int { 6 * edge + 3 }

  /// The first column of the panel beside the cube.
  static func panelColumn(on size: TerminalSize) -> Int { panelColumn(edge(size)) }

  // MARK: Beside the cube

  private func drawPanel(_ words: MatchWording, on canvas: inout Canvas) {
    let column = Self.panelColumn(on: TerminalSize(canvas))
    let room = canvas.width - column
    var row = Self.cubeRow
    func write(_ text: String, _ look: Ansi.Look = Ansi.Look(), on canvas: inout Canvas) {
      canvas.line(text, column: column, row: row, isUnicode: symbols.isUnicode, look: look)
      row += 1
    }
    for line in words.scores(room: min(room, Self.panelWidth)) { write(line, on: &canvas) }
    if let clock = words.clock { write(clock, on: &canvas) }
    row += 1
    let middle = (words.afterEnd(room: room) + words.preview).flatMap {
      TerminalText.width(of: $0) > room ? TerminalText.wrap($0, columns: room) : [$0]
    }
    for (index, line) in middle.enumerated() {
      write(line, index == 0 ? .strong : Ansi.Look(), on: &canvas)
    }
    row = max(row, Self.cubeRow + 9)
    let legend = words.legend(room: room)
    let end = canvas.height - 3 - legend.count
    let lines = words.lines(count: end - row - 1, room: min(room, Self.panelWidth))
    for (index, line) in lines.enumerated() {
      write(line, index == 0 ? .strong : Ansi.Look(), on: &canvas)
    }
    row = end
    for line in legend { write(line, on: &canvas) }
  }
}

extension TerminalSize {
  init(_ canvas: Canvas) { self.init(columns: canvas.width, rows: canvas.height) }
}
