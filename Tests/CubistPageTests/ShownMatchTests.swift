import CubePlay
import CubeRules
import CubistPage
import Foundation
import Testing

@Suite("A match as the page draws it")
struct ShownMatchTests {
  private typealias Object = [String: Any]

  private static func page() -> RobotPage { RobotPage(seed: 1, firstSteps: .done) }

  private static func act(_ texts: String..., on page: RobotPage) throws {
    for text in texts { page.act(try #require(RobotAction(Array(text.utf8)), "\(text)")) }
  }

  private static func match(_ page: RobotPage) throws -> Object {
    let object = try JSONSerialization.jsonObject(with: Data(page.json()))
    return try #require((object as? Object)?["match"] as? Object)
  }

  /// The numbers of the faces that can be seen.
  private static func open(_ page: RobotPage) throws -> Set<Int> {
    let digits = try #require(match(page)["open"] as? String)
    return Set(digits.enumerated().filter { $0.element == "1" }.map { $0.offset })
  }

  @Test("The faces on the outside are open, then those behind a cube that is taken away")
  func open() throws {
    let page = Self.page()
    let outside = Face.all.filter { face in
      switch face.side {
      case .top: face.cube.y == 2
      case .left: face.cube.z == 2
      case .right: face.cube.x == 2
      }
    }
    #expect(try Self.open(page) == Set(outside.map { $0.number }))
    // The nearest cube, 222, covers a face of each of three others.
    try Self.act("mark 26", on: page)
    let gone = Set([78, 79, 80])
    let behind = try ["212T", "221L", "122R"].map { try #require(Face(notation: $0)).number }
    #expect(
      try Self.open(page) == Set(outside.map { $0.number }).subtracting(gone).union(behind))
  }

  @Test("What lies behind a cube is open while the cube vanishes")
  func vanishing() throws {
    let page = Self.page()
    try Self.act("mark 26", "mark 25", "submit", on: page)
    let match = try Self.match(page)
    #expect(match["isVanishing"] as? Bool == true)
    #expect(match["cubes"] as? Int == 134_217_727)
    // The faces of the vanishing cubes are there, and those that they cover.
    for face in ["222T", "222L", "222R", "212T", "122R", "221T", "211T", "121R", "220L"] {
      #expect(try Self.open(page).contains(#require(Face(notation: face)).number), "\(face)")
    }
    #expect(try !Self.open(page).contains(#require(Face(notation: "111T")).number))
  }

  @Test("A face with QU has a capital and a small letter")
  func letters() throws {
    let page = Self.page()
    var letters = try #require(Self.match(page)["letters"] as? String)
    #expect(letters == page.shown?.turn.game.puzzle.description)
    // Robots deal on until a cube has a Q.
    for _ in 1..<100 {
      try Self.act("new easy", on: page)
      letters = try #require(Self.match(page)["letters"] as? String)
      let puzzle = try #require(page.shown?.turn.game.puzzle)
      #expect(letters == puzzle.description.replacing("Q", with: "Qu"))
      if letters.contains("Qu") { return }
    }
    Issue.record("no cube has a Q")
  }

  @Test("The faces have the values of their letters where these are asked for")
  func values() throws {
    let page = Self.page()
    #expect(try Self.match(page)["values"] as? [Int] == [])
    try Self.act("values", on: page)
    let puzzle = try #require(page.shown?.turn.game.puzzle)
    #expect(try Self.match(page)["values"] as? [Int] == Face.all.map { puzzle[$0].points })
    try Self.act("values", on: page)
    #expect(try Self.match(page)["values"] as? [Int] == [])
  }

  @Test("A word says whether it may be sent")
  func good() throws {
    let page = Self.page()
    for (text, isGood) in [("PL", false), ("PLANET", true), ("NAL", false)] {
      try Self.act("type \(text)", on: page)
      let word = try #require(Self.match(page)["word"] as? Object)
      #expect((word["text"] as? String, word["isGood"] as? Bool) == (text, isGood))
    }
  }
}
