import CubeRules
import Testing

@Suite("Playable cubes")
struct VisibilityTests {
  @Test("The masks of the full cube and of the cube without 222 are the published ones")
  func publishedMasks() {
    #expect(CubeSet.full.playableFaces.rawValue == 0x1edd_2691_9280_4032_5008_0)
    let without = CubeSet.full.subtracting([Cube("222")])
    #expect(without.playableFaces.rawValue == 0x03df_2693_9280_4032_5008_0)
  }

  @Test("The full cube shows 27 faces, 9 a side, in 81 touching pairs of degrees 3 to 8")
  func fullCube() {
    let playable = CubeSet.full.playableFaces
    #expect(playable.count == 27)
    for side in Side.allCases {
      #expect(playable.filter { $0.side == side }.count == 9)
    }
    let degrees = playable.map { $0.neighbors.intersection(playable).count }
    #expect(degrees.reduce(0, +) == 2 * 81)
    let counts = Dictionary(grouping: degrees) { $0 }.mapValues(\.count)
    #expect(counts == [3: 3, 5: 12, 7: 3, 8: 9])
  }

  @Test("The masks of 4,096 heaps have the published digest")
  func digest() {
    #expect(sha256(PublishedDigests.masksText()) == PublishedDigests.masks)
  }

  @Test("The mask agrees with the rule, face by face, for random heaps", arguments: seeds)
  func reference(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for density in 1...7 {
      for _ in 0..<20 {
        let cubes = CubeSet(
          Cube.all.filter { _ in Int.random(in: 0..<8, using: &generator) < density })
        let expected = Face.all.filter { isPlayable($0, among: cubes) }
        #expect(Array(cubes.playableFaces) == expected, "seed \(seed), heap \(cubes.rawValue)")
      }
    }
  }

  @Test("A heap that is not empty shows a face, and only faces of its own", arguments: seeds)
  func somethingShows(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let cubes = CubeSet(rawValue: UInt32.random(in: 1..<(1 << 27), using: &generator))
      #expect(!cubes.playableFaces.isEmpty)
      #expect(cubes.playableFaces.allSatisfy { cubes.contains($0.cube) })
    }
    #expect(CubeSet().playableFaces.isEmpty)
  }

  /// The rule word by word: slow and obvious.
  private func isPlayable(_ face: Face, among cubes: CubeSet) -> Bool {
    func isInPlay(_ step: (x: Int, y: Int, z: Int), _ k: Int) -> Bool {
      let cube = face.cube
      return Cube(x: cube.x + step.x + k, y: cube.y + step.y + k, z: cube.z + step.z + k)
        .map(cubes.contains) ?? false
    }
    let (n, a, b) =
      switch face.side {
      case .top: ((x: 0, y: 1, z: 0), (x: 0, y: 1, z: 1), (x: 1, y: 1, z: 0))
      case .left: ((x: 0, y: 0, z: 1), (x: 0, y: 1, z: 1), (x: 1, y: 0, z: 1))
      case .right: ((x: 1, y: 0, z: 0), (x: 1, y: 1, z: 0), (x: 1, y: 0, z: 1))
      }
    return cubes.contains(face.cube)
      && (0...3).allSatisfy { k in
        !isInPlay(n, k) && !isInPlay((1, 1, 1), k) && !(isInPlay(a, k) && isInPlay(b, k))
      }
  }
}
