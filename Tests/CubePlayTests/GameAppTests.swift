import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

typealias AppStore = TestStore<GameApp, GameAction, GameEffect>

@Suite("The waiting matches on the screen")
struct HomeScreenTests {
  static let match = HomeRow(
    MatchKey("1"), .yourTurn, opponent: "ben", points: [3, 4], secondsLeft: 9)
  static let invitation = HomeRow(MatchKey("2"), .invitation, opponent: "cleo")
  static let offer = HomeRow(MatchKey("3"), .rematchOffer, opponent: "dan")
  static let list = HomeList(name: "ada", rows: [match, invitation, offer])
  static let invitations = [
    invitation, HomeRow(MatchKey("4"), .invitation, opponent: "eve"),
    HomeRow(MatchKey("5"), .invitation, opponent: "fay"),
  ]

  static func screen(_ selected: Int = 0) -> HomeScreen {
    var screen = HomeScreen()
    screen.list = list
    screen.selectedIndex = selected
    return screen
  }

  private static func store(
    _ screen: HomeScreen = screen()
  ) -> TestStore<HomeScreen, HomeAction, HomeEffect> { TestStore(screen, HomeScreen.reducer) }

  @Test("It is loaded when it comes into sight; a failure is said until it arrives")
  func loading() {
    var store = Self.store(HomeScreen())
    store.send(.moved(1))
    store.send(.opened)
    store.send(.appeared, effects: [.load])
    store.send(.failed("Away.")) { $0.trouble = "Away." }
    store.send(.arrived(Self.list)) {
      $0.list = Self.list
      $0.trouble = nil
    }
  }

  @Test("The selection stays within the list, and on its row wherever that goes")
  func selecting() {
    var store = Self.store()
    store.send(.moved(5)) { $0.selectedIndex = 2 }
    store.send(.moved(-1)) { $0.selectedIndex = 1 }
    store.send(.moved(.max)) { $0.selectedIndex = 2 }
    store.send(.moved(-1)) { $0.selectedIndex = 1 }
    let turned = HomeList(name: "ada", rows: [Self.invitation, Self.match])
    store.send(.arrived(turned)) {
      $0.list = turned
      $0.selectedIndex = 0
    }
    let fewer = HomeList(name: "ada", rows: [])
    store.send(.arrived(fewer)) { $0.list = fewer }
    #expect(store.state.selected == nil)
  }

  @Test("A match is opened, an invitation accepted, an offer agreed to; one wish at a time")
  func opening() {
    var store = Self.store()
    store.send(.opened, effects: [.open(MatchKey("1"))])
    store.send(.declined)
    store.send(.moved(1)) { $0.selectedIndex = 1 }
    store.send(.opened, effects: [.grant(.accept(MatchKey("2")))]) {
      $0.wish = .accept(MatchKey("2"))
    }
    store.send(.declined)
    store.send(.granted(MatchKey("2")), effects: [.open(MatchKey("2"))]) { $0.wish = nil }
    store.send(.declined) { $0.doubted = .decline(MatchKey("2")) }
    store.send(.confirmed, effects: [.grant(.decline(MatchKey("2")))]) {
      ($0.wish, $0.doubted) = (.decline(MatchKey("2")), nil)
    }
    store.send(.granted(nil), effects: [.load]) { $0.wish = nil }
    store.send(.moved(1)) { $0.selectedIndex = 2 }
    store.send(.opened, effects: [.grant(.rematch(MatchKey("3")))]) {
      $0.wish = .rematch(MatchKey("3"))
    }
  }

  // Failure: ScreenTrouble.said: The service refused a request of the screen.
  @Test("A wish that cannot be granted gets a notice, and can be made again")
  func refusing() {
    var store = Self.store(Self.screen(1))
    store.send(.declined) { $0.doubted = .decline(MatchKey("2")) }
    store.send(.confirmed, effects: [.grant(.decline(MatchKey("2")))]) {
      ($0.wish, $0.doubted) = (.decline(MatchKey("2")), nil)
    }
    store.send(.refused("Too many matches."), effects: [.load]) {
      ($0.wish, $0.notice) = (nil, "Too many matches.")
    }
    store.send(.declined) { ($0.doubted, $0.notice) = (.decline(MatchKey("2")), nil) }
    store.send(.confirmed, effects: [.grant(.decline(MatchKey("2")))]) {
      ($0.wish, $0.doubted) = (.decline(MatchKey("2")), nil)
    }
  }

  @Test("The notice that the service is away stays until the waiting matches arrive")
  func away() {
    var store = Self.store(Self.screen(1))
    store.send(.opened, effects: [.grant(.accept(MatchKey("2")))]) {
      $0.wish = .accept(MatchKey("2"))
    }
    store.send(.away("Away.")) { ($0.wish, $0.trouble) = (nil, "Away.") }
    store.send(.moved(0))
    let list = HomeList(name: "ada", rows: [Self.match])
    store.send(.arrived(list)) { ($0.list, $0.selectedIndex, $0.trouble) = (list, 0, nil) }
  }

  @Test("A notice stays until the next action, and no arrival removes it")
  func saying() {
    var store = Self.store(Self.screen(1))
    store.send(.declined) { $0.doubted = .decline(MatchKey("2")) }
    store.send(.confirmed, effects: [.grant(.decline(MatchKey("2")))]) {
      ($0.wish, $0.doubted) = (.decline(MatchKey("2")), nil)
    }
    store.send(.refused("Too many matches."), effects: [.load]) {
      ($0.wish, $0.notice) = (nil, "Too many matches.")
    }
    store.send(.arrived(Self.list))
    store.send(.moved(1)) { ($0.selectedIndex, $0.notice) = (2, nil) }
    var told = Self.list
    told.told = "Your earlier start went through."
    store.send(.arrived(told)) {
      $0.list = told
      $0.notice = "Your earlier start went through."
    }
  }

  @Test(
    "The row in place of a selected one that is gone is selected, but no key acts on it unasked")
  func rowGone() {
    var store = Self.store(Self.screen(1))
    let others = HomeList(name: "ada", rows: [Self.match, Self.offer])
    store.send(.arrived(others)) { ($0.list, $0.isReplaced) = (others, true) }
    #expect(store.state.selected == Self.offer)
    store.send(.arrived(others))
    let wish = HomeScreen.Wish.rematch(MatchKey("3"))
    store.send(.opened) { ($0.doubted, $0.isReplaced) = (wish, false) }
    store.send(.confirmed, effects: [.grant(wish)]) { ($0.wish, $0.doubted) = (wish, nil) }
    store.send(.refused("No."), effects: [.load]) { ($0.wish, $0.notice) = (nil, "No.") }
    store.send(.moved(1)) { $0.notice = nil }
    // A match is only shown.
    let second = HomeRow(MatchKey("7"), .theirTurn, opponent: "eve")
    let matches = HomeList(name: "ada", rows: [second])
    store.send(.arrived(matches)) { ($0.list, $0.selectedIndex) = (matches, 0) }
  }

  @Test("The row of a match is selected after it, even if another row was selected before")
  func cameBack() {
    let daily = HomeRow(MatchKey("daily"), .daily(.timed), opponent: "timed daily")
    var app = GameApp()
    let reducer = GameApp.reducer(words: nil)
    let lists = [
      HomeList(name: "ada", rows: [Self.match, daily, Self.invitation]),
      HomeList(
        name: "ada",
        rows: [Self.match, Self.invitation, HomeRow(MatchKey("9"), .yourTurn, opponent: "daily")]),
    ]
    for action in [
      .arrived(lists[0]), .moved(1), .opened, .confirmed, .granted(MatchKey("9")),
    ] as [HomeAction] { _ = reducer.reduce(&app, .home(action)) }
    #expect(app.match?.key == MatchKey("9"))
    #expect(reducer.reduce(&app, .left) == [.home(.load)])
    #expect(app.home.selected == daily)
    _ = reducer.reduce(&app, .home(.arrived(lists[1])))
    #expect(app.home.selected?.key == MatchKey("9"))
    #expect(reducer.reduce(&app, .home(.opened)) == [.match(MatchKey("9"), .follow)])
  }

  @Test("A row is selected even after a match that is listed no more")
  func matchGone() {
    var app = GameApp()
    let reducer = GameApp.reducer(words: nil)
    for action in [
      .home(.arrived(Self.list)), .home(.opened), .left,
      .home(.arrived(HomeList(name: "ada", rows: [Self.invitation, Self.offer]))),
    ] as [GameAction] { _ = reducer.reduce(&app, action) }
    #expect(app.home.selected == Self.invitation)
    // The list has changed, so the player is asked first.
    #expect(reducer.reduce(&app, .home(.opened)).isEmpty)
    #expect(app.home.doubted == .accept(MatchKey("2")))
  }

  @Test("An offer of a rematch is turned down by the same key as an invitation")
  func decliningRematch() {
    var store = Self.store(Self.screen(2))
    let wish = HomeScreen.Wish.declineRematch(MatchKey("3"))
    store.send(.declined) { $0.doubted = wish }
    store.send(.kept) { $0.doubted = nil }
    store.send(.confirmed)
    store.send(.declined) { $0.doubted = wish }
    store.send(.confirmed, effects: [.grant(wish)]) { ($0.wish, $0.doubted) = (wish, nil) }
    store.send(.granted(nil), effects: [.load]) { $0.wish = nil }
  }

  /// The list of so many invitations, behind a match.
  private static func invited(_ count: Int) -> HomeList {
    HomeList(name: "ada", rows: [match] + invitations.prefix(count))
  }

  private static func decliningAll() -> TestStore<HomeScreen, HomeAction, HomeEffect> {
    var screen = HomeScreen()
    screen.list = invited(3)
    return store(screen)
  }

  @Test("All invitations are declined one after the other, but only after a second word")
  func allDeclined() {
    let keys = Self.invitations.map(\.key)
    var store = Self.decliningAll()
    store.send(.allDeclined) { $0.decliningAll = .doubted(keys) }
    #expect(store.state.isInDoubt)
    store.send(.kept) { $0.decliningAll = .no }
    store.send(.confirmed)
    store.send(.allDeclined) { $0.decliningAll = .doubted(keys) }
    store.send(.moved(0)) { $0.decliningAll = .no }
    store.send(.allDeclined) { $0.decliningAll = .doubted(keys) }
    store.send(.confirmed, effects: [.grant(.decline(keys[0]))]) {
      ($0.wish, $0.decliningAll) = (.decline(keys[0]), .going([keys[1], keys[2]]))
    }
    #expect(!store.state.isInDoubt)
    // Meanwhile nothing else is wished, and looking around stops nothing.
    store.send(.allDeclined)
    store.send(.moved(1)) { $0.selectedIndex = 1 }
    store.send(.declined)
    // The second one was withdrawn meanwhile.
    let left = HomeList(name: "ada", rows: [Self.match, Self.invitations[2]])
    store.send(.arrived(left)) { ($0.list, $0.isReplaced) = (left, true) }
    store.send(.granted(nil), effects: [.grant(.decline(keys[2]))]) {
      ($0.wish, $0.decliningAll) = (.decline(keys[2]), .going([]))
    }
    store.send(.granted(nil), effects: [.load]) { ($0.wish, $0.decliningAll) = (nil, .no) }
  }

  @Test("A silent service ends the declining of all; after a refusal the others are declined")
  func allDeclinedInVain() {
    let keys = Self.invitations.map(\.key)
    var store = Self.decliningAll()
    store.send(.allDeclined) { $0.decliningAll = .doubted(keys) }
    store.send(.confirmed, effects: [.grant(.decline(keys[0]))]) {
      ($0.wish, $0.decliningAll) = (.decline(keys[0]), .going([keys[1], keys[2]]))
    }
    store.send(.refused("Gone."), effects: [.grant(.decline(keys[1]))]) {
      ($0.wish, $0.decliningAll, $0.notice) = (.decline(keys[1]), .going([keys[2]]), "Gone.")
    }
    store.send(.away("Away.")) {
      ($0.wish, $0.decliningAll, $0.notice, $0.trouble) = (nil, .no, nil, "Away.")
    }
    store.send(.granted(nil), effects: [.load])
  }

  @Test("One invitation alone is declined by its own row, and one question takes another's place")
  func notAllDeclined() {
    var screen = HomeScreen()
    screen.list = Self.invited(1)
    screen.selectedIndex = 1
    var store = Self.store(screen)
    store.send(.allDeclined)
    let several = Self.invited(3)
    store.send(.arrived(several)) { $0.list = several }
    let keys = Self.invitations.map(\.key)
    store.send(.declined) { $0.doubted = .decline(keys[0]) }
    store.send(.allDeclined) { ($0.doubted, $0.decliningAll) = (nil, .doubted(keys)) }
    store.send(.declined) { ($0.doubted, $0.decliningAll) = (.decline(keys[0]), .no) }
    store.send(.allDeclined) { ($0.doubted, $0.decliningAll) = (nil, .doubted(keys)) }
    store.send(.opened, effects: [.grant(.accept(keys[0]))]) {
      ($0.wish, $0.decliningAll) = (.accept(keys[0]), .no)
    }
  }

  @Test("A match that nobody has joined is withdrawn, but only after a second word")
  func withdrawing() {
    var row = HomeRow(MatchKey("5"), .waiting, opponent: "nobody yet")
    row.isWithdrawable = true
    var screen = HomeScreen()
    screen.list = HomeList(name: "ada", rows: [row, Self.match])
    var store = Self.store(screen)
    let wish = HomeScreen.Wish.withdraw(MatchKey("5"))
    store.send(.confirmed)
    store.send(.withdrawalAsked) { $0.doubted = wish }
    store.send(.moved(1)) { ($0.selectedIndex, $0.doubted) = (1, nil) }
    store.send(.withdrawalAsked)
    store.send(.confirmed)
    store.send(.moved(-1)) { $0.selectedIndex = 0 }
    store.send(.withdrawalAsked) { $0.doubted = wish }
    store.send(.kept) { $0.doubted = nil }
    store.send(.withdrawalAsked) { $0.doubted = wish }
    store.send(.confirmed, effects: [.grant(wish)]) {
      ($0.wish, $0.doubted) = (wish, nil)
    }
    store.send(.granted(nil), effects: [.load]) { $0.wish = nil }
  }

  @Test("Today's challenge is begun from the list, the timed one only after a question")
  func daily() {
    let rows = [
      HomeRow(MatchKey("daily"), .daily(.unlimited), opponent: "daily"),
      HomeRow(MatchKey("timed daily"), .daily(.timed), opponent: "timed daily"),
    ]
    var screen = HomeScreen()
    screen.list = HomeList(name: "ada", rows: rows)
    var store = Self.store(screen)
    store.send(.opened, effects: [.grant(.daily(.unlimited))]) { $0.wish = .daily(.unlimited) }
    store.send(.refused("Not yet."), effects: [.load]) { ($0.wish, $0.notice) = (nil, "Not yet.") }
    store.send(.moved(1)) { ($0.selectedIndex, $0.notice) = (1, nil) }
    store.send(.opened) { $0.doubted = .daily(.timed) }
    store.send(.kept) { $0.doubted = nil }
    store.send(.opened) { $0.doubted = .daily(.timed) }
    store.send(.confirmed, effects: [.grant(.daily(.timed))]) {
      ($0.wish, $0.doubted) = (.daily(.timed), nil)
    }
    store.send(.granted(MatchKey("7")), effects: [.open(MatchKey("7"))]) { $0.wish = nil }
  }

  @Test("Clocks go on")
  func clock() {
    var store = Self.store()
    store.send(.secondPassed) { $0.list?.rows[0].secondsLeft = 8 }
  }
}

@Suite("The game on one screen")
struct GameAppTests {
  private static let key = MatchKey("1")

  private static func store(_ app: GameApp) -> AppStore {
    TestStore(app, GameApp.reducer(words: .walk))
  }

  private static func atMatch(_ news: MatchNews = .of(WaitingTests.standing())) -> GameApp {
    var app = GameApp()
    app.place = .match(MatchScreen(key, ShownMatch(news)))
    return app
  }

  @Test("It opens at the waiting matches, and a match is opened from there and left again")
  func navigation() {
    var store = Self.store(GameApp())
    store.send(.opened, effects: [.home(.load)])
    store.send(.home(.arrived(HomeScreenTests.list))) { $0.home = HomeScreenTests.screen() }
    store.send(.home(.opened), effects: [.match(Self.key, .follow)]) {
      $0.place = .match(MatchScreen(Self.key))
    }
    let news = MatchNews.of(WaitingTests.standing())
    store.send(.match(Self.key, .arrived(news))) {
      $0.place = .match(MatchScreen(Self.key, ShownMatch(news)))
    }
    store.send(.left, effects: [.home(.load)]) { $0.place = .home }
    // News of a match that is no longer shown is ignored.
    store.send(.match(Self.key, .arrived(news)))
  }

  @Test("It opens at a match as well")
  func atOnce() {
    var store = Self.store(GameApp(at: Self.key))
    store.send(.opened, effects: [.match(Self.key, .follow), .home(.load)])
  }

  @Test("A rematch takes the place of its match")
  func rematch() {
    let next = MatchScreenTests.next
    var store = Self.store(Self.atMatch(.over))
    store.send(.match(Self.key, .rematchAsked), effects: [.match(Self.key, .askRematch)]) {
      var table = ShownMatch(.over)
      table.rematch = .asked(wasOffered: false)
      $0.place = .match(MatchScreen(Self.key, table))
    }
    store.send(
      .match(Self.key, .rematchAnswered(.began(next))), effects: [.match(next, .follow)]
    ) { $0.place = .match(MatchScreen(next)) }
  }

  @Test("A lost connection is shown; a turn that waits is sent again when it is found")
  func connection() {
    var app = Self.atMatch()
    var table = ShownMatch(.of(WaitingTests.standing()))
    table.turn = WaitingTests.sent(.waits)
    app.place = .match(MatchScreen(Self.key, table))
    var store = Self.store(app)
    store.send(.connectionLost) { $0.connection = .lost }
    table.turn = WaitingTests.sent()
    store.send(
      .connectionFound,
      effects: [.match(Self.key, .play(.send(WaitingTests.turn.moves, number: 1)))]
    ) {
      $0.connection = .there
      $0.place = .match(MatchScreen(Self.key, table))
    }
  }

  @Test("A connection that is found again brings the list of waiting matches")
  func connectionAtHome() {
    var store = Self.store(GameApp())
    store.send(.connectionLost) { $0.connection = .lost }
    store.send(.connectionFound, effects: [.home(.load)]) { $0.connection = .there }
  }

  @Test("Clocks go on wherever the player is")
  func clock() {
    let news = MatchNews.of(WaitingTests.standing(.yours(secondsLeft: 2)))
    var app = Self.atMatch(news)
    app.home = HomeScreenTests.screen()
    var store = Self.store(app)
    store.send(.secondPassed) {
      $0.home.list?.rows[0].secondsLeft = 8
      let later = MatchNews.of(WaitingTests.standing(.yours(secondsLeft: 1)))
      $0.place = .match(MatchScreen(Self.key, ShownMatch(later)))
    }
    store.send(.secondPassed, effects: [.match(Self.key, .play(.reload))]) {
      $0.home.list?.rows[0].secondsLeft = 7
      let later = MatchNews.of(WaitingTests.standing(.yours(secondsLeft: 0)))
      $0.place = .match(MatchScreen(Self.key, ShownMatch(later)))
    }
  }

  @Test("The next match in which it is the player's turn is opened, round and round")
  func next() {
    let others = ["1", "4", "5"].map { HomeRow(MatchKey($0), .yourTurn, opponent: "ben") }
    var app = GameApp(at: Self.key)
    app.home.list = HomeList(name: "ada", rows: others + [HomeScreenTests.invitation])
    #expect(app.othersWaiting == [MatchKey("4"), MatchKey("5")])
    var store = Self.store(app)
    for key in ["4", "5", "1"].map({ MatchKey($0) }) {
      store.send(.nextAsked, effects: [.match(key, .follow), .home(.load)]) {
        $0.place = .match(MatchScreen(key))
      }
    }
    store.send(.home(.arrived(HomeList(name: "ada", rows: [others[0]])))) {
      $0.home.list = HomeList(name: "ada", rows: [others[0]])
    }
    store.send(.nextAsked)
    store.send(.home(.arrived(HomeList(name: "ada", rows: [others[1]])))) {
      $0.home.list = HomeList(name: "ada", rows: [others[1]])
    }
    // The one that is shown does not wait any more.
    store.send(.nextAsked, effects: [.match(MatchKey("4"), .follow), .home(.load)]) {
      $0.place = .match(MatchScreen(MatchKey("4")))
    }
  }

  @Test("A turn that waits to be sent keeps the player at its match")
  func waitingTurn() {
    var app = Self.atMatch(.of(WaitingTests.standing()))
    let other = HomeRow(MatchKey("4"), .yourTurn, opponent: "cleo")
    app.home.list = HomeList(name: "ada", rows: [other])
    let reducer = GameApp.reducer(words: .walk)
    let letters = "GAME".compactMap { Letter($0) }.map { PlayAction.draft(.letterTyped($0)) }
    for action in letters + [.submit, .serviceLost] {
      _ = reducer.reduce(&app, .match(Self.key, .play(action)))
    }
    var store = Self.store(app)
    store.send(.nextAsked) {
      guard case .match(var match) = $0.place else { return }
      match.table.turn.notice = .waiting
      $0.place = .match(match)
    }
    let back = GameAction.match(Self.key, .play(.serviceFound))
    _ = reducer.reduce(&app, back)
    // The turn is on its way, kept by the client.
    var later = Self.store(app)
    later.send(.nextAsked, effects: [.match(MatchKey("4"), .follow), .home(.load)]) {
      $0.place = .match(MatchScreen(MatchKey("4")))
    }
  }

  @Test("Help lies over everything, and the end is an effect")
  func helpAndEnd() {
    var store = Self.store(Self.atMatch())
    store.send(.helpAsked) { $0.isHelpShown = true }
    store.send(.helpClosed) { $0.isHelpShown = false }
    store.send(.quit, effects: [.quit])
  }
}
