import CubePlay
import CubeRules
import TerminalScreen

/// A match: the cube at the left, and beside it all that is known.
struct MatchDrawing {
  let match: MatchScreen
  let name: String?
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
    let words = MatchWording(table: table, symbols: symbols)
    canvas.line(
      words.title(name), row: 0, isUnicode: symbols.isUnicode, look: .strong)
    drawCube(table, on: &canvas)
    drawPanel(words, on: &canvas)
    canvas.line(
      words.status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.line(words.keys, row: canvas.height - 1, isUnicode: symbols.isUnicode)
  }

  func drawCube(_ table: ShownMatch, on canvas: inout Canvas) {
    let drawing = Self.drawing(table, symbols)
    var cube = Canvas(width: CubeDrawing.columnOfNotes - 1, height: CubeDrawing.rowCount)
    drawing.drawCube(setting.depth, on: &cube)
    for row in 0..<cube.height {
      for column in 0..<cube.width { canvas[column, row + Self.cubeRow] = cube[column, row] }
    }
  }

  private static func drawing(_ table: ShownMatch, _ symbols: Symbols) -> CubeDrawing {
    let picture = table.picture
    var drawing = CubeDrawing(game: picture.game, highlighted: picture.lit)
    drawing.leaving = picture.leaving
    drawing.marked = picture.marked
    drawing.pointed = picture.cursor
    drawing.isShaded = true
    drawing.isASCII = !symbols.isUnicode
    return drawing
  }

  /// The face of the drawing at a place of the screen.
  static func face(column: Int, row: Int, in table: ShownMatch) -> Face? {
    FaceRaster(table.picture.game.inPlay)[column, 2 * (row - cubeRow)]
  }

  // MARK: Beside the cube

  private func drawPanel(_ words: MatchWording, on canvas: inout Canvas) {
    let column = CubeDrawing.columnOfNotes
    let room = canvas.width - column
    var row = Self.cubeRow
    func write(_ text: String, _ look: Ansi.Look = Ansi.Look(), on canvas: inout Canvas) {
      canvas.line(text, column: column, row: row, isUnicode: symbols.isUnicode, look: look)
      row += 1
    }
    for line in words.scores(room: min(room, 36)) { write(line, on: &canvas) }
    if let clock = words.clock { write(clock, on: &canvas) }
    row += 1
    for (index, line) in words.preview.enumerated() {
      write(line, index == 0 ? .strong : Ansi.Look(), on: &canvas)
    }
    row = max(row, Self.cubeRow + 9)
    let legend = words.legend
    let end = canvas.height - 3 - legend.count
    let lines = words.lines(count: end - row - 1, room: min(room, 36))
    for (index, line) in lines.enumerated() {
      write(line, index == 0 ? .strong : Ansi.Look(), on: &canvas)
    }
    row = end
    for line in legend { write(line, on: &canvas) }
  }
}
