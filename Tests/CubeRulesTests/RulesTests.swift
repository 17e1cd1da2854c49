import Testing

@testable import CubeRules

@Suite("Rules as a match pins them")
struct RulesTests {
  /// A word makes its points alone, and the second use of a face takes its cube away.
  static let other = Rules(name: "cube-9", lastUse: 2, score: { points, _ in points })

  @Test("A game is played by the rules that it is given: score and number of uses")
  func twoRules() throws {
    let words = [Move("222T 222L 222R"), Move("222T 222R 222L"), Move("222L 222T 222R")]
    var (first, second) = (CubeGame(puzzle: walkPuzzle), Self.game())
    let cube = Cube("222")
    let points = [Face("222T"), Face("222L"), Face("222R")].map { walkPuzzle[$0].points }.reduce(
      0, +)
    #expect(try first.apply(words[0], words: AnyWord()) == points * 3)
    #expect(try second.apply(words[0], words: AnyWord()) == points)
    #expect(first.inPlay.contains(cube) && second.inPlay.contains(cube))
    try first.apply(words[1], words: AnyWord())
    try second.apply(words[1], words: AnyWord())
    #expect(first.inPlay.contains(cube) && !second.inPlay.contains(cube))
    try first.apply(words[2], words: AnyWord())
    #expect(!first.inPlay.contains(cube))
    #expect(second.playedWordScores.map(\.score) == [points, points])
  }

  @Test("A stored game is read by its rules, and by others only where they allow it")
  func stored() throws {
    var game = CubeGame(puzzle: walkPuzzle)
    try game.apply(Move("222T 222L 222R"), words: AnyWord())
    try game.apply(Move("222T 222R 222L"), words: AnyWord())
    let state = game.encodedState()
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state) == game)
    // Its cube had to go at the second use.
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state, rules: Self.other) == nil)
  }

  @Test("Games by different rules are not the same game")
  func different() {
    #expect(CubeGame(puzzle: walkPuzzle) != Self.game())
    #expect(Self.game() == Self.game())
  }

  @Test("A rulebook finds the rules that it has, by their names, and nothing else")
  func named() {
    let book = Rulebook(current: Self.other, others: [.cube1])
    #expect(book.named("cube-9") === Self.other)
    #expect(book.named("cube-1") === Rules.cube1)
    #expect(book.named("cube-2") == nil)
    #expect(Rulebook.standard.named("cube-9") == nil)
  }

  @Test("Rules that this build does not have keep their name, and nothing is judged by them")
  func unknown() {
    let rules = Rulebook.standard.pinned("cube-9")
    #expect(rules.name == "cube-9" && !rules.isKnown)
    var game = CubeGame(puzzle: walkPuzzle, rules: rules)
    #expect(throws: TurnRefusal.self) {
      try game.applyTurn([Move("222T 222L 222R")], seatCount: 2, words: AnyWord())
    }
  }

  @Test("Uses of a face out of 1...3 count as the nearest", arguments: [(0, 1), (4, 3), (-9, 1)])
  func lastUse(asked: Int, counts: Int) {
    #expect(Rules(name: "cube-9", lastUse: asked).lastUse == counts)
  }

  private static func game() -> CubeGame { CubeGame(puzzle: walkPuzzle, rules: other) }
}
