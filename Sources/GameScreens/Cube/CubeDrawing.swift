package import CubeRules
package import TerminalScreen

/// The cube of a game as a player sees it, with notes beside it: at most 80 columns and 21 rows.
///
/// Every face in sight can be played and bears its letter. Now and then a face that can be played
/// is out of sight, behind two cubes at different distances; it is named beside the cube. The
/// letter is followed by `·` after one use and `:` after two, and stands in brackets where it is
/// highlighted, so that nothing is said by color alone.
package struct CubeDrawing: Sendable {
  package let game: CubeGame

  /// The faces to point out, such as those of the last word.
  package var highlighted = FaceSet()

  /// The meaning of the highlighted faces, for the legend.
  package var highlightMeaning = "last word"

  /// Whether the highlighted faces are the other player's word: they stand in braces.
  var isTheirs = false

  /// Whether faces show the values of their letters, rather than their uses.
  var showsValues = false

  /// The cubes that the chosen word takes away; their faces bear `!`.
  package var leaving = CubeSet()

  /// The cubes that are marked for removal; their faces bear `-`.
  var marked = CubeSet()

  /// The cube under a cursor; its faces stand between `>` and `<`.
  var pointed: Cube?

  /// Whether cubes that are farther away are darker.
  var isShaded = false

  /// Whether only ASCII is drawn.
  var isASCII = false

  /// Lines to stand beside the cube, or before the grids.
  package var notes: [String] = []

  package init(
    game: CubeGame, highlighted: FaceSet = FaceSet(), highlightMeaning: String = "last word",
    notes: [String] = []
  ) {
    self.game = game
    self.highlighted = highlighted
    self.highlightMeaning = highlightMeaning
    self.notes = notes
  }

  /// The greatest number of columns of a drawing.
  package static let columnLimit = 80

  static let columnOfNotes = 45

  /// The columns of an edge.
  var edge = FaceRaster.leastEdge

  private var size: (columns: Int, rows: Int) { (6 * edge, 3 * edge) }

  /// The drawing as text in the form and colors of a style.
  package func text(_ style: TerminalStyle) -> String {
    guard style.form == .isometric else {
      let grids = CubeGrids(
        game: game, highlighted: highlighted, highlightMeaning: highlightMeaning, notes: notes)
      return grids.text(columns: style.columns)
    }
    return canvas(style.colorDepth, columns: style.columns).text(style.colorDepth)
  }

  /// The drawing in isometric view.
  ///
  /// - Parameters:
  ///   - depth: Without colors the edges of the faces are drawn, else the faces are filled.
  ///   - columns: How wide the drawing may be; it never exceeds ``columnLimit``, and the cube is
  ///     never left out.
  package func canvas(_ depth: ColorDepth, columns: Int = columnLimit) -> Canvas {
    let width = min(Self.columnLimit, max(size.columns, columns))
    var canvas = Canvas(width: width, height: size.rows)
    let unseen = drawCube(depth, on: &canvas)
    drawNotes(unseen: unseen, on: &canvas)
    return canvas
  }

  /// Draws the cube at the top left of a canvas, and gives the faces that have no room for a letter.
  @discardableResult
  func drawCube(_ depth: ColorDepth, on canvas: inout Canvas) -> [Face] {
    let raster = FaceRaster(game.inPlay, edge: edge)
    if depth == .none || isASCII {
      drawEdges(on: &canvas)
    } else {
      fill(raster, palette(depth), on: &canvas)
    }
    return game.playable.filter { !drawLabel(of: $0, raster, depth, on: &canvas) }
  }

  private func palette(_ depth: ColorDepth) -> CubePalette {
    CubePalette(depth: depth, isShaded: isShaded)
  }

  /// Half a cell is a pixel.
  private func fill(_ raster: FaceRaster, _ palette: CubePalette, on canvas: inout Canvas) {
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let upper = color(of: raster, column, 2 * row, palette)
        let lower = color(of: raster, column, 2 * row + 1, palette)
        canvas[column, row] =
          switch (upper, lower) {
          case (nil, nil): Canvas.Cell()
          case (let upper?, nil): Canvas.Cell(character: "▀", look: .init(foreground: upper))
          case (nil, let lower?): Canvas.Cell(character: "▄", look: .init(foreground: lower))
          case (let upper?, let lower?):
            upper == lower
              ? Canvas.Cell(look: .init(background: upper))
              : Canvas.Cell(
                character: "▀", look: .init(foreground: upper, background: lower))
          }
      }
    }
  }

  private func color(
    of raster: FaceRaster, _ column: Int, _ row: Int, _ palette: CubePalette
  ) -> RGB? {
    guard let face = raster[column, row] else { return nil }
    let neighbors = [raster[column - 1, row], raster[column, row - 1]]
    let isRim = neighbors.contains { $0 != nil && $0 != face }
    let color = palette.fill(face, content(of: face))
    return isRim ? palette.rim(of: color) : color
  }

  /// What the color of a face says.
  private func content(of face: Face) -> CubePalette.Content {
    let cube = face.cube
    return CubePalette.Content(
      uses: game.uses(of: face),
      word: !highlighted.contains(face) ? .none : isTheirs ? .theirs : .own,
      isLeaving: leaving.contains(cube), isMarked: marked.contains(cube),
      isPointed: pointed == cube)
  }

  /// A cell has two by four dots, numbered as in Braille writing.
  private func drawEdges(on canvas: inout Canvas) {
    let raster = FaceRaster(game.inPlay, scale: 2, edge: edge)
    let dots: [(column: Int, row: Int, bit: UInt32)] = [
      (0, 0, 0x01), (0, 1, 0x02), (0, 2, 0x04), (1, 0, 0x08),
      (1, 1, 0x10), (1, 2, 0x20), (0, 3, 0x40), (1, 3, 0x80),
    ]
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let bits = dots.reduce(into: UInt32(0)) { bits, dot in
          if raster.isEdge(2 * column + dot.column, 4 * row + dot.row) {
            bits |= dot.bit
          }
        }
        if bits != 0, let scalar = Unicode.Scalar(0x2800 + bits) {
          canvas[column, row].character = isASCII ? Self.ascii(bits) : Character(scalar)
        }
      }
    }
  }

  /// Dots in the upper half, the lower half, or both.
  private static func ascii(_ bits: UInt32) -> Character {
    let (upper, lower) = (bits & 0x1b != 0, bits & 0xe4 != 0)
    return upper ? (lower ? "|" : "'") : ","
  }

  private func mark(of face: Face) -> String {
    if leaving.contains(face.cube) { return "!" }
    return ["", isASCII ? "." : "·", ":"][min(2, game.uses(of: face))]
  }

  private func label(of face: Face, withValue: Bool = false) -> FaceLabel {
    let letter = game.puzzle[face]
    var label = FaceLabel(
      letters: letter.spelling, mark: withValue ? String(letter.points) : mark(of: face),
      isHighlighted: highlighted.contains(face))
    if isTheirs, highlighted.contains(face) { label.enclose("{", "}") }
    if marked.contains(face.cube) { label.enclose("-", "-") }
    if pointed == face.cube { label.enclose(">", "<") }
    return label
  }

  /// Draws the label of a face where it is seen, and says whether it is.
  private func drawLabel(
    of face: Face, _ raster: FaceRaster, _ depth: ColorDepth, on canvas: inout Canvas
  ) -> Bool {
    let area = LabelArea(of: face, in: raster)
    var label = label(of: face, withValue: showsValues)
    var found = area.place(for: &label)
    if found == nil, showsValues {
      label = self.label(of: face)
      found = area.place(for: &label)
    }
    guard let place = found else { return false }
    var look = Ansi.Look()
    if depth != .none {
      let background = palette(depth).fill(face, content(of: face))
      look = .init(foreground: background.readableText, background: background, isBold: true)
    }
    canvas.write(label.text, column: place.column, row: place.row, look: look)
    return true
  }

  private func drawNotes(unseen: [Face], on canvas: inout Canvas) {
    let room = canvas.width - Self.columnOfNotes
    guard room > 0 else { return }
    var legend = ["· used once", ": used twice"]
    if !highlighted.isEmpty {
      legend.append("[ ] " + highlightMeaning)
    }
    if !unseen.isEmpty {
      let labels = unseen.map { "\($0) \(label(of: $0).text)" }
      legend.append("out of sight: \(labels.joined(separator: ", "))")
    }
    legend = legend.flatMap { TerminalText.wrap($0, columns: room) }
    let lines = notes.flatMap { TerminalText.wrap(TerminalText.safe($0), columns: room) }
    let rowOfLegend = max(0, canvas.height - legend.count)
    for (row, line) in lines.prefix(max(0, rowOfLegend - 1)).enumerated() {
      canvas.write(line, column: Self.columnOfNotes, row: row)
    }
    for (row, line) in zip(rowOfLegend..., legend) {
      canvas.write(line, column: Self.columnOfNotes, row: row)
    }
  }
}

extension FaceRaster {
  /// Whether a sample is the last of a face before another face or the empty space.
  fileprivate func isEdge(_ column: Int, _ row: Int) -> Bool {
    guard let face = self[column, row] else { return false }
    // The neighbor of a pixel on a slope is across the slope's edge, which has its dots already.
    let isOnSlope = self[column, row + 1] != face
    return self[column, row - 1] != face || self[column, row + 1] == nil
      || self[column + 1, row] == nil || (self[column - 1, row] != face && !isOnSlope)
  }
}
