import CubePlay
import CubeRules
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

@Suite("The cube in windows of several sizes")
struct LargeCubeTests {
  /// A window, and how many columns the cube takes there.
  static let windows = [
    (64, 24, 42), (80, 24, 42), (100, 30, 54), (120, 40, 72), (132, 24, 42), (200, 60, 84),
  ]

  @Test(
    "It takes the room that there is, and a click on a letter takes the face that shows it",
    arguments: windows)
  func clicks(columns: Int, rows: Int, width: Int) throws {
    let app = try Scenery.yourTurn.app()
    let size = TerminalSize(columns: columns, rows: rows)
    let canvas = ScreenDrawing(
      app: app, size: size, setting: ScreenSetting(depth: .none, isUnicode: true)
    ).canvas()
    guard case .shown(let table)? = app.match?.content else {
      Issue.record("no match is shown")
      return
    }
    var tapped = FaceSet()
    for row in 1..<(rows - 2) {
      for column in 0..<width {
        let character = canvas[column, row].character
        guard character.isASCII, character.isLetter else { continue }
        let key = Key.mouse(.init(.press, column: column, row: row))
        guard
          case .match(_, .play(.draft(.faceTapped(let face))))? = ScreenKeys.action(
            key, in: app, on: size)
        else {
          Issue.record("nothing at \(column), \(row)")
          continue
        }
        #expect(table.turn.game.puzzle[face].spelling.contains(character))
        tapped.insert(face)
      }
    }
    #expect(tapped == table.turn.game.playable)
    let isDrawn = (0..<width).map { column in
      (1...(width / 2)).contains { canvas[column, $0].character != " " }
    }
    #expect(isDrawn.first == true && isDrawn.last == true)
    #expect((1..<(rows - 2)).allSatisfy { canvas[width, $0].character == " " })
  }

  @Test("Values stand on faces wherever there is room, and every face bears its letter still")
  func values() throws {
    for seed in 0..<10 as Range<UInt64> {
      let (game, lastWord) = Position.afterRandomMoves(seed: seed)
      var drawing = CubeDrawing(game: game, highlighted: lastWord)
      drawing.showsValues = true
      var canvas = Canvas(width: FaceRaster.size, height: FaceRaster.size / 2)
      let unseen = drawing.drawCube(.none, on: &canvas)
      #expect(unseen.isEmpty, "seed \(seed)")
      let text = canvas.text(.none)
      let valued = game.playable.filter {
        text.contains("\(game.puzzle[$0].spelling)\(game.puzzle[$0].points)")
      }
      #expect(2 * valued.count >= game.playable.count, "seed \(seed)")
    }
  }
}
