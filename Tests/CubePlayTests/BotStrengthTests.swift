import CubeLexicon
import CubeRules
import CubistBasics
import Testing

@testable import CubePlay

@Suite("Bots")
struct BotStrengthTests {
  private static func puzzle(_ seed: UInt64) -> Puzzle { Lexicon.english.puzzle(seed: seed) }

  /// A whole match of two strengths, the first of which is me; gives it and whether each turn was
  /// accepted by the judge.
  private static func match(
    _ mine: BotStrength, _ theirs: BotStrength, seed: UInt64
  ) throws -> LocalMatch {
    var random = SplitMix64(state: seed &* SplitMix64.increment)
    var match = LocalMatch(
      on: puzzle(seed), against: .robot(theirs, first: seed.isMultiple(of: 2) ? .me : .them))
    var judged = JudgedMatch(puzzle(seed), seatCount: 2, lexicon: .english)
    while !match.game.isOver {
      let strength = match.player == .me ? mine : theirs
      let moves = strength.turn(
        on: match.game, seatCount: 2, words: .english, random: { random.next() })
      #expect(judged.play(moves) != nil)
      try match.play(moves, words: .english)
    }
    return match
  }

  @Test("The judge accepts each turn of each strength, to the last cube", arguments: 0..<6)
  func legal(seed: Int) throws {
    let strengths = BotStrength.allCases
    let match = try Self.match(
      strengths[seed % 3], strengths[(seed / 2 + 1) % 3], seed: UInt64(seed))
    #expect(match.turnCount > 5)
  }

  @Test("A bot alone plays to the last cube too, by turns that are accepted")
  func alone() throws {
    var random = SplitMix64(state: 3 &* SplitMix64.increment)
    // A short list, so that the game is about removals too.
    let words = Lexicon.only(["tin", "tone", "rate"])
    for strength in BotStrength.allCases {
      var game = CubeGame(puzzle: Self.puzzle(8))
      while !game.isOver {
        let moves = strength.turn(
          on: game, seatCount: 1, words: words, random: { random.next() })
        _ = try game.applyTurn(moves, seatCount: 1, words: words)
      }
      #expect(strength.turn(on: game, seatCount: 1, words: words, random: { 0 }) == [])
    }
  }

  @Test("The weak one loses to the strong one, and to the middle one, in nearly all of ten matches")
  func order() throws {
    var wins: [BotStrength: Int] = [:]
    for seed in 0..<10 as Range<UInt64> {
      for other in [BotStrength.medium, .hard] {
        let match = try Self.match(.easy, other, seed: seed)
        if match.points(of: .me) < match.points(of: .them) { wins[other, default: 0] += 1 }
      }
    }
    #expect(wins[.hard] == 10)
    #expect((wins[.medium] ?? 0) >= 9)
  }

  @Test("The strongest plays the best word, the weakest a short one that everybody knows")
  func choices() throws {
    let game = CubeGame(puzzle: .test)
    let found = Lexicon.english.words(on: game)
    let best = try #require(found.first)
    var random = SplitMix64(state: 5 &* SplitMix64.increment)
    var scores: [BotStrength: Int] = [:]
    var easyWords: Set<String> = []
    for _ in 0..<30 {
      for strength in BotStrength.allCases {
        let moves = strength.turn(
          on: game, seatCount: 2, words: .english, random: { random.next() })
        let turn = try LegalTurn(moves, on: game, seatCount: 2, words: .english)
        scores[strength, default: 0] += turn.score
        if strength == .easy { easyWords.insert(turn.word) }
        if strength == .medium { #expect(turn.word.count <= 5) }
        if strength == .hard { #expect(turn.faces == best.faces) }
      }
    }
    #expect(easyWords.count > 5)
    #expect(easyWords.allSatisfy { CommonWords.all.contains($0) })
    let (easy, medium, hard) = (scores[.easy] ?? 0, scores[.medium] ?? 0, scores[.hard] ?? 0)
    #expect(easy * 2 < medium && medium * 2 < hard)
  }

  @Test("Every word that everybody knows is in the word list, in three or four letters")
  func commonWords() {
    #expect(CommonWords.all.count > 500)
    let unknown = CommonWords.all.filter { word in
      Spelling(word).map { !Lexicon.english.contains($0) } ?? true
    }
    #expect(unknown == [])
    #expect(CommonWords.all.allSatisfy { 3...4 ~= $0.count })
  }

  @Test("A bot that knows no word takes one of the least, or removes cubes without a list")
  func unusual() throws {
    let game = CubeGame(puzzle: .walk)
    for strength in BotStrength.allCases {
      let turn = strength.turn(on: game, seatCount: 2, words: .only(["quiz"]), random: { .max })
      #expect(try LegalTurn(turn, on: game, seatCount: 2, words: .only(["quiz"])).word == "QUIZ")
      let removals = strength.turn(on: game, seatCount: 2, words: nil, random: { .max })
      #expect(try LegalTurn(removals, on: game, seatCount: 2, words: nil).score == 0)
    }
  }

  @Test("A match without a service tells the same as one with a service")
  func news() throws {
    var match = LocalMatch(on: .walk, against: .robot(.easy, first: .me))
    #expect(match.news(words: .walk, .open).standing.stage == .yours(secondsLeft: nil))
    let game = try #require(
      WordFinder(game: match.game, seatCount: 2, lexicon: .walk).choices(for: "game").first)
    try match.play(game.moves, words: .walk)
    #expect(throws: TurnRefusal.self) { try match.play(game.moves, words: .walk) }
    let news = match.news(words: .walk, .open)
    #expect(
      news
        == MatchNews(
          standing: Standing(
            game: CubeGame(puzzle: .walk).after(game.moves), players: .two(mine: 36, theirs: 0),
            turnNumber: 2, lastTurn: PlayedTurn(by: .me, game), stage: .theirs(secondsLeft: nil)),
          opponent: "Robot, easy",
          lines: [
            TurnLine(
              number: 1, player: .me, word: "GAME", removedCount: 0, score: 36,
              replay: TurnReplay(game, on: CubeGame(puzzle: .walk)))
          ], ending: nil, rematch: .impossible))
  }
}
