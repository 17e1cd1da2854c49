import ArgumentParser
import GameScreens
import MatchCore
import MatchWire
import PlayerClient

/// `cubist replay`
struct ReplayCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Look at a match again, turn after turn.",
    usage: "cubist replay [<id> | --code <code>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist replay                  the game that ended last
        cubist replay 3fa2
        cubist replay --code CODE      a game that somebody shared
        cubist replay --json           a line of JSON for each turn

      On a terminal it opens on the whole screen at its first turn. Page down goes on, the space \
      bar replays by itself. Elsewhere each turn is printed.
      """)

  @Argument(help: IDArgument.help) var id: String?

  @OptionGroup(title: "Somebody else's") var shared: SharedOptions

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws { try shared.validate(id) }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    // An unknown code is reported here. A screen would ask for it again and again.
    let seen = try shared.code.map { try player.match(code: $0) }
    let match = try seen?.id ?? self.match(session, player)
    if session.hasScreen {
      return try session.openScreen(
        at: shared.code == nil ? match : nil, code: shared.code, isReplay: true, rings: false)
    }
    let view = try seen ?? player.match(match)
    let story = try MatchStory(view, session.text(view, player))
    guard !story.turns.isEmpty || session.console.isJSON else {
      return try session.console.raw(Array("Nothing has been played yet.\n".utf8))
    }
    for turn in view.turns.indices {
      try session.console.show(.replay, story.document(after: turn + 1)) {
        try story.text(ofTurn: turn + 1, session.console.style) + "\n"
      }
    }
    if !session.console.isJSON {
      try session.console.raw(Array("\(story.text.status).\n".utf8))
    }
  }

  /// The named match; else the game that ended last.
  private func match(_ session: CommandSession, _ player: Player) throws -> MatchID {
    let nothing = CommandFailure.nothing(
      "You have no game that is over.", next: "cubist games")
    guard let id else { return try session.lastGame(player, nothing: nothing) }
    return try session.match(
      id, player, fitting: { $0.matches.map(\.id) }, named: .runningOrPast,
      nothing: { _ in nothing })
  }
}
