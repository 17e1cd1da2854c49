import CubeRules
import Testing

@Suite("Moves in notation")
struct MoveTests {
  @Test(
    "A well-formed notation is read and printed again",
    arguments: ["212L", "212L 202R 202L 112L", "222T 222L 222T", "-212", "-000"])
  func roundTrip(notation: String) throws {
    let move = try Move(notation: notation)
    #expect(move.description == notation)
    #expect(try Move(notation: notation[...]) == move)
  }

  @Test("A word of all 81 faces is read and printed again")
  func longest() throws {
    let move = Move.word(Face.all)
    #expect(move.description.utf8.count == Move.notationLimit)
    #expect(try Move(notation: move.description) == move)
  }

  @Test("Words and removals are told apart")
  func kinds() throws {
    #expect(try Move(notation: "-212") == .removal(Cube("212")))
    #expect(try Move(notation: "212L 202R") == .word([Face("212L"), Face("202R")]))
  }

  // Failure: NotationError.empty: The notation has no move.
  // Failure: NotationError.notAFace: A piece names no face.
  // Failure: NotationError.notARemoval: No cube follows the minus sign.
  @Test(
    "A malformed notation is refused with the offending piece",
    arguments: [
      ("", NotationError.empty),
      ("212", .notAFace("212")),
      ("212L  202R", .notAFace("")),
      (" 212L", .notAFace("")),
      ("212L ", .notAFace("")),
      ("212L,202R", .notAFace("212L,202R")),
      ("212L 302R 402R", .notAFace("302R")),
      ("212l", .notAFace("212l")),
      ("212L\n202R", .notAFace("212L?202R")),
      ("212L \u{1b}[31m", .notAFace("?[31m")),
      ("212L é", .notAFace("??")),
      ("GAMESOFTHRONES", .notAFace("GAMESOFTHRON...")),
      ("-", .notARemoval("-")),
      ("-21", .notARemoval("-21")),
      ("-213", .notARemoval("-213")),
      ("-212L", .notARemoval("-212L")),
      ("-212 -211", .notARemoval("-212 -211")),
      ("--212", .notARemoval("--212")),
      ("212L -202", .notAFace("-202")),
    ])
  func malformed(notation: String, error: NotationError) {
    #expect(throws: error) { try Move(notation: notation) }
  }

  // Failure: NotationError.tooLong: The notation exceeds the limit.
  @Test("A notation beyond the limit is refused before it is looked at")
  func tooLong() {
    let notation = String(repeating: "!", count: Move.notationLimit + 1)
    #expect(throws: NotationError.tooLong) { try Move(notation: notation) }
    #expect(throws: NotationError.notAFace("!!!!!!!!!!!!...")) {
      try Move(notation: String(notation.dropLast()))
    }
  }

  @Test("Each notation error has a name and a sentence that shows the piece")
  func errors() {
    let errors: [NotationError] = [.empty, .tooLong, .notAFace("9"), .notARemoval("-9")]
    #expect(
      errors.map(\.name) == ["notationEmpty", "notationTooLong", "notAFace", "notARemoval"])
    #expect(errors[2].description.contains("\"9\""))
    #expect(errors[3].description.contains("\"-9\""))
    #expect(errors.allSatisfy { !$0.description.contains("\n") })
  }
}
