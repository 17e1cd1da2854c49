import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist games`
struct Games: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "List your matches, or your past games.",
    usage:
      "cubist games [--past] [--with <name>] [--limit <number>] [--before <cursor>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist games
        cubist games --past --with grace
        cubist games --past --limit 50 --before CURSOR     the next page
      """)

  @Flag(help: "List the games that are over, the newest first.")
  var past = false

  @Option(
    help: .init("Only those against a player.", valueName: "name"), transform: NameArgument.name)
  var with: PlayerName?

  @Option(help: .init("How many past games, 1 to 100.", valueName: "number"))
  var limit: Int?

  @Option(
    help: .init("Where the list goes on: the cursor that a page ends with.", valueName: "cursor"),
    transform: Games.cursor)
  var before: PastGamesCursor?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard past || (limit == nil && before == nil) else {
      throw ValidationError("--limit and --before are for past games. Add --past.")
    }
    guard Query.pastGamesLimits.contains(limit ?? 20) else {
      throw ValidationError("--limit takes 1 to 100.")
    }
  }

  func perform(_ session: Session) throws {
    let player = try session.player()
    guard past else { return try running(session, player) }
    let opponent = try with.map { try player.player(named: $0).id }
    let page = try player.pastGames(with: opponent, before: before, limit: limit ?? 20)
    try session.console.show(.pastGames, page) {
      PastGamesText.text(page, now: session.now, session.console.style)
    }
    if let next = page.next {
      let filter = with.map { " --with \($0)" } ?? ""
      session.console.suggest("cubist games --past\(filter) --before \(next)")
    }
  }

  private func running(_ session: Session, _ player: Player) throws {
    let home = try player.home()
    let matches = home.matches.filter { match in
      with.map { $0.key == match.opponentName?.key } ?? true
    }
    try session.console.show(.games, GamesDocument(matches: matches)) {
      guard !matches.isEmpty else { return "No matches that are not over.\n" }
      return MatchTable.text(matches, MatchIndex(home), now: session.now, session.console.style)
    }
  }

  private static func cursor(_ text: String) throws -> PastGamesCursor {
    guard let cursor = PastGamesCursor(text) else {
      throw ValidationError("'\(text)' is no cursor. Take what the page before ended with.")
    }
    return cursor
  }
}

/// `cubist export`
struct Export: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Get the record of a past game, to keep or to verify.",
    usage: "cubist export [<id>] [<file>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist export 3fa2 game.json
        cubist export 3fa2 | cubist verify -
      """)

  @Argument(help: IDArgument.help) var id: String?

  @Argument(help: "The file to make; none, or -, for the standard output.", completion: .file())
  var file: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: Session) throws {
    let player = try session.player()
    let match = try match(session, player)
    let record = Array(try player.record(of: match).utf8)
    guard let file, file != "-" else {
      session.console.raw(record + (record.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]))
      return
    }
    try session.environment.writeFile(file, record)
    let document = ExportDocument(match: match, file: file, bytes: record.count)
    try session.console.show(.export, document) {
      "The record of match \(NextStep.short(match)) is in \(file), \(record.count) bytes.\n"
    }
    session.console.suggest("cubist verify \(file)")
  }

  private func match(_ session: Session, _ player: Player) throws -> MatchID {
    let nothing = CommandFailure.nothing("You have no past game.", next: "cubist games")
    if let id {
      return try session.match(
        id, player, fitting: { _ in [] }, includingPast: true, nothing: nothing)
    }
    let games = try player.pastGames(limit: 100).games
    let index = MatchIndex(games)
    guard let match = try index.only(of: games.map(\.id)) else { throw nothing }
    session.subject = index.short(match)
    return match
  }
}

/// `cubist daily`
struct Daily: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play the daily challenge: one cube for everyone, once a day.",
    usage: "cubist daily [<subcommand>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily                   how far you are today
        cubist daily start             begin; that takes the one play
        cubist daily play WORD
        cubist daily standings
      """,
    subcommands: [StartDaily.self, PlayDaily.self, DailyStandings.self])

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: Session) throws {
    let daily = try session.player().home().daily
    try session.console.show(.daily, daily) { DailyText.line(daily, now: session.now) + "\n" }
  }
}

/// `cubist daily start`
struct StartDaily: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Begin today's challenge.",
    usage: "cubist daily start [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily start
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: Session) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      if case .dailyStarted = action { true } else { false }
    }
    if case .dailyStarted(let ticket) = try reply?.accepted() {
      return try session.report(.started, ticket, player)
    }
    try session.report(.started, player.startDaily(player.home().daily.daily), player)
  }
}

/// `cubist daily play`
struct PlayDaily: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a word in today's challenge.",
    usage: "cubist daily play <word> [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily play CUBES
        cubist daily play --remove 212
      """)

  @Argument(help: "The word.")
  var word: String?

  @OptionGroup(title: "The turn") var turn: TurnOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard word != nil || turn.faces != nil || !turn.remove.isEmpty else {
      throw ValidationError("There is nothing to play. Give a WORD, --faces or --remove.")
    }
  }

  func perform(_ session: Session) throws {
    try TurnPlayer(session: session, id: nil, word: word, turn: turn).play { player in
      guard let match = try player.home().daily.match else {
        throw CommandFailure.nothing(
          "You have not begun today's challenge.", next: "cubist daily start")
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
    abstract: "Show who has how many points in a daily challenge.",
    usage: "cubist daily standings [--day <yyyy-mm-dd>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily standings
        cubist daily standings --day 2026-05-01
      """)

  @Option(
    help: .init("The UTC day, today's if none.", valueName: "yyyy-mm-dd"),
    transform: DailyStandings.day)
  var day: Day?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: Session) throws {
    let player = try session.player()
    let key = try day.map { DailyKey(day: $0) } ?? player.home().daily.daily
    let standings = try player.standings(key)
    try session.console.show(.standings, standings) {
      DailyText.text(standings, session.console.style)
    }
  }

  private static func day(_ text: String) throws -> Day {
    guard let day = Day(text) else {
      throw ValidationError("'\(text)' is no day. Write it as 2026-05-01.")
    }
    return day
  }
}
