import ServiceNews
import ArgumentParser
import GameScreens
import MatchCore
import MatchWire
import PlayerClient

/// `cubist block`
struct BlockCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "block",
    abstract: "Meet a player no more, or list blocked players.",
    usage: "cubist block [<name>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist block mallory
        cubist block                   list the players that you have blocked

      You two will not meet by chance, invitation, code or rematch. Your running matches go on, \
      and nobody is told.
      """)

  @Argument(
    help: "The player to block.", completion: Completion.players, transform: NameArgument.name)
  var name: PlayerName?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    guard let name else {
      let list = try player.blocks()
      return try session.console.show(.blocks, list) {
        BlockText.text(list, now: session.now, session.console.style)
      }
    }
    session.typed.name = name
    let other = try player.player(named: name)
    if try session.resumed({ $0 == .playerBlocked(other.id) })?.accepted() == nil {
      try player.block(other.id)
    }
    try session.report("blocked", other)
  }
}

/// `cubist unblock`
struct UnblockCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock",
    abstract: "Meet a blocked player again.",
    usage: "cubist unblock <name> [<options>]",
    discussion: """
      EXAMPLES:
        cubist unblock mallory
      """)

  @Argument(
    help: "The player to unblock.", completion: Completion.players, transform: NameArgument.name)
  var name: PlayerName

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    session.typed.name = name
    let other = try player.player(named: name)
    if try session.resumed({ $0 == .playerUnblocked(other.id) })?.accepted() == nil {
      try check(other, session, player)
      try player.unblock(other.id)
    }
    try session.report("unblocked", other)
  }
}

extension UnblockCommand {
  /// Only a blocked player can be unblocked. While something is pending, the blocks are not known.
  private func check(_ other: PlayerView, _ session: CommandSession, _ player: Player) throws {
    guard try session.store().loadPending().events.isEmpty,
      try !player.blocks().players.contains(where: { $0.player == other.id })
    else { return }
    throw CommandFailure(
      .refused, "notBlocked", "You have not blocked \(other.name). There is nothing to undo.",
      next: ["cubist block"])
  }
}

extension CommandSession {
  /// Reports a change about another player.
  fileprivate func report(_ done: String, _ other: PlayerView) throws {
    let document = BlockDocument(done: done, player: other.id, name: other.name)
    try console.show(.block, document) { "\(other.name) is \(done).\n" }
  }
}

/// A player who was blocked or unblocked.
struct BlockDocument: Encodable {
  /// `blocked` or `unblocked`.
  var done: String
  var player: PlayerID
  var name: PlayerName
}

/// The blocked players, as a table.
enum BlockText {
  static func text(_ list: BlockList, now: Instant, _ style: TerminalStyle) -> String {
    guard !list.players.isEmpty else { return "You have blocked nobody.\n" }
    var table = TerminalTable([.init(heading: "Player"), .init(heading: "Since")])
    for row in list.players {
      table.append([row.name.text, Wording.when(row.since, now: now)])
    }
    return table.text(style)
  }
}
