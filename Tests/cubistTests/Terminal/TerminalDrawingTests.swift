import CubeRules
import Foundation
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Drawing of the cube")
struct TerminalDrawingTests {
  @Test(
    "Every cube seen of any heap can be played, and every cube not seen is named",
    arguments: 50..<80)
  func seenIsPlayable(seed: UInt64) throws {
    let game = try Position.anyCubes(seed: seed)
    let raster = FaceRaster(game.inPlay)
    var seen = FaceSet()
    for row in 0..<raster.side {
      for column in 0..<raster.side {
        if let face = raster[column, row] { seen.insert(face) }
      }
    }
    #expect(seen.isSubset(of: game.playable), "seed \(seed)")
    let text = CubeDrawing(game: game).text(.with())
    let named = text.matches(of: /[0-2]{3}[TLR]/).compactMap { Face(notation: $0.output) }
    #expect(FaceSet(named) == game.playable.subtracting(seen), "seed \(seed)")
  }

  @Test("A playable face behind two cubes at different distances is named beside the drawing")
  func outOfSight() throws {
    let game = try Position.with(cubes: ["000", "011", "221"])
    #expect(game.playable.contains(try Position.unwrap(Face(notation: "000T"))))
    #expect(CubeDrawing(game: game).text(.with()).contains("out of sight: 000T A"))
  }

  @Test("Every playable face bears its letter and the mark of its uses", arguments: 0..<25)
  func labels(seed: UInt64) throws {
    let (game, lastWord) = Position.afterRandomMoves(seed: seed)
    let raster = FaceRaster(game.inPlay)
    let canvas = CubeDrawing(game: game, highlighted: lastWord).canvas(.none)
    for face in game.playable {
      let rows = (0..<canvas.height).map { row in
        String(
          (0..<FaceRaster.size)
            .filter { raster[$0, 2 * row] == face && raster[$0, 2 * row + 1] == face }
            .map { canvas[$0, row].character })
      }
      let mark = ["", "·", ":"][game.uses(of: face)]
      let letters = (lastWord.contains(face) ? "[" : "") + game.puzzle[face].spelling + mark
      #expect(rows.contains { $0.contains(letters) }, "\(face), seed \(seed)")
      let others = rows.joined().filter { $0.isLetter && $0.isASCII }
      #expect(others == game.puzzle[face].spelling, "\(face), seed \(seed)")
    }
  }

  @Test("A highlighted label keeps both brackets unless half a face is too small for them")
  func brackets() {
    var label = FaceLabel(letters: "QU", mark: ":", isHighlighted: true)
    #expect(label.text == "[QU:]")
    label.shorten()
    #expect(label.text == "[QU:")
    #expect(FaceLabel(letters: "A", mark: "", isHighlighted: false).text == "A")
  }

  @Test("No drawing is wider than 80 columns or higher than 23 rows", arguments: 54..<62)
  func size(seed: UInt64) throws {
    let drawing = CubeDrawing(
      game: try Position.anyCubes(seed: seed), highlighted: .full,
      notes: (0..<40).map { "note \($0) " + String(repeating: "long ", count: $0) })
    for columns in [0, 20, 44, 45, 46, 60, 80, 300] {
      for form in TerminalStyle.Form.allCases {
        let text = drawing.text(.with(form, columns: columns))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 23, "\(form), \(columns) columns, seed \(seed)")
        let least = form == .isometric ? FaceRaster.size : CubeGrids.leastColumns
        #expect(lines.allSatisfy { $0.count <= min(80, max(least, columns)) })
      }
    }
  }

  @Test("A drawing without color has no escape sequence, in either form")
  func noEscapes() throws {
    let drawing = try Position.midGameDrawing()
    for form in TerminalStyle.Form.allCases {
      #expect(!drawing.text(.with(form)).contains("\u{1b}"))
    }
  }

  @Test("A drawing in colors has the same letters and marks as one without")
  func sameLabelsInColor() throws {
    let drawing = try Position.midGameDrawing()
    let isLabel = { (character: Character) in character.isASCII || character == "·" }
    let plain = drawing.canvas(.none)
    for depth in [ColorDepth.palette, .trueColor] {
      let colored = drawing.canvas(depth)
      for row in 0..<plain.height {
        let columns = 0..<plain.width
        #expect(
          columns.map { plain[$0, row].character }.filter { isLabel($0) && $0 != " " }
            == columns.map { colored[$0, row].character }.filter { isLabel($0) && $0 != " " })
      }
    }
  }

  @Test("Each line in colors ends without a color and sets only the colors it needs")
  func colorStructure() throws {
    let drawing = try Position.midGameDrawing()
    for (depth, code) in [(ColorDepth.trueColor, "8;2;"), (.palette, "8;5;")] {
      let text = drawing.text(.with(.isometric, depth))
      let lines = text.split(separator: "\n")
      #expect(lines.count == 21)
      for line in lines {
        let sequences = line.matches(of: /\u{1b}\[([0-9;]*)m/).map { String($0.output.1) }
        let visible = line.replacing(/\u{1b}\[[0-9;]*m/, with: "")
        #expect(!visible.contains("\u{1b}"))
        #expect(visible.count <= 80)
        #expect(sequences.last == "0")
        #expect(sequences.allSatisfy { $0 == "0" || $0.contains(code) })
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 != $1 })
      }
    }
  }

  /// Everything that the color of a face can say.
  private static let contents: [CubePalette.Content] = {
    let words = [CubePalette.Word.none, .own, .theirs].flatMap { word in
      (0...2).map { CubePalette.Content(uses: $0, word: word) }
    }
    return words + [.init(isLeaving: true), .init(isMarked: true), .init(isPointed: true)]
  }()

  private static let faces = Side.allCases.map { Face(cube: Cube.all[0], side: $0) }

  @Test("Letters stand out from every fill by the contrast that WCAG 2.2 asks of text")
  func contrast() {
    for depth in [ColorDepth.palette, .trueColor] {
      for content in Self.contents {
        for face in Self.faces {
          let fill = CubePalette(depth: depth).fill(face, content)
          #expect(contrast(fill, fill.readableText) >= 4.5, "\(depth) \(face) \(content)")
        }
      }
    }
  }

  @Test("In 256 colors each face has one that no face of another side or content has, nor a rim")
  func distinctFills() {
    var palette = CubePalette(depth: .palette)
    palette.isShaded = true
    let fills = Self.contents.flatMap { content in
      Self.faces.map { palette.fill($0, content) }
    }
    let indices = fills.map(\.paletteIndex) + [palette.rim(of: .white).paletteIndex]
    #expect(Set(indices).count == 3 * Self.contents.count + 1)
    // Nothing is blended: each color is a place of the palette.
    #expect(fills.allSatisfy { RGB(paletteIndex: $0.paletteIndex) == $0 })
  }

  @Test("The top is lighter than the left, and the left than the right", arguments: contents)
  func sides(content: CubePalette.Content) {
    for depth in [ColorDepth.palette, .trueColor] {
      let lumas = Self.faces.map { CubePalette(depth: depth).fill($0, content).luma }
      #expect(lumas == lumas.sorted(by: >), "\(depth)")
    }
  }

  /// Source: WCAG 2.2, definition of contrast ratio.
  private func contrast(_ first: RGB, _ second: RGB) -> Double {
    func luminance(_ color: RGB) -> Double {
      let linear = [color.red, color.green, color.blue].map { channel in
        let value = Double(channel) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
    let (a, b) = (luminance(first), luminance(second))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }
}
