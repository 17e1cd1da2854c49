import CubeRules
import CustomDump
import Testing

@Suite("A game")
struct GameTests {
  @Test("The walk of four words and a removal scores 442 and leaves 25 cubes with 27 faces")
  func walk() throws {
    var game = CubeGame(puzzle: walkPuzzle)
    let words = SomeWords(["GAME", "CUBES", "REMOVE", "WORD"])
    let moves = [
      "122L 222L 222R 221R", "122T 121T 222T 221R 221T", "112L 212L 222R 212R 211R 221R",
      "002L 102L 202L 202R", "-222",
    ]
    let scores = try moves.map { try game.apply(Move($0), words: words) }
    #expect(scores == [36, 110, 252, 44, 0])
    #expect(game.inPlay.count == 25)
    #expect(!game.inPlay.contains(Cube("221")))
    #expect(!game.inPlay.contains(Cube("222")))
    #expect(game.playable.count == 27)
    #expect(game.playedWords == ["GAME", "CUBES", "REMOVE", "WORD"])
    #expect(game.uses(of: Face("221R")) == 3)
    #expect(game.uses(of: Face("222R")) == 2)
    #expect(game.uses(of: Face("002L")) == 1)
    #expect(game.uses(of: Face("000T")) == 0)
  }

  @Test("A word without faces is refused as empty")
  func emptyWord() {
    let game = CubeGame(puzzle: walkPuzzle)
    #expect(throws: RuleRefusal.emptyWord) {
      try game.judge(.word([]), words: AnyWord())
    }
    var other = game
    #expect(throws: TurnRefusal(moveIndex: 0, reason: .emptyWord)) {
      try other.applyTurn([.word([])], seatCount: 2, words: AnyWord())
    }
  }

  @Test("A word of a thousand faces is refused for the first face it repeats")
  func endlessWord() {
    let game = CubeGame(puzzle: walkPuzzle)
    let faces = Array(repeating: Face.all, count: 13).flatMap(\.self)
    #expect(throws: RuleRefusal.faceRepeated(Face("000T"))) {
      try game.judge(.word(faces), words: AnyWord())
    }
    #expect(game.spelling(of: faces).count == 81)
  }

  @Test("A game on 81 faces QU spells and remembers words of any length")
  func allQU() throws {
    let puzzle = try #require(Puzzle(String(repeating: "Q", count: 81)))
    var game = CubeGame(puzzle: puzzle)
    #expect(game.spelling(of: Face.all).count == Spelling.countLimit)
    let short = Move("222T 222L")
    // Seven faces spell 14 characters, which fill more than one chunk.
    let long = Move("222T 222L 222R 212R 212L 202L 202R")
    try game.apply(long, words: AnyWord())
    #expect(!game.hasPlayed(try #require(Spelling("QU"))))
    #expect(!game.hasPlayed(try #require(Spelling("QUQUQUQUQUQU"))))
    #expect(!game.hasPlayed(Spelling()))
    try game.apply(short, words: AnyWord())
    #expect(game.playedWords == ["QUQUQUQUQUQUQU", "QUQU"])
    #expect(game.hasPlayed(try #require(Spelling("QUQUQUQUQUQUQU"))))
    #expect(CubeGame(puzzle: puzzle, encodedState: game.encodedState()) == game)
  }

  @Test("Every move after the end is refused with gameOver")
  func afterTheEnd() throws {
    var game = CubeGame(puzzle: walkPuzzle)
    while let face = game.playable.first(where: { _ in true }) {
      try game.apply(.removal(face.cube), words: AnyWord())
    }
    #expect(game.isOver)
    let moves: [Move] = [.word([]), .word([Face("222T")]), .removal(Cube("222"))]
    for move in moves {
      #expect(throws: RuleRefusal.gameOver) { try game.judge(move, words: AnyWord()) }
      #expect(throws: RuleRefusal.gameOver) { try game.apply(move, words: AnyWord()) }
    }
  }

  @Test("A game takes at most 192 bytes, and 8 bytes more for a word of up to 12 characters")
  func size() throws {
    #expect(MemoryLayout<CubeGame>.size <= 192)
    #expect(MemoryLayout<Spelling>.size <= 120)
  }
}

@Suite("Random play")
struct RandomPlayTests {
  @Test("Judging, applying and storing agree, and gone cubes stay gone", arguments: seeds)
  func properties(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let puzzle = Puzzle.candidate(0, seed: seed)
    var game = CubeGame(puzzle: puzzle)
    var total = 0
    while let move = game.randomMove(using: &generator), total < 2000 {
      total += 1
      let judged = Result { () throws(RuleRefusal) in try game.judge(move, words: AnyWord()) }
      let before = game
      do throws(RuleRefusal) {
        let score = try game.apply(move, words: AnyWord())
        #expect(judged == .success(score))
        #expect(game.inPlay.isSubset(of: before.inPlay))
      } catch {
        #expect(judged == .failure(error))
        expectNoDifference(game, before)
      }
      #expect(game.playable.allSatisfy { game.inPlay.contains($0.cube) && game.uses(of: $0) < 3 })
      #expect(game.playable == game.inPlay.playableFaces)
      #expect(CubeGame(puzzle: puzzle, encodedState: game.encodedState()) == game)
    }
    #expect(game.isOver)
    #expect(Set(game.playedWords).count == game.playedWords.count)
  }

  @Test("A refused turn changes nothing, and an accepted one is its moves", arguments: seeds)
  func turns(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var game = CubeGame(puzzle: .candidate(1, seed: seed))
    var outcomes: Set<Bool> = []
    for _ in 0..<400 where !game.isOver {
      let moves = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
        game.randomMove(using: &generator)
      }
      let before = game
      var oneByOne = game
      do throws(TurnRefusal) {
        let scores = try game.applyTurn(moves, seatCount: 2, words: AnyWord())
        #expect(scores == moves.map { (try? oneByOne.apply($0, words: AnyWord())) ?? -1 })
        expectNoDifference(game, oneByOne)
        outcomes.insert(true)
      } catch {
        #expect(error.moveIndex >= 0 && error.moveIndex <= moves.count)
        expectNoDifference(game, before)
        outcomes.insert(false)
      }
    }
    #expect(outcomes == [true, false])
  }
}
