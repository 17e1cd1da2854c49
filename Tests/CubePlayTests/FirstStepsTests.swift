import CubeLexicon
import CubeRules
import CustomDump
import Testing

@testable import CubePlay

typealias StepsStore = TestStore<FirstSteps, MatchAction, FirstStepsEffect>

@Suite("First steps")
struct FirstStepsTests {
  private static func store(_ step: FirstStep = .welcome) -> StepsStore {
    TestStore(FirstSteps(at: step), FirstSteps.reducer)
  }

  /// The effect of some actions on the match alone: the steps lie over it and change nothing of it.
  private static func played(_ shown: ShownMatch, _ actions: MatchAction...) -> ShownMatch {
    var shown = shown
    let play = ShownMatch.reducer(words: .english)
    for action in actions { _ = play.reduce(&shown, action) }
    return shown
  }

  private static func letter(_ text: Character) -> MatchAction {
    .play(.draft(.letterTyped(known(Letter(text), "a letter"))))
  }

  private static let enter = MatchAction.play(.submit)

  /// The state after the player's turn and the opponent's answer.
  private static func afterTurn(_ steps: inout FirstSteps, to step: FirstStep) {
    let before = steps.shown
    let draft = known(before.turn.offer, "a turn")
    Practice.play(draft.moves, in: &steps.match)
    Practice.answer(&steps.match)
    steps.shown = played(
      before, enter, .play(.answered(.accepted(secondsLeft: nil))),
      .arrived(steps.match.practiceNews))
    // No time passes by itself here.
    steps.shown.show = nil
    steps.step = step
  }

  /// Types letters. All of them but the last leave the step as it is.
  private static func type(_ word: String, in store: inout StepsStore, to step: FirstStep) {
    for (index, character) in word.enumerated() {
      let isLast = index == word.count - 1
      store.send(letter(character), effects: isLast ? [.keep(.at(step))] : []) {
        $0.shown = played($0.shown, letter(character))
        if isLast { $0.step = step }
      }
    }
  }

  private static func send(
    _ action: MatchAction, in store: inout StepsStore, to step: FirstStep
  ) {
    store.send(action, effects: [.keep(.at(step))]) {
      $0.shown = played($0.shown, action)
      $0.step = step
    }
  }

  private static func play(in store: inout StepsStore, to step: FirstStep) {
    store.send(enter, effects: [.keep(.at(step))]) { afterTurn(&$0, to: step) }
  }

  @Test("The whole walk: each step waits for its move, and the next one follows")
  func wholeWalk() {
    var store = Self.store()
    store.send(Self.enter, effects: [.keep(.at(.firstLetter))]) { $0.step = .firstLetter }
    Self.type("G", in: &store, to: .nextLetter)
    Self.type("A", in: &store, to: .wholeWord)
    Self.type("ME", in: &store, to: .playWord)
    #expect(store.state.shown.turn.offer?.score == 36)
    Self.play(in: &store, to: .theirTurn)
    #expect(store.state.shown.turn.lastTurn?.turn.word == "WORD")
    #expect(store.state.shown.turn.players == .two(mine: 36, theirs: 44))
    store.send(Self.enter, effects: [.keep(.at(.lookBack))]) { $0.step = .lookBack }
    Self.send(.lookedBack(1), in: &store, to: .backToNow)
    Self.send(.cleared, in: &store, to: .corners)
    for character in "CUBES" {
      store.send(Self.letter(character)) {
        $0.shown = Self.played($0.shown, Self.letter(character))
      }
    }
    Self.play(in: &store, to: .notAWord)
    Self.type("BAC", in: &store, to: .takeBack)
    #expect(store.state.shown.turn.draft?.word?.verdict == .notAWord)
    Self.send(.play(.draft(.takeBack)), in: &store, to: .clear)
    Self.send(.cleared, in: &store, to: .playedBefore)
    // The last letter brings the next step, which begins with nothing.
    for character in "GAM" {
      store.send(Self.letter(character)) {
        $0.shown = Self.played($0.shown, Self.letter(character))
      }
    }
    store.send(Self.letter("E"), effects: [.keep(.at(.sawPlayedBefore))]) {
      $0.shown = Self.played($0.shown, Self.letter("E"))
      $0.step = .sawPlayedBefore
    }
    #expect(store.state.shown.turn.draft?.word?.verdict == .playedBefore)
    Self.send(.cleared, in: &store, to: .twoWays)
    Self.type("TIN", in: &store, to: .nextWay)
    Self.send(.play(.draft(.nextWay)), in: &store, to: .playWay)
    #expect(store.state.shown.turn.draft?.word?.ways.count == 2)
    Self.play(in: &store, to: .vanishing)
    Self.type("GAMES", in: &store, to: .playVanishing)
    #expect(store.state.shown.turn.offer?.vanishing == cubes("221"))
    Self.play(in: &store, to: .cursor)
    #expect(store.state.shown.turn.game.inPlay.count == 26)
    Self.send(.cursorMoved(.up), in: &store, to: .mark)
    Self.send(.cursorMarked, in: &store, to: .markSecond)
    store.send(.cursorMoved(.left)) { $0.shown = Self.played($0.shown, .cursorMoved(.left)) }
    Self.send(.cursorMarked, in: &store, to: .playRemoval)
    Self.play(in: &store, to: .farewell)
    #expect(store.state.shown.turn.game.inPlay.count == 24)
    store.send(Self.enter, effects: [.keep(.done), .leave])
  }

  @Test("An action other than the one asked for changes nothing and gets a helpful answer")
  func wrongMoves() {
    let wrong: [(FirstStep, MatchAction, FirstSteps.Advice)] = [
      (.welcome, Self.letter("G"), .noLetters), (.welcome, .cursorMarked, .removalIsLater),
      (.firstLetter, Self.letter("A"), .otherLetter(wanted: "G")),
      (.firstLetter, Self.enter, .notYet),
      (.nextLetter, Self.letter("M"), .otherLetter(wanted: "A")),
      (.wholeWord, Self.letter("X"), .otherLetter(wanted: "M")), (.wholeWord, Self.enter, .notYet),
      (.playWord, Self.letter("S"), .wordIsWhole("GAME")),
      (.theirTurn, Self.letter("G"), .noLetters), (.lookBack, Self.enter, .notYet),
      (.lookBack, .play(.draft(.faceTapped(Face("122L")))), .noLetters),
      (.backToNow, Self.letter("G"), .noLetters),
      (.corners, Self.letter("G"), .otherLetter(wanted: "C")),
      (.corners, Self.enter, .unfinished("CUBES")),
      (.notAWord, Self.letter("A"), .otherLetter(wanted: "B")),
      (.takeBack, Self.enter, .notYet), (.takeBack, Self.letter("K"), .wordIsWhole("BAC")),
      (.clear, Self.letter("G"), .noLetters), (.playedBefore, Self.enter, .notYet),
      (.sawPlayedBefore, Self.enter, .notYet), (.sawPlayedBefore, Self.letter("S"), .noLetters),
      (.twoWays, .play(.draft(.faceTapped(Face("021T")))), .typeInstead),
      (.nextWay, Self.enter, .notYet), (.playWay, Self.letter("T"), .wordIsWhole("TIN")),
      (.vanishing, .play(.draft(.faceTapped(Face("222T")))), .otherLetter(wanted: "G")),
      (.playVanishing, .cursorMarked, .removalIsLater), (.cursor, Self.letter("G"), .wantsRemoval),
      (.cursor, Self.enter, .needsTwo), (.mark, Self.enter, .needsTwo),
      (.mark, .play(.draft(.cubeMarked(Cube("000")))), .otherCube),
      (.markSecond, Self.enter, .needsTwo), (.playRemoval, Self.letter("G"), .wantsRemoval),
      (.farewell, Self.letter("G"), .noLetters),
    ]
    for (step, action, advice) in wrong {
      var store = Self.store(step)
      store.send(action) { $0.advice = advice }
    }
    let named = Set(wrong.map(\.0))
    #expect(named == Set(FirstStep.allCases))
    // An advice stands until the next action.
    var store = Self.store(.firstLetter)
    store.send(Self.letter("A")) { $0.advice = .otherLetter(wanted: "G") }
    store.send(.play(.secondPassed)) { $0.advice = nil }
  }

  @Test(
    "Letters that were taken back can be typed again; a service that is not there changes nothing"
  )
  func detours() {
    var store = Self.store(.playWord)
    store.send(.play(.draft(.takeBack))) {
      $0.shown = Self.played($0.shown, .play(.draft(.takeBack)))
    }
    store.send(Self.enter) { $0.advice = .unfinished("GAME") }
    store.send(Self.letter("E")) {
      $0.advice = nil
      $0.shown = Self.played($0.shown, Self.letter("E"))
    }
    for action in [
      MatchAction.rematchAsked, .failed("x"), .play(.serviceLost), .play(.secondPassed),
    ] {
      store.send(action)
    }
    Self.play(in: &store, to: .theirTurn)
    // One mark is too few. A mark that is taken away can be made again.
    store = Self.store(.playRemoval)
    store.send(.cursorMarked) { $0.shown = Self.played($0.shown, .cursorMarked) }
    store.send(Self.enter) { $0.advice = .needsTwo }
    store.send(.cursorMarked) {
      $0.advice = nil
      $0.shown = Self.played($0.shown, .cursorMarked)
    }
    Self.play(in: &store, to: .farewell)
  }

  @Test(
    "Steps that are left anywhere are taken up there, as they were", arguments: FirstStep.allCases)
  func takenUp(step: FirstStep) {
    let steps = FirstSteps(at: step)
    #expect(steps.step == step && steps.advice == nil)
    // The step's goal is not reached yet, and can be.
    #expect(step.goal == .read || !steps.hasReachedGoal)
    #expect(steps.ownTurnCount == step.turnsBefore)
    #expect(FirstStepsProgress(FirstStepsProgress.at(step).text) == .at(step))
    var app = GameApp(firstSteps: .at(step))
    #expect(app.place == .home)
    #expect(GameApp.reducer(words: nil).reduce(&app, .firstStepsAsked) == [])
    #expect(app.place == .firstSteps(steps))
  }

  @Test("Each word of the steps is on the cube, and only where it is meant")
  func cube() throws {
    for count in 0...Practice.words.count where count < Practice.words.count {
      let match = Practice.match(after: count)
      let finder = WordFinder(game: match.game, seatCount: 2, lexicon: .english)
      let word = Practice.words[count]
      #expect(try finder.choices(for: word).count == (word == Practice.wordOfTwoWays ? 2 : 1))
    }
  }

  @Test("Kept progress is read; an unknown step begins anew")
  func progress() {
    for progress in [FirstStepsProgress.unseen, .done, .at(.farewell)] {
      #expect(FirstStepsProgress(progress.text) == progress)
    }
    #expect(FirstStepsProgress("").step == .welcome)
    #expect(FirstStepsProgress("99") == .at(.welcome))
    #expect(FirstStepsProgress.done.step == .welcome)
  }
}

@Suite("The first steps in the game")
struct FirstStepsInAppTests {
  @Test("A new player sees them, can leave, and can take them up again at the same step")
  func leaving() {
    var store = AppStore(GameApp(firstSteps: .unseen), GameApp.reducer(words: .walk))
    store.send(.opened, effects: [.keepFirstSteps(.at(.welcome)), .home(.load)]) {
      $0.firstSteps = .at(.welcome)
    }
    store.send(.firstSteps(.play(.submit)), effects: [.keepFirstSteps(.at(.firstLetter))]) {
      $0.place = .firstSteps(FirstSteps(at: .firstLetter))
      $0.firstSteps = .at(.firstLetter)
    }
    store.send(.left, effects: [.home(.load)]) { $0.place = .home }
    store.send(.firstSteps(.play(.submit)))
    store.send(.firstStepsAsked) { $0.place = .firstSteps(FirstSteps(at: .firstLetter)) }
  }

  @Test(
    "The waiting matches come after the last step, and the steps do not come back by themselves")
  func ending() {
    var app = GameApp(firstSteps: .at(.farewell))
    #expect(app.place == .home)
    app.place = .firstSteps(FirstSteps(at: .farewell))
    var store = AppStore(app, GameApp.reducer(words: .walk))
    store.send(.firstSteps(.play(.submit)), effects: [.keepFirstSteps(.done), .home(.load)]) {
      $0.place = .home
      $0.firstSteps = .done
    }
    #expect(GameApp(firstSteps: .done).place == .home)
    #expect(GameApp(at: MatchKey("1"), firstSteps: .unseen).match?.key == MatchKey("1"))
  }
}
