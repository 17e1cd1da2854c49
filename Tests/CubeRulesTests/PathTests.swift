import CubeRules
import Testing

@Suite("The paths of a word")
struct PathTests {
  private func notations(_ paths: [[Face]]) -> [String] {
    paths.map { Move.word($0).description }
  }

  @Test("A word is found on the faces that spell it")
  func walk() {
    let game = CubeGame(puzzle: walkPuzzle)
    #expect(
      notations(game.paths(spelling: "GAME")) == ["122L 222L 222R 212L", "122L 222L 222R 221R"])
    #expect(notations(game.paths(spelling: "CUBES")) == ["122T 121T 222T 221R 221T"])
    #expect(game.paths(spelling: "WORDS").isEmpty)
  }

  @Test("Paths come in the order of their faces, up to the limit")
  func order() throws {
    let game = CubeGame(puzzle: try #require(Puzzle(String(repeating: "A", count: 81))))
    let paths = game.paths(spelling: "AAA", limit: .max)
    let sorted = paths.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(paths == sorted)
    #expect(Set(paths).count == paths.count)
    #expect(game.paths(spelling: "AAA", limit: 5) == Array(paths.prefix(5)))
    #expect(game.paths(spelling: "AAA", limit: 0).isEmpty)
    #expect(game.paths(spelling: "AAA", limit: -1).isEmpty)
    // A path of three is a middle face and an ordered pair of its neighbors: the sum of d(d - 1).
    #expect(paths.count == 3 * 3 * 2 + 12 * 5 * 4 + 3 * 7 * 6 + 9 * 8 * 7)
  }

  @Test("A path takes one playable face of each set in turn")
  func sets() {
    let game = CubeGame(puzzle: walkPuzzle)
    let e = game.playableFaces(showing: .e)
    #expect(e == [Face("212L"), Face("221R")])
    let stages: [FaceSet] = [[Face("122L")], [Face("222L")], [Face("222R")], e]
    #expect(game.paths(through: stages) == game.paths(spelling: "GAME"))
    #expect(
      notations(game.paths(through: stages.dropLast() + [[Face("221R"), Face("000T")]]))
        == ["122L 222L 222R 221R"])
    #expect(game.paths(through: [[Face("000T")]]).isEmpty)
    #expect(game.paths(through: [[Face("122L")], [Face("122L")]]).isEmpty)
    #expect(game.paths(through: []).isEmpty)
  }

  @Test("Every path found is legal, and every legal path of random play is found", arguments: seeds)
  func completeness(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var game = CubeGame(puzzle: .candidate(0, seed: seed))
    var found = 0
    for _ in 0..<60 {
      guard let move = game.randomMove(using: &generator) else { break }
      if case .word(let faces) = move, (try? game.judge(move, words: AnyWord())) != nil {
        let paths = game.paths(spelling: game.spelling(of: faces).description, limit: .max)
        #expect(paths.contains(faces), "seed \(seed): \(move)")
        for path in paths {
          #expect(throws: Never.self) { try game.judge(.word(path), words: AnyWord()) }
        }
        found += paths.count
      }
      _ = try? game.apply(move, words: AnyWord())
    }
    #expect(found > 0)
  }

  @Test("QU is one face, and a bare Q or a Q without U has no path")
  func qu() throws {
    let letters = FaceSet(["222T", "222L"].map { Face($0) })
    let puzzle = try #require(
      Puzzle(
        Face.all.map { face in
          letters.contains(face) ? (face.side == .top ? "Q" : "A") : "U"
        }.joined()))
    let game = CubeGame(puzzle: puzzle)
    #expect(notations(game.paths(spelling: "QUA")) == ["222T 222L"])
    #expect(notations(game.paths(spelling: "AQU")) == ["222L 222T"])
    #expect(notations(game.paths(spelling: "QU")) == ["222T"])
    #expect(game.paths(spelling: "QA").isEmpty)
    #expect(game.paths(spelling: "Q").isEmpty)
    #expect(game.paths(spelling: "QUQU").isEmpty)
    #expect(game.paths(spelling: "QQ").isEmpty)
    #expect(game.paths(spelling: "QUUA").contains([Face("222T"), Face("222R"), Face("222L")]))
  }

  @Test(
    "A text that is no word of letters has no path", arguments: ["", "game", "GA ME", "GÄME", "1"])
  func malformed(word: String) {
    #expect(CubeGame(puzzle: walkPuzzle).paths(spelling: word).isEmpty)
    #expect(
      CubeGame(puzzle: walkPuzzle).paths(spelling: String(repeating: "Z", count: 200)).isEmpty)
  }

  @Test("A word that no path finishes ends the search in bounded steps")
  func bounded() throws {
    // 27 faces show A and each is visited once at most, so 28 letters cannot be spelled; only the
    // bound on steps ends the search among their countless beginnings.
    let game = CubeGame(puzzle: try #require(Puzzle(String(repeating: "A", count: 81))))
    #expect(game.paths(spelling: String(repeating: "A", count: 28)).isEmpty)
  }
}
