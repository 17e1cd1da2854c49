import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist play`
struct Play: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play a turn.",
    usage: "cubist play [<id>] <word> [<options>]",
    discussion: """
      EXAMPLES:
        cubist play CUBES
        cubist play 3fa2 CUBES --dry-run       print faces and score only
        cubist play CUBES --choice 2           one of several ways
        cubist play CUBES --any                the first of them
        cubist play --faces "122T 121T 222T 221R 221T"
        cubist play CUBES --remove 212         remove a cube, then play the word
        cubist play --remove 212 --remove 202  remove two cubes
      """)

  @Argument(help: .init("The match, where there are several, and the word.", valueName: "word"))
  var idAndWord: [String] = []

  @Option(
    name: .customLong("match"),
    help: .init("The match, where no word is given.", valueName: "id"))
  var matchID: String?

  @OptionGroup(title: "The turn") var turn: TurnOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard idAndWord.count <= 2 else {
      throw ValidationError("Give an ID and a WORD, or a WORD alone.")
    }
    guard idAndWord.count < 2 || matchID == nil else {
      throw ValidationError("The match is named twice. Leave out --match.")
    }
    guard !idAndWord.isEmpty || turn.faces != nil || !turn.remove.isEmpty else {
      throw ValidationError("There is nothing to play. Give a WORD, --faces or --remove.")
    }
  }

  func perform(_ session: Session) throws {
    let id = idAndWord.count == 2 ? idAndWord[0] : matchID
    let command = "cubist play" + (id.map { " \($0)" } ?? "")
    let turnPlayer = TurnPlayer(
      session: session, command: command, id: id, word: idAndWord.last, turn: turn)
    try turnPlayer.play { player in
      try session.match(
        id, player, fitting: { $0.matches.filter(\.yourTurn).map(\.id) },
        nothing: .nothing(
          "There is no match where it is your turn.", next: "cubist watch", "cubist start"))
    }
  }
}
