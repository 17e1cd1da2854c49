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

      A player can be reminded once a turn, when a quarter of the time for the turn has passed.
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
