import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist react`
struct React: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Answer the last turn of a match with a word that was played in it.",
    usage: "cubist react [<id>] <word> [<options>]",
    discussion: """
      EXAMPLES:
        cubist react CUBES
        cubist react 3fa2 CUBES
        cubist react ben CUBES

      A turn can be answered once, while it is the last one. The other player sees the word in \
      the match and as a notification.
      """)

  @Argument(
    help: .init("The match, where there are several, and the word.", valueName: "word"),
    completion: Completion.running)
  var idAndWord: [String]

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard idAndWord.count <= 2 else {
      throw ValidationError("Give an ID and a WORD, or a WORD alone.")
    }
  }

  func perform(_ session: CommandSession) throws {
    let id = idAndWord.count == 2 ? idAndWord[0] : nil
    let word = (idAndWord.last ?? "").uppercased()
    let player = try session.player()
    let reply = try session.resumed { action in
      guard case .reacted(let earlier) = action else { return false }
      // The same word may answer a later turn as well.
      return try earlier.word == word && session.means(id, earlier.match, player)
        && earlier.turn == player.match(earlier.match).turns.count
    }
    if case .done(.reacted, let match, let version) = try reply?.accepted() {
      return try session.report("answered", match, version)
    }
    let match = try session.match(
      id, player,
      fitting: { home in
        home.matches.filter {
          $0.yourTurn && $0.stage == .playing && $0.opponent != nil && $0.turn > 1
        }.map(\.id)
      },
      nothing: { _ in .nothing("There is no turn that you could answer.", next: "cubist games") })
    let version = try player.react(with: word, in: player.match(match))
    try session.report("answered", match, version)
  }
}
