// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import CubeLexicon
import CubePlay
import CubeRules
import Testing

@Suite("Finding the faces of a word")
struct WordFinderTests {
  let game = CubeGame(puzzle: .test)
  var finder: WordFinder { WordFinder(game: game, seatCount: 2, lexicon: .english) }
  var words: [FoundWord] { Lexicon.english.words(on: game) }

  func error(_ word: String, after removals: [String] = []) -> WordFinderError? {
    do throws(WordFinderError) {
      _ = try finder.choices(for: word, after: removals.map { Cube(notation: $0)! })
      return nil
    } catch {
      return error
    }
  }

  @Test("Every word that can be played is found, each choice is legal and scores the same")
  func legal() throws {
    #expect(words.count >= 20)
    for word in words {
      let choices = try finder.choices(for: word.word.lowercased())
      #expect(choices.first?.faces == word.faces)
      #expect(Set(choices.map { FaceSet($0.faces) }).count == choices.count)
      for choice in choices {
        var copy = game
        #expect(
          try copy.applyTurn(choice.moves, seatCount: 2, words: Lexicon.english) == [choice.score])
        #expect(choice.score == word.score)
        #expect(choice.word == word.word)
        #expect(copy.playedWords == [word.word])
        #expect(choice.vanishing == game.inPlay.symmetricDifference(copy.inPlay))
      }
    }
  }

  @Test("Choices differ in the cubes that they leave, and some word has several")
  func several() throws {
    let counts = try words.map { try finder.choices(for: $0.word).count }
    #expect(counts.contains { $0 > 1 })
    let paths = words.map { game.paths(spelling: $0.word, limit: 4_096).count }
    #expect(zip(counts, paths).allSatisfy { $0 <= $1 })
    // Some word has two orders of the same faces, which are one choice.
    #expect(zip(counts, paths).contains { $0 < $1 })
  }

  @Test("The first of choices that let the same cubes vanish is shown, and no other is left out")
  func visible() throws {
    var shorter = 0
    for word in words {
      let all = try finder.choices(for: word.word)
      let visible = try finder.visibleChoices(for: word.word)
      #expect(Set(visible.map(\.vanishing)) == Set(all.map(\.vanishing)))
      #expect(Set(visible.map(\.vanishing)).count == visible.count)
      for turn in visible {
        #expect(all.first { $0.vanishing == turn.vanishing } == turn)
      }
      if visible.count < all.count { shorter += 1 }
    }
    #expect(shorter > 0)
  }

  @Test("A word is found on the cube after a removal, and the turn begins with the removal")
  func afterRemoval() throws {
    let cube = try #require(Cube(notation: "222"))
    var left = game
    try left.apply(.removal(cube), words: Lexicon.everyWord)
    let before = Set(words.map(\.word))
    let word = try #require(
      Lexicon.english.words(on: left).first { !before.contains($0.word) })
    let choice = try #require(try finder.choices(for: word.word, after: [cube]).first)
    #expect(choice.moves.first == .removal(cube))
    #expect(try finder.turn(choice.moves) == choice)
    #expect(error(word.word) == .notOnCube(word.word))
    #expect(!choice.vanishing.contains(cube))
  }

  @Test("The finder names the cubes that the word uses for the third time")
  func vanishing() throws {
    var game = game
    let word = try #require(words.first)
    let move = Move.word(word.faces)
    // The rules refuse a word twice, so the same faces are used up in parts.
    let parts = [Array(word.faces.prefix(3)), Array(word.faces.prefix(3).reversed())]
    for part in parts { try game.apply(.word(part), words: Lexicon.everyWord) }
    let finder = WordFinder(game: game, seatCount: 2, lexicon: .everyWord)
    let choices = try finder.choices(for: word.word)
    let choice = try #require(choices.first { $0.moves == [move] })
    #expect(choice.vanishing == CubeSet(word.faces.prefix(3).map(\.cube)))
  }

  // Failure: WordFinderError.notLetters: The text has characters other than A to Z.
  // Failure: WordFinderError.notOnCube: No path spells the word.
  // Failure: WordFinderError.illegal: The rules refuse the word.
  @Test("A word that cannot be played is refused by name")
  func refused() throws {
    #expect(error("") == .notLetters(""))
    #expect(error("straße") == .notLetters("straße"))
    #expect(error("it's") == .notLetters("it's"))
    #expect(
      error(String(repeating: "a", count: 200)) == .notLetters(String(repeating: "a", count: 200)))
    #expect(error("at") == .illegal(TurnRefusal(moveIndex: 0, reason: .tooShort(2))))
    #expect(error("xqzzy") == .notAWord("XQZZY"))
    #expect(error("bamboozled") == .notOnCube("BAMBOOZLED"))
    #expect(
      error("star", after: ["000"])
        == .illegal(TurnRefusal(moveIndex: 0, reason: .cubeHidden(Cube(notation: "000")!))))
    #expect(
      error("at", after: ["222"])
        == .illegal(TurnRefusal(moveIndex: 1, reason: .tooShort(2))))
  }

  // Failure: WordFinderError.notAWord: The word list does not have the word.
  @Test("Letters that stand on the cube but make no word are refused as no word")
  func noWord() throws {
    let path = try #require(
      Lexicon.everyWord.words(on: game).first { !Lexicon.english.contains($0.word) })
    #expect(error(path.word) == .notAWord(path.word))
  }

  // Failure: WordFinderError.alreadyPlayed: The word was already played.
  @Test("A word that was played is refused as such, wherever it stands")
  func played() throws {
    var game = game
    let word = try #require(words.first)
    try game.apply(.word(word.faces), words: Lexicon.english)
    let finder = WordFinder(game: game, seatCount: 2, lexicon: .english)
    #expect(throws: WordFinderError.alreadyPlayed(word.word)) {
      try finder.choices(for: word.word)
    }
  }

  @Test("Two removals leave no room for a word, but in a game of one seat they do")
  func shape() throws {
    let shape = TurnRefusal(moveIndex: 2, reason: .turnShape(.removalsThenWord))
    #expect(error("bamboozled", after: ["222", "212"]) == .illegal(shape))
    let cubes = ["222", "212"].map { Cube(notation: $0)! }
    var left = game
    for cube in cubes { try left.apply(.removal(cube), words: Lexicon.everyWord) }
    let word = try #require(Lexicon.english.words(on: left).first)
    let solo = WordFinder(game: game, seatCount: 1, lexicon: .english)
    #expect(try solo.choices(for: word.word, after: cubes).first?.moves.count == 3)
  }

  @Test("The service alone judges words if the match's word list is missing")
  func unknownList() throws {
    var finder = finder
    finder.lexicon = nil
    let path = try #require(
      Lexicon.everyWord.words(on: game).first { !Lexicon.english.contains($0.word) })
    #expect(try !finder.choices(for: path.word).isEmpty)
  }
}
