import CubeLexicon
import CubeRules
import CubistBasics
import CustomDump
import Testing

@Suite("Words on a cube")
struct CubeWordsTests {
  /// The words of the list that the rules accept, found by trying every word of the list.
  private func wordsByTrying(on game: CubeGame) -> [FoundWord] {
    var letters: Set<UInt8> = [UInt8(ascii: "u")]
    for face in game.playable {
      letters.insert(UInt8(ascii: "a") + game.puzzle[face].rawValue)
    }
    var found: [FoundWord] = []
    for word in Repository.words where word.utf8.allSatisfy(letters.contains) {
      let word = word.uppercased()
      guard
        let path = game.paths(spelling: word, limit: 1).first,
        let score = try? game.judge(.word(path), words: Lexicon.english)
      else { continue }
      found.append(FoundWord(word: word, faces: path, score: score))
    }
    return found.sorted { ($1.score, $0.word) < ($0.score, $1.word) }
  }

  @Test(
    "The words found are those that the rules accept, with the first path and its score",
    arguments: 0..<4)
  func agreesWithRules(number: Int) throws {
    var generator = SplitMix64(state: UInt64(number))
    var game = CubeGame(puzzle: .candidate(number, seed: 7))
    for move in 0..<12 {
      if move % 4 == 0 {
        expectNoDifference(Lexicon.english.words(on: game), wordsByTrying(on: game))
      }
      let words = Lexicon.english.words(on: game)
      if let word = words.randomElement(using: &generator) {
        let score = try game.apply(.word(word.faces), words: Lexicon.english)
        #expect(score == word.score)
        #expect(!Lexicon.english.words(on: game).contains { $0.word == word.word })
      }
      if let cube = Array(game.playable).randomElement(using: &generator)?.cube {
        _ = try game.apply(.removal(cube), words: Lexicon.english)
      }
    }
  }

  @Test("The words of a puzzle with the face QU are these")
  func golden() { expectNoDifference(WordVectors.find(), WordVectors.found) }

  /// A puzzle of X with some other letters.
  private func puzzle(_ letters: [String: Character]) throws -> Puzzle {
    try #require(Puzzle(String(Face.all.map { letters[$0.description] ?? "X" })))
  }

  @Test("Shorter words than asked for are left out, and never counts less than three letters")
  func minimumLength() {
    let game = CubeGame(puzzle: .candidate(3, seed: 7))
    let all = Lexicon.english.words(on: game)
    #expect(all == Lexicon.english.words(on: game, minimumLength: 0))
    #expect(all.contains { $0.word.count == 3 })
    for length in 3...6 {
      let words = Lexicon.english.words(on: game, minimumLength: length)
      expectNoDifference(words, all.filter { $0.word.count >= length })
    }
  }

  @Test("Words of one or two letters are no moves, even where the list has them")
  func shortWords() throws {
    let game = CubeGame(puzzle: try puzzle(["222T": "A", "222L": "B", "222R": "C"]))
    let lexicon = Lexicon.only(["a", "ab", "abc"])
    #expect(lexicon.words(on: game).map(\.word) == ["ABC"])
    #expect(lexicon.count(on: game, atLeast: 9) == 1)
  }

  @Test("Counting counts the words found and stops where it is enough")
  func count() {
    let game = CubeGame(puzzle: .candidate(5, seed: 7))
    let all = Lexicon.english.words(on: game, minimumLength: 4).count
    #expect(all > 20)
    for enough in [-1, 0, 1, 20, all, all + 1, .max] {
      let count = Lexicon.english.count(on: game, atLeast: enough, minimumLength: 4)
      #expect(count == max(0, min(enough, all)))
    }
  }

  @Test("A puzzle is worth playing with sixty words of four letters, and not with fewer")
  func worthPlaying() {
    var verdicts: Set<Bool> = []
    for number in 0..<40 {
      let puzzle = Puzzle.candidate(number, seed: 42)
      let words = Lexicon.english.words(on: CubeGame(puzzle: puzzle), minimumLength: 4)
      let verdict = Lexicon.english.isWorthPlaying(puzzle)
      #expect(verdict == (words.count >= 60), "candidate \(number)")
      verdicts.insert(verdict)
      guard let last = words.last else { continue }
      // A list of exactly sixty of the words, and the same without one.
      let sixty = words.prefix(60).map(\.word)
      #expect(Lexicon.only(sixty).isWorthPlaying(puzzle) == (words.count >= 60), "\(last)")
      #expect(!Lexicon.only(sixty.dropFirst()).isWorthPlaying(puzzle))
    }
    #expect(verdicts == [true, false])
    #expect(Lexicon.everyWord.isWorthPlaying(.candidate(0, seed: 42)))
  }

  @Test("The list has the shortest words if every word is allowed, and each of them is legal")
  func everyWord() throws {
    let game = CubeGame(puzzle: .candidate(0, seed: 7))
    let words = Lexicon.everyWord.words(on: game)
    #expect(words.count > 200)
    for found in words {
      #expect(3...4 ~= found.word.count)
      #expect(try game.judge(.word(found.faces), words: Lexicon.everyWord) == found.score)
      #expect(game.spelling(of: found.faces).description == found.word)
    }
    #expect(Set(words.map(\.word)).count == words.count)
    #expect(Lexicon.everyWord.words(on: game, minimumLength: 8).count == 10_000)
  }

  @Test("No list and no puzzle keeps the search busy for long")
  func hostile() throws {
    let game = CubeGame(puzzle: try puzzle([:]))
    let words = (1...162).map { String(repeating: "X", count: $0) }
    let found = Lexicon.only(words).words(on: game)
    #expect(found.contains { $0.word == "XXX" })
    _ = Lexicon.everyWord.words(on: game, minimumLength: 200)
    _ = Lexicon.everyWord.words(on: CubeGame(puzzle: .candidate(0, seed: 7)), minimumLength: .max)
  }

  @Test("A game that is over has no words")
  func over() throws {
    var game = CubeGame(puzzle: .candidate(0, seed: 7))
    while let cube = game.playable.first(where: { _ in true })?.cube {
      _ = try game.apply(.removal(cube), words: Lexicon.everyWord)
    }
    #expect(game.isOver)
    #expect(Lexicon.english.words(on: game).isEmpty)
    #expect(Lexicon.everyWord.words(on: game).isEmpty)
    #expect(Lexicon.english.count(on: game, atLeast: 1) == 0)
  }
}
