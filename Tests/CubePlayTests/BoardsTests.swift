import Testing

@testable import CubePlay

typealias BoardsStore = TestStore<BoardsScreen, BoardsAction, BoardsEffect>

extension BoardNews {
  /// Three players; the second one is the user.
  static func test(_ today: TodayNews? = nil) -> BoardNews {
    BoardNews(
      head: "Three.", columns: ["Rank", "Player"],
      rows: [
        BoardRow(["1", "cleo"]), BoardRow(["2", "ada"], isOwn: true), BoardRow(["3", "ben"]),
      ], today: today)
  }
}

@Suite("Lists of results")
struct BoardsTests {
  private static let key = MatchKey("9")

  private static func store(
    _ change: (inout BoardsScreen) -> Void = { _ in }
  ) -> BoardsStore {
    var screen = BoardsScreen()
    change(&screen)
    return TestStore(screen, BoardsScreen.reducer)
  }

  @Test("Today's list comes first, and the player's own row is selected in it")
  func today() {
    var store = Self.store()
    let board = Board.today(.unlimited)
    store.send(.appeared, effects: [.load(board)])
    store.send(.moved(1))
    store.send(.failed(board, "Away.")) { $0.content = .failed("Away.") }
    store.send(.arrived(board, .test())) {
      ($0.content, $0.selectedIndex) = (.shown(.test()), 1)
    }
    // The shown board stays, and so does the selection.
    store.send(.failed(board, "Away."))
    store.send(.moved(9)) { $0.selectedIndex = 2 }
    store.send(.arrived(board, .test()))
    store.send(.moved(-9)) { $0.selectedIndex = 0 }
    let none = BoardNews(head: "None.", columns: [], rows: [])
    store.send(.arrived(board, none)) { $0.content = .shown(none) }
  }

  @Test("Lists are gone through, round and round, and each is asked for")
  func tabs() {
    var store = Self.store { $0.content = .shown(.test()) }
    let boards: [(BoardsScreen.Tab, Board)] = [
      (.solo, .games(.solo, .unlimited, .week, .points)),
      (.dailies, .games(.daily, .unlimited, .week, .points)), (.ladder, .ladder),
      (.history, .history), (.review, .review), (.today, .today(.unlimited)),
    ]
    for (tab, board) in boards {
      store.send(.turned(1), effects: [.load(board)]) { ($0.tab, $0.content) = (tab, .loading) }
    }
    store.send(.turned(-1), effects: [.load(.review)]) { $0.tab = .review }
    // Answers to earlier questions are ignored.
    store.send(.arrived(.today(.unlimited), .test()))
    store.send(.failed(.today(.unlimited), "Away."))
  }

  @Test("No number of rows or lists is too far")
  func farAway() {
    var store = Self.store { ($0.content, $0.selectedIndex) = (.shown(.test()), 1) }
    store.send(.moved(.max)) { $0.selectedIndex = 2 }
    store.send(.moved(.min)) { $0.selectedIndex = 0 }
    store.send(.turned(1), effects: [.load(.games(.solo, .unlimited, .week, .points))]) {
      ($0.tab, $0.content) = (.solo, .loading)
    }
    // There are six lists: the largest number is one further on, and the smallest two back.
    store.send(.turned(.max), effects: [.load(.games(.daily, .unlimited, .week, .points))]) {
      $0.tab = .dailies
    }
    store.send(.turned(.min), effects: [.load(.today(.unlimited))]) { $0.tab = .today }
  }

  @Test("Clock, span and measure are changed where there are several")
  func kinds() {
    var store = Self.store()
    store.send(.spanChanged)
    store.send(.measureChanged)
    store.send(.clockChanged, effects: [.load(.today(.timed))]) { $0.clock = .timed }
    store.send(.turned(1), effects: [.load(.games(.solo, .timed, .week, .points))]) {
      $0.tab = .solo
    }
    store.send(.measureChanged, effects: [.load(.games(.solo, .timed, .week, .words))]) {
      $0.measure = .words
    }
    for span in [Board.Span.all, .day, .week] {
      store.send(.spanChanged, effects: [.load(.games(.solo, .timed, span, .words))]) {
        $0.span = span
      }
    }
    store.send(.clockChanged, effects: [.load(.games(.solo, .unlimited, .week, .words))]) {
      $0.clock = .unlimited
    }
    store.send(.measureChanged, effects: [.load(.games(.solo, .unlimited, .week, .points))]) {
      $0.measure = .points
    }
    store.send(.turned(2), effects: [.load(.ladder)]) { $0.tab = .ladder }
    store.send(.clockChanged)
    store.send(.chosen)
  }

  @Test("Today's challenge is begun once and played on; one that cannot be begun says so")
  func playing() {
    var store = Self.store { $0.content = .shown(.test(.open)) }
    store.send(.chosen, effects: [.start(.unlimited)]) { $0.isStarting = true }
    store.send(.chosen)
    store.send(.refused("Too late."), effects: [.load(.today(.unlimited))]) {
      ($0.isStarting, $0.notice) = (false, "Too late.")
    }
    store.send(.chosen, effects: [.start(.unlimited)]) {
      ($0.isStarting, $0.notice) = (true, nil)
    }
    store.send(.began(Self.key), effects: [.open(Self.key)]) { $0.isStarting = false }
    let begun = BoardNews.test(.begun(Self.key))
    store.send(.arrived(.today(.unlimited), begun)) { $0.content = .shown(begun) }
    store.send(.chosen, effects: [.open(Self.key)])
    let missing = BoardNews.test(.missing)
    store.send(.arrived(.today(.unlimited), missing)) { $0.content = .shown(missing) }
    store.send(.chosen) { $0.notice = "Today's challenge is not dealt yet." }
  }

  @Test("The timed challenge is begun only after a question")
  func asking() {
    var store = Self.store { ($0.content, $0.clock) = (.shown(.test(.open)), .timed) }
    store.send(.doubtAnswered(true))
    store.send(.chosen) { $0.isDoubted = true }
    store.send(.doubtAnswered(false)) { $0.isDoubted = false }
    store.send(.chosen) { $0.isDoubted = true }
    store.send(.clockChanged, effects: [.load(.today(.unlimited))]) {
      ($0.isDoubted, $0.clock, $0.content) = (false, .unlimited, .loading)
    }
    store.send(.clockChanged, effects: [.load(.today(.timed))]) { $0.clock = .timed }
    store.send(.arrived(.today(.timed), .test(.open))) {
      ($0.content, $0.selectedIndex) = (.shown(.test(.open)), 1)
    }
    store.send(.chosen) { $0.isDoubted = true }
    store.send(.doubtAnswered(true), effects: [.start(.timed)]) {
      ($0.isDoubted, $0.isStarting) = (false, true)
    }
    store.send(.doubtAnswered(true))
  }

  @Test("The question goes away with the challenge that it is about")
  func begunElsewhere() {
    var store = Self.store { ($0.content, $0.clock) = (.shown(.test(.open)), .timed) }
    store.send(.chosen) { $0.isDoubted = true }
    let begun = BoardNews.test(.begun(Self.key))
    store.send(.arrived(.today(.timed), begun)) {
      ($0.content, $0.isDoubted) = (.shown(begun), false)
    }
  }

  @Test(
    "A pending challenge opens where it was asked for, or the refusal is said there",
    arguments: [true, false])
  func pending(isStarting: Bool) {
    var screen = BoardsScreen()
    screen.isStarting = isStarting
    for answer in [StartAnswer.began(Self.key), .refused("Too late.")] {
      var app = GameApp()
      app.place = .menu(.boards(screen))
      var list = HomeList(name: "ada", rows: [])
      list.started = answer
      var store = TestStore(app, GameApp.reducer(words: .walk, checks: .test))
      let load = GameEffect.menu(.boards(.load(.today(.unlimited))))
      let effects = answer == .began(Self.key) ? [.match(Self.key, .follow)] : [load]
      store.send(.home(.arrived(list)), effects: isStarting ? effects : []) {
        $0.home.list = list
        guard isStarting else { return }
        if case .began = answer {
          $0.place = .match(MatchScreen(Self.key))
        } else {
          var refused = BoardsScreen()
          refused.notice = "Too late."
          $0.place = .menu(.boards(refused))
        }
      }
    }
  }

  @Test("The notice that the service is away stays until the list arrives, or the next action")
  func away() {
    let board = Board.today(.unlimited)
    var store = Self.store { ($0.content, $0.isStarting) = (.shown(.test(.open)), true) }
    store.send(.away("Away.")) { ($0.isStarting, $0.trouble) = (false, "Away.") }
    store.send(.arrived(board, .test(.open))) { $0.trouble = nil }
    store.send(.away("Away.")) { $0.trouble = "Away." }
    store.send(.moved(1)) { ($0.selectedIndex, $0.trouble) = (1, nil) }
  }

  @Test("They are asked for when they are opened and when the service is back")
  func inTheGame() {
    var store = TestStore(GameApp(), GameApp.reducer(words: .walk, checks: .test))
    let load = GameEffect.menu(.boards(.load(.today(.unlimited))))
    store.send(.menu(.opened(.boards)), effects: [load]) {
      $0.place = .menu(.boards(BoardsScreen()))
    }
    store.send(.connectionLost) { $0.connection = .lost }
    store.send(.connectionFound, effects: [.home(.load), load]) { $0.connection = .there }
    // An answer for another screen is ignored.
    store.send(.menu(.newMatch(.answered(.began(Self.key)))))
    store.send(.menu(.boards(.began(Self.key))), effects: [.match(Self.key, .follow)]) {
      $0.place = .match(MatchScreen(Self.key))
    }
  }
}
