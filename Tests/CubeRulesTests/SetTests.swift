import CubeRules
import Testing

@Suite("Sets of cubes and faces")
struct SetTests {
  @Test("A set of faces behaves as the standard library's sets do", arguments: seeds)
  func faceSets(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let first = Set(Face.all.filter { _ in Bool.random(using: &generator) })
    let second = Set(Face.all.filter { _ in Bool.random(using: &generator) })
    let (left, right) = (FaceSet(first), FaceSet(second))
    #expect(Array(left) == first.sorted())
    #expect(left.count == first.count)
    #expect(Set(left.union(right)) == first.union(second))
    #expect(Set(left.intersection(right)) == first.intersection(second))
    #expect(Set(left.symmetricDifference(right)) == first.symmetricDifference(second))
    #expect(Set(left.subtracting(right)) == first.subtracting(second))
    #expect(Face.all.allSatisfy { left.contains($0) == first.contains($0) })
    #expect(left.isDisjoint(with: right) == first.isDisjoint(with: second))
    #expect(FaceSet(rawValue: left.rawValue) == left)
  }

  @Test("A set of cubes behaves as the standard library's sets do", arguments: seeds)
  func cubeSets(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let first = Set(Cube.all.filter { _ in Bool.random(using: &generator) })
    let second = Set(Cube.all.filter { _ in Bool.random(using: &generator) })
    let (left, right) = (CubeSet(first), CubeSet(second))
    #expect(Array(left) == first.sorted())
    #expect(left.count == first.count)
    #expect(Set(left.union(right)) == first.union(second))
    #expect(Set(left.intersection(right)) == first.intersection(second))
    #expect(Set(left.symmetricDifference(right)) == first.symmetricDifference(second))
    #expect(Set(left.subtracting(right)) == first.subtracting(second))
    #expect(Cube.all.allSatisfy { left.contains($0) == first.contains($0) })
  }

  @Test("Inserting, updating and removing return the former member")
  func mutation() {
    var faces: FaceSet = []
    #expect(faces.isEmpty)
    #expect(faces.insert(Face("222R")).inserted)
    #expect(!faces.insert(Face("222R")).inserted)
    #expect(faces.update(with: Face("222R")) == Face("222R"))
    #expect(faces.rawValue == 1 << 80)
    #expect(faces.digits == String(repeating: "0", count: 80) + "1")
    #expect(faces.remove(Face("222R")) == Face("222R"))
    #expect(faces.remove(Face("222R")) == nil)
    var cubes = CubeSet.full
    #expect(cubes.count == 27)
    #expect(cubes.remove(Cube("000")) == Cube("000"))
    #expect(cubes.remove(Cube("000")) == nil)
    #expect(cubes.update(with: Cube("000")) == nil)
    #expect(cubes.rawValue == 0x7ff_ffff)
  }

  @Test("Sets change in place as they do into new sets")
  func inPlace() {
    let (near, far) = (CubeSet([Cube("222"), Cube("221")]), CubeSet([Cube("221"), Cube("000")]))
    var cubes = near
    cubes.formUnion(far)
    #expect(cubes == near.union(far))
    cubes.formSymmetricDifference(near)
    #expect(cubes == [Cube("000")])
    cubes.formIntersection(near)
    #expect(cubes.isEmpty)
    #expect(near.underestimatedCount == 2)
    let top = FaceSet([Face("222T"), Face("221T")])
    var faces = top
    faces.formSymmetricDifference([Face("222T")])
    #expect(faces == [Face("221T")])
    faces.formUnion([Face("000L")])
    #expect(faces.count == 2)
    faces.formIntersection(top)
    #expect(faces == [Face("221T")])
    #expect(top.underestimatedCount == 2)
  }

  @Test("Bits that stand for nothing are dropped")
  func strayBits() {
    #expect(CubeSet(rawValue: .max) == .full)
    #expect(FaceSet(rawValue: .max) == .full)
    #expect(FaceSet.full.count == 81)
  }
}
