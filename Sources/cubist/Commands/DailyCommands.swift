import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist daily`
struct Daily: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play the daily challenge: one cube for everyone, once a day.",
    usage: "cubist daily [<subcommand>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily                   how far you are today
        cubist daily start             begin; that takes the one play
        cubist daily start --timed     the other one of the day, of 180 seconds
        cubist daily play WORD
        cubist daily standings
        cubist daily result            to paste into a chat
        cubist daily history           the last 31 days
      """,
    subcommands: [
      StartDaily.self, PlayDaily.self, DailyStandings.self, DailyResultCommand.self,
      DailyHistoryCommand.self,
    ])

  @OptionGroup(title: "Which one") var mode: ModeOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let daily = try session.player().home().daily(mode.mode)
    try session.console.show(.daily, daily) {
      DailyText.line(daily, now: session.now, session.console) + "\n"
    }
  }
}

/// `cubist daily start`
struct StartDaily: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Begin today's challenge.",
    usage: "cubist daily start [--timed] [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily start
        cubist daily start --timed
      """)

  @OptionGroup(title: "Which one") var mode: ModeOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    session.typed.mode = ModeOptions.text(mode.mode)
    let player = try session.player()
    let reply = try session.resumed { action in
      if case .dailyStarted(let wish) = action { wish.daily.mode == mode.mode } else { false }
    }
    if case .dailyStarted(let ticket) = try reply?.accepted() {
      return try session.report(.started, ticket, player)
    }
    try session.report(.started, player.startDaily(player.home().daily(mode.mode).daily), player)
  }
}

/// `cubist daily play`
struct PlayDaily: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a word in today's challenge.",
    usage: "cubist daily play <word> [--timed] [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily play CUBES
        cubist daily play --remove 212
      """)

  @Argument(help: "The word.")
  var word: String?

  @OptionGroup(title: "The turn") var turn: TurnOptions
  @OptionGroup(title: "Which one") var mode: ModeOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard word != nil || turn.faces != nil || !turn.remove.isEmpty else {
      throw ValidationError("There is nothing to play. Give a WORD, --faces or --remove.")
    }
  }

  func perform(_ session: CommandSession) throws {
    let option = ModeOptions.text(mode.mode)
    let turnPlayer = TurnPlayer(
      session: session, command: "cubist daily play", id: nil, word: word, turn: turn,
      others: option)
    try turnPlayer.play { player in
      let daily = try player.home().daily(mode.mode)
      guard let match = daily.match else {
        throw daily.isDealt
          ? CommandFailure.nothing(
            "You have not begun today's challenge.", next: "cubist daily start\(option)")
          : CommandFailure.nothing(
            "Today's challenge is not dealt yet.", next: "cubist daily\(option)")
      }
      session.subject = NextStep.short(match)
      return match
    }
  }
}

/// `cubist daily standings`
struct DailyStandings: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "standings",
    abstract: "Show the points of all players in a daily challenge.",
    usage: "cubist daily standings [--day <yyyy-mm-dd>] [--timed] [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily standings
        cubist daily standings --day 2026-05-01
      """)

  @Option(
    help: .init("The UTC day, today's if none.", valueName: "yyyy-mm-dd"),
    transform: Day.argument)
  var day: Day?

  @OptionGroup(title: "Which one") var mode: ModeOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    session.typed.mode = ModeOptions.text(mode.mode)
    session.typed.day = day
    let player = try session.player()
    let mode = mode.mode
    let key = try day.map { DailyKey(day: $0, mode: mode) } ?? player.home().daily(mode).daily
    let standings = try player.standings(key)
    try session.console.show(.standings, standings) {
      DailyText.text(standings, session.console.style)
    }
  }
}
