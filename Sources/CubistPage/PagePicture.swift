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

extension PagePicture {
  /// The letters of all faces as they are drawn, each a capital and perhaps a small letter.
  var letters: String {
    var letters: [UInt8] = []
    for face in Face.all {
      let spelling = game.puzzle[face].spelling.utf8
      letters += spelling.prefix(1)
      for byte in spelling.dropFirst() { letters.append(byte | 0x20) }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// The faces that can be seen: no cube lies on them, or one that is just vanishing.
  var open: FaceSet {
    let vanishing = isVanishing ? leaving.union(marked) : CubeSet()
    return FaceSet(
      Face.all.filter { face in
        guard game.inPlay.contains(face.cube) else { return false }
        guard let cover = face.cover else { return true }
        return !game.inPlay.contains(cover) || vanishing.contains(cover)
      })
  }
}

extension Face {
  /// The cube that lies on the face as long as it is there; nil on the outside.
  fileprivate var cover: Cube? {
    switch side {
    case .top: Cube(x: cube.x, y: cube.y + 1, z: cube.z)
    case .left: Cube(x: cube.x, y: cube.y, z: cube.z + 1)
    case .right: Cube(x: cube.x + 1, y: cube.y, z: cube.z)
    }
  }
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
