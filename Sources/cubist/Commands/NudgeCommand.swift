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
      `cubist devices` says when something last arrived. Without such a device the service only \
      tells the operator's own receiver, if there is one.
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let devices = try player.settings().devices
    let reply = try session.resumed { action in
      if case .notificationTested = action { true } else { false }
    }
    if let reply {
      _ = try reply.accepted()
    } else {
      try player.testNotifications()
    }
    let takers = devices.count(where: \.takesNotifications)
    let text = TestNotifications.text(of: devices.count, takers: takers)
    try session.console.show(.text, TextDocument(text: text)) { text }
    session.console.suggest(
      takers == 0 ? "cubist devices add phone --token TOKEN" : "cubist devices")
  }

  /// The outlook of a test on so many devices, of which some take notifications.
  static func text(of count: Int, takers: Int) -> String {
    switch (count, takers) {
    case (0, _):
      """
      You have no device, so nothing will arrive on one. Turn notifications on in your browser, \
      below Settings on the page, or add a device here.

      """
    case (_, 0):
      """
      None of your devices takes notifications, so nothing will arrive on one. `cubist devices` \
      shows their permissions and services. Allow notifications there, or add a device here.

      """
    case (_, 1): "A notification is on its way to your device.\n"
    default: "A notification is on its way to \(takers) devices.\n"
    }
  }
}

extension DeviceView {
  /// Whether the service may send something there, and knows where to.
  fileprivate var takesNotifications: Bool {
    hasToken && Device.Permission(rawValue: permission)?.admits == true
  }
}
