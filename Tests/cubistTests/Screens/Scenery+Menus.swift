import ServiceNews
import CubePlay
import MatchCore
import MatchWire

@testable import GameScreens
@testable import cubist

extension Scenery {
  /// The actions on the screens beside the matches.
  var menuActions: [MenuAction] {
    switch self {
    case .newMatch: [.opened(.newMatch)]
    case .newMatchName: Self.named("b!")
    case .newMatchAgain:
      Self.named("edsger") + [.newMatch(.chosen), .newMatch(.answered(.invitedBefore))]
    case .newMatchPending:
      [.opened(.newMatch), .newMatch(.chosen), .newMatch(.answered(.pending))]
    case .boardToday:
      Self.boards([.arrived(.today(.unlimited), Self.today)])
    case .boardWords:
      Self.boards([
        .turned(1), .measureChanged,
        .arrived(.games(.solo, .unlimited, .week, .words), Self.words), .moved(30),
      ])
    case .boardLadder:
      Self.boards([.turned(3), .arrived(.ladder, Self.ladder)])
    case .boardReview:
      Self.boards([.turned(-1), .arrived(.review, Self.review)])
    case .player: Self.player([])
    case .playerBlocked: Self.player([.blockChosen, .doubtAnswered(true), .answered(.done)])
    case .playerDoubted: Self.player([.blockChosen])
    case .playerReport:
      Self.player([.reportChosen, .reasonMoved(3)] + "slow".map { .typed($0) })
    case .playerFailed:
      [
        .opened(.player(PlayerWanted("grace"))),
        .player(.failed("grace", "The service cannot be reached. It is tried again.")),
      ]
    case .boardFailed:
      Self.boards([.failed(.today(.unlimited), "The service cannot be reached.")])
    case .inbox: [.opened(.inbox), .inbox(.arrived(Self.notifications))]
    case .pastGames: Self.pastGames([.moved(1)])
    case .pastGamesMore: Self.pastGames([.moreAsked, .moved(30)])
    case .pastGamesFiltered:
      Self.player([.gamesChosen])
        + [.pastGames(.arrived(PastGamesWanted(player: "grace"), Self.against, after: nil))]
    case .pastGamesNone:
      Self.pastGames([
        .kindChosen(.rematch), .resultChosen(.tied),
        .arrived(
          PastGamesWanted(kind: .rematch, result: .tied), PastGamesNews(rows: []), after: nil),
      ])
    case .settings: Self.settings([.moved(2), .typed(" "), .moved(24)])
    case .settingsWrong: Self.settings([.moved(-99)] + [.erased, .typed(" "), .saveAsked])
    case .settingsWide:
      Self.settings([.moved(-99)] + Array(repeating: .erased, count: 9) + "日本 🎲".map { .typed($0) })
    case .settingsLeaving: Self.settings([.moved(26), .erased, .leaveAsked(.home)])
    case .keys: Self.keys([.moved(1)])
    case .keysCode: Self.keys([.inviteChosen, .invited(code: "K3F7-9QMN-2XVB", secondsLeft: 574)])
    case .keysDoubted: Self.keys([.moved(1), .removeChosen])
    case .keysObject: Self.keys([.recovery(.objectChosen)], Self.recovery)
    default: []
    }
  }

  private static let recovery = RecoveryNews(
    hasWords: true, waiting: "in 21 h",
    pending: RecoveryNews.Pending(
      id: "1", digits: "9be1240c", effect: "in 70 h", isObjected: false))

  private static func keys(
    _ actions: [KeysAction], _ recovery: RecoveryNews = RecoveryNews()
  ) -> [MenuAction] {
    let rows = [
      KeyRow(key: "3fa2b81c55", digits: "3fa2b81c", added: "12 days ago", isOwn: true),
      KeyRow(
        key: "5c0d91e7aa", digits: "5c0d91e7", added: "2 h ago", inviter: "3fa2b81c",
        isOwn: false),
    ]
    let news = KeysNews(rows: rows, recovery: recovery)
    return [.opened(.keys), .keys(.arrived(news))] + actions.map { .keys($0) }
  }

  private static let notifications = [
    InboxRow(
      id: "1", title: "Your turn", text: "grace has played a word. It is your turn.",
      time: "5 min ago", match: MatchKey("1"), player: "grace"),
    InboxRow(
      id: "2", title: "Today's challenge", text: "Today's cube is there.", time: "6 h ago",
      match: nil),
  ]

  private static func settings(_ actions: [SettingsAction]) -> [MenuAction] {
    [.opened(.settings)] + ([.arrived(set)] + actions).map { .settings($0) }
  }

  private static var set: SettingsValues {
    let devices = [
      DeviceView(device: "phone", permission: "authorized", hasToken: true),
      DeviceView(device: "watch", permission: "provisional", hasToken: true),
    ]
    let view = SettingsView(
      displayName: "Ada L.", kinds: ["matchEnded": false], reminders: true, devices: devices)
    let blocks = BlockList(
      players: [.init(player: Made.grace, name: Made.name("mallory"), since: Made.now)])
    return SettingsValues(view, blocks, now: Made.now)
  }

  private static func boards(_ actions: [BoardsAction]) -> [MenuAction] {
    [.opened(.boards)] + actions.map { .boards($0) }
  }

  private static func player(_ actions: [PlayerAction]) -> [MenuAction] {
    let news = PlayerNews(
      name: "grace",
      lines: [
        "You two had 12 matches: 7 won, 4 lost, 1 tied.", "You won the last 3 matches.",
        "Your best word: CUBES, 48 points.", "Best word of grace: SEQUENT, 196 points.",
      ], isBlocked: false)
    let wanted = PlayerWanted("grace", in: MatchKey("1"))
    return [.opened(.player(wanted))]
      + ([.arrived("grace", news)] + actions).map { .player($0) }
  }

  private static let review = BoardNews(
    head: "The last seven days", columns: ["Games", "Yours"],
    rows: [
      BoardRow(["random", "7 played, 4 won, 2 lost, 1 tied"]), BoardRow(["daily", "5 played"]),
      BoardRow(["daily challenges, best word", "rank 3 of 40 with CUBES, 48 points"]),
    ])

  private static let today = BoardNews(
    head: "Challenge of 2026-11-23: you have not begun it; it ends in 10 h.",
    columns: ["Rank", "Player", "Points"],
    rows: [BoardRow(["1", "grace", "1480"]), BoardRow(["2", "edsger", "96"])], today: .open)

  private static var words: BoardNews {
    let rows = (1...40).map { rank in
      BoardRow(["\(rank)", "player\(rank)", "\(600 - 9 * rank)", "CUBES"], isOwn: rank == 9)
    }
    return BoardNews(
      head: "Best words, solo games, the last week: 40 players",
      columns: ["Rank", "Player", "Points", "Word"], rows: rows)
  }

  private static let ladder = BoardNews(
    head: "30 players are ranked.", columns: ["Rank", "Player", "Rating", "Off by", "Matches"],
    rows: [
      BoardRow(["1", "grace", "1790", "42", "120"]),
      BoardRow(["20", "ada", "1512?", "150", "3"], isOwn: true),
    ])

  private static func pastGames(_ actions: [PastGamesAction]) -> [MenuAction] {
    let names = ["grace", "edsger", "日本", "timed daily 2026-11-23"]
    let rows = (1...40).map { number in
      PastGameRow(
        MatchKey("\(number)"), opponent: names[number % names.count], kind: "by invitation, casual",
        result: number % 2 == 0 ? "won, no cube is left" : "lost, your time ran out",
        points: number % 4 == 3 ? [41 * number] : [41 * number, 36], ended: "\(number) days ago",
        player: number % 4 == 3 ? nil : names[number % names.count])
    }
    let news = PastGamesNews(rows: rows, next: "1777600000000000_0")
    return [.opened(.pastGames)]
      + ([.arrived(.all, news, after: nil)] + actions).map { .pastGames($0) }
  }

  private static let against = PastGamesNews(
    rows: [
      PastGameRow(
        MatchKey("1"), opponent: "grace", kind: "a rematch", result: "won, no cube is left",
        points: [612, 540], ended: "2 days ago", player: "grace")
    ], next: "1777600000000000_0")

  private static func named(_ name: String) -> [MenuAction] {
    [.opened(.newMatch), .newMatch(.moved(1))] + name.map { .newMatch(.typed($0)) }
  }
}
