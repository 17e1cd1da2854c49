import CubeRules
import CubistBasics
import Testing

@testable import CubePlay

@Suite("Arrows over the cubes")
struct CubeCursorTests {
  @Test("The arrows reach each of two cubes that lie one behind the other")
  func behind() {
    let (near, far) = (Cube("111"), Cube("000"))
    let cubes = CubeSet([near, far])
    #expect(CubeCursor.next(from: near, .up, among: cubes) == far)
    #expect(CubeCursor.next(from: far, .down, among: cubes) == near)
  }

  @Test(
    "Arrows get from any visible cube to any other, even with cubes gone or marked",
    arguments: 0..<8)
  func reach(share: Int) {
    var generator = SplitMix64(state: UInt64(share))
    var seen: Set<CubeSet> = []
    while seen.count < 20 {
      var game = CubeGame(puzzle: .walk)
      while let cube = Self.inSight(game).randomElement(using: &generator) {
        game = game.without([cube])
        var (marks, left) = ([Cube](), game)
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
          guard let mark = Self.inSight(left).randomElement(using: &generator) else { break }
          marks.append(mark)
          left = left.without([mark])
        }
        let cubes = CubeSet(marks + Self.inSight(left))
        guard !cubes.isEmpty, seen.insert(cubes).inserted else { continue }
        Self.check(cubes)
      }
    }
  }

  private static func inSight(_ game: CubeGame) -> [Cube] {
    game.inPlay.filter { cube in game.playable.contains { $0.cube == cube } }
  }

  /// Whether from the first cube all are reached, and from all the first.
  private static func check(_ cubes: CubeSet) {
    var (to, from): ([Cube: [Cube]], [Cube: [Cube]]) = ([:], [:])
    for cube in cubes {
      for step in CursorStep.allCases {
        let next = CubeCursor.next(from: cube, step, among: cubes)
        to[cube, default: []].append(next)
        from[next, default: []].append(cube)
      }
    }
    for ways in [to, from] {
      guard let first = CubeCursor.first(among: cubes) else { continue }
      var (found, open) = (CubeSet([first]), [first])
      while let cube = open.popLast() {
        for next in ways[cube] ?? [] where found.insert(next).inserted { open.append(next) }
      }
      #expect(found == cubes, "among \(cubes.map { $0.description })")
    }
  }
}
