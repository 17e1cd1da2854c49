public import CubeRules

/// One way over the cube to spell some letters.
public struct Way: Hashable, Sendable {
  /// The faces in order: playable, each touching the one before.
  public internal(set) var faces: [Face]
  /// The cubes of which the word would be the third use of a face.
  public internal(set) var vanishing: CubeSet

  /// The most paths that are looked at.
  ///
  /// No word on a puzzle drawn from the bag comes near. Beyond it a way can still be taken by its
  /// faces.
  public static let pathLimit = 4_096
}

extension Way {
  init(_ faces: [Face], in game: CubeGame) {
    var vanishing = CubeSet()
    for face in faces where game.uses(of: face) == 2 { vanishing.insert(face.cube) }
    self.init(faces: faces, vanishing: vanishing)
  }

  /// The effects of the way on the rest of the game.
  ///
  /// Ways that score the same, use up the same cubes and leave the same faces, used as often, are
  /// one way. The score is in the letters, which all ways to spell them share.
  struct Outcome: Hashable {
    let vanishing: CubeSet
    /// The used faces of the cubes that stay. The use of other faces does not matter any more.
    let worn: FaceSet
  }

  var outcome: Outcome {
    Outcome(
      vanishing: vanishing, worn: FaceSet(faces.lazy.filter { !vanishing.contains($0.cube) }))
  }
}

/// Different ways, in the order of the face numbers of their first paths.
struct DistinctWays {
  private(set) var ways: [Way] = []
  private var places: [Way.Outcome: Int] = [:]
  private let game: CubeGame

  init(_ paths: [[Face]], in game: CubeGame) {
    self.game = game
    for path in paths { insert(Way(path, in: game)) }
  }

  /// Lets a path stand for its way, and tells the place of that.
  mutating func prefer(_ path: [Face]) -> Int {
    let way = Way(path, in: game)
    let place = insert(way)
    ways[place] = way
    return place
  }

  @discardableResult
  private mutating func insert(_ way: Way) -> Int {
    let outcome = way.outcome
    if let place = places[outcome] { return place }
    places[outcome] = ways.count
    ways.append(way)
    return ways.count - 1
  }
}
