import ServiceNews
import ArgumentParser
import CubePlay
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import TerminalScreen

/// `cubist bot`
struct BotCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "bot",
    abstract: "Let a program play under this profile, so that others have someone to play.",
    usage: """
      cubist bot (--match <id> | --all) [--declare] [--games <number>] [--seconds <number>] \
      [--strength <strength>] [<options>]
      """,
    discussion: """
      EXAMPLES:
        cubist --profile robot register wordy --bot
        cubist --profile robot bot --all
        cubist --profile robot bot --all --games 10 --strength hard
        cubist --profile robot bot --all --seconds 60 --json
        cubist bot --match 3fa2            play this match to its end, nothing else

      It plays for accounts that are declared a bot's: `register --bot` does that, or --declare \
      here. Their games have no place on any board, for good.

      With --all it plays in every match of the profile, and accepts invitations and rematches. \
      It keeps one match open for anyone. Ctrl-C ends it.

      While the service is away it waits, and plays on by itself. The unit \
      cubist-bot@PROFILE.service keeps it running.
      """)

  @Option(
    help: .init("Play only this match, to its end.", valueName: "id"),
    completion: Completion.running)
  var match: String?

  @Flag(help: "Play all matches, and any new one.")
  var all = false

  @Flag(help: "Declare the account a bot's, for good, where it is none yet. Do not ask.")
  var declare = false

  @Option(
    parsing: .unconditional,
    help: .init("End after so many games are over.", valueName: "number"))
  var games: Int?

  @Option(
    parsing: .unconditional, help: .init("End after so many seconds.", valueName: "number"))
  var seconds: Int?

  @Option(
    help: .init("easy, medium or hard.", valueName: "strength"),
    completion: Completion.strengths, transform: StrengthText.strength)
  var strength = BotStrength.medium

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard !all || match == nil else {
      throw ValidationError("--match and --all exclude each other. Choose one.")
    }
    guard (games ?? 1) >= 1, (seconds ?? 1) >= 1 else {
      throw ValidationError("--games and --seconds take 1 or more.")
    }
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    if match == nil, !all { try confirm(session, player) }
    let only = try match.map { text in
      try session.match(
        text, player, fitting: { _ in [] },
        nothing: { _ in .nothing("You have no such match.", next: "cubist games") })
    }
    try declareBot(session, player)
    var habits = only.map { Bot.Habits(only: $0) } ?? Bot.Habits()
    habits.strength = strength
    let bot = Bot(
      player: player, lexicons: session.environment.lexicons,
      randomness: session.environment.randomness, habits: habits)
    session.console.say("Playing. Ctrl-C ends it.")
    try run(bot, player, session)
  }

  /// The options that say how long and how well it plays, each with a space before it.
  private var typedOptions: String {
    (games.map { " --games \($0)" } ?? "") + (seconds.map { " --seconds \($0)" } ?? "")
      + (strength == Bot.Habits().strength ? "" : " --strength \(strength)")
  }

  /// Declares the account a bot's if it is none yet: after a question, or if an option asks for it.
  private func declareBot(_ session: CommandSession, _ player: Player) throws {
    guard try player.settings().bot != true else { return }
    if !declare {
      let name = player.profile.name?.text ?? "this account"
      let question = "The games of \(name) leave the boards for good. Declare \(name) a bot?"
      guard session.environment.inputIsTerminal, !options.json else {
        let which = match.map { " --match \($0)" } ?? " --all"
        throw CommandFailure(
          .usage, "notDeclared", "\(question) Nobody can be asked here: say --declare.",
          next: ["cubist bot\(which) --declare\(typedOptions)"])
      }
      guard try session.confirms(question) else {
        throw CommandFailure(.refused, "notDeclared", "Nothing was played.")
      }
    }
    try player.declareBot()
  }

  /// Has a person say that the bot may play everything.
  private func confirm(_ session: CommandSession, _ player: Player) throws {
    let home = try player.home()
    let index = MatchIndex(home)
    let count = home.matches.count + (home.moreMatches ?? 0)
    let who = player.profile.name.map { " as \($0)" } ?? ""
    let question =
      "Play all your matches\(who), now \(count), and any new one?"
    guard session.environment.inputIsTerminal, !options.json else {
      let isDeclared = try declare || player.settings().bot == true
      let options = (isDeclared && !declare ? "" : " --declare") + typedOptions
      throw CommandFailure(
        .usage, "notConfirmed",
        "\(question) Nobody can be asked here: say --all, or --match ID"
          + (isDeclared ? "." : ", and --declare: it plays for bots alone, for good."),
        next: home.matches.filter(\.yourTurn).prefix(1).map {
          "cubist bot --match \(index.short($0.id))\(options)"
        } + ["cubist bot --all\(options)"])
    }
    guard try session.confirms(question) else {
      throw CommandFailure(.refused, "notConfirmed", "Nothing was played.")
    }
  }

  private func run(_ bot: Bot, _ player: Player, _ session: CommandSession) throws {
    let clock = session.environment.clock
    let start = clock.uptimeNanoseconds()
    var known = try games == nil ? [] : endedGames(player)
    var ended = 0
    // How many times in a row the service did not answer.
    var failures = 0
    let backoff = Backoff(first: .seconds(2), limit: .seconds(30))
    while true {
      var pause: Duration
      do {
        let acts = try bot.step()
        for act in acts { try show(act, session) }
        if let games {
          let now = try endedGames(player)
          ended += now.subtracting(known).count
          known.formUnion(now)
          if ended >= games { return }
        }
        if let only = bot.habits.onlyMatch, try player.match(only).outcome != nil { return }
        if failures > 0 { session.console.say("The service answers again.") }
        failures = 0
        pause = Bot.pause(after: acts)
      } catch let error as ClientError where error.passesByItself {
        if failures == 0 {
          try show(.failed(nil, error), session)
          session.console.say("Waiting until the service answers. Ctrl-C ends it.")
        }
        failures += 1
        pause = backoff.longest(after: failures)
      }
      let elapsed = Int((clock.uptimeNanoseconds() &- start) / 1_000_000_000)
      if let seconds {
        if elapsed >= seconds { return }
        pause = min(pause, .seconds(seconds - elapsed))
      }
      clock.sleep(pause)
    }
  }

  private func show(_ act: Bot.Act, _ session: CommandSession) throws {
    let (document, text) = BotText.describe(act)
    try session.console.show(.bot, document) { text + "\n" }
  }

  private func endedGames(_ player: Player) throws -> Set<MatchID> {
    Set(try player.pastGames(limit: 100).games.map(\.id))
  }
}

extension ClientError {
  /// Whether the same may work a while later without anybody's doing.
  fileprivate var passesByItself: Bool {
    switch self {
    case .pending, .earlierPending, .foreignReply, .unreadable: true
    case .unreachable(.notPermitted): false
    case .unreachable: true
    case .queryRefused(_, _, .unavailable?), .queryRefused(_, _, .rateLimited?): true
    default: false
    }
  }
}

/// A bot's acts, in words.
enum BotText {
  static func describe(_ act: Bot.Act) -> (BotDocument, text: String) {
    switch act {
    case .requested(.started(let ticket)):
      return document("started", ticket.match, "waits for an opponent")
    case .requested(.joined(let ticket)): return document("joined", ticket.match, "was joined")
    case .accepted(let ticket): return document("accepted", ticket.match, "was accepted")
    case .rematched(let match, .started(let ticket)):
      return document("rematch", ticket.match, "is the rematch of \(NextStep.short(match))")
    case .rematched(let match, let progress):
      var (document, text) = document("failed", match, "has no rematch: \(progress)")
      document.error = progress.description
      return (document, text)
    case .played(let receipt):
      let score = receipt.scores.reduce(0, +)
      let end =
        receipt.outcome.map { ", and is over: \(Wording.reason($0.reason, who: "a player"))" } ?? ""
      var (document, text) = document(
        "played", receipt.match, "turn \(receipt.turn) scores \(score)\(end)")
      document.scores = receipt.scores
      document.points = receipt.points
      document.outcome = receipt.outcome
      return (document, text)
    case .failed(let match, let error):
      let about = match.map { "Match \(NextStep.short($0))" } ?? "A request"
      let text = TerminalText.safe("\(about): \(error)")
      return (BotDocument(act: "failed", match: match, error: error.description), text)
    }
  }

  private static func document(
    _ act: String, _ match: MatchID, _ what: String
  ) -> (BotDocument, String) {
    (
      BotDocument(act: act, match: match),
      TerminalText.safe("Match \(NextStep.short(match)) \(what)")
    )
  }
}
