import ArgumentParser
import MatchCore
import MatchInterfaces

struct AccountsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "Export everything that is kept of a player, or end an account.",
    discussion: """
      Examples:
        cubistd accounts export ada > ada.json
        cubistd accounts delete ada --reason "asked by mail" --confirm ada
      """,
    subcommands: [Export.self, Delete.self])

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print everything that is kept of a player, as one JSON object.",
      discussion: """
        Each section has the rows of one table, as they are stored. Records are not in it: \
        `cubist export` has them. Operator, time and reason are kept among the operators' acts.
        """)

    @Argument(help: "The player's name or id.")
    var player: String
    @OptionGroup var reason: ReasonOption

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let lookup = try PlayerLookup.open(as: "accounts")
        Output.out(try AccountEnder(lookup: lookup).export(player, reason: reason.text))
      }
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a player's account at once, for ever.",
      discussion: """
        The name, all keys, settings, devices, invitations, words and blocks go, and the player \
        leaves all boards. Matches, records, results and ratings stay under the id, which names \
        nobody. Running matches end within seconds, as if the player had given them up. Nobody can \
        take the name for 90 days. This cannot be undone. Operator, time and reason are kept among \
        the operators' acts: name nobody in the reason.
        """)

    @Argument(help: "The player's name or id.")
    var player: String
    @OptionGroup var reason: ReasonOption
    @Option(help: "The player's name once more.")
    var confirm: String
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let lookup = try PlayerLookup.open(as: "accounts")
        let done = try AccountEnder(lookup: lookup).end(player, confirm, reason: reason.text)
        let document = EndedAccount(player: "\(done)")
        Output.out(
          try json
            ? JSONText.encode(document)
            : "The account \(done) has ended. Its name is free in 90 days."
        )
      }
    }
  }
}

/// The output of the end of an account, for a program.
private struct EndedAccount: Encodable {
  var schema = "cubistd.account/1"
  var player: String
  var isGone = true
}
