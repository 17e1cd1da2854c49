import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist nudge`
struct NudgeCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "nudge",
    abstract: "Remind the other player of a match of the turn.",
    usage: "cubist nudge [<id>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist nudge
        cubist nudge 3fa2
        cubist nudge ben

      A player can be reminded once a turn, when a quarter of the time for the turn has passed. \
      `cubist show` says from when.
      """)

  @Argument(help: IDArgument.help, completion: Completion.running) var id: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    var earlier: Event.Nudged?
    let reply = try session.resumed { action in
      guard case .nudged(let nudged) = action, try session.means(id, nudged.match, player)
      else { return false }
      earlier = nudged
      return try nudged.turn == player.match(nudged.match).turn
    }
    if let reply, let earlier {
      _ = try reply.accepted()
      return try session.report("nudged", earlier.match, player.match(earlier.match).version)
    }
    let match = try session.match(
      id, player,
      fitting: { home in
        home.matches.filter {
          !$0.yourTurn && $0.stage == .playing && $0.opponent != nil && $0.turnLimit != nil
        }.map(\.id)
      },
      nothing: { _ in
        .nothing("There is no turn that you could remind of.", next: "cubist games")
      })
    let view = try player.match(match)
    try player.nudge(match, turn: view.turn)
    try session.report("nudged", match, view.version)
  }
}

/// `cubist notify`
struct NotifyCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify",
    abstract: "Try your notifications.",
    usage: "cubist notify <subcommand> [<options>]",
    discussion: """
      EXAMPLES:
        cubist notify test
      """,
    subcommands: [TestNotifications.self])

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    throw ValidationError("Say what to do: `cubist notify test`.")
  }
}

/// `cubist notify test`
struct TestNotifications: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Send a notification to all your devices.",
    usage: "cubist notify test [<options>]",
    discussion: """
      EXAMPLES:
        cubist notify test

      It comes at once, also in quiet hours, to each device that allows notifications. \
      `cubist devices` says when something last arrived.
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      if case .notificationTested = action { true } else { false }
    }
    if let reply {
      _ = try reply.accepted()
    } else {
      try player.testNotifications()
    }
    let text = "A notification is on its way to your devices.\n"
    try session.console.show(.text, TextDocument(text: text)) { text }
    session.console.suggest("cubist devices")
  }
}
