import ArgumentParser
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive

struct PlayersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "players",
    abstract: "Show a player: keys, rating, matches, last sign of life.",
    discussion: """
      Examples:
        cubistd players ada
        cubistd players 903d63ca-f284-d62a-a668-ef511361dda4 --json

      The last sign of life is the last event that was answered, as long as answers are kept.
      """)

  @Argument(help: "The player's name or id.")
  var player: String
  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database])
      let connection = try OperatorConnection.open(settings, as: "players")
      let office = PlayerLookup(reader: .live(connection), store: .live(connection))
      let found = try office.find(player)
      Output.out(try json ? found.json() : found.text)
    }
  }
}
