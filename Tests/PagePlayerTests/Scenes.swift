import CubeLexicon
import CubePlay
import CubeRules
import CubistBasics
import CubistPage

@testable import PagePlayer

/// The service's answers in the tests of the screens, and the pages that they lead to.
enum Scenes {
  static let name = "ada"

  private static func row(
    _ key: Int, _ kind: HomeRow.Kind, _ opponent: String, _ points: [Int] = [],
    _ seconds: Int? = nil
  ) -> HomeRow {
    var row = HomeRow(
      MatchKey("\(key)"), kind, opponent: opponent, points: points, secondsLeft: seconds)
    switch kind {
    case .waiting, .daily: break
    default: row.player = opponent
    }
    return row
  }

  static let ben = PlayerNews(
    name: "ben",
    lines: [
      "You two had 12 matches: 7 won, 4 lost, 1 tied.", "You won the last 3 matches.",
      "Your best word: CUBES, 48 points.",
    ], isBlocked: false)

  /// The page at the player of its first row, after some actions.
  static func player(_ actions: String..., answer: PlayerAnswer? = nil) -> StillPage {
    let page = page()
    act("player 0", on: page)
    page.act(.menu(.player(.arrived("ben", ben))))
    for action in actions { act(action, on: page) }
    if let answer { page.act(.menu(.player(.answered(answer)))) }
    return page
  }

  private static func act(_ text: String, on page: StillPage) {
    let (word, value) = PageAction.parts(Array(text.utf8))
    if let action = ScreenAction(word, value) { page.act(action) }
  }

  /// Everything that can wait for a player.
  static let list: HomeList = {
    var code = row(6, .waiting, "open invitation", [], 86_400)
    (code.code, code.isWithdrawable) = ("K7QM2XPA", true)
    var anyone = row(7, .waiting, "anyone", [], nil)
    anyone.isWithdrawable = true
    var list = HomeList(
      name: name,
      rows: [
        row(1, .yourTurn, "ben", [216, 148], 45),
        row(2, .yourTurn, "Cleopatra_the_7", [0, 36], 5_400),
        row(3, .invitation, "dan"), row(4, .rematchOffer, "eve", [812, 790]),
        row(0, .daily(.unlimited), "today's challenge", [], 40_000),
        row(0, .daily(.timed), "today's challenge, timed"),
        row(5, .theirTurn, "fay", [12, 64], 190_000), code, anyone,
        row(8, .ownOffer, "gil", [40, 41]),
      ])
    list.more = "12 more are not listed."
    return list
  }()

  static let invitations = HomeList(
    name: name,
    rows: [
      row(1, .yourTurn, "ben", [216, 148], 45), row(3, .invitation, "dan"),
      row(9, .invitation, "hal"), row(10, .invitation, "ida"),
    ])

  /// Nothing but a recovery that is under way.
  static let warned: HomeList = {
    var list = HomeList(name: name, rows: [])
    list.warning = AccountWarning(
      .recovery,
      text: "Somebody asked for a new key for your account. It takes effect in 2 d 3 h, "
        + "at 2026-05-03 15:00 UTC, and none of your devices plays as you then. Not you?",
      line: "A new key counts in 2 d 3 h. Not you? cubist key object")
    return list
  }()

  static let settings = SettingsValues(
    displayName: "Ada",
    notifications: [
      NotificationSetting(name: "yourTurn", text: "it is your turn", isOn: true),
      NotificationSetting(name: "invited", text: "somebody invites you", isOn: true),
      NotificationSetting(name: "ended", text: "a match has ended", isOn: false),
    ],
    devices: [
      DeviceSetting(name: "watch", permission: .provisional, hasToken: true),
      DeviceSetting(name: "phone", permission: .authorized, hasToken: false),
    ],
    blocked: ["mallory"])

  static func today(_ option: TodayNews) -> BoardNews {
    BoardNews(
      head: "Today's challenge: 3 players.", columns: ["rank", "player", "points", "turns"],
      rows: [
        BoardRow(["1", "Cleopatra_the_7", "1204", "14"], player: "Cleopatra_the_7"),
        BoardRow(["2", name, "988", "12"], isOwn: true),
        BoardRow(["3", "ben", "310", "9"], player: "ben"),
      ], today: option)
  }

  static let pastGames = PastGamesNews(
    rows: [
      PastGameRow(
        MatchKey("31"), opponent: "ben", kind: "by invitation, casual",
        result: "won, no cube is left", points: [812, 790], ended: "3 min ago", player: "ben"),
      PastGameRow(
        MatchKey("30"), opponent: "Cleopatra_the_7", kind: "a rematch",
        result: "lost, the time of Cleopatra_the_7 ran out", points: [64, 148], ended: "2 h ago",
        player: "Cleopatra_the_7"),
      PastGameRow(
        MatchKey("29"), opponent: "timed daily 2026-11-23", kind: "alone",
        result: "played to the end, time ran out", points: [1_204], ended: "1 day ago"),
    ], next: "1777600000000000_00000000-0000-0000-0000-00000000001d")

  static let ladder = BoardNews(
    head: "25 players have a rating.", columns: ["rank", "player", "rating", "matches"],
    rows: [
      BoardRow(["1", "fay", "1904", "212"], player: "fay"),
      BoardRow(["2", "Cleopatra_the_7", "1850", "64"], player: "Cleopatra_the_7"),
      BoardRow(["17", name, "1512?", "3"], isOwn: true),
    ])
}

extension Scenes {
  static let review = BoardNews(
    head: "The last seven days", columns: ["Games", "Yours"],
    rows: [
      BoardRow(["random", "7 played, 4 won, 2 lost, 1 tied"]),
      BoardRow(["daily", "5 played"]),
      BoardRow(["daily challenges, best word", "rank 3 of 40 with CUBES, 48 points"]),
    ])
}

// MARK: - Matches

extension Scenes {
  /// A match as it stands after some turns of words; the player has begun.
  private static func played(_ count: Int) -> LocalMatch {
    var match = LocalMatch(
      on: RobotPage.firstPuzzle(.english), against: .robot(.easy, first: .me))
    for _ in 0..<count {
      let word = Lexicon.english.words(on: match.game).first { $0.word.count < 8 }
      guard let faces = word?.faces else { break }
      do throws(TurnRefusal) {
        try match.play([.word(faces)], words: .english)
      } catch { break }
    }
    return match
  }

  /// A match against another player.
  static func match(
    _ stage: Standing.Stage = .yours(secondsLeft: 5_400), turns: Int = 2,
    _ change: (inout MatchNews) -> Void = { _ in }
  ) -> MatchNews {
    let match = played(turns)
    var news = match.news(words: .english, .open)
    news.opponent = "ben"
    news.standing.stage = stage
    news.isRated = true
    change(&news)
    return news
  }

  /// A match that is over.
  static func ended(_ change: (inout MatchNews) -> Void = { _ in }) -> MatchNews {
    match(.over(.forfeited(by: .them)), turns: 4) { news in
      news.ending = "Over: won, ben gave up."
      news.rematch = .open
      for index in news.lines.indices { news.lines[index].best = BestWord("HOUSEPLANT", 700) }
      change(&news)
    }
  }

  /// A game alone.
  static func alone() -> MatchNews {
    match(.yours(secondsLeft: 128), turns: 2) { news in
      news.standing.players = .alone(points: 412)
      (news.opponent, news.isRated) = (nil, false)
      for index in news.lines.indices { news.lines[index].player = .me }
      news.standing.lastTurn?.player = .me
    }
  }

  /// A daily challenge that is over.
  static func daily() -> MatchNews {
    var news = alone()
    news.standing.stage = .over(.finished)
    news.ending = "Over: played to the end, you ended it."
    news.dailyResult = "Cubist daily 2026-11-23\n412 points, 2 words\n🟩🟧"
    return news
  }

  /// The page at a match with others that wait.
  static func page(_ news: MatchNews, _ actions: [MatchAction] = []) -> StillPage {
    let page = StillPage(at: MatchKey("1"))
    page.act(.home(.arrived(list)))
    page.act(.match(MatchKey("1"), .arrived(news)))
    for action in actions { page.act(.match(MatchKey("1"), action)) }
    return page
  }
}

extension Scenes {
  static let inbox = [
    InboxRow(
      id: "1", title: "Your turn", text: "ben has played a word. It is your turn.",
      time: "5 min ago", match: MatchKey("1"), player: "ben"),
    InboxRow(
      id: "2", title: "Today's challenge", text: "Today's cube is there.", time: "6 h ago",
      match: nil),
  ]
}

extension Scenes {
  static let keys = KeysNews(rows: [
    KeyRow(key: "3fa2b81c55", digits: "3fa2b81c", added: "12 days ago", isOwn: false),
    KeyRow(
      key: "5c0d91e7aa", digits: "5c0d91e7", added: "2 h ago", inviter: "3fa2b81c", isOwn: true),
  ])

  /// The devices, with a code that was asked for.
  static func code() -> StillPage {
    let page = page(.keys)
    page.act(.menu(.keys(.inviteChosen)))
    page.act(.menu(.keys(.invited(code: "K3F7-9QMN-2XVB", secondsLeft: 574))))
    return page
  }

  /// The devices, with new recovery words.
  static func words(_ actions: RecoveryAction...) -> StillPage {
    let words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    let sheet = RecoverySheet(
      words: words.split(separator: " ").map { String($0) }, asked: [2, 6, 10], key: "5c5c5c5c")
    return page(
      RecoveryNews(countsAtOnce: true), [.wordsChosen, .made(sheet)] + actions)
  }

  /// The devices, with a recovery that is under way.
  static func recovery(_ actions: RecoveryAction...) -> StillPage {
    let pending = RecoveryNews.Pending(
      id: "1", digits: "9be1240c", effect: "in 70 h", isObjected: false)
    return page(RecoveryNews(hasWords: true, pending: pending), actions)
  }

  private static func page(_ news: RecoveryNews, _ actions: [RecoveryAction]) -> StillPage {
    let page = page(.keys)
    page.act(.menu(.keys(.arrived(KeysNews(rows: keys.rows, recovery: news)))))
    for action in actions { page.act(.menu(.keys(.recovery(action)))) }
    return page
  }
}

// MARK: - Pages

extension Scenes {
  /// The page at the list.
  static func page(_ actions: HomeAction...) -> StillPage {
    let page = StillPage()
    page.act(.home(.arrived(list)))
    for action in actions { page.act(.home(action)) }
    return page
  }

  /// The page at a menu, with what it shows at first.
  static func page(_ menu: Menu.Name, _ texts: String...) -> StillPage {
    let page = StillPage()
    page.act(.menu(.opened(menu)))
    switch menu {
    case .newMatch: break
    case .boards: page.act(.menu(.boards(.arrived(.today(.unlimited), today(.open)))))
    case .pastGames: page.act(.menu(.pastGames(.arrived(.all, pastGames, after: nil))))
    case .settings: page.act(.menu(.settings(.arrived(settings))))
    case .inbox: page.act(.menu(.inbox(.arrived(inbox))))
    case .player(let wanted): page.act(.menu(.player(.arrived(wanted.name, ben))))
    case .keys: page.act(.menu(.keys(.arrived(keys))))
    }
    for text in texts {
      let (word, value) = PageAction.parts(Array(text.utf8))
      if let action = ScreenAction(word, value) { page.act(action) }
    }
    return page
  }
}
