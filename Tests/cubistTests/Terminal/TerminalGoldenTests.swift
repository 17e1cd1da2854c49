import CubeRules
import Foundation
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

/// Pictures as they should be. Look at them where a difference is reported.
///
/// The two pictures in `docs` are written anew where `CUBIST_UPDATE_GOLDEN` is set.
@Suite("Golden pictures")
struct TerminalGoldenTests {
  @Test("The full cube without colors")
  func fullCube() throws {
    let text = CubeDrawing(game: try Position.fullCube()).text(.with())
    #expect(text == Golden.fullCube)
  }

  @Test("The full cube as grids")
  func fullCubeAsGrids() throws {
    let text = CubeDrawing(game: try Position.fullCube()).text(.with(.plain))
    #expect(text == Golden.fullCubeAsGrids)
  }

  @Test("A game after five words as grids, in 50 columns")
  func midGameAsGrids() throws {
    let text = try Position.midGameDrawing().text(.with(.plain, columns: 50))
    #expect(text == Golden.midGameAsGrids)
  }

  @Test("A game after a word and two removals without colors")
  func afterRemovals() throws {
    var game = try Position.fullCube()
    for move in ["-222", "-212", "122R 112R 202T"] {
      try game.apply(Move(notation: move), words: Position.AnyWord())
    }
    let drawing = CubeDrawing(game: game, highlighted: try Position.faces("122R 112R 202T"))
    #expect(drawing.text(.with()) == Golden.afterRemovals)
  }

  @Test("An empty cube leaves the legend")
  func empty() throws {
    let game = try Position.with(cubes: [])
    #expect(
      CubeDrawing(game: game).text(.with())
        .split(separator: "\n").map { $0.drop { $0 == " " } } == ["· used once", ": used twice"])
  }

  @Test("The pictures in the documentation agree with the command line's")
  func documentation() throws {
    let drawing = try Position.midGameDrawing()
    let docs = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs")
    let pictures = [
      ("cube.txt", drawing.canvas(.none).text(.none)),
      ("cube.svg", drawing.canvas(.trueColor).svg()),
    ]
    for (name, picture) in pictures {
      let file = docs.appendingPathComponent(name)
      if ProcessInfo.processInfo.environment["CUBIST_UPDATE_GOLDEN"] != nil {
        try picture.write(to: file, atomically: true, encoding: .utf8)
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == picture, "docs/\(name)")
    }
  }

  @Test("The picture escapes characters that SVG would take for markup")
  func svgEscapes() {
    var canvas = Canvas(width: 8, height: 1)
    canvas.write("<a&b>", column: 0, row: 0)
    let svg = canvas.svg()
    #expect(svg.contains(">&lt;a&amp;b&gt;</text>"))
  }
}
