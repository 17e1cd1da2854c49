import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

@Suite("Marking cubes for removal")
struct MarkingTests {
  @Test("A cube is marked, and by marking it again it is not")
  func toggle() {
    var store = DraftStore.walk()
    store.send(.cubeMarked(Cube("222"))) { $0.draft = .marked(Cube("222"), then: nil) }
    store.send(.cubeMarked(Cube("222"))) { $0.draft = .empty }
  }

  @Test("Two cubes fill a turn, the second one may come to light by the first")
  func two() {
    var store = DraftStore.walk()
    store.send(.cubeMarked(Cube("111"))) { $0.notice = .rule(.cubeHidden(Cube("111"))) }
    store.send(.cubeMarked(Cube("222"))) {
      $0.draft = .marked(Cube("222"), then: nil)
      $0.notice = nil
    }
    store.send(.cubeMarked(Cube("111"))) { $0.notice = .rule(.cubeHidden(Cube("111"))) }
    store.send(.cubeMarked(Cube("211"))) {
      $0.draft = .twoMarked(Cube("222"), Cube("211"))
      $0.notice = nil
    }
    store.send(.cubeMarked(Cube("212"))) { $0.notice = .full }
    store.send(.letterTyped(.g)) { $0.notice = .full }
    store.send(.faceTapped(Face("122L"))) { $0.notice = .full }
    store.send(.takeBack) {
      $0.draft = .marked(Cube("222"), then: nil)
      $0.notice = nil
    }
    store.send(.takeBack) { $0.draft = .empty }
  }

  @Test("Either of two marks can be taken away, but not one that the other needs")
  func unmarking() {
    var store = DraftStore.walk()
    store.send(.cubeMarked(Cube("222"))) { $0.draft = .marked(Cube("222"), then: nil) }
    store.send(.cubeMarked(Cube("212"))) { $0.draft = .twoMarked(Cube("222"), Cube("212")) }
    store.send(.cubeMarked(Cube("222"))) { $0.draft = .marked(Cube("212"), then: nil) }
    store.send(.clear) { $0.draft = .empty }
    let bare = CubeGame(puzzle: .walk).after(moves("-222", "-122"), moves("-212", "-221"))
    let hidden = known(
      bare.inPlay.first { bare.refusal(ofRemoving: $0) != nil && bare.isBared($0) }, "a cube")
    let cover = known(
      bare.inPlay.first {
        bare.refusal(ofRemoving: $0) == nil
          && bare.without([$0]).refusal(ofRemoving: hidden) == nil
      }, "what covers it")
    var needing = DraftStore.walk(bare)
    needing.send(.cubeMarked(cover)) { $0.draft = .marked(cover, then: nil) }
    needing.send(.cubeMarked(hidden)) { $0.draft = .twoMarked(cover, hidden) }
    needing.send(.cubeMarked(cover)) { $0.notice = .needed(cover) }
    needing.send(.cubeMarked(hidden)) {
      $0.draft = .marked(cover, then: nil)
      $0.notice = nil
    }
  }

  @Test("A word after a marked cube is found on the cube that is left")
  func thenWord() {
    var store = DraftStore.walk()
    store.send(.cubeMarked(Cube("221"))) { $0.draft = .marked(Cube("221"), then: nil) }
    for (letter, word, path, score, verdict) in [
      (.g, "G", "122L", 3, .tooShort), (.a, "GA", "122L 222L", 8, .tooShort),
      (.m, "GAM", "122L 222L 222R", 24, .notAWord),
      (.e, "GAME", "122L 222L 222R 212L", 36, .valid),
    ] as [(Letter, String, String, Int, Verdict)] {
      store.send(.letterTyped(letter)) {
        $0.draft = .marked(
          Cube("221"), then: WordDraft(word, [path], score: score, verdict))
      }
    }
    store.send(.takeBack) {
      $0.draft = .marked(
        Cube("221"), then: WordDraft("GAM", ["122L 222L 222R"], score: 24, .notAWord))
    }
    store.send(.clear) { $0.draft = .empty }
  }

  @Test("A cube is marked under a word that stands without it; the path moves off it")
  func underWord() {
    var store = DraftStore.walk(typed: "GAME")
    store.send(.cubeMarked(Cube("212"))) {
      $0.draft = .marked(
        Cube("212"), then: WordDraft("GAME", ["122L 222L 222R 221R"], score: 36))
    }
    store.send(.cubeMarked(Cube("221"))) { $0.notice = .full }
    store.send(.cubeMarked(Cube("212"))) {
      $0.draft = .word(
        WordDraft(
          "GAME", ["122L 222L 222R 212L", "122L 222L 222R 221R"], shown: 1, score: 36))
      $0.notice = nil
    }
  }

  @Test("A cube that the letters need is not marked, and nothing is lost")
  func needed() {
    var store = DraftStore.walk(typed: "GAME")
    store.send(.cubeMarked(Cube("222"))) { $0.notice = .needed(Cube("222")) }
  }

  @Test("A mark that the letters need stays")
  func neededMark() {
    let bared = known(
      CubeGame(puzzle: .walk).without([Cube("222")]).playable
        .first { !CubeGame(puzzle: .walk).playable.contains($0) }, "a face")
    var store = DraftStore.walk(CubeGame(puzzle: .showing([bared.description: "A"])))
    store.send(.cubeMarked(Cube("222"))) { $0.draft = .marked(Cube("222"), then: nil) }
    store.send(.letterTyped(.a)) {
      $0.draft = .marked(
        Cube("222"), then: WordDraft("A", [bared.description], score: 1, .tooShort))
    }
    store.send(.cubeMarked(Cube("222"))) { $0.notice = .needed(Cube("222")) }
  }
}

extension CubeGame {
  /// Whether some single removal brings a cube to light.
  func isBared(_ cube: Cube) -> Bool {
    inPlay.contains {
      refusal(ofRemoving: $0) == nil && without([$0]).refusal(ofRemoving: cube) == nil
    }
  }
}
