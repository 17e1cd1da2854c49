import Testing

@testable import CubePlay

@Suite("The recovery words of the player, and a recovery under way")
struct RecoveryTests {
  private static let sheet = RecoverySheet(
    words: "legal winner thank year wave sausage worth useful legal winner thank yellow"
      .split(separator: " ").map { String($0) },
    asked: [2, 6, 11], key: "5c")
  private static let pending = RecoveryNews.Pending(
    id: "1", digits: "9be1240c", effect: "in 70 h", isObjected: false)

  private static func store(
    _ change: (inout KeysScreen) -> Void = { _ in }
  ) -> TestStore<KeysScreen, KeysAction, KeysEffect> {
    var screen = KeysScreen()
    screen.content = .shown([
      KeyRow(key: "1a", digits: "1a", added: "2 h ago", isOwn: true),
      KeyRow(key: "2a", digits: "2a", added: "1 h ago", inviter: "1a", isOwn: false),
    ])
    change(&screen)
    return TestStore(screen, KeysScreen.reducer)
  }

  @Test("Words are shown once, some are asked for, and only then their key is named")
  func words() {
    var store = Self.store()
    store.send(.recovery(.wordsChosen), effects: [.recovery(.makeWords)]) {
      $0.recoveryStage = .making
    }
    store.send(.recovery(.wordsChosen))
    store.send(.recovery(.written))
    store.send(.recovery(.made(Self.sheet))) { $0.recoveryStage = .shown(Self.sheet) }
    // No device goes away meanwhile, and no other words take their place.
    store.send(.removeChosen)
    store.send(.recovery(.made(RecoverySheet(words: [], asked: [], key: "6d"))))
    store.send(.recovery(.typed("thank worth yellow")))
    store.send(.recovery(.written)) { $0.recoveryStage = .asked(Self.sheet, fault: nil) }
    store.send(.recovery(.typed("thank worth"))) {
      $0.recoveryStage = .asked(Self.sheet, fault: "Type 3 words, with spaces between them.")
    }
    store.send(.recovery(.typed("thank wor yellow"))) {
      $0.recoveryStage = .asked(
        Self.sheet, fault: "That is not word 7. Look at what you wrote down.")
    }
    store.send(.recovery(.typed(" Thank WORT\tyellow")), effects: [.recovery(.name("5c"))]) {
      $0.recoveryStage = .naming
    }
    store.send(.recovery(.thrownAway))
    store.send(.recovery(.named(counts: nil)), effects: [.load]) {
      ($0.recoveryStage, $0.notice) = (.idle, "The words count now.")
    }
    // The answer to an event that took long.
    store.send(.recovery(.named(counts: "in 72 h")), effects: [.load]) {
      $0.notice = "The words count in 72 h. Until then the former ones count, if there are any."
    }
  }

  @Test("Words that are not wanted, not made or not named leave nothing but a sentence")
  func noWords() {
    var store = Self.store { $0.recoveryStage = .shown(Self.sheet) }
    store.send(.recovery(.thrownAway)) {
      ($0.recoveryStage, $0.notice) = (
        .idle, "No words were made. Those that you saw are of no use."
      )
    }
    store = Self.store { $0.recoveryStage = .making }
    store.send(.recovery(.notMade("No."))) { ($0.recoveryStage, $0.notice) = (.idle, "No.") }
    store = Self.store { $0.recoveryStage = .naming }
    store.send(.recovery(.notNamed("No."))) { ($0.recoveryStage, $0.notice) = (.idle, "No.") }
    store = Self.store { $0.removal = .asked($0.rows[1]) }
    store.send(.recovery(.wordsChosen))
  }

  @Test("A player who leaves new words is told first that they are of no use")
  func leaving() {
    let reducer = GameApp.reducer(words: nil, checks: .test)
    for stage in [
      KeysScreen.RecoveryStage.shown(Self.sheet), .asked(Self.sheet, fault: "No."),
    ] {
      var screen = KeysScreen()
      screen.recoveryStage = stage
      var app = GameApp()
      app.place = .menu(.keys(screen))
      #expect(reducer.reduce(&app, .left) == [])
      (screen.recoveryStage, screen.notice) = (
        .idle, "No words were made. Those that you saw are of no use."
      )
      #expect(app.menu == .keys(screen))
      #expect(reducer.reduce(&app, .left) == [.home(.load)])
      #expect(app.menu == nil)
    }
  }

  @Test("A recovery is objected to once, after a question about that recovery")
  func objection() {
    var store = Self.store()
    store.send(.recovery(.objectChosen))
    store.send(
      .arrived(KeysNews(rows: store.state.rows, recovery: RecoveryNews(pending: Self.pending)))
    ) { $0.recovery.pending = Self.pending }
    store.send(.recovery(.objectChosen)) { $0.recoveryStage = .doubted("1") }
    store.send(.doubtAnswered(false)) { $0.recoveryStage = .idle }
    store.send(.doubtAnswered(true))
    store.send(.recovery(.objectChosen)) { $0.recoveryStage = .doubted("1") }
    store.send(.doubtAnswered(true), effects: [.recovery(.object("1"))]) {
      $0.recoveryStage = .objecting
    }
    store.send(.recovery(.objected(effect: "in 142 h")), effects: [.load]) {
      $0.recoveryStage = .idle
      $0.notice = "The recovery is delayed: it takes effect in 142 h."
    }
    var objected = Self.pending
    objected.isObjected = true
    store.send(
      .arrived(KeysNews(rows: store.state.rows, recovery: RecoveryNews(pending: objected)))
    ) { $0.recovery.pending = objected }
    store.send(.recovery(.objectChosen))
    // The recovery was stopped while the question stood.
    store = Self.store { ($0.recovery.pending, $0.recoveryStage) = (Self.pending, .doubted("1")) }
    store.send(.arrived(KeysNews(rows: store.state.rows))) {
      ($0.recovery.pending, $0.recoveryStage) = (nil, .idle)
    }
  }

  @Test("Words and recovery are told in sentences")
  func sentences() {
    #expect(RecoveryNews().sentences == ["You have no recovery words."])
    #expect(RecoveryNews(hasWords: true).sentences == ["You have recovery words."])
    #expect(RecoveryNews(waiting: "in 3 h").sentences == ["Your recovery words count in 3 h."])
    var pending = Self.pending
    pending.isObjected = true
    #expect(
      RecoveryNews(hasWords: true, waiting: "in 3 h", pending: pending).sentences == [
        "Other words count in 3 h, the present ones until then.",
        "A recovery is under way, to the device 9be1240c.",
        "It plays as you in 70 h, and no other device does then.",
        "One of your devices has objected.",
      ])
  }

  @Test("A refusal says that the words are of no use; an answer that takes long does not")
  func failures() {
    func actions(_ effect: RecoveryEffect, _ trouble: ScreenTrouble) -> [GameAction] {
      GameEffect.menu(.keys(.recovery(effect))).failed(trouble)
    }
    func recovery(_ action: RecoveryAction) -> GameAction { .menu(.keys(.recovery(action))) }
    #expect(
      actions(.name("5c"), .said("No.")) == [
        recovery(.notNamed("No. The words that you wrote down are of no use."))
      ])
    #expect(
      actions(.name("5c"), .pending) == [
        recovery(.notNamed(ScreenTrouble.pending.text)), .connectionLost,
      ])
    #expect(actions(.makeWords, .said("No.")) == [recovery(.notMade("No."))])
    #expect(actions(.object("1"), .said("No.")) == [recovery(.notObjected("No."))])
  }
}
