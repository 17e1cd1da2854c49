import ServiceNews
import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist games`
struct Games: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "List your matches, or your past games.",
    usage: """
      cubist games [--past] [--with <name>] [--kind <kind>] [--result <result>] [<options>]
      cubist games --with <name> --summary [<options>]
      """,
    discussion: """
      EXAMPLES:
        cubist games
        cubist games --past --with grace
        cubist games --with grace --summary        wins, run, best words, series
        cubist games --past --kind daily --from 2026-05-01
        cubist games --past --result won --limit 100
        cubist games --past --limit 50 --before CURSOR     the next page
      """)

  @Flag(help: "List the games that are over, the newest first.")
  var past = false

  @Option(
    help: .init("Only those against a player.", valueName: "name"),
    completion: Completion.players, transform: NameArgument.name)
  var with: PlayerName?

  @Flag(help: "Sum up your past matches against the player of --with.")
  var summary = false

  @OptionGroup(title: "Which past games") var filter: PastGamesOptions

  @Option(
    parsing: .unconditional,
    help: .init("How many past games, 1 to 100.", valueName: "number"))
  var limit: Int?

  @Option(
    help: .init("Where the list goes on: the cursor that a page ends with.", valueName: "cursor"),
    transform: Games.cursor)
  var before: PastGamesCursor?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    if summary {
      guard with != nil else { throw ValidationError("--summary needs --with NAME.") }
      guard !past, limit == nil, before == nil, filter.text.isEmpty else {
        throw ValidationError("--summary is for all past matches. Give only --with beside it.")
      }
    }
    guard past || (limit == nil && before == nil && filter.text.isEmpty) else {
      throw ValidationError(
        "--kind, --result, --from, --until, --limit and --before are for past games. Add --past.")
    }
    guard Query.PastGames.limits.contains(limit ?? 20) else {
      throw ValidationError("--limit takes 1 to 100.")
    }
  }

  func perform(_ session: CommandSession) throws {
    session.typed.name = with
    let player = try session.player()
    if summary, let with { return try sumUp(with, session, player) }
    guard past else { return try running(session, player) }
    let opponent = try with.map { try player.player(named: $0).id }
    let page = try player.pastGames(
      with: opponent, filter: filter.filter, before: before, limit: limit ?? 20)
    try session.console.show(.pastGames, page) {
      PastGamesText.text(page, now: session.now, session.console.style)
    }
    if let next = page.next {
      let with = with.map { " --with \($0)" } ?? ""
      let limit = limit.map { " --limit \($0)" } ?? ""
      session.console.suggest("cubist games --past\(with)\(filter.text)\(limit) --before \(next)")
    }
  }

  private func sumUp(_ name: PlayerName, _ session: CommandSession, _ player: Player) throws {
    let opponent = try player.player(named: name).id
    guard opponent != player.player else {
      throw CommandFailure(
        .refused, Refusal.opponentIsYourself.name, Refusal.opponentIsYourself.message)
    }
    let summary = try player.headToHead(with: opponent)
    try session.console.show(.headToHead, summary) { HeadToHeadText.text(summary) }
    if summary.wordMatches > 0 {
      session.console.suggest("cubist games --past --with \(summary.opponentName)")
    }
  }

  private func running(_ session: CommandSession, _ player: Player) throws {
    let home = try player.home()
    let matches = home.matches.filter { match in
      with.map { $0.key == match.opponentName?.key } ?? true
    }
    let document = GamesDocument(
      matches: matches, moreMatches: home.moreMatches, damaged: home.damaged)
    try session.console.show(.games, document) {
      let style = session.console.style
      let list =
        matches.isEmpty
        ? "No matches that are not over.\n"
        : MatchTable.text(matches, MatchIndex(home), now: session.now, style)
      return ([list] + HomeText.unlisted(home)).joined(separator: "\n")
    }
  }

  private static func cursor(_ text: String) throws -> PastGamesCursor {
    guard let cursor = PastGamesCursor(text) else {
      throw ValidationError("'\(text)' is no cursor. Take the one at the end of the page before.")
    }
    return cursor
  }
}

/// `cubist export`
struct Export: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Get the record of a past game, to keep or to verify.",
    usage: "cubist export [<id> | --code <code>] [<file>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist export game.json        the game that ended last
        cubist export 3fa2 game.json
        cubist export ben game.json    the last game against ben
        cubist export --code CODE game.json
        cubist export 3fa2 | cubist verify -
      """)

  @Argument(
    help: .init(
      "The match, by its last digits or its opponent; else the game that ended last.",
      valueName: "id"), completion: Completion.games)
  var id: String?

  @Argument(
    help: """
      The file to make; none, or -, for the standard output. Alone it needs a dot or a slash in its \
      name.
      """, completion: .file())
  var file: String?

  @OptionGroup(title: "Somebody else's") var shared: SharedOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws { try shared.validate(file == nil ? nil : id) }

  /// The arguments by name. With a code, the one argument is the file; otherwise the file is the
  /// one that can be neither an id nor a name.
  private var named: (id: String?, file: String?) {
    guard file == nil, let id else { return (id, file) }
    let isFile = shared.code != nil || id == "-" || id.contains { $0 == "." || $0 == "/" }
    return isFile ? (nil, id) : (id, nil)
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let (match, text): (MatchID, String)
    let (id, file) = named
    if let code = shared.code {
      match = try player.match(code: code).id
      text = try player.record(code: code)
    } else {
      match = try self.match(id, session, player)
      text = try player.record(of: match)
    }
    let record = Array(text.utf8)
    guard let file, file != "-" else {
      let end = record.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
      try session.console.raw(record + end)
      return
    }
    try session.environment.writeFile(file, record)
    let document = ExportDocument(match: match, file: file, bytes: record.count)
    try session.console.show(.export, document) {
      "The record of match \(NextStep.short(match)) is in \(file), "
        + "\(Wording.count(record.count, "byte")).\n"
    }
    session.console.suggest("cubist verify \(ShellWord.quoted(file))")
  }

  private func match(
    _ id: String?, _ session: CommandSession, _ player: Player
  ) throws -> MatchID {
    let nothing = CommandFailure.nothing("You have no past game.", next: "cubist games")
    if let id {
      return try session.match(
        id, player, fitting: { _ in [] }, named: .past, nothing: { _ in nothing })
    }
    return try session.lastGame(player, nothing: nothing)
  }
}
