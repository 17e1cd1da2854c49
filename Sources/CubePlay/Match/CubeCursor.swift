internal import CubeRules

/// A step over the cubes in sight, as they lie on the screen.
public enum CursorStep: Hashable, Sendable, CaseIterable {
  case up
  case down
  case right
  case left
}

extension Cube {
  /// Where the cube lies in isometric view: one step along x goes right and down, along z left and
  /// down, along y up. A mark brings to light the cube behind it, at the same place. Of those two
  /// the farther one counts as a little higher.
  fileprivate var place: (across: Int, down: Int) {
    (24 * (x - z), 12 * (x + z) - 24 * y + (x + y + z))
  }
}

/// Where a cursor goes over some cubes.
enum CubeCursor {
  /// The cube to begin with: the one nearest to the middle of the picture.
  static func first(among cubes: CubeSet) -> Cube? {
    nearest(cubes) { abs($0.place.across) + abs($0.place.down) }
  }

  /// The next cube in a direction; the same one where there is none. Every cube is reached from every
  /// other one.
  static func next(from cube: Cube, _ step: CursorStep, among cubes: CubeSet) -> Cube {
    // A cube that would be missed is reached from the cube nearest to it.
    let missed = cubes.first { other in
      other != cube && direction(from: cube, to: other) == step
        && neighbor(of: other, among: cubes) == cube && isMissed(other, among: cubes)
    }
    return missed ?? ahead(of: cube, step, among: cubes)
  }

  /// The nearest cube in a direction; the same one where there is none.
  private static func ahead(
    of cube: Cube, _ step: CursorStep, among cubes: CubeSet
  ) -> Cube {
    let here = cube.place
    let ahead = cubes.filter { along($0.place, from: here, step).ahead > 0 }
    let next = nearest(ahead) { other in
      let way = along(other.place, from: here, step)
      return 2 * way.ahead + 3 * way.aside
    }
    return next ?? cube
  }

  /// Whether from each of the others another one is nearer in every direction.
  private static func isMissed(_ cube: Cube, among cubes: CubeSet) -> Bool {
    !cubes.contains { other in
      other != cube
        && CursorStep.allCases.contains { ahead(of: other, $0, among: cubes) == cube }
    }
  }

  private static func neighbor(of cube: Cube, among cubes: CubeSet) -> Cube? {
    let there = cube.place
    return nearest(cubes.filter { $0 != cube }) {
      abs($0.place.across - there.across) + abs($0.place.down - there.down)
    }
  }

  private static func direction(from cube: Cube, to other: Cube) -> CursorStep {
    let (across, down) = (
      other.place.across - cube.place.across, other.place.down - cube.place.down
    )
    if abs(across) > abs(down) { return across > 0 ? .right : .left }
    return down > 0 ? .down : .up
  }

  /// The next of some cubes after another one; the first follows the last.
  static func next(after cube: Cube?, among cubes: CubeSet) -> Cube? {
    let sorted = cubes.sorted()
    guard let cube else { return sorted.first }
    return sorted.first { $0 > cube } ?? sorted.first
  }

  private static func along(
    _ there: (across: Int, down: Int), from here: (across: Int, down: Int), _ step: CursorStep
  ) -> (ahead: Int, aside: Int) {
    let (across, down) = (there.across - here.across, there.down - here.down)
    return switch step {
    case .up: (-down, abs(across))
    case .down: (down, abs(across))
    case .right: (across, abs(down))
    case .left: (-across, abs(down))
    }
  }

  private static func nearest(
    _ cubes: some Sequence<Cube>, _ distance: (Cube) -> Int
  ) -> Cube? {
    var best: (cube: Cube, distance: Int)?
    for cube in cubes {
      let now = distance(cube)
      if let known = best, known.distance <= now { continue }
      best = (cube, now)
    }
    return best?.cube
  }
}

extension PlayTurn {
  /// The cubes under a cursor's reach that show a letter.
  func markable(showing letter: Letter) -> CubeSet {
    guard let draft else { return CubeSet() }
    let marked = CubeSet(draft.marks)
    var cubes = CubeSet()
    for face in game.without(draft.marks).playable where game.puzzle[face] == letter {
      cubes.insert(face.cube)
    }
    for face in game.playable where game.puzzle[face] == letter && marked.contains(face.cube) {
      cubes.insert(face.cube)
    }
    return cubes
  }

  /// The cubes that a cursor can reach: the marked ones, and those in sight once the marked ones
  /// are gone.
  var markable: CubeSet {
    guard let draft else { return CubeSet() }
    var cubes = CubeSet(draft.marks)
    for face in game.without(draft.marks).playable { cubes.insert(face.cube) }
    return cubes
  }
}
