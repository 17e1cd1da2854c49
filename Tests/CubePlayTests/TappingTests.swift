import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

@Suite("Tapping and dragging over faces")
struct TappingTests {
  private func picks(_ notation: String) -> [Pick] { faces(notation).map { .face($0) } }

  private func word(
    _ word: String, _ path: String, score: Int, _ verdict: Verdict
  ) -> Draft {
    .word(WordDraft(word, [path], score: score, verdict, picks: picks(path)))
  }

  @Test("Tapped faces make the path, and only that")
  func tapping() {
    var store = DraftStore.walk()
    store.send(.faceTapped(Face("122L"))) {
      $0.draft = word("G", "122L", score: 3, .tooShort)
    }
    store.send(.faceTapped(Face("222L"))) {
      $0.draft = word("GA", "122L 222L", score: 8, .tooShort)
    }
    store.send(.faceTapped(Face("222R"))) {
      $0.draft = word("GAM", "122L 222L 222R", score: 24, .notAWord)
    }
    store.send(.faceTapped(Face("221R"))) {
      $0.draft = word("GAME", "122L 222L 222R 221R", score: 36, .valid)
    }
  }

  @Test("A tap on the last face takes it back")
  func takingBack() {
    var store = DraftStore.walk()
    store.send(.faceTapped(Face("122L"))) {
      $0.draft = word("G", "122L", score: 3, .tooShort)
    }
    store.send(.faceTapped(Face("222L"))) {
      $0.draft = word("GA", "122L 222L", score: 8, .tooShort)
    }
    store.send(.faceTapped(Face("222L"))) {
      $0.draft = word("G", "122L", score: 3, .tooShort)
    }
    store.send(.faceTapped(Face("122L"))) { $0.draft = .empty }
  }

  @Test("A tap on a cube that cannot be chosen gets the rule, and loses nothing")
  func refused() {
    var store = DraftStore.walk(typed: "GAM")
    store.send(.faceTapped(Face("122L"))) { $0.notice = .rule(.faceRepeated(Face("122L"))) }
    store.send(.faceTapped(Face("000T"))) { $0.notice = .rule(.faceHidden(Face("000T"))) }
    store.send(.faceTapped(Face("202R"))) {
      $0.notice = .rule(.notTouching(Face("222R"), Face("202R")))
    }
  }

  @Test("A tap goes on from letters that were typed, and may move their path")
  func mixed() {
    var store = DraftStore.walk()
    store.send(.letterTyped(.o)) {
      $0.draft = .word(WordDraft("O", ["102L", "212R"], score: 1, .tooShort))
    }
    store.send(.faceTapped(Face("211R"))) {
      $0.draft = .word(
        WordDraft(
          "OV", ["212R 211R"], score: 12, .tooShort, picks: [.letter(.o), .face(Face("211R"))]))
    }
    store.send(.letterTyped(.e)) {
      $0.draft = .word(
        WordDraft(
          "OVE", ["212R 211R 221R"], score: 21, .notAWord,
          picks: [.letter(.o), .face(Face("211R")), .letter(.e)]))
    }
    store.send(.takeBack) {
      $0.draft = .word(
        WordDraft(
          "OV", ["212R 211R"], score: 12, .tooShort, picks: [.letter(.o), .face(Face("211R"))]))
    }
  }

  @Test("A finger that is dragged collects faces, back on the one before it gives the last back")
  func dragging() {
    var store = DraftStore.walk()
    store.send(.faceDragged(Face("122L"))) {
      $0.draft = word("G", "122L", score: 3, .tooShort)
    }
    store.send(.faceDragged(Face("122L")))
    store.send(.faceDragged(Face("222L"))) {
      $0.draft = word("GA", "122L 222L", score: 8, .tooShort)
    }
    store.send(.faceDragged(Face("222R"))) {
      $0.draft = word("GAM", "122L 222L 222R", score: 24, .notAWord)
    }
    store.send(.faceDragged(Face("222L"))) {
      $0.draft = word("GA", "122L 222L", score: 8, .tooShort)
    }
    store.send(.faceDragged(Face("122L"))) {
      $0.draft = word("G", "122L", score: 3, .tooShort)
    }
  }

  @Test("A finger passes over cubes that cannot be chosen without a word")
  func passing() {
    var store = DraftStore.walk(typed: "GAM")
    store.send(.faceDragged(Face("122L")))
    store.send(.faceDragged(Face("000T")))
    store.send(.faceDragged(Face("202R")))
    var full = DraftStore.walk()
    full.send(.cubeMarked(Cube("222"))) { $0.draft = .marked(Cube("222"), then: nil) }
    full.send(.cubeMarked(Cube("122"))) { $0.draft = .twoMarked(Cube("222"), Cube("122")) }
    full.send(.faceDragged(Face("221T")))
  }

  @Test("A finger never moves the path that is lit")
  func staying() {
    var store = DraftStore.walk(typed: "O")
    // It touches the other O only.
    store.send(.faceDragged(Face("211R")))
  }
}
