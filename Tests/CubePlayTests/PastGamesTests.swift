import Testing

@testable import CubePlay

typealias PastGamesStore = TestStore<PastGamesScreen, PastGamesAction, PastGamesEffect>

extension PastGamesNews {
  /// Games by number, with a place at which the list goes on.
  static func test(_ numbers: ClosedRange<Int>, next: String? = nil) -> PastGamesNews {
    PastGamesNews(
      rows: numbers.map { number in
        PastGameRow(
          MatchKey("\(number)"), opponent: "ben", kind: "by chance", result: "won",
          points: [number, 3], ended: "1 h ago")
      }, next: next)
  }
}

@Suite("Past games")
struct PastGamesTests {
  private static func store(
    _ news: PastGamesNews?, selected: Int = 0, _ wanted: PastGamesWanted = .all
  ) -> PastGamesStore {
    var screen = PastGamesScreen(wanted)
    if let news { screen.content = .shown(news) }
    screen.selectedIndex = selected
    return TestStore(screen, PastGamesScreen.reducer)
  }

  @Test("The newest games are asked for first; a list that is there stays where they do not come")
  func loading() {
    var store = Self.store(nil)
    store.send(.appeared, effects: [.load(.all, after: nil)])
    store.send(.moved(1))
    store.send(.chosen)
    store.send(.moreAsked)
    store.send(.failed(.all, "Away.", after: nil)) { $0.content = .failed("Away.") }
    store.send(.arrived(.all, .test(1...3), after: nil)) { $0.content = .shown(.test(1...3)) }
    store.send(.failed(.all, "Away.", after: nil))
    store.send(.moreAsked)
  }

  @Test("A row is selected within the list, and opens its match")
  func choosing() {
    var store = Self.store(.test(1...3))
    store.send(.moved(9)) { $0.selectedIndex = 2 }
    store.send(.chosen, effects: [.open(MatchKey("3"))])
    store.send(.moved(-9)) { $0.selectedIndex = 0 }
    store.send(.chosen, effects: [.open(MatchKey("1"))])
  }

  @Test("No number of rows is too far: the first or the last row is selected")
  func farAway() {
    var store = Self.store(.test(1...3), selected: 1)
    store.send(.moved(.max)) { $0.selectedIndex = 2 }
    store.send(.moved(.max))
    store.send(.moved(.min)) { $0.selectedIndex = 0 }
    store.send(.moved(.min))
  }

  @Test("Older games come below, once, and as long as there are any")
  func more() {
    var store = Self.store(.test(1...3, next: "3"), selected: 2)
    store.send(.moreAsked, effects: [.load(.all, after: "3")]) { $0.isLoadingMore = true }
    store.send(.moreAsked)
    store.send(.failed(.all, "Away.", after: "3")) {
      ($0.isLoadingMore, $0.trouble) = (false, "Away.")
    }
    store.send(.moreAsked, effects: [.load(.all, after: "3")]) {
      ($0.isLoadingMore, $0.trouble) = (true, nil)
    }
    store.send(.arrived(.all, .test(4...5, next: "5"), after: "3")) {
      ($0.content, $0.isLoadingMore) = (.shown(.test(1...5, next: "5")), false)
    }
    // Answers to an earlier question are ignored.
    store.send(.arrived(.all, .test(4...5, next: "5"), after: "3"))
    store.send(.failed(.all, "Away.", after: "3"))
    store.send(.moreAsked, effects: [.load(.all, after: "5")]) { $0.isLoadingMore = true }
    store.send(.arrived(.all, .test(6...6), after: "5")) {
      ($0.content, $0.isLoadingMore) = (.shown(.test(1...6)), false)
    }
    store.send(.moreAsked)
  }

  @Test("The newest games that come again keep the older ones below them, and the selected one")
  func again() {
    var store = Self.store(.test(3...8, next: "8"), selected: 4)
    store.send(.arrived(.all, .test(1...4, next: "4"), after: nil)) {
      ($0.content, $0.selectedIndex) = (.shown(.test(1...8, next: "8")), 6)
    }
    // So many are new that there may be some in between.
    store.send(.moreAsked, effects: [.load(.all, after: "8")]) { $0.isLoadingMore = true }
    store.send(.arrived(.all, .test(-9 ... -5, next: "-5"), after: nil)) {
      ($0.content, $0.selectedIndex) = (.shown(.test(-9 ... -5, next: "-5")), 0)
      $0.isLoadingMore = false
    }
  }

  @Test("The list begins anew with each choice of a kind or a result, not with the same one")
  func filters() {
    var store = Self.store(.test(1...3, next: "3"), selected: 2)
    store.send(.kindChosen(nil))
    store.send(.allChosen)
    store.send(.moreAsked, effects: [.load(.all, after: "3")]) { $0.isLoadingMore = true }
    var wanted = PastGamesWanted(kind: .rematch)
    store.send(.kindChosen(.rematch), effects: [.load(wanted, after: nil)]) {
      $0 = PastGamesScreen(wanted)
    }
    store.send(.kindChosen(.rematch))
    wanted.result = .lost
    store.send(.resultChosen(.lost), effects: [.load(wanted, after: nil)]) { $0.wanted = wanted }
    store.send(.resultChosen(.lost))
    store.send(.appeared, effects: [.load(wanted, after: nil)])
    store.send(.arrived(wanted, .test(1...2, next: "2"), after: nil)) {
      $0.content = .shown(.test(1...2, next: "2"))
    }
    store.send(.moreAsked, effects: [.load(wanted, after: "2")]) { $0.isLoadingMore = true }
    store.send(.kindChosen(nil), effects: [.load(PastGamesWanted(result: .lost), after: nil)]) {
      $0 = PastGamesScreen(PastGamesWanted(result: .lost))
    }
    store.send(.allChosen, effects: [.load(.all, after: nil)]) { $0.wanted = .all }
  }

  @Test("Answers to an earlier filter are late, and ignored")
  func late() {
    let wanted = PastGamesWanted(player: "ben", kind: .random)
    let others: [PastGamesWanted] = [
      .all, PastGamesWanted(player: "ben"), PastGamesWanted(player: "eve", kind: .random),
      PastGamesWanted(player: "ben", kind: .random, result: .won),
    ]
    var store = Self.store(nil, wanted)
    for other in others {
      store.send(.failed(other, "Away.", after: nil))
      store.send(.arrived(other, .test(1...3), after: nil))
    }
    store.send(.arrived(wanted, .test(1...3, next: "3"), after: nil)) {
      $0.content = .shown(.test(1...3, next: "3"))
    }
    store.send(.moreAsked, effects: [.load(wanted, after: "3")]) { $0.isLoadingMore = true }
    for other in others {
      store.send(.failed(other, "Away.", after: "3"))
      store.send(.arrived(other, .test(4...5), after: "3"))
    }
    store.send(.arrived(wanted, .test(4...5), after: "3")) {
      ($0.content, $0.isLoadingMore) = (.shown(.test(1...5)), false)
    }
  }

  @Test("A filter and a list without games are told in words")
  func words() {
    #expect(PastGamesWanted.all.text == "")
    #expect(PastGamesWanted.all.nothing == "No match is over yet.")
    let rematches = PastGamesWanted(player: "ben", kind: .rematch, result: .won)
    #expect(rematches.text == "Only rematches against ben that you won.")
    #expect(rematches.nothing == "You have no past rematches against ben that you won.")
    let wanted =
      [PastGamesWanted(player: "ben")] + PastGamesWanted.Kind.allCases.map { .init(kind: $0) }
      + PastGamesWanted.Ending.allCases.map { .init(result: $0) }
    #expect(
      wanted.map(\.text) == [
        "Only games against ben.", "Only games by chance.", "Only games by invitation.",
        "Only games by a code.", "Only rematches.", "Only solo games.", "Only daily challenges.",
        "Only games that you won.", "Only games that you lost.", "Only games that were tied.",
        "Only games that you played to the end.", "Only games that were not counted.",
      ])
  }

  @Test("From the sheet of a player come the games against that one, and from there all games")
  func ofAPlayer() {
    let reducer = GameApp.reducer(words: nil, checks: .test)
    var app = GameApp()
    let ben = PastGamesWanted(player: "ben")
    _ = reducer.reduce(&app, .menu(.opened(.player(PlayerWanted("ben")))))
    // The player is not there yet.
    #expect(reducer.reduce(&app, .menu(.player(.gamesChosen))) == [])
    let news = PlayerNews(name: "ben", lines: [], isBlocked: false)
    _ = reducer.reduce(&app, .menu(.player(.arrived("ben", news))))
    #expect(
      reducer.reduce(&app, .menu(.player(.gamesChosen)))
        == [.menu(.pastGames(.load(ben, after: nil)))])
    #expect(app.place == .menu(.pastGames(PastGamesScreen(ben))))
    #expect(
      reducer.reduce(&app, .menu(.pastGames(.allChosen)))
        == [.menu(.pastGames(.load(.all, after: nil)))])
    #expect(app.place == .menu(.pastGames(PastGamesScreen())))
    _ = reducer.reduce(&app, .left)
    #expect(app.place == .home)
  }

  @Test("They are opened from the list, come again when the service is back, and open a match")
  func inTheGame() {
    var store = TestStore(GameApp(), GameApp.reducer(words: .walk, checks: .test))
    let load = GameEffect.menu(.pastGames(.load(.all, after: nil)))
    store.send(.menu(.opened(.pastGames)), effects: [load]) {
      $0.place = .menu(.pastGames(PastGamesScreen()))
    }
    var screen = PastGamesScreen()
    screen.content = .shown(.test(1...3))
    store.send(.menu(.pastGames(.arrived(.all, .test(1...3), after: nil)))) {
      $0.place = .menu(.pastGames(screen))
    }
    store.send(.connectionLost) { $0.connection = .lost }
    store.send(.connectionFound, effects: [.home(.load), load]) { $0.connection = .there }
    store.send(
      .menu(.pastGames(.chosen)), effects: [.match(MatchKey("1"), .follow)]
    ) { $0.place = .match(MatchScreen(MatchKey("1"))) }
  }

  @Test("A silent service is tried again for the newest games, and told for older ones")
  func failing() {
    let newest = GameEffect.menu(.pastGames(.load(.all, after: nil)))
    let older = GameEffect.menu(.pastGames(.load(.all, after: "3")))
    let text = ScreenTrouble.away.text
    #expect(
      newest.failed(.away) == [
        .menu(.pastGames(.failed(.all, "\(text) It is tried again.", after: nil))), .connectionLost,
      ])
    #expect(
      older.failed(.away) == [.menu(.pastGames(.failed(.all, text, after: "3"))), .connectionLost])
    #expect(newest.failed(.said("No.")) == [.menu(.pastGames(.failed(.all, "No.", after: nil)))])
  }
}
