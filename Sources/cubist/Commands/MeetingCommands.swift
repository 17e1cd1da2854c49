import ServiceNews
import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist start`
struct Start: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Start a match: against anyone, a friend, or alone.",
    usage: """
      cubist start [<name> | --open | --solo] [--turn-limit <duration>] [--casual] [<options>]
      """,
    discussion: """
      EXAMPLES:
        cubist start                        against anyone
        cubist start grace --turn-limit 3d  invite a player by name
        cubist start --open                 print a code that a friend can join with
        cubist start --casual               a match that changes no rating
        cubist start --solo                 play alone

      Repeated while its answer is pending, the command is the same request.
      """)

  /// The limit of a bot's open requests. So a player that names no limit meets a bot.
  static let standardLimit = Bot.Habits().openTurnLimitSeconds ?? 86_400

  @Argument(
    help: "The player to invite.", completion: Completion.players, transform: NameArgument.name)
  var name: PlayerName?

  @Flag(help: "Make a match that anyone with its code can join.")
  var open = false

  @Flag(help: "Play alone, without a limit.")
  var solo = false

  @Flag(help: "Make a match that changes no rating. An opponent by chance has to want the same.")
  var casual = false

  @Flag(help: "Do not ask whether to invite a player once more.")
  var yes = false

  @Option(
    help: .init(
      """
      How long a player has for a turn, 10s to 30d. An opponent by chance has to want the same. \
      (default: \(DurationText.text(seconds: standardLimit)))
      """,
      valueName: "duration"),
    transform: Start.limit)
  var turnLimit: Int64?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    let kinds = [name != nil, open, solo].count { $0 }
    guard kinds <= 1 else {
      throw ValidationError("NAME, --open and --solo exclude each other. Choose one.")
    }
    guard !solo || turnLimit == nil else {
      throw ValidationError("A solo game has no turn limit. Leave out --turn-limit.")
    }
    guard !solo || !casual else {
      throw ValidationError("A solo game never changes a rating. Leave out --casual.")
    }
  }

  func perform(_ session: CommandSession) throws {
    session.typed.name = name
    session.typed.start = typedOptions
    let player = try session.player(isSending: true)
    let limit = turnLimit ?? Start.standardLimit
    let start: MatchStart
    if let name {
      if !yes { try confirm(name, limit, session, player) }
      start = try player.startMatch(
        against: name, turnLimitSeconds: limit, isCasual: casual)
    } else if solo {
      start = try player.startMatch(MatchRequest(opponent: .nobody, turnLimitSeconds: nil))
    } else {
      start = try player.startMatch(
        MatchRequest(
          opponent: open ? .open : .random, turnLimitSeconds: limit, isCasual: casual))
    }
    switch start {
    case .started(let ticket): try session.report(.started, ticket, player)
    case .joined(let ticket): try session.report(.joined, ticket, player)
    }
  }

  /// The options of the match, each with a space before it.
  private var typedOptions: String {
    (turnLimit.map { " --turn-limit \(DurationText.text(seconds: $0))" } ?? "")
      + (casual ? " --casual" : "")
  }

  /// Has a person say yes to another invitation on other terms. The same one is refused anyway, and
  /// one whose answer is pending is not another one.
  private func confirm(
    _ name: PlayerName, _ limit: Int64, _ session: CommandSession, _ player: Player
  ) throws {
    guard try session.store().loadPending().events.isEmpty else { return }
    let home = try player.home()
    let open = home.matches.filter { $0.stage == .waiting } + home.invitations
    let known = open.filter { $0.opponentName?.key == name.key }
    guard let match = known.first,
      !known.contains(where: { $0.turnLimit == limit && ($0.casual ?? false) == casual })
    else { return }
    let short = MatchIndex(home).short(match.id)
    let isTheirs = home.invitations.contains { $0.id == match.id }
    let beginning = isTheirs ? "\(name) has invited you" : "You have invited \(name)"
    let terms =
      SpanText.words(seconds: match.turnLimit ?? 0) + " a turn"
      + (match.casual == true ? ", casual" : "")
    let question = "\(beginning) already: match \(short), \(terms). Invite \(name) all the same?"
    guard session.environment.inputIsTerminal, !options.json else {
      throw CommandFailure(
        .usage, "notConfirmed", "\(question) Nobody can be asked here: say --yes.",
        next: [
          isTheirs ? "cubist accept \(short)" : "cubist show \(short)",
          "cubist start \(name)\(typedOptions) --yes",
        ])
    }
    guard try session.confirms(question) else {
      throw CommandFailure(.refused, "notConfirmed", "Nobody was invited.")
    }
  }

  static func limit(_ text: String) throws -> Int64 {
    let seconds = try DurationText.secondsArgument(text)
    guard MatchRequest.turnLimits.contains(seconds) else {
      throw ValidationError("A turn limit of '\(text)' cannot be had. Choose 10s to 30d.")
    }
    return seconds
  }
}

/// `cubist join`
struct Join: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a friend's match with its code.",
    usage: "cubist join <code> [<options>]",
    discussion: """
      EXAMPLES:
        cubist join 7K3QX2M9
        cubist join https://play.example.org/g/7K3QX2M9
      """)

  @Argument(
    help: "The code that `cubist start --open` printed, or the link of the invitation.",
    transform: NameArgument.invitation)
  var code: ShareCode

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player(isSending: true)
    try session.report(.joined, player.join(code), player)
  }
}

/// `cubist accept`
struct Accept: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Accept an invitation.",
    usage: "cubist accept [<id>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist accept
        cubist accept 3fa2
      """)

  @Argument(help: IDArgument.help, completion: Completion.invitations) var id: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      guard case .invitationAccepted(let accepted) = action, accepted.code == nil else {
        return false
      }
      return try session.means(id, accepted.match, player)
    }
    if case .matchJoined(let ticket) = try reply?.accepted() {
      return try session.report(.joined, ticket, player)
    }
    let match = try session.match(
      id, player, fitting: { $0.invitations.map(\.id) },
      nothing: { _ in .nothing("Nobody has invited you.", next: "cubist start") })
    try session.report(.joined, player.accept(match), player)
  }
}

/// `cubist decline`
struct Decline: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Decline an invitation, or many.",
    usage: "cubist decline [<id> | --all | --from <name>] [--block] [--yes] [<options>]",
    discussion: """
      EXAMPLES:
        cubist decline 3fa2
        cubist decline --all
        cubist decline --from mallory --block
        cubist decline --all --block --yes

      To decline a rematch: cubist rematch ID --decline
      """)

  @Argument(help: IDArgument.help, completion: Completion.invitations) var id: String?

  @Flag(help: "Decline all invitations.") var all = false

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("Decline all invitations of a player.", valueName: "name"),
    completion: Completion.players, transform: NameArgument.name)
  var sender: PlayerName?

  @Flag(help: "With --all or --from: also block the inviting players.") var block = false

  @Flag(help: "Do not ask. Nobody is asked where the input is no terminal.") var yes = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    if id != nil, all || sender != nil {
      throw ValidationError("Name one invitation, or say --all or --from.")
    }
    if all, sender != nil { throw ValidationError("Say --all or --from, not both.") }
    if block, !all, sender == nil {
      throw ValidationError("--block goes with --all or --from. Else: cubist block NAME")
    }
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    if all || sender != nil {
      let cleanup = InvitationCleanup(sender: sender, blocks: block, asks: !yes && !options.json)
      return try cleanup.perform(player, session)
    }
    let reply = try session.resumed { action in
      guard case .invitationDeclined(let declined) = action else { return false }
      return try session.means(id, declined.match, player)
    }
    if case .done(.invitationDeclined, let match, let version) = try reply?.accepted() {
      return try session.report("declined", match, version)
    }
    let match = try session.match(
      id, player, fitting: { $0.invitations.map(\.id) },
      nothing: { _ in .nothing("Nobody has invited you.", next: "cubist home") })
    let version: Int64
    do throws(ClientError) {
      version = try player.decline(match)
    } catch {
      if case .refused(_, _, .notInvited?) = error { try checkSender(of: match, session, player) }
      throw error
    }
    try session.report("declined", match, version)
  }

  /// One's own invitation is withdrawn, not declined.
  private func checkSender(
    of match: MatchID, _ session: CommandSession, _ player: Player
  ) throws {
    let text = session.text(try player.match(match), player)
    guard text.view.stage == .waiting, text.seat != nil else { return }
    throw CommandFailure(
      .refused, "ownInvitation", "Match \(text.short) is your own. It can be withdrawn.",
      next: ["cubist withdraw \(text.short)"])
  }
}

/// `cubist withdraw`
struct Withdraw: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take back a request or invitation that nobody has taken.",
    usage: "cubist withdraw [<id>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist withdraw
        cubist withdraw 3fa2
      """)

  @Argument(help: IDArgument.help, completion: Completion.running) var id: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      guard case .requestWithdrawn(let withdrawn) = action else { return false }
      return try session.means(id, withdrawn.match, player)
    }
    if case .done(.withdrawn, let match, let version) = try reply?.accepted() {
      return try session.report("withdrawn", match, version)
    }
    let match = try session.match(
      id, player,
      fitting: { $0.matches.filter { $0.stage == .waiting }.map(\.id) },
      nothing: { _ in
        .nothing("Nothing of yours waits for an opponent.", next: "cubist games")
      })
    let version = try session.unlessOwnOffer(match, player) { () throws(ClientError) in
      try player.withdraw(match)
    }
    try session.report("withdrawn", match, version)
  }
}

/// The id of a match as an argument.
enum IDArgument {
  static let help = ArgumentHelp(
    "The match, by its opponent or its last digits; can be left out where only one fits.",
    valueName: "id")
}

extension CommandSession {
  /// Tells about a seat in a match, and shows the cube to people.
  func report(_ result: TicketDocument.Result, _ ticket: MatchTicket, _ player: Player) throws {
    let short = NextStep.short(ticket.match)
    // The seat is taken whether or not the match can be shown now; programs have the ticket.
    let view = console.isJSON ? nil : try? player.match(ticket.match, atLeast: ticket.version)
    let match = view.map {
      MatchText(view: $0, player: player.player, now: now, short: short)
    }
    try console.show(.ticket, TicketDocument(result, ticket)) {
      let head = result == .started ? "Match \(short) begins.\n" : "You are in match \(short).\n"
      // The same holds for a cube that cannot be drawn.
      return head + ((try? match?.text(console.style)) ?? "")
    }
    if let code = ticket.code { console.suggest("cubist join \(code)", to: "your friend") }
    guard let match else { return console.suggest("cubist show \(short)") }
    console.suggest(match.isYourTurn ? "cubist play \(short) WORD" : "cubist watch \(short)")
  }

  /// Tells about something small that was done.
  func report(_ done: String, _ match: MatchID, _ version: Int64) throws {
    try console.show(.done, DoneDocument(done: done, match: match, version: version)) {
      "Match \(NextStep.short(match)) is \(done).\n"
    }
  }
}
