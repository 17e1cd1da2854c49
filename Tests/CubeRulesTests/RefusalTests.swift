import CubeRules
import Testing

@Suite("Refusals")
struct RefusalTests {
  static let all: [RuleRefusal] =
    [
      .emptyWord, .faceRepeated(Face("212L")), .tooShort(1), .tooShort(2),
      .faceHidden(Face("222T")), .notTouching(Face("222T"), Face("000R")), .notAWord("ABM"),
      .wordAlreadyPlayed("GAME"), .cubeGone(Cube("212")), .cubeHidden(Cube("111")), .gameOver,
    ] + TurnShape.allCases.map { .turnShape($0) }

  @Test("A refusal is made again from its name and arguments", arguments: all)
  func roundTrip(refusal: RuleRefusal) {
    #expect(RuleRefusal(name: refusal.name, arguments: refusal.arguments) == refusal)
  }

  @Test("The names are the documented ones")
  func names() {
    #expect(
      Set(Self.all.map(\.name)) == [
        "emptyWord", "faceRepeated", "tooShort", "faceHidden", "notTouching", "notAWord",
        "wordAlreadyPlayed", "cubeGone", "cubeHidden", "turnShape", "gameOver",
      ])
    #expect(
      TurnShape.allCases.map(\.rawValue) == [
        "empty", "wordThenMore", "threeRemovals", "removalsThenWord", "singleRemoval",
        "afterLastCube",
      ])
  }

  @Test("The sentence for a person shows the value", arguments: all)
  func sentences(refusal: RuleRefusal) {
    #expect(refusal.description.hasSuffix("."))
    if refusal.name != "turnShape" {
      #expect(refusal.arguments.allSatisfy { refusal.description.contains($0) })
    }
    let turn = TurnRefusal(moveIndex: 1, reason: refusal)
    #expect(turn.description == "Move 2: \(refusal)")
  }

  @Test("No two turn shapes are explained alike")
  func shapes() {
    #expect(Set(TurnShape.allCases.map(\.description)).count == TurnShape.allCases.count)
  }

  @Test(
    "Names and arguments that belong to no refusal make none",
    arguments: [
      ("", []), ("tooLong", ["2"]), ("emptyWord", [""]), ("gameOver", ["now"]), ("tooShort", []),
      ("tooShort", ["3"]), ("tooShort", ["-1"]), ("tooShort", ["02"]), ("tooShort", ["2", "2"]),
      ("faceHidden", ["222"]), ("faceHidden", ["\u{1b}[2J"]), ("notTouching", ["222T"]),
      ("notTouching", ["222T", "222"]), ("notTouching", ["x", "222T"]), ("faceRepeated", [""]),
      ("notAWord", ["game"]), ("notAWord", ["\u{1b}[2J"]), ("wordAlreadyPlayed", ["AB"]),
      ("cubeGone", ["222T"]), ("cubeHidden", ["3"]), ("turnShape", ["round"]),
      ("notAWord", [String(repeating: "A", count: 163)]),
    ] as [(String, [String])])
  func malformed(name: String, arguments: [String]) {
    #expect(RuleRefusal(name: name, arguments: arguments) == nil)
  }
}
