import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

typealias ScreenStore = TestStore<MatchScreen, MatchAction, MatchEffect>

extension MatchNews {
  /// News as a test states them.
  static func of(
    _ standing: Standing, lines: [TurnLine] = [], ending: String? = nil,
    rematch: RematchNews = .impossible
  ) -> MatchNews {
    MatchNews(
      standing: standing, opponent: "ben", lines: lines, ending: ending, rematch: rematch)
  }

  static let over = of(
    WaitingTests.standing(.over(.cleared)), ending: "You won.", rematch: .open)
}

extension MatchScreen {
  /// The table of a match that is shown.
  var table: ShownMatch {
    get {
      guard case .shown(let table) = content else { preconditionFailure("the match is shown") }
      return table
    }
    set { content = .shown(newValue) }
  }
}

@Suite("A match on the screen")
struct MatchScreenTests {
  static let key = MatchKey("1234")
  static let next = MatchKey("5678")

  static func screen(_ news: MatchNews = .of(WaitingTests.standing())) -> MatchScreen {
    MatchScreen(key, ShownMatch(news))
  }

  static func store(_ screen: MatchScreen) -> ScreenStore {
    TestStore(screen, MatchScreen.reducer(words: .walk))
  }

  @Test("It is loaded, and a failure is shown until it arrives")
  func loading() {
    var store = Self.store(MatchScreen(Self.key))
    store.send(.cursorMoved(.up))
    store.send(.failed("No such match.")) { $0.content = .failed("No such match.") }
    store.send(.play(.submit))
    let news = MatchNews.of(WaitingTests.standing())
    store.send(.arrived(news)) { $0.content = .shown(ShownMatch(news)) }
    store.send(.failed("The service cannot be reached."))
  }

  @Test("Letters mean nothing for three seconds after the match ends under the player's hands")
  func endWhileTyping() {
    var store = Self.store(Self.screen())
    store.send(.arrived(.over)) {
      $0.table = ShownMatch(.over)
      $0.table.restSeconds = 3
    }
    for seconds in [2, 1, 0] {
      store.send(.play(.secondPassed)) { $0.table.restSeconds = seconds }
    }
    store.send(.play(.secondPassed))
  }

  @Test("A word and Enter are played only where all its letters have a path")
  func missedLetters() {
    var screen = Self.screen()
    let reducer = MatchScreen.reducer(words: .walk)
    for letter in "GAMXE".compactMap({ Letter($0) }) {
      _ = reducer.reduce(&screen, .play(.draft(.letterTyped(letter))))
    }
    #expect(screen.table.turn.notice == .noPath([.x, .e]))
    #expect(screen.table.turn.offer == nil)
    var store = Self.store(screen)
    store.send(.play(.submit))
  }

  @Test("The letters of a word and Enter send it")
  func typicalTurn() {
    var screen = Self.screen()
    screen.table.turn = WaitingTests.typed
    var store = Self.store(screen)
    store.send(.play(.submit), effects: [.play(.send(WaitingTests.turn.moves, number: 1))]) {
      $0.table.turn = WaitingTests.sent()
    }
  }

  @Test("The other one's turn arrives by itself with the line that says so, and is shown")
  func theirTurn() {
    let turn = WaitingTests.turn
    let played = PlayedTurn(by: .them, turn)
    let after = WaitingTests.game.after(turn.moves)
    let line = TurnLine(number: 1, player: .them, word: "GAME", removedCount: 0, score: 36)
    let standing = WaitingTests.standing(game: after, turn: 2, last: played)
    var store = Self.store(Self.screen(.of(WaitingTests.standing(.theirs(secondsLeft: nil)))))
    store.send(.arrived(.of(standing, lines: [line])), effects: [.play(.show(played)), .tick]) {
      $0.table.turn = PlayTurn(standing)
      $0.table.lines = [line]
      $0.table.show = TurnShow(
        TurnReplay(turn, on: WaitingTests.game), by: .them, isSpelled: true)
    }
    // An answer to an earlier question arrives after the newer one, and is ignored.
    store.send(.arrived(.of(WaitingTests.standing(), ending: "late")))
  }

  @Test(
    "A cursor appears in the middle, goes over the cubes in sight and marks one before it counts")
  func cursor() {
    var store = Self.store(Self.screen())
    store.send(.cursorMarked)
    store.send(.cursorMoved(.right)) { $0.table.cursor = Cube("222") }
    store.send(.cursorMoved(.right)) { $0.table.cursor = Cube("211") }
    store.send(.cursorMarked) {
      $0.table.turn.setDraft(.marked(Cube("211"), then: nil))
    }
    store.send(.cursorMarked) { $0.table.turn.setDraft(.empty) }
    store.send(.cleared) { $0.table.cursor = nil }
  }

  @Test("Letters take the cursor to the cubes that show them, and spell again afterwards")
  func pointing() {
    var store = Self.store(Self.screen())
    store.send(.cursorSought(.e))
    store.send(.pointingAsked) {
      $0.table.lettersPoint = true
      $0.table.cursor = CubeCursor.first(among: $0.table.turn.markable)
    }
    let showing = store.state.table.turn.markable(showing: .e)
    #expect(showing == cubes("212 221"))
    store.send(.cursorSought(.m)) { $0.table.cursor = Cube("222") }
    store.send(.cursorMarked) { $0.table.turn.setDraft(.marked(Cube("222"), then: nil)) }
    // A cube that is marked is reached as well, by the letters that it showed.
    store.send(.cursorSought(.e)) { $0.table.cursor = Cube("212") }
    store.send(.cursorSought(.m)) { $0.table.cursor = Cube("222") }
    store.send(.cursorSought(.e)) { $0.table.cursor = Cube("212") }
    store.send(.cursorSought(.e)) { $0.table.cursor = Cube("221") }
    store.send(.cursorSought(.j)) { $0.table.turn.notice = .noCube(.j) }
    store.send(.cleared) {
      $0.table.lettersPoint = false
      $0.table.cursor = nil
    }
    #expect(store.state.table.turn.draft?.marks == [Cube("222")])
  }

  @Test("The values of the letters are shown on demand")
  func values() {
    var store = Self.store(Self.screen())
    store.send(.valuesAsked) { $0.table.showsValues = true }
    store.send(.valuesAsked) { $0.table.showsValues = false }
  }

  @Test("The cursor moves to the middle when its cube goes out of sight")
  func cursorOutOfSight() {
    var screen = Self.screen()
    screen.table.cursor = Cube("222")
    let standing = WaitingTests.standing(
      game: WaitingTests.game.without([Cube("222")]), turn: 2)
    var store = Self.store(screen)
    store.send(.arrived(.of(standing))) {
      $0.table.turn = PlayTurn(standing)
      $0.table.cursor = Cube("121")
    }
  }

  @Test("The player looks back turn by turn, each on its cube, until now is asked for or played")
  func lookingBack() {
    let games = [WaitingTests.game, WaitingTests.game.after(WaitingTests.turn.moves)]
    let removal = LegalTurn("-222", "-212")
    let lines = zip([WaitingTests.turn, removal], games).enumerated().map { index, turn in
      TurnLine(
        number: index + 1, player: .me, word: turn.0.word, removedCount: 2 * index,
        score: turn.0.score, replay: TurnReplay(turn.0, on: turn.1))
    }
    let now = WaitingTests.game.after(WaitingTests.turn.moves, removal.moves)
    let news = MatchNews.of(WaitingTests.standing(game: now, turn: 3), lines: lines)
    var store = Self.store(Self.screen(news))
    #expect(store.state.table.picture.game == now)
    store.send(.lookedBack(1)) { $0.table.lookedBack = 1 }
    #expect(store.state.table.picture.game == games[1])
    #expect(store.state.table.picture.marked == cubes("222 212"))
    store.send(.lookedBack(5)) { $0.table.lookedBack = 2 }
    #expect(store.state.table.picture.game == games[0])
    #expect(store.state.table.picture.lit == FaceSet(WaitingTests.turn.faces))
    store.send(.lookedBack(-1)) { $0.table.lookedBack = 1 }
    store.send(.play(.secondPassed))
    store.send(.cleared) { $0.table.lookedBack = 0 }
    store.send(.lookedBack(1)) { $0.table.lookedBack = 1 }
    store.send(.cursorMoved(.left)) {
      $0.table.lookedBack = 0
      $0.table.cursor = CubeCursor.first(among: $0.table.turn.markable)
    }
    store.send(.lookedBack(1)) { $0.table.lookedBack = 1 }
    store.send(.play(.submit)) {
      $0.table.lookedBack = 0
      $0.table.turn.notice = .rule(.turnShape(.empty))
    }
  }

  @Test("The player's share of the best words is told once all of them are known")
  func shareOfBest() {
    func line(_ player: PlayTurn.Player, _ score: Int, best: BestWord?) -> TurnLine {
      TurnLine(number: 1, player: player, word: "X", removedCount: 0, score: score, best: best)
    }
    func share(_ lines: TurnLine...) -> Int? {
      ShownMatch(.of(WaitingTests.standing(), lines: lines)).shareOfBest
    }
    let best = BestWord("BEST", 40)
    #expect(share() == nil)
    #expect(share(line(.me, 10, best: best), line(.them, 40, best: best)) == 25)
    #expect(share(line(.me, 10, best: best), line(.me, 40, best: best)) == 62)
    #expect(share(line(.me, 10, best: best), line(.me, 40, best: nil)) == nil)
    #expect(share(line(.them, 40, best: best)) == nil)
    #expect(share(line(.me, .max, best: best)) == nil)
  }

  @Test("Arrows reach every cube in sight from every other", arguments: 0..<100 as Range<UInt64>)
  func reach(seed: UInt64) {
    var random = RandomPlay(seed: seed)
    for _ in 0..<60 { _ = random.reducer.reduce(&random.match, .draft(random.draftAction())) }
    var cubes = random.match.markable
    // Fewer cubes than any turn leaves, to see gaps too.
    while cubes.count > 1 {
      for start in cubes {
        var reached = CubeSet([start])
        var open = [start]
        while let cube = open.popLast() {
          for step in CursorStep.allCases {
            let next = CubeCursor.next(from: cube, step, among: cubes)
            if !reached.contains(next) {
              reached.insert(next)
              open.append(next)
            }
          }
        }
        #expect(reached == cubes, "from \(start) among \(cubes)")
      }
      guard let gone = Array(cubes).randomElement(using: &random.generator) else { break }
      cubes.remove(gone)
    }
  }
}

@Suite("A rematch on the screen")
struct RematchScreenTests {
  private let screen = MatchScreenTests.screen(.over)

  @Test("It is asked for once, offered, and shown as soon as the other one agrees")
  func asking() {
    var store = MatchScreenTests.store(screen)
    store.send(.rematchAsked, effects: [.askRematch]) {
      $0.table.rematch = .asked(wasOffered: false)
    }
    store.send(.rematchAsked)
    store.send(.rematchAnswered(.offered)) { $0.table.rematch = .waits }
    store.send(.rematchAsked)
    var news = MatchNews.over
    news.rematch = .began(MatchScreenTests.next)
    store.send(.arrived(news), effects: [.open(MatchScreenTests.next)]) {
      $0.table.rematch = .began(MatchScreenTests.next)
    }
  }

  @Test("A rematch that cannot be started puts the button back and says so")
  func failing() {
    var store = MatchScreenTests.store(screen)
    #expect(store.state.table.rematch.canBeAsked)
    store.send(.rematchAsked, effects: [.askRematch]) {
      $0.table.rematch = .asked(wasOffered: false)
    }
    #expect(!store.state.table.rematch.canBeAsked)
    store.send(.rematchAnswered(.failed("The service cannot be reached."))) {
      $0.table.rematch = .possible(failure: "The service cannot be reached.")
    }
    #expect(store.state.table.rematch.canBeAsked)
    // News that does not mention the rematch leaves the failure to be read.
    store.send(.arrived(.over))
    store.send(.rematchAsked, effects: [.askRematch]) {
      $0.table.rematch = .asked(wasOffered: false)
    }
  }

  @Test("An offer of the other one is agreed to; a failure puts the button back and says so")
  func agreeing() {
    var offered = MatchNews.over
    offered.rematch = .offered(by: .them)
    var store = MatchScreenTests.store(screen)
    store.send(.arrived(offered)) { $0.table.rematch = .offered(failure: nil) }
    store.send(.rematchAsked, effects: [.askRematch]) {
      $0.table.rematch = .asked(wasOffered: true)
    }
    store.send(.rematchAnswered(.failed("Not now."))) {
      $0.table.rematch = .offered(failure: "Not now.")
    }
    store.send(.rematchAsked, effects: [.askRematch]) {
      $0.table.rematch = .asked(wasOffered: true)
    }
    store.send(
      .rematchAnswered(.began(MatchScreenTests.next)), effects: [.open(MatchScreenTests.next)]
    ) { $0.table.rematch = .began(MatchScreenTests.next) }
  }

  @Test("One that began without the player being there is shown when that is asked for")
  func began() {
    var news = MatchNews.over
    news.rematch = .began(MatchScreenTests.next)
    var store = MatchScreenTests.store(MatchScreenTests.screen(news))
    store.send(.rematchAsked, effects: [.open(MatchScreenTests.next)])
  }

  @Test("There is none while the match is played, and an unasked answer changes nothing")
  func impossible() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    store.send(.rematchAsked)
    store.send(.rematchAnswered(.offered))
  }
}
