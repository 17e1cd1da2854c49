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
    case .boardFailed:
      Self.boards([.failed(.today(.unlimited), "The service cannot be reached.")])
    case .settings: Self.settings([.moved(2), .typed(" "), .moved(10)])
    case .settingsWrong: Self.settings([.moved(-99)] + [.erased, .typed(" "), .saveAsked])
    case .settingsWide:
      Self.settings([.moved(-99)] + Array(repeating: .erased, count: 9) + "日本 🎲".map { .typed($0) })
    case .settingsLeaving: Self.settings([.moved(12), .erased, .leaveAsked(.home)])
    default: []
    }
  }

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
    return SettingsValues(view, blocks)
  }

  private static func boards(_ actions: [BoardsAction]) -> [MenuAction] {
    [.opened(.boards)] + actions.map { .boards($0) }
  }

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
    head: "30 players are rated.", columns: ["Rank", "Player", "Rating", "Off by", "Matches"],
    rows: [
      BoardRow(["1", "grace", "1790", "42", "120"]),
      BoardRow(["20", "ada", "1512?", "150", "3"], isOwn: true),
    ])

  private static func named(_ name: String) -> [MenuAction] {
    [.opened(.newMatch), .newMatch(.moved(1))] + name.map { .newMatch(.typed($0)) }
  }
}
