import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

@Suite("A daily's result to paste into a chat")
struct DailyResultTests {
  private static func line(
    _ score: Int, word: String = "GAME", game: CubeGame? = nil
  ) throws -> TurnLine {
    let game = game ?? CubeGame(puzzle: .walk)
    let turn = try LegalTurn(
      [.word(faces("122L 222L 222R 221R"))], on: game, seatCount: 1, words: .walk)
    return TurnLine(
      number: 1, player: .me, word: word, removedCount: word.isEmpty ? 1 : 0, score: score,
      replay: TurnReplay(turn, on: game))
  }

  @Test("A square tells the share of the best word, and nothing tells a word")
  func squares() throws {
    let best = try #require(Lexicon.walk.words(on: CubeGame(puzzle: .walk)).first)
    #expect(best.score == 110)
    let lines =
      try [110, 83, 82, 55, 54, 28, 27, 0].map { try Self.line($0) }
      + [try Self.line(0, word: "")]
    let result = DailyResult(day: "2026-11-23", isTimed: false, lines: lines, isOver: true)
    #expect(
      result.text(words: .walk)
        == "Cubist daily 2026-11-23\n439 points, 8 words\n🟩🟩🟨🟨🟧🟧⬜⬜⬛")
  }

  @Test("Ten squares stand in a row; timed, unfinished and without a list are said or seen")
  func rows() throws {
    let lines = try (0..<12).map { _ in try Self.line(0) }
    let result = DailyResult(day: "2026-11-23", isTimed: true, lines: lines, isOver: false)
    #expect(
      result.text(words: nil) == """
        Cubist daily 2026-11-23, timed
        0 points, 12 words so far
        🟦🟦🟦🟦🟦🟦🟦🟦🟦🟦
        🟦🟦
        """)
    let none = DailyResult(day: "2026-11-23", isTimed: false, lines: [], isOver: false)
    #expect(none.text(words: .walk) == "Cubist daily 2026-11-23\n0 points, 0 words so far")
    let one = DailyResult(
      day: "2026-11-23", isTimed: false, lines: [try Self.line(1)], isOver: true)
    #expect(one.text(words: .walk).hasPrefix("Cubist daily 2026-11-23\n1 point, 1 word\n"))
  }
}
