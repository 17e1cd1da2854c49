import ArgumentParser
import MatchInterfaces

struct PlayersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "players",
    abstract: "Show a player: keys, recovery, rating, matches, last sign of life, reports.",
    discussion: """
      Examples:
        cubistd players ada
        cubistd players 903d63ca-f284-d62a-a668-ef511361dda4 --json
        cubistd players --reported --limit 50

      The last sign of life is the last event that was answered, as long as answers are kept. \
      Reports of other players are kept 180 days, or CUBIST_KEEP_REPORTS. --reported lists the \
      reported players, each with the newest report. The list of one player has at most 3 reports \
      by each other player. The \
      column "reporters" says how many different players report the player.
      """)

  @Argument(help: "The player's name or id.")
  var player: String?
  @Flag(help: "List all reported players, each with the newest report.")
  var reported = false
  @Option(help: "How many reports, 1 to 10000.")
  var limit = 20
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    try checkLimit(limit, atMost: 10_000)
    guard (player != nil) != reported else {
      throw ValidationError("Give a player's name or id, or --reported for the newest reports.")
    }
  }

  func run() throws {
    try Output.reporting { () throws(OperatorFailure) in
      let office = try PlayerLookup.open(as: "players", reads: true)
      if let player {
        let found = try office.find(player, reports: limit)
        Output.out(try json ? found.json() : found.text)
      } else {
        let found = try office.reports(about: nil, limit: limit)
        Output.out(try json ? found.json() : found.text)
      }
    }
  }
}
