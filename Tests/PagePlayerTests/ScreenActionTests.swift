import CubePlay
import CubistBasics
import CubistPage
import Testing

@testable import PagePlayer

@Suite("Actions of the screens of a player with a name")
struct ScreenActionTests {
  private static func read(_ text: String) -> ScreenAction? {
    let (word, value) = PageAction.parts(Array(text.utf8))
    return ScreenAction(word, value)
  }

  /// Carries out actions as the page sends them.
  private static func act(_ texts: String..., on page: StillPage) throws {
    for text in texts { page.act(try #require(read(text), "\(text)")) }
  }

  @Test(
    "It is read",
    arguments: [
      ("decline 2", .decline(2)), ("withdraw 0", .withdraw(0)), ("yes", .yes), ("no", .no),
      ("giveup", .giveUp), ("share", .share), ("react", .react), ("next", .next),
      ("second", .second),
      ("reload", .reload), ("menu new", .menu(.newMatch)), ("menu boards", .menu(.boards)),
      ("menu settings", .menu(.settings)), ("menu inbox", .menu(.inbox)),
      ("notice 1", .notice(1)), ("seen 0", .seen(0)), ("allseen", .allSeen),
      ("declineall", .declineAll),
      ("menu games", .menu(.pastGames)), ("past 2", .past(2)), ("more", .more),
      ("kind rematch", .kind(.rematch)), ("kind all", .kind(nil)),
      ("result tied", .result(.tied)), ("result none", .result(.uncounted)),
      ("result all", .result(nil)), ("allgames", .allGames), ("games", .about(.gamesChosen)),
      ("pick anyone", .pick(.anyone)),
      ("pick timedAlone", .pick(.timedAlone)), ("pick casual", .pick(.casual)),
      ("fill named ada", .fill(.named, "ada")), ("fill join ", .fill(.join, "")),
      ("fill displayName  Ada L ", .fill(.displayName, " Ada L ")),
      ("board history", .board(.history)), ("clock", .clock), ("span", .span),
      ("measure", .measure), ("begin", .begin),
      ("toggle notification 3", .toggle(.notification, 3)),
      ("toggle device 0", .toggle(.device, 0)),
      ("remove device 1", .remove(.device, 1)), ("remove blocked 1", .remove(.blocked, 1)),
      ("add device", .add(.device)), ("add blocked", .add(.blocked)), ("save", .save),
      ("doubt save", .doubt(.save)), ("doubt throwAway", .doubt(.throwAway)),
      ("doubt stay", .doubt(.stay)), ("player", .player(nil)), ("player 3", .player(3)),
      ("invite", .about(.inviteChosen)), ("block", .about(.blockChosen)),
      ("report", .about(.reportChosen)), ("written", .about(.reportWritten)),
      ("reason conduct", .reason(.conduct)), ("keys", .keys), ("removekey 1", .removeKey(1)),
      ("wordswritten", .recovery(.written)), ("wordsaway", .recovery(.thrownAway)),
      ("wordstyped a b", .recovery(.typed("a b"))), ("object", .recovery(.objectChosen)),
      (
        "fill reportText \(String(repeating: "a", count: 200))",
        .fill(.reportText, String(repeating: "a", count: 200))
      ),
    ] as [(String, ScreenAction)])
  func reading(text: String, action: ScreenAction) { #expect(Self.read(text) == action) }

  @Test(
    "What is no action is refused",
    arguments: [
      "", " ", "declineall 1", "decline", "decline -1", "decline x",
      "decline 99999999999999999999", "yes ",
      "menu", "menu old", "past", "past -1", "more 1", "kind", "kind old", "result",
      "result drawn", "allgames 1", "games 1", "pick", "pick turnLimit", "pick nobody",
      "fill", "fill named",
      "fill save x", "fill named \(String(repeating: "a", count: 65))",
      "fill named e\(String(repeating: "\u{301}", count: 999))", "board", "board x", "clock x",
      "notice", "notice -1", "seen x", "allseen 1",
      "toggle notification", "toggle notification -1", "toggle blocked 1", "remove blocked",
      "remove name 1", "add", "add x", "doubt", "doubt no", "save now",
      "player x", "player -1", "invite 1", "reason", "reason rude",
      "fill reportText \(String(repeating: "a", count: 201))", "letter A", "face 26",
    ])
  func refused(text: String) { #expect(Self.read(text) == nil) }

  // MARK: Another player

  @Test("A name leads to its player, who is blocked or reported after a question")
  func player() throws {
    let page = StillPage()
    page.act(.home(.arrived(Scenes.list)))
    func screen() -> PlayerScreen? {
      guard case .player(let screen)? = page.app.menu else { return nil }
      return screen
    }
    try Self.act("player", "player 99", "player 4", on: page)
    #expect(screen() == nil)
    try Self.act("player 1", on: page)
    #expect(page.takeEffects().last == .menu(.player(.load("Cleopatra_the_7"))))
    page.act(.menu(.player(.arrived("Cleopatra_the_7", Scenes.ben))))
    try Self.act("block", "no", "report", "reason conduct", "fill reportText slow", on: page)
    #expect(screen()?.reason == .conduct && screen()?.text.text == "slow")
    try Self.act("written", "no", "written", "yes", on: page)
    let wish = PlayerWish.report(MatchKey("2"), .conduct, "slow")
    #expect(page.takeEffects() == [.menu(.player(.wish(wish, "Cleopatra_the_7")))])
    page.act(.menu(.player(.answered(.done))))
    try Self.act("invite", on: page)
    guard case .newMatch(let start)? = page.app.menu else {
      Issue.record("no match is chosen")
      return
    }
    #expect(start.name.text == "ben")
  }

  // MARK: The list

  @Test("An invitation is declined after a question, and a waiting match is withdrawn")
  func declining() throws {
    let page = StillPage()
    page.act(.home(.arrived(Scenes.list)))
    try Self.act("decline 99", "decline 0", on: page)
    #expect(page.app.home.doubted == nil)
    let invitation = try #require(Scenes.list.rows.firstIndex { $0.kind == .invitation })
    try Self.act("decline \(invitation)", on: page)
    #expect(page.app.home.doubted == .decline(Scenes.list.rows[invitation].key))
    try Self.act("no", on: page)
    #expect(page.app.home.doubted == nil)
    let waiting = try #require(Scenes.list.rows.firstIndex { $0.isWithdrawable })
    try Self.act("withdraw \(waiting)", "yes", on: page)
    #expect(page.takeEffects() == [.home(.grant(.withdraw(Scenes.list.rows[waiting].key)))])
  }

  @Test("All invitations are declined after a question")
  func decliningAll() throws {
    let page = StillPage()
    page.act(.home(.arrived(Scenes.invitations)))
    try Self.act("declineall", "no", "yes", on: page)
    #expect(page.takeEffects().isEmpty)
    try Self.act("declineall", "yes", on: page)
    for key in ["3", "9", "10"] {
      #expect(page.takeEffects() == [.home(.grant(.decline(MatchKey(key))))])
      page.act(.home(.granted(nil)))
    }
    #expect(page.takeEffects() == [.home(.load)])
  }

  @Test("What is on the page is asked for again")
  func reloading() throws {
    let page = StillPage()
    try Self.act("reload", on: page)
    #expect(page.takeEffects() == [.home(.load)])
    try Self.act("menu boards", "reload", on: page)
    let load = GameEffect.menu(.boards(.load(.today(.unlimited))))
    #expect(page.takeEffects() == [load, load])
    try Self.act("menu games", "reload", on: page)
    let games = GameEffect.menu(.pastGames(.load(.all, after: nil)))
    #expect(page.takeEffects() == [games, games])
    try Self.act("menu settings", on: page)
    try Self.act("reload", "menu new", "reload", on: page)
    #expect(page.takeEffects() == [.menu(.settings(.load)), .menu(.settings(.load))])
    let match = StillPage(at: MatchKey("1"))
    try Self.act("reload", on: match)
    #expect(match.takeEffects().first == .match(MatchKey("1"), .follow))
  }

  @Test("A past game is opened by its row, and older ones are asked for")
  func pastGames() throws {
    let page = Scenes.page(.pastGames)
    _ = page.takeEffects()
    try Self.act("past 3", "more", on: page)
    #expect(
      page.takeEffects() == [.menu(.pastGames(.load(.all, after: Scenes.pastGames.next)))])
    try Self.act("past 1", on: page)
    #expect(page.app.match?.key == MatchKey("30"))
    #expect(page.takeEffects() == [.match(MatchKey("30"), .follow)])
    try Self.act("past 1", "more", on: page)
    #expect(page.takeEffects() == [])
  }

  @Test("Past games are filtered, also from the sheet of a player, and all of them come back")
  func filters() throws {
    let page = Scenes.page(.pastGames)
    _ = page.takeEffects()
    func loads(_ wanted: [PastGamesWanted]) -> [GameEffect] {
      wanted.map { .menu(.pastGames(.load($0, after: nil))) }
    }
    try Self.act("kind all", "allgames", "kind daily", "result none", "kind all", on: page)
    #expect(
      page.takeEffects()
        == loads([
          PastGamesWanted(kind: .daily), PastGamesWanted(kind: .daily, result: .uncounted),
          PastGamesWanted(result: .uncounted),
        ]))
    try Self.act("allgames", on: page)
    #expect(page.takeEffects() == loads([.all]))
    let sheet = Scenes.player()
    _ = sheet.takeEffects()
    try Self.act("games", "result won", "reload", "allgames", on: sheet)
    let won = PastGamesWanted(player: "ben", result: .won)
    #expect(sheet.takeEffects() == loads([PastGamesWanted(player: "ben"), won, won, .all]))
    // They belong to other screens.
    try Self.act("games", on: page)
    try Self.act("menu boards", "kind daily", "result won", "allgames", on: sheet)
    #expect(page.takeEffects() == [])
    #expect(sheet.takeEffects() == [.menu(.boards(.load(.today(.unlimited))))])
  }

  @Test("A past game and a notification lead to the other player, a game alone to nobody")
  func players() throws {
    for (menu, count) in [(Menu.Name.pastGames, 3), (.inbox, 2)] {
      let page = Scenes.page(menu)
      _ = page.takeEffects()
      try Self.act("player", "player \(count - 1)", "player \(count)", on: page)
      #expect(page.takeEffects() == [])
      try Self.act("player 0", on: page)
      #expect(page.takeEffects() == [.menu(.player(.load("ben")))])
    }
  }

  // MARK: Matches

  @Test("A match is given up after a question; the next one and a rematch are a button away")
  func match() throws {
    let page = StillPage(at: MatchKey("1"))
    page.act(.home(.arrived(Scenes.list)))
    page.act(.match(MatchKey("1"), .arrived(Scenes.match())))
    try Self.act("share", "react", on: page)
    _ = page.takeEffects()
    page.play(.lookedBack(1))
    try Self.act("react", on: page)
    #expect(page.takeEffects() == [.match(MatchKey("1"), .react("INAPTLY", turn: 2))])
    try Self.act("giveup", on: page)
    #expect(page.shown?.givingUp == .asked)
    try Self.act("no", on: page)
    #expect(page.shown?.givingUp == GivingUp.no)
    try Self.act("giveup", "yes", on: page)
    #expect(page.takeEffects() == [.match(MatchKey("1"), .giveUp)])
    page.act(.match(MatchKey("1"), .arrived(Scenes.ended())))
    _ = page.takeEffects()
    try Self.act("share", on: page)
    #expect(page.takeEffects() == [.match(MatchKey("1"), .share)])
    try Self.act("next", on: page)
    #expect(page.app.match?.key == MatchKey("2"))
  }

  @Test("A second less is left after a second")
  func seconds() throws {
    let page = StillPage(at: MatchKey("1"))
    page.act(.match(MatchKey("1"), .arrived(Scenes.match(.yours(secondsLeft: 9)))))
    try Self.act("second", on: page)
    guard case .playing(_, secondsLeft: 8)? = page.shown?.turn.stage else {
      Issue.record("\(String(describing: page.shown?.turn.stage))")
      return
    }
  }

  // MARK: Menus

  @Test("A new match is filled in and asked for, with the checks of typed text")
  func newMatch() throws {
    let page = StillPage()
    func screen() throws -> NewMatchScreen {
      guard case .newMatch(let screen)? = page.app.menu else { throw Missing() }
      return screen
    }
    try Self.act("menu new", "fill named a", on: page)
    #expect(try screen().name.fault != nil)
    try Self.act("pick named", on: page)
    #expect(try screen().notice == "That is no player's name.")
    try Self.act("fill named ada", "fill turnLimit 2h", "pick casual", on: page)
    #expect(try screen().name == TextEntry("ada"))
    #expect(try screen().turnLimit == TextEntry("2h"))
    try Self.act("fill named ben", "pick named", on: page)
    let wanted = NewMatch.named("ben", NewMatch.Terms(turnLimit: "2h", isCasual: true))
    #expect(page.takeEffects() == [.menu(.newMatch(.start(wanted, isSure: false)))])
    // One wish at a time.
    try Self.act("pick anyone", "fill named eve", on: page)
    #expect(try screen().stage == .asked(wanted))
    #expect(try screen().name == TextEntry("ben"))
    page.act(.menu(.newMatch(.answered(.invitedBefore))))
    try Self.act("yes", on: page)
    #expect(page.takeEffects() == [.menu(.newMatch(.start(wanted, isSure: true)))])
    page.act(.menu(.newMatch(.answered(.invitedBefore))))
    try Self.act("no", "fill join ABCD", "fill named ", "pick join", on: page)
    #expect(page.takeEffects() == [.menu(.newMatch(.start(.join("ABCD"), isSure: false)))])
    #expect(try screen().name == TextEntry())
  }

  @Test("Boards are turned to and changed, and a challenge is begun")
  func boards() throws {
    let page = StillPage()
    try Self.act("menu boards", "board today", "board history", "board solo", on: page)
    let games = Board.games(.solo, .unlimited, .week, .points)
    #expect(
      page.takeEffects()
        == [Board.today(.unlimited), .history, games].map { .menu(.boards(.load($0))) })
    try Self.act("clock", "span", "measure", on: page)
    guard case .boards(let screen)? = page.app.menu else { throw Missing() }
    #expect(screen.board == .games(.solo, .timed, .all, .words))
    try Self.act("board today", "begin", on: page)
    _ = page.takeEffects()
    page.act(.menu(.boards(.arrived(.today(.timed), Scenes.today(.open)))))
    try Self.act("begin", "no", "begin", on: page)
    #expect(page.takeEffects().isEmpty)
    try Self.act("yes", on: page)
    #expect(page.takeEffects() == [.menu(.boards(.start(.timed)))])
  }

  @Test("Settings are switched, filled in, added, removed and saved")
  func settings() throws {
    let page = StillPage()
    func form() throws -> SettingsForm {
      guard case .settings(let screen)? = page.app.menu else { throw Missing() }
      return try #require(screen.form)
    }
    try Self.act("menu settings", "toggle notification 0", "save", "doubt save", on: page)
    page.act(.menu(.settings(.arrived(Scenes.settings))))
    _ = page.takeEffects()
    try Self.act("toggle notification 99", "remove device 99", "toggle device 1", on: page)
    #expect(try form().devices[1].permission == .denied)
    try Self.act("toggle notification 0", "fill displayName Ada L", "fill newDevice lap", on: page)
    #expect(try form().notifications[0].isOn == !Scenes.settings.notifications[0].isOn)
    try Self.act("add device", "fill newBlocked eve", "add blocked", on: page)
    #expect(try form().devices.last?.name == "lap")
    #expect(try form().blocked.last == "eve")
    try Self.act("remove blocked 0", "remove device 0", "doubt save", on: page)
    #expect(try form().blocked == ["eve"])
    #expect(try form().devices.map(\.name) == ["phone", "lap"])
    page.act(.left)
    #expect(try form().stage == .doubted(.home))
    try Self.act("doubt stay", "save", on: page)
    #expect(try form().stage == .saving(then: nil))
    guard case .menu(.settings(.save(let edits)))? = page.takeEffects().last else {
      throw Missing()
    }
    #expect(edits.contains(.displayName("Ada L")))
    // Nothing is changed while it is being saved.
    try Self.act("remove device 0", "fill displayName x", on: page)
    #expect(try form().displayName == TextEntry("Ada L"))
    page.act(.menu(.settings(.answered(.saved))))
    try Self.act("fill displayName ", on: page)
    page.act(.left)
    try Self.act("doubt throwAway", on: page)
    #expect(page.app.place == .home)
  }

  private struct Missing: Error {}

  @Test("No bytes and no action in any place end the program")
  func noise() {
    var random = SplitMix64(state: 11)
    let words = [
      "decline", "withdraw", "yes", "no", "giveup", "share", "next", "second", "reload", "menu",
      "pick", "fill", "board", "clock", "span", "measure", "begin", "toggle", "remove", "add",
      "save", "doubt", "kind", "result", "allgames", "games", "\u{0}", "é",
    ]
    let values = [
      "", "0", "1", "-1", "9999", "new", "boards", "settings", "anyone", "named", "casual", "today",
      "ladder", "notification 0", "device 1", "blocked 0", "device", "blocked", "named \u{1F600}",
      "rematch", "won", "all", "newDevice  x", "displayName \u{301}e", "stay", "throwAway",
    ]
    let pages = [
      StillPage(), StillPage(at: MatchKey("1")), Scenes.page(.settings), Scenes.page(.boards),
      Scenes.page(.pastGames),
    ]
    pages[0].act(.home(.arrived(Scenes.list)))
    pages[1].act(.match(MatchKey("1"), .arrived(Scenes.match())))
    for _ in 0..<20_000 {
      let page = pages[Int(random.next() % UInt64(pages.count))]
      var text = Array(words[Int(random.next() % UInt64(words.count))].utf8)
      text.append(32)
      text += Array(values[Int(random.next() % UInt64(values.count))].utf8)
      if random.next() % 3 == 0 {
        for _ in 0..<(1 + random.next() % 3) {
          text[Int(random.next() % UInt64(text.count))] = UInt8(truncatingIfNeeded: random.next())
        }
      } else if random.next() % 3 == 0 {
        text = Array(text.prefix { $0 != 32 })
      }
      let (word, value) = PageAction.parts(text)
      if let action = ScreenAction(word, value) { page.act(action) }
    }
    for page in pages { #expect(!page.json { page.writeScreens(to: &$0) }.isEmpty) }
  }
}
