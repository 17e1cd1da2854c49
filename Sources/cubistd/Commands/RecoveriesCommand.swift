import ArgumentParser
import MatchCore
import MatchInterfaces

struct RecoveriesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recoveries",
    abstract: "Stop players' recoveries.",
    discussion: """
      Examples:
        cubistd players ada                    shows the recovery that is under way
        cubistd recoveries stop ada --reason "her words were stolen, she says by mail"
      """,
    subcommands: [Stop.self])

  struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop the recovery of a player before it takes effect.",
      discussion: """
        The player's keys and words stay. Somebody with the words can ask again, at most once an \
        hour. So the player has to make other words. They count after 72 hours, unless a recovery \
        is under way then: stop that one, too. Operator, time and reason are kept among the \
        operators' acts.
        """)

    @Argument(help: "The player's name or id.")
    var player: String
    @OptionGroup var reason: ReasonOption
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let lookup = try PlayerLookup.open(as: "recoveries")
        let done = try RecoveryStopper(lookup: lookup).stop(player, reason: reason.text)
        let document = StoppedRecovery(
          player: "\(done.player.id)", name: done.player.name.text, recovery: "\(done.recovery)")
        Output.out(
          try json
            ? JSONText.encode(document)
            : "The recovery \(done.recovery) of \(done.player.name) is stopped.")
      }
    }
  }
}

/// The output of stopping a recovery, for a program.
private struct StoppedRecovery: Encodable {
  var schema = "cubistd.recovery/1"
  var player, name, recovery: String
  var isStopped = true
}
