import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

typealias DraftStore = TestStore<Drafting, DraftAction, Never>

extension DraftStore {
  /// Choosing on the puzzle of the walk, with its words.
  static func walk(_ game: CubeGame = CubeGame(puzzle: .walk), words: Lexicon? = .walk) -> Self {
    TestStore(Drafting(on: game), Drafting.reducer(words: words))
  }

  /// The same from a draft that typing makes.
  static func walk(typed word: String, marked: Cube? = nil) -> Self {
    let reducer = Drafting.reducer(words: .walk)
    var state = Drafting(on: CubeGame(puzzle: .walk))
    if let marked { _ = reducer.reduce(&state, .cubeMarked(marked)) }
    for letter in keys(word) { _ = reducer.reduce(&state, .letterTyped(letter)) }
    return TestStore(state, reducer)
  }
}

@Suite("Typing a word")
struct TypingTests {
  @Test("Each letter lights the path and says its score, and the last one that it is a word")
  func game() {
    var store = DraftStore.walk()
    store.send(.letterTyped(.g)) {
      $0.draft = .word(WordDraft("G", ["122L"], score: 3, .tooShort))
    }
    store.send(.letterTyped(.a)) {
      $0.draft = .word(WordDraft("GA", ["122L 222L"], score: 8, .tooShort))
    }
    store.send(.letterTyped(.m)) {
      $0.draft = .word(WordDraft("GAM", ["122L 222L 222R"], score: 24, .notAWord))
    }
    store.send(.letterTyped(.e)) {
      $0.draft = .word(
        WordDraft(
          "GAME", ["122L 222L 222R 212L", "122L 222L 222R 221R"], score: 36, .valid))
    }
  }

  // Failure: Drafting.Hindrance: The choice cannot be made. The screen gives the reason, and
  //   nothing else changes.
  @Test("Letters without a path are no part of the word until they are taken back")
  func noPath() {
    var store = DraftStore.walk(typed: "GA")
    store.send(.letterTyped(.x)) { $0.notice = .noPath([.x]) }
    // A path could go on with M, but its letters would not be GAM.
    store.send(.letterTyped(.m)) { $0.notice = .noPath([.x, .m]) }
    store.send(.takeBack) { $0.notice = .noPath([.x]) }
    store.send(.takeBack) { $0.notice = nil }
    store.send(.letterTyped(.m)) {
      $0.draft = .word(WordDraft("GAM", ["122L 222L 222R"], score: 24, .notAWord))
      $0.notice = nil
    }
  }

  @Test("A letter typed later may move the path to other faces")
  func moving() {
    var store = DraftStore.walk()
    // The lit O touches no R, but the other O does.
    store.send(.letterTyped(.o)) {
      $0.draft = .word(WordDraft("O", ["102L", "212R"], score: 1, .tooShort))
    }
    store.send(.letterTyped(.v)) {
      $0.draft = .word(WordDraft("OV", ["212R 211R"], score: 12, .tooShort))
    }
  }

  @Test("The next way lights another path, and after the last the first again")
  func nextWay() {
    var store = DraftStore.walk(typed: "GAME")
    let ways = ["122L 222L 222R 212L", "122L 222L 222R 221R"]
    store.send(.nextWay) {
      $0.draft = .word(WordDraft("GAME", ways, shown: 1, score: 36))
    }
    store.send(.nextWay) { $0.draft = .word(WordDraft("GAME", ways, score: 36)) }
  }

  @Test("A letter more goes on from the way that is shown, where that is possible")
  func keptWay() {
    var store = DraftStore.walk(typed: "GAME")
    store.send(.nextWay) {
      $0.draft = .word(
        WordDraft(
          "GAME", ["122L 222L 222R 212L", "122L 222L 222R 221R"], shown: 1, score: 36))
    }
    store.send(.letterTyped(.s)) {
      $0.draft = .word(
        WordDraft("GAMES", ["122L 222L 222R 221R 221T"], score: 100, .notAWord))
    }
    store.send(.takeBack) {
      $0.draft = .word(
        WordDraft(
          "GAME", ["122L 222L 222R 212L", "122L 222L 222R 221R"], shown: 1, score: 36))
    }
  }

  @Test("Backspace takes the letters back one by one, and with none left it does nothing")
  func takeBack() {
    var store = DraftStore.walk(typed: "GA")
    store.send(.takeBack) {
      $0.draft = .word(WordDraft("G", ["122L"], score: 3, .tooShort))
    }
    store.send(.takeBack) { $0.draft = .empty }
    store.send(.takeBack)
  }

  @Test("Esc clears everything")
  func clear() {
    var store = DraftStore.walk(typed: "GAME")
    store.send(.clear) { $0.draft = .empty }
    store.send(.clear)
  }

  @Test("QU is one face: its U may be typed or left out, and goes back with its Q")
  func quiz() {
    var store = DraftStore.walk()
    store.send(.letterTyped(.q)) {
      $0.draft = .word(
        WordDraft("QU", ["021T"], score: 26, .tooShort, picks: [.qWithoutU]))
    }
    store.send(.letterTyped(.u)) {
      $0.draft = .word(WordDraft("QU", ["021T"], score: 26, .tooShort, picks: [.letter(.q)]))
    }
    store.send(.letterTyped(.u)) {
      $0.draft = .word(
        WordDraft(
          "QUU", ["021T 020T", "021T 121T"], score: 42, .notAWord,
          picks: [.letter(.q), .letter(.u)]))
    }
    store.send(.takeBack) {
      $0.draft = .word(WordDraft("QU", ["021T"], score: 26, .tooShort, picks: [.letter(.q)]))
    }
    store.send(.takeBack) { $0.draft = .empty }
    store.send(.letterTyped(.q)) {
      $0.draft = .word(
        WordDraft("QU", ["021T"], score: 26, .tooShort, picks: [.qWithoutU]))
    }
    store.send(.letterTyped(.i)) {
      $0.draft = .word(
        WordDraft(
          "QUI", ["021T 022T"], score: 42, .notAWord, picks: [.qWithoutU, .letter(.i)]))
    }
  }

  @Test("The U of QU is not spelled twice among letters without a path either")
  func missedQu() {
    var store = DraftStore.walk(typed: "GA")
    store.send(.letterTyped(.x)) { $0.notice = .noPath([.x]) }
    store.send(.letterTyped(.q)) { $0.notice = .noPath([.x, .q]) }
    store.send(.letterTyped(.u))
    store.send(.letterTyped(.i)) { $0.notice = .noPath([.x, .q, .i]) }
    store.send(.takeBack) { $0.notice = .noPath([.x, .q]) }
  }

  @Test("A word that was played is said to be")
  func playedBefore() {
    let game = CubeGame(puzzle: .walk).after(moves("122T 121T 222T 221R"))
    var store = DraftStore.walk(game)
    for (letter, word) in [(Letter.c, "C"), (.u, "CU"), (.b, "CUB")] {
      store.send(.letterTyped(letter)) {
        let path = ["C": "122T", "CU": "122T 121T", "CUB": "122T 121T 222T"][word] ?? ""
        let (score, verdict): (Int, Verdict) =
          ["C": (4, .tooShort), "CU": (10, .tooShort), "CUB": (27, .notAWord)][word]
          ?? (0, .valid)
        $0.draft = .word(WordDraft(word, [path], score: score, verdict))
      }
    }
    store.send(.letterTyped(.e)) {
      $0.draft = .word(
        WordDraft("CUBE", ["122T 121T 222T 221R"], score: 40, .playedBefore))
    }
  }

  @Test("Nothing is said of a word without the match's word list")
  func unknownList() {
    var store = TestStore(
      DraftStore.walk(typed: "GA").state, Drafting.reducer(words: nil))
    store.send(.letterTyped(.m)) {
      $0.draft = .word(WordDraft("GAM", ["122L 222L 222R"], score: 24, .unknown))
    }
  }

  @Test("Ways that use up the same cubes and leave the same faces are one way")
  func sameWay() {
    let game = CubeGame(
      puzzle: .showing(["222T": "A", "222L": "A", "222R": "E", "221R": "X"]))
    let twoWays = ["222T 222R 221R", "222L 222R 221R"]
    var fresh = TestStore(Drafting(on: game), Drafting.reducer(words: .everyWord))
    fresh.send(.letterTyped(.a)) {
      $0.draft = .word(WordDraft("A", ["222T", "222L"], score: 1, .tooShort))
    }
    fresh.send(.letterTyped(.e)) {
      $0.draft = .word(WordDraft("AE", ["222T 222R", "222L 222R"], score: 4, .tooShort))
    }
    fresh.send(.letterTyped(.x)) {
      $0.draft = .word(WordDraft("AEX", twoWays, score: 33))
    }
    // Each face of 222 has been used twice: whichever A is taken, the cube is gone.
    let worn = game.after(moves("222T 222L 222R"), moves("222R 222L 222T"))
    var store = TestStore(Drafting(on: worn), Drafting.reducer(words: .everyWord))
    store.send(.letterTyped(.a)) {
      $0.draft = .word(WordDraft("A", ["222T"], score: 1, .tooShort, vanishing: "222"))
    }
    store.send(.letterTyped(.e)) {
      $0.draft = .word(WordDraft("AE", ["222T 222R"], score: 4, .tooShort, vanishing: "222"))
    }
    store.send(.letterTyped(.x)) {
      $0.draft = .word(WordDraft("AEX", [twoWays[0]], score: 33, vanishing: "222"))
    }
    // The other A can still be taken by its face.
    store.send(.clear) { $0.draft = .empty }
    store.send(.faceTapped(Face("222L"))) {
      $0.draft = .word(
        WordDraft(
          "A", ["222L"], score: 1, .tooShort, picks: [.face(Face("222L"))], vanishing: "222"))
    }
  }
}
