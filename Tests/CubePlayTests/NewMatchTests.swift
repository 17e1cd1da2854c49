import Testing

@testable import CubePlay

typealias NewMatchStore = TestStore<NewMatchScreen, NewMatchAction, NewMatchEffect>

extension FieldChecks {
  /// The checks of a test's input.
  static let test: FieldChecks = {
    var checks = most
    checks.reportText = { $0 == "!" ? "odd" : nil }
    return checks
  }()

  private static let most = FieldChecks(
    playerName: { $0.count < 3 ? "3 or more" : nil }, displayName: { $0 == "!" ? "odd" : nil },
    deviceName: { $0 == "!" ? "odd" : nil }, turnLimit: { $0.last == "d" ? nil : "such as 1d" },
    code: { $0.count < 2 ? "2 or more" : nil }, deviceLimit: 3)
}

@Suite("Choosing a new match")
struct NewMatchTests {
  private static let terms = NewMatch.Terms(turnLimit: "1d", isCasual: false)
  private static let key = MatchKey("9")

  private static func store(
    _ change: (inout NewMatchScreen) -> Void = { _ in }
  ) -> NewMatchStore {
    var screen = NewMatchScreen()
    change(&screen)
    return TestStore(screen, NewMatchScreen.reducer(checks: .test))
  }

  @Test("A match against a random opponent is one key away, and is shown when it has begun")
  func random() {
    var store = Self.store()
    let wanted = NewMatch.anyone(Self.terms)
    store.send(.chosen, effects: [.start(wanted, isSure: false)]) { $0.stage = .asked(wanted) }
    // One wish at a time.
    store.send(.chosen)
    store.send(.moved(1))
    store.send(.typed("x"))
    store.send(.answered(.began(Self.key)), effects: [.open(Self.key)]) { $0.stage = .choosing }
  }

  @Test(
    "Each row starts its game",
    arguments: [
      (.open, .open(terms)), (.daily, .daily(.unlimited)), (.timedDaily, .daily(.timed)),
      (.alone, .alone(.unlimited)), (.timedAlone, .alone(.timed)),
    ] as [(NewMatchScreen.Item, NewMatch)])
  func rows(item: NewMatchScreen.Item, wanted: NewMatch) {
    var store = Self.store { $0.focus = item }
    store.send(.chosen, effects: [.start(wanted, isSure: false)]) { $0.stage = .asked(wanted) }
  }

  @Test("The selection stays within the list, and characters go where they are typed")
  func focus() {
    var store = Self.store()
    store.send(.moved(-1))
    store.send(.typed("x"))
    store.send(.moved(1)) { $0.focus = .named }
    #expect(store.state.isTyping)
    store.send(.moved(100)) { $0.focus = .casual }
    #expect(!store.state.isTyping)
    store.send(.typed("x"))
    store.send(.erased)
    store.send(.typed(" ")) { $0.isCasual = true }
    store.send(.chosen) { $0.isCasual = false }
  }

  @Test("A fault in a name is said while it is typed, and the name is not sent")
  func name() {
    var store = Self.store { $0.focus = .named }
    store.send(.chosen) { $0.notice = "Type the name of the player first." }
    store.send(.typed("b")) {
      ($0.name.text, $0.name.fault, $0.notice) = ("b", "3 or more", nil)
    }
    store.send(.chosen) { $0.notice = "That is no player's name." }
    store.send(.typed("e")) { ($0.name.text, $0.notice) = ("be", nil) }
    store.send(.typed("n")) { ($0.name.text, $0.name.fault) = ("ben", nil) }
    store.send(.erased) { ($0.name.text, $0.name.fault) = ("be", "3 or more") }
    store.send(.erased) { $0.name.text = "b" }
    // An empty name is not wrong.
    store.send(.erased) { ($0.name.text, $0.name.fault) = ("", nil) }
    store.send(.erased)
  }

  @Test("A match is joined by its code")
  func code() {
    var store = Self.store { $0.focus = .join }
    store.send(.chosen) { $0.notice = "Type the code of the match first." }
    store.send(.typed("7")) {
      ($0.code.text, $0.code.fault, $0.notice) = ("7", "2 or more", nil)
    }
    store.send(.chosen) { $0.notice = "That is no code." }
    store.send(.typed("K")) { ($0.code, $0.notice) = (TextEntry("7K"), nil) }
    store.send(.typed("3")) { $0.code = TextEntry("7K3") }
    store.send(.erased) { $0.code = TextEntry("7K") }
    store.send(.chosen, effects: [.start(.join("7K"), isSure: false)]) {
      $0.stage = .asked(.join("7K"))
    }
  }

  @Test("A fault in the time for a turn is said, too; Enter goes on from it")
  func turnLimit() {
    var store = Self.store { $0.focus = .turnLimit }
    store.send(.erased) {
      ($0.turnLimit.text, $0.turnLimit.fault) = ("1", "such as 1d")
    }
    store.send(.chosen) { $0.focus = .casual }
    store.send(.moved(-9)) { $0.focus = .anyone }
    store.send(.chosen) { $0.notice = "The time for a turn is not right." }
    // A solo game has no time for a turn.
    store.send(.moved(4)) { ($0.focus, $0.notice) = (.daily, nil) }
    store.send(.chosen, effects: [.start(.daily(.unlimited), isSure: false)]) {
      $0.stage = .asked(.daily(.unlimited))
    }
  }

  @Test("A refusal is said and loses nothing that was typed")
  func refusal() {
    let wanted = NewMatch.named("ben", Self.terms)
    var store = Self.store {
      ($0.focus, $0.name) = (.named, TextEntry("ben"))
    }
    store.send(.chosen, effects: [.start(wanted, isSure: false)]) { $0.stage = .asked(wanted) }
    store.send(.answered(.refused("You have too many."))) {
      ($0.stage, $0.notice) = (.choosing, "You have too many.")
    }
    store.send(.chosen, effects: [.start(wanted, isSure: false)]) {
      ($0.stage, $0.notice) = (.asked(wanted), nil)
    }
    store.send(.answered(.wrongName("nobody has that name"))) {
      ($0.stage, $0.name.fault) = (.choosing, "nobody has that name")
    }
    #expect(store.state.name.text == "ben")
  }

  @Test(
    "The notice that the service is away stays until it is back, or the next action",
    arguments: [true, false])
  func away(isBack: Bool) {
    let wanted = NewMatch.anyone(Self.terms)
    var store = Self.store { $0.stage = .asked(wanted) }
    store.send(.answered(.away("Away."))) { ($0.stage, $0.trouble) = (.choosing, "Away.") }
    store.send(isBack ? .appeared : .moved(-1)) { $0.trouble = nil }
    store.send(.appeared)
  }

  @Test("A second invitation to the same player asks first", arguments: [true, false])
  func doubt(again: Bool) {
    let wanted = NewMatch.named("ben", Self.terms)
    var store = Self.store {
      ($0.focus, $0.name, $0.stage) = (.named, TextEntry("ben"), .asked(wanted))
    }
    store.send(.answered(.invitedBefore)) { $0.stage = .doubted(wanted) }
    store.send(.chosen)
    if again {
      store.send(.doubtAnswered(true), effects: [.start(wanted, isSure: true)]) {
        $0.stage = .asked(wanted)
      }
    } else {
      store.send(.doubtAnswered(false)) { $0.stage = .choosing }
    }
  }

  @Test("A start without an answer is said, made once, and opens its match when it is answered")
  func pending() {
    let wanted = NewMatch.anyone(Self.terms)
    var store = Self.store { $0.stage = .asked(wanted) }
    store.send(.answered(.pending)) { $0.stage = .pending(wanted) }
    // Nothing else is chosen meanwhile.
    store.send(.chosen)
    store.send(.moved(1))
    store.send(.typed("x"))
    store.send(.pendingAnswered(.began(Self.key)), effects: [.open(Self.key)]) {
      $0.stage = .choosing
    }
    // A question that has its answer takes no second one.
    store.send(.answered(.pending))
  }

  @Test("A start that was refused after all is said, where it was made and where it is left")
  func pendingRefused() {
    let wanted = NewMatch.anyone(Self.terms)
    var store = Self.store { $0.stage = .pending(wanted) }
    store.send(.pendingAnswered(.refused("You have too many."))) {
      ($0.stage, $0.notice) = (.choosing, "You have too many.")
    }
    // The screen was left and opened again.
    var later = Self.store()
    later.send(.pendingAnswered(.refused("You have too many."))) {
      $0.notice = "You have too many."
    }
    later.send(.pendingAnswered(.began(Self.key))) {
      $0.notice = "Your earlier start went through. The list shows it."
    }
    // An answer to an earlier start does not answer a later question.
    var asked = Self.store { $0.stage = .asked(wanted) }
    asked.send(.pendingAnswered(.began(Self.key)))
  }

  @Test(
    "Nothing beside the matches is opened without a service",
    arguments: [Menu.Name.newMatch, .boards, .pastGames, .settings])
  func withoutService(name: Menu.Name) {
    var store = TestStore(
      GameApp(facilities: .robots), GameApp.reducer(words: .walk, checks: .test))
    store.send(.menu(.opened(name)))
  }

  @Test("It is opened from home, and an answer that comes after it was left opens nothing")
  func inTheGame() {
    var store = TestStore(GameApp(), GameApp.reducer(words: .walk, checks: .test))
    var screen = NewMatchScreen()
    store.send(.menu(.opened(.newMatch))) { $0.place = .menu(.newMatch(screen)) }
    let wanted = NewMatch.anyone(Self.terms)
    screen.stage = .asked(wanted)
    let start = MenuEffect.newMatch(.start(wanted, isSure: false))
    store.send(.menu(.newMatch(.chosen)), effects: [.menu(start)]) {
      $0.place = .menu(.newMatch(screen))
    }
    store.send(
      .menu(.newMatch(.answered(.began(Self.key)))), effects: [.match(Self.key, .follow)]
    ) { $0.place = .match(MatchScreen(Self.key)) }
    store.send(.menu(.newMatch(.answered(.began(MatchKey("8"))))))
  }

  @Test("The list brings the answer to a start that was pending, which opens nothing elsewhere")
  func pendingInTheGame() {
    let wanted = NewMatch.anyone(Self.terms)
    var screen = NewMatchScreen()
    screen.stage = .pending(wanted)
    var list = HomeList(name: "ada", rows: [], told: "Your earlier start went through.")
    list.started = .began(Self.key)
    let arrived = GameAction.home(.arrived(list))
    var app = GameApp()
    app.place = .menu(.newMatch(screen))
    var store = TestStore(app, GameApp.reducer(words: .walk, checks: .test))
    store.send(arrived, effects: [.match(Self.key, .follow)]) {
      ($0.home.list, $0.home.notice) = (list, list.told)
      $0.place = .match(MatchScreen(Self.key))
    }
    for place in [GameApp.Place.home, .match(MatchScreen(MatchKey("8")))] {
      app.place = place
      var elsewhere = TestStore(app, GameApp.reducer(words: .walk, checks: .test))
      elsewhere.send(arrived) { ($0.home.list, $0.home.notice) = (list, list.told) }
    }
  }

  @Test("The next match is not gone to while something is typed")
  func noNext() {
    var app = GameApp()
    app.home.list = HomeList(name: "ada", rows: [HomeScreenTests.match])
    app.place = .menu(.newMatch(NewMatchScreen()))
    var store = TestStore(app, GameApp.reducer(words: .walk, checks: .test))
    store.send(.nextAsked)
  }

  @Test("An entry that cannot be checked is faulty")
  func failing() {
    var entry = TextEntry()
    for check in [FieldChecks.failing.playerName, FieldChecks.failing.turnLimit] {
      entry.type("a", check)
      #expect(entry.fault == "cannot be checked")
    }
    for _ in 0..<100 { entry.type("a", FieldChecks.failing.displayName) }
    #expect(entry.text.count == 64)
  }
}
