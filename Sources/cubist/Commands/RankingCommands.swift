import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist leaderboard`
struct LeaderboardCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "leaderboard",
    abstract: "List the best games that players made alone.",
    usage:
      "cubist leaderboard [solo | daily] [--timed] [--window <window>] [--words] [<options>]",
    discussion: """
      EXAMPLES:
        cubist leaderboard                          solo games of the last week
        cubist leaderboard daily --timed
        cubist leaderboard solo --window all --words

      Each player stands there by the best game, or the best word, that ended in the window. A game \
      is there a moment after its end.
      """)

  @Argument(
    help: "`solo` games or `daily` challenges.", completion: .list(["solo", "daily"]),
    transform: LeaderboardCommand.kind)
  var kind: SoloGames.Kind = .solo

  @OptionGroup(title: "Which games") var mode: ModeOptions

  @Option(
    help: .init("`day` (24 hours), `week` or `all`.", valueName: "window"),
    completion: .list(["day", "week", "all"]), transform: LeaderboardCommand.window)
  var window: Leaderboard.Window = .week

  @Flag(help: "The best words instead of the best games.")
  var words = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let board = Leaderboard(
      games: SoloGames(kind: kind, mode: mode.mode), measure: words ? .words : .points,
      window: window)
    let view = try session.player().leaderboard(board)
    try session.console.show(.leaderboard, view) { RankingText.text(view, session.console.style) }
  }

  private static func kind(_ text: String) throws -> SoloGames.Kind {
    guard let kind = SoloGames.Kind(rawValue: text) else {
      throw ValidationError("'\(text)' has no leaderboard. Choose solo or daily.")
    }
    return kind
  }

  private static func window(_ text: String) throws -> Leaderboard.Window {
    guard let window = Leaderboard.Window(rawValue: text) else {
      throw ValidationError("'\(text)' is no window. Choose day, week or all.")
    }
    return window
  }
}

/// `cubist review`
struct Review: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look back at your last seven days.",
    usage: "cubist review [<options>]",
    discussion: """
      EXAMPLES:
        cubist review
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let review = try session.player().review()
    try session.console.show(.review, review) { RankingText.text(review) }
  }
}

/// `cubist daily history`
struct DailyHistoryCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show your results of the daily challenges of the last 31 days.",
    usage: "cubist daily history [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily history
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let history = try session.player().dailyHistory()
    try session.console.show(.dailyHistory, history) {
      DailyText.text(history, session.console.style)
    }
  }
}
