import ServiceNews
import GameScreens
import ArgumentParser
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import TerminalScreen

/// `cubist show`
struct Show: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show a match and its cube.",
    usage: "cubist show [<id> | --code <code>] [--turn <n>] [--svg] [--why] [<options>]",
    discussion: """
      EXAMPLES:
        cubist show
        cubist show 3fa2 --plain       grids of letters with coordinates
        cubist show 3fa2 --svg > cube.svg
        cubist show 3fa2 --why         why chance let you two meet
        cubist show 3fa2 --turn 4      the cube as it stood after turn 4
        cubist show --code CODE        a game that somebody shared

      Without an ID: the only match where it is your turn, else the only match.
      """)

  @Argument(help: IDArgument.help, completion: Completion.games) var id: String?

  @OptionGroup(title: "Somebody else's") var shared: SharedOptions

  @Option(
    parsing: .unconditional,
    help: .init("Show the cube as it stood after so many turns.", valueName: "n"))
  var turn: Int?

  @Flag(help: "Print a picture as SVG.")
  var svg = false

  @Flag(help: "Tell why chance let the players meet.")
  var why = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    try shared.validate(id)
    guard !svg || !why else {
      throw ValidationError("--svg and --why exclude each other. Choose one.")
    }
    guard turn == nil || !why else {
      throw ValidationError("--turn and --why exclude each other. Choose one.")
    }
    guard turn ?? 0 >= 0 else {
      throw ValidationError("--turn takes 0 or more; --turn 0 is the cube as it was dealt.")
    }
    guard !svg || !options.json else {
      throw ValidationError("--svg and --json exclude each other. Choose one.")
    }
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let view: MatchView
    if let code = shared.code {
      view = try player.match(code: code)
    } else {
      view = try player.match(session.shownMatch(id, player))
    }
    let text = session.text(view, player)
    if let turn { return try show(turn, of: MatchStory(view, text), session) }
    if svg {
      return try session.console.raw(Array(text.drawing().canvas(.trueColor).svg().utf8))
    }
    try session.console.show(.match, view) {
      try text.text(session.console.style) + (why ? Wording.why(view.why) : "")
    }
    if let other = view.outcome?.mergedInto {
      session.console.suggest("cubist show \(NextStep.short(other))")
    }
    if text.isInvited { session.console.suggest("cubist accept \(text.short)") }
    if text.isYourTurn { session.console.suggest("cubist play \(text.short) WORD") }
  }
}

extension Show {
  private func show(_ turn: Int, of story: MatchStory, _ session: CommandSession) throws {
    let count = story.turns.count
    guard turn <= count else {
      throw CommandFailure(
        .usage, "noSuchTurn",
        "The match has \(count == 1 ? "1 turn" : "\(count) turns") so far.",
        next: shared.code == nil ? ["cubist replay \(story.text.short)"] : [])
    }
    let drawing = story.drawing(after: turn)
    if svg { return try session.console.raw(Array(drawing.canvas(.trueColor).svg().utf8)) }
    try session.console.show(.replay, story.document(after: turn)) {
      drawing.text(session.console.style)
    }
  }
}

/// `cubist watch`
struct Watch: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Follow a match until it is your turn.",
    usage: "cubist watch [<id>] [--follow] [<options>]",
    discussion: """
      EXAMPLES:
        cubist watch
        cubist watch 3fa2 --follow     until the match is over
        cubist watch 3fa2 --json       a line of JSON for each change
      """)

  @Argument(help: IDArgument.help, completion: Completion.running) var id: String?

  @Flag(help: "Go on until the match is over.")
  var follow = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    var view = try answered(session, player) { try player.match(watchedMatch(session, player)) }
    try show(view, session, player)
    while !isEnough(view, player) {
      session.waitingLabel = "Waiting in match \(session.subject ?? NextStep.short(view.id))"
      let next = try answered(session, player, after: view) {
        try player.match(view.id, newerThan: view.version)
      }
      if next.version > view.version { try show(next, session, player) }
      view = next
    }
  }

  /// The match that is named; else the only one that waits for somebody else, else the only one.
  private func watchedMatch(_ session: CommandSession, _ player: Player) throws -> MatchID {
    try session.match(
      id, player,
      fitting: { home in
        let waiting = home.matches.filter { !$0.yourTurn }
        return (waiting.isEmpty ? home.matches : waiting).map(\.id)
      }, named: .runningOrPast,
      nothing: { _ in .nothing("You have no match that is not over.", next: "cubist start") })
  }

  private func isEnough(_ view: MatchView, _ player: Player) -> Bool {
    guard view.stage != .ended else { return true }
    let isYourTurn =
      view.seats.indices.contains(view.seatToPlay)
      && view.seats[view.seatToPlay].player == player.player
    return isYourTurn && !follow
  }

  private func show(_ view: MatchView, _ session: CommandSession, _ player: Player) throws {
    try session.console.show(.match, view) {
      try session.text(view, player).text(session.console.style)
    }
  }

  /// Asks the service. While it is away it is asked again: a few times, or, with `--follow`, until it
  /// is back.
  /// - Parameter known: The match as it was. `ask` waits for a change of it.
  private func answered(
    _ session: CommandSession, _ player: Player, after known: MatchView? = nil,
    _ ask: () throws -> MatchView
  ) throws -> MatchView {
    var attempt = 0
    var isAway = false
    func noteReturn() {
      if isAway { session.console.say("The service is back.") }
      isAway = false
    }
    while true {
      do {
        // A query that waits would not tell for a while that the service is back.
        if isAway, let known {
          let seen = try player.match(known.id)
          noteReturn()
          if seen.version > known.version { return seen }
        }
        let answer = try ask()
        noteReturn()
        return answer
      } catch let error as ClientError where error.isForNow {
        attempt += 1
        guard follow || attempt < Watch.attempts else { throw error }
        if !isAway { session.console.say("The service is away. Trying again until it is back.") }
        isAway = true
        session.environment.clock.sleep(.seconds(min(attempt, 10)))
      }
    }
  }

  /// How often the service is asked while it is away, where a match is not followed to its end.
  private static let attempts = 5
}

extension ClientError {
  /// Whether the same query may be answered later.
  fileprivate var isForNow: Bool {
    switch self {
    case .unreachable(.notPermitted): false
    case .unreachable, .foreignReply, .queryRefused(_, _, .unavailable?),
      .queryRefused(_, _, .rateLimited?):
      true
    default: false
    }
  }
}

extension CommandSession {
  /// The match to look at.
  func shownMatch(_ id: String?, _ player: Player) throws -> MatchID {
    try match(
      id, player,
      fitting: { home in
        let yours = home.matches.filter(\.yourTurn)
        return (yours.count == 1 ? yours : home.matches).map(\.id)
      }, named: .runningOrPast,
      nothing: { _ in
        .nothing(
          "You have no match that is not over.", next: "cubist start", "cubist games --past")
      })
  }

  /// A match as the player sees it.
  func text(_ view: MatchView, _ player: Player) -> MatchText {
    MatchText(
      view: view, player: player.player, now: now, short: subject ?? NextStep.short(view.id))
  }
}
