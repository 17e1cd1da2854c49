import CubePlay
import CubeRules
import CubistPage
import Testing

@Suite("Actions of the page")
struct PageActionTests {
  private static func read(_ text: String) -> RobotAction? { RobotAction(Array(text.utf8)) }

  @Test("An action is read from its text")
  func reading() throws {
    let expected: [(String, PageAction)] = [
      ("letter G", .letter(.g)), ("letter q", .letter(.q)),
      ("type pLà1 n", .type([.p, .l, .n])), ("type ", .type([])),
      ("face 80", .face(try #require(Face(number: 80)))),
      ("drag 0", .drag(try #require(Face(number: 0)))),
      ("mark 26", .mark(try #require(Cube(index: 26)))),
      ("way 2", .way(2)), ("look -1", .look(-1)), ("look 99999999", .look(999)),
      ("turn 0", .turn(0)), ("row 1", .row(1)),
      ("tick 12", .tick(MatchKey("12"))),
      ("back", .back), ("clear", .clear), ("submit", .submit), ("replay", .replay),
      ("values", .values), ("rematch", .rematch), ("yes", .yes), ("no", .no), ("leave", .leave),
      ("steps", .steps), ("help", .help), ("close", .close),
    ]
    for (text, action) in expected { #expect(Self.read(text) == .page(action), "\(text)") }
    #expect(Self.read("new hard") == .new(.hard))
    #expect(Self.read("robot 1") == .robot(MatchKey("1")))
  }

  @Test(
    "Anything else is no action",
    arguments: [
      "", " ", "type", "face", "face 81", "face -1", "face x", "mark 27", "letter", "letter AB",
      "letter é", "letter 1", "new best", "open", "back 1", "way 99999999999999999999", "Face 1",
      "face  1",
    ])
  func refusing(text: String) {
    #expect(Self.read(text) == nil)
  }

  @Test("No bytes trap")
  func bytes() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max { _ = RobotAction([first, 32, second]) }
    }
  }
}
