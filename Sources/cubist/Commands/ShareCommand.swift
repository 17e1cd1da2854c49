import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist share`
struct Share: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a code with which others can see a game of yours.",
    usage: "cubist share [<id>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist share                   the game that ended last
        cubist share 3fa2
        cubist show --code CODE        typed by the other player

      A match can be shared once it is over, a daily challenge after its day, a solo game at any \
      time. The code of a game never changes, and cannot be taken back.
      """)

  @Argument(help: IDArgument.help, completion: Completion.games) var id: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      guard case .gameShared(let shared) = action else { return false }
      return try session.means(id, shared.match, player)
    }
    if case .gameShared(let match, let code) = try reply?.accepted() {
      return try report(session, match, code)
    }
    let match = try match(session, player)
    try report(session, match, player.share(match))
  }

  /// The named match; else the game that ended last and can be shared.
  private func match(_ session: CommandSession, _ player: Player) throws -> MatchID {
    let nothing = CommandFailure.nothing(
      "You have no game that can be shared yet.", next: "cubist games")
    if let id {
      return try session.match(
        id, player, fitting: { $0.matches.filter { $0.kind == .solo }.map(\.id) }, named: .past,
        nothing: { _ in nothing })
    }
    return try session.lastGame(
      player, where: { $0.daily.map { $0.day.end <= session.now } ?? true }, nothing: nothing)
  }

  private func report(_ session: CommandSession, _ match: MatchID, _ code: ShareCode) throws {
    try session.console.show(.share, ShareDocument(match: match, code: code)) {
      "Match \(NextStep.short(match)) can be seen with the code \(code).\n"
    }
    session.console.suggest("cubist show --code \(code)", to: "the other player")
  }
}
