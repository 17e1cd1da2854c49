import CubeRules
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Grids of the playable faces")
struct TerminalGridsTests {
  @Test("Every playable face is there once, and no other", arguments: 0..<60)
  func complete(seed: UInt64) throws {
    for game in [try Position.anyCubes(seed: seed), Position.afterRandomMoves(seed: seed).game] {
      let text = CubeGrids(game: game).text(columns: 80)
      let found = text.matches(of: /([0-2]{3}[TLR]) ([A-Z]+)(\+[12])?/)
      let expected = game.playable.map { face in
        let uses = game.uses(of: face)
        return "\(face) \(game.puzzle[face].spelling)\(uses > 0 ? "+\(uses)" : "")"
      }
      #expect(found.map { String($0.output.0) }.sorted() == expected.sorted(), "seed \(seed)")
    }
  }

  @Test("The grids are in ASCII", arguments: 0..<20)
  func ascii(seed: UInt64) {
    let (game, lastWord) = Position.afterRandomMoves(seed: seed)
    #expect(CubeGrids(game: game, highlighted: lastWord).text().utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("The nearest of several faces at one place of a grid stands there, the others below")
  func deeper() throws {
    // 020 and 000 alone: the tops of both are in sight, one above the other.
    let game = try Position.with(cubes: ["020", "000"])
    let lines = CubeGrids(game: game).text().split(separator: "\n")
    #expect(lines[1] == "020T S  .       .")
    #expect(lines[4] == "Deeper: 000T A")
  }

  @Test("Data cannot steer the terminal")
  func controlCharacters() throws {
    var drawing = CubeDrawing(game: try Position.fullCube())
    drawing.notes = ["\u{1b}[2Jgone\u{9b}31m\u{202e}", "two\nlines"]
    for form in TerminalStyle.Form.allCases {
      let text = drawing.text(.with(form))
      #expect(text.contains("?[2Jgone?31m?"))
      #expect(text.contains("two?lines"))
      #expect(!text.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{9b}" })
    }
  }
}
