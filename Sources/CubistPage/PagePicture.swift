import CubePlay
import CubeRules

/// The cube as the page draws it.
struct PagePicture {
  var game: CubeGame
  /// The faces of the word that is lit, in order.
  var path: [Face]
  /// The player of that word.
  var player: PlayTurn.Player
  /// The cubes that vanish by the word.
  var leaving: CubeSet
  /// The cubes that are removed by hand.
  var marked: CubeSet
  /// Whether those cubes are just vanishing.
  var isVanishing = false
}

extension ShownMatch {
  /// A vanishing cube flashes in a terminal. The page lets it go while those moments pass.
  var pagePicture: PagePicture {
    let (picture, path) = (picture, path)
    var shown = PagePicture(
      game: picture.game, path: path, player: picture.litBy, leaving: picture.leaving,
      marked: picture.marked)
    if let show, case .flashing = show.step {
      shown.game = show.replay.game
      shown.leaving = show.replay.turn.vanishing
      shown.marked = CubeSet(show.replay.turn.moves.compactMap { $0.removedCube })
      shown.isVanishing = true
    }
    return shown
  }

  private var path: [Face] {
    if let show {
      let faces = show.replay.turn.faces
      guard case .spelling(let count) = show.step else { return faces }
      return Array(faces.prefix(count))
    }
    if let line = lookedAt { return line.replay?.turn.faces ?? [] }
    return turn.draft?.word?.shown.faces ?? turn.lastTurn?.turn.faces ?? []
  }
}

extension Move {
  fileprivate var removedCube: Cube? { if case .removal(let cube) = self { cube } else { nil } }
}
