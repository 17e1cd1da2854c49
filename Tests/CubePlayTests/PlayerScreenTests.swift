import Testing

@testable import CubePlay

@Suite("Another player")
struct PlayerScreenTests {
  private static let match = MatchKey("9")
  private static let ben = PlayerNews(
    name: "ben", lines: ["You two had 3 matches."], isBlocked: false)

  private static func store(
    _ wanted: PlayerWanted = PlayerWanted("ben", in: match),
    _ change: (inout PlayerScreen) -> Void = { $0.content = .shown(ben) }
  ) -> TestStore<PlayerScreen, PlayerAction, PlayerEffect> {
    var screen = PlayerScreen(wanted)
    change(&screen)
    return TestStore(screen, PlayerScreen.reducer(checks: .test))
  }

  @Test("A player is asked for by name, and an answer about somebody else is none")
  func loading() {
    var store = Self.store { _ in }
    store.send(.appeared, effects: [.load("ben")])
    store.send(.inviteChosen)
    store.send(.blockChosen)
    store.send(.reportChosen)
    store.send(.arrived("eve", Self.ben))
    store.send(.failed("ben", "Away.")) { $0.content = .failed("Away.") }
    store.send(.arrived("ben", Self.ben)) { $0.content = .shown(Self.ben) }
    // A player who is there already stays.
    store.send(.failed("ben", "Away."))
    store.send(.inviteChosen, effects: [.invite("ben")])
    store.send(.gamesChosen, effects: [.games("ben")])
  }

  @Test("A block is asked about first, its end is not, and the answer is shown")
  func blocking() {
    var store = Self.store()
    store.send(.blockChosen) { $0.stage = .blockDoubted }
    // One question at a time.
    store.send(.reportChosen)
    store.send(.inviteChosen)
    store.send(.doubtAnswered(false)) { $0.stage = .looking }
    store.send(.blockChosen) { $0.stage = .blockDoubted }
    store.send(.doubtAnswered(true), effects: [.wish(.block, "ben")]) { $0.stage = .asked(.block) }
    store.send(.doubtAnswered(true))
    store.send(.answered(.away("Away."))) { ($0.stage, $0.trouble) = (.looking, "Away.") }
    store.send(.blockChosen) { ($0.stage, $0.trouble) = (.blockDoubted, nil) }
    store.send(.doubtAnswered(true), effects: [.wish(.block, "ben")]) { $0.stage = .asked(.block) }
    var blocked = Self.ben
    blocked.isBlocked = true
    store.send(.answered(.done)) {
      ($0.stage, $0.content) = (.looking, .shown(blocked))
      $0.notice = "You do not meet ben any more."
    }
    store.send(.blockChosen, effects: [.wish(.unblock, "ben")]) {
      ($0.stage, $0.notice) = (.asked(.unblock), nil)
    }
    store.send(.answered(.done)) {
      ($0.stage, $0.content) = (.looking, .shown(Self.ben))
      $0.notice = "You may meet ben again."
    }
    store.send(.answered(.done))
  }

  @Test("A report has a reason and words, is asked about, and keeps its words if it is refused")
  func reporting() {
    var store = Self.store()
    store.send(.typed("x"))
    store.send(.reasonMoved(1))
    store.send(.reportChosen) { $0.stage = .reporting }
    store.send(.reasonMoved(-2)) { $0.reason = .conduct }
    store.send(.reasonMoved(3)) { $0.reason = .words }
    store.send(.typed("!")) { ($0.text.text, $0.text.fault) = ("!", "odd") }
    store.send(.reportWritten) { $0.notice = "The text is not right." }
    store.send(.erased) { ($0.text.text, $0.text.fault) = ("", nil) }
    store.send(.typed("a")) { $0.text.text = "a" }
    store.send(.reportWritten) { ($0.stage, $0.notice) = (.reportDoubted, nil) }
    store.send(.typed("b"))
    store.send(.doubtAnswered(false)) { $0.stage = .reporting }
    store.send(.reportWritten) { $0.stage = .reportDoubted }
    let wish = PlayerWish.report(Self.match, .words, "a")
    store.send(.doubtAnswered(true), effects: [.wish(wish, "ben")]) { $0.stage = .asked(wish) }
    store.send(.answered(.refused("Twenty in a day."))) {
      ($0.stage, $0.notice) = (.looking, "Twenty in a day.")
    }
    store.send(.reportChosen) { ($0.stage, $0.notice) = (.reporting, nil) }
    store.send(.reportWritten) { $0.stage = .reportDoubted }
    store.send(.doubtAnswered(true), effects: [.wish(wish, "ben")]) { $0.stage = .asked(wish) }
    store.send(.answered(.done)) {
      ($0.stage, $0.notice) = (.looking, "The operators have your report.")
      $0.text.text = ""
    }
    store.send(.reportChosen) { ($0.stage, $0.notice) = (.reporting, nil) }
    store.send(.doubtAnswered(false)) { $0.stage = .looking }
  }

  @Test("No number of reasons is too far")
  func farAway() {
    var store = Self.store { ($0.content, $0.stage) = (.shown(Self.ben), .reporting) }
    // There are five: the largest number is two further on, and the smallest three back.
    store.send(.reasonMoved(1)) { $0.reason = .words }
    store.send(.reasonMoved(.max)) { $0.reason = .conduct }
    store.send(.reasonMoved(.min)) { $0.reason = .name }
  }

  @Test("Nothing is reported without a match of both")
  func unreported() {
    var store = Self.store(PlayerWanted("ben"))
    #expect(store.state.reportedMatch == nil)
    store.send(.reportChosen)
    var news = Self.ben
    news.match = MatchKey("7")
    store.send(.arrived("ben", news)) { $0.content = .shown(news) }
    #expect(store.state.reportedMatch == MatchKey("7"))
    store.send(.reportChosen) { $0.stage = .reporting }
  }

  @Test("A name on a list or in a match leads there and back, and an invitation has it filled in")
  func places() {
    let reducer = GameApp.reducer(words: nil, checks: .test)
    var app = GameApp()
    let own = PlayerWanted("ben", in: Self.match, isFromMatch: true)
    #expect(reducer.reduce(&app, .menu(.opened(.player(own)))) == [.menu(.player(.load("ben")))])
    #expect(reducer.reduce(&app, .left) == [.match(Self.match, .follow)])
    #expect(app.match?.key == Self.match)
    _ = reducer.reduce(&app, .menu(.opened(.player(PlayerWanted("ben", in: Self.match)))))
    _ = reducer.reduce(&app, .menu(.player(.arrived("ben", Self.ben))))
    #expect(reducer.reduce(&app, .menu(.player(.inviteChosen))) == [])
    guard case .newMatch(let screen)? = app.menu else {
      Issue.record("no match is chosen")
      return
    }
    #expect(screen.focus == .named && screen.name.text == "ben")
    _ = reducer.reduce(&app, .menu(.opened(.player(PlayerWanted("ben", in: Self.match)))))
    _ = reducer.reduce(&app, .left)
    #expect(app.place == .home)
  }

  @Test("From a match the sheet also tells why chance let the two meet")
  func meeting() {
    var news = MatchNews.of(WaitingTests.standing())
    (news.opponent, news.meeting) = ("ben", ["By chance."])
    let match = MatchScreen(Self.match, ShownMatch(news))
    let wanted = PlayerWanted(
      "ben", in: Self.match, isFromMatch: true, meeting: ["By chance."])
    #expect(match.wantedPlayer == wanted)
    var screen = PlayerScreen(wanted)
    #expect(screen.lines == [])
    screen.content = .shown(Self.ben)
    #expect(screen.lines == ["You two had 3 matches.", "By chance."])
  }

  @Test("A row gives its player, and a match only where both have a seat")
  func rows() {
    var row = HomeRow(Self.match, .theirTurn, opponent: "ben")
    #expect(row.wantedPlayer == nil)
    row.player = "ben"
    #expect(row.wantedPlayer == PlayerWanted("ben", in: Self.match))
    row.kind = .invitation
    #expect(row.wantedPlayer == PlayerWanted("ben"))
    var boards = BoardsScreen()
    boards.content = .shown(
      BoardNews(
        head: "", columns: [],
        rows: [
          BoardRow([], player: "ben"), BoardRow([], isOwn: true, player: "ada"), BoardRow([]),
        ]))
    #expect((-1...3).map { boards.wantedPlayer(in: $0)?.name } == [nil, "ben", nil, nil, nil])
    let ben = PlayerWanted("ben", in: Self.match)
    var games = PastGamesScreen()
    #expect(games.wantedPlayer(in: 0) == nil)
    games.content = .shown(
      PastGamesNews(
        rows: [String?.none, "ben"].map { player in
          PastGameRow(
            Self.match, opponent: "", kind: "", result: "", points: [], ended: "", player: player)
        }))
    #expect((-1...2).map { games.wantedPlayer(in: $0) } == [nil, nil, ben, nil])
    var inbox = InboxScreen()
    #expect(inbox.wantedPlayer(in: 0) == nil)
    inbox.content = .shown(
      [String?.none, "ben"].map { player in
        InboxRow(id: "", title: "", text: "", time: "", match: Self.match, player: player)
      })
    #expect((-1...2).map { inbox.wantedPlayer(in: $0) } == [nil, nil, ben, nil])
  }

  @Test("A silent service is told, and loading is tried again")
  func away() {
    let load = GameEffect.menu(.player(.load("ben")))
    #expect(
      load.failed(.away) == [
        .menu(.player(.failed("ben", "The service cannot be reached. It is tried again."))),
        .connectionLost,
      ])
    let wish = GameEffect.menu(.player(.wish(.block, "ben")))
    #expect(wish.failed(.said("No.")) == [.menu(.player(.answered(.refused("No."))))])
    #expect(
      wish.failed(.pending).first
        == .menu(
          .player(
            .answered(.away("The answer is pending. It is asked for again, and counts once.")))))
  }
}
