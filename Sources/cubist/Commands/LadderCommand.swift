import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist ladder`
struct LadderCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "ladder",
    abstract: "List the ratings of players, and your place.",
    usage: "cubist ladder [--limit <n>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist ladder
        cubist ladder --limit 10

      Everybody with a reliable rating is on it, which takes some rated matches. A rating followed \
      by ? is not reliable any more.
      """)

  @Option(
    parsing: .unconditional, help: .init("How many of the first, 1 to 100.", valueName: "n"))
  var limit = 20

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard Query.Ladder.limits.contains(limit) else {
      throw ValidationError("--limit is \(limit), not 1 to 100.")
    }
  }

  func perform(_ session: CommandSession) throws {
    let ladder = try session.player().ladder(limit: limit)
    try session.console.show(.ladder, ladder) {
      LadderText.text(ladder, session.console.style)
    }
  }
}
