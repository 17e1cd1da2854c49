import CubeRules
import CubistBasics
import SHA2
import Testing

@Suite("Cubes and faces")
struct FaceTests {
  @Test("Cubes stand in canonical order, x outermost, then y, then z")
  func cubes() {
    #expect(Cube.all.count == 27)
    #expect(Cube.all.map(\.index) == Array(0..<27))
    #expect(Cube.all == Cube.all.sorted())
    #expect(Cube.all[5].description == "012")
    for cube in Cube.all {
      #expect(Cube(x: cube.x, y: cube.y, z: cube.z) == cube)
      #expect(Cube(notation: cube.description) == cube)
      #expect(Cube(index: cube.index) == cube)
    }
  }

  @Test("Faces stand in canonical order, within a cube top, left, right")
  func faces() {
    #expect(Face.all.map(\.number) == Array(0..<81))
    #expect(Face.all == Face.all.sorted())
    #expect(Face.all.prefix(4).map(\.description) == ["000T", "000L", "000R", "001T"])
    for face in Face.all {
      #expect(Face(cube: face.cube, side: face.side) == face)
      #expect(Face(notation: face.description) == face)
      #expect(Face(number: face.number) == face)
    }
  }

  @Test("A coordinate outside the lattice gives no cube", arguments: [-1, 3, Int.max, Int.min])
  func outside(_ coordinate: Int) {
    #expect(Cube(x: coordinate, y: 0, z: 0) == nil)
    #expect(Cube(x: 0, y: coordinate, z: 0) == nil)
    #expect(Cube(x: 0, y: 0, z: coordinate) == nil)
    #expect(Cube(index: coordinate < 0 ? coordinate : 27) == nil)
    #expect(Face(number: coordinate < 0 ? coordinate : 81) == nil)
  }

  @Test(
    "A malformed notation names neither a cube nor a face",
    arguments: [
      "", "2", "21", "213", "0 1", "21٢", "2121", "212l", "212X", "212LL", " 212L", "212L ",
      "-212", "LLL", "2\u{301}12", "212L\u{301}",
    ])
  func malformed(_ notation: String) {
    #expect(Cube(notation: notation) == nil)
    #expect(Face(notation: notation) == nil)
  }

  @Test("The touch relation has the published digest and 705 pairs of degrees 7 to 32")
  func touchDigest() {
    for first in Face.all {
      for second in Face.all {
        #expect(first.touches(second) == second.touches(first))
        #expect(first.neighbors.contains(second) == first.touches(second))
      }
    }
    #expect(sha256(PublishedDigests.touchText()) == PublishedDigests.touch)
    let degrees = Face.all.map(\.neighbors.count)
    #expect(degrees.reduce(0, +) == 2 * 705)
    #expect(degrees.min() == 7)
    #expect(degrees.max() == 32)
  }

  @Test("Faces of one cube touch, a face does not touch itself, looking adjacent is not touching")
  func touchExamples() {
    #expect(Face("222T").touches(Face("222L")))
    #expect(Face("222T").touches(Face("121T")))
    #expect(!Face("222T").touches(Face("222T")))
    // A screen shows the corner (1,2,2) of 111T where it shows the corner (2,3,3) of 222L.
    #expect(!Face("222L").touches(Face("111T")))
    #expect(!Face("222T").touches(Face("111T")))
  }
}

func sha256(_ text: [UInt8]) -> String {
  var hash = SHA256Hasher()
  text.withUnsafeBytes { hash.update($0) }
  return Hex.encode(hash.finalize { Array($0) })
}
