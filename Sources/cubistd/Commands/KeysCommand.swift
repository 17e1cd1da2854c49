import ArgumentParser
import MatchCore
import MatchInterfaces

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Revoke players' keys, and take back invitations of devices.",
    discussion: """
      Examples:
        cubistd players ada                    lists a player's keys
        cubistd keys revoke KEY --reason "stolen, says the player by mail"
        cubistd keys uninvite ada --reason "she showed the code to somebody"
      """,
    subcommands: [Revoke.self, Uninvite.self])

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a key: refuse its events and queries from now on.",
      discussion: """
        Every worker refuses its events and queries with keyRevoked afterwards. Accepted events \
        stay, and a match that waits for a turn ends by its deadline. The player's other keys and \
        recovery key stay. This cannot be undone. The last key of a player without words is revoked \
        only with --last: nobody can play as that player then. Operator, time and reason are kept among the \
        operators' acts.
        """)

    @Argument(help: "The key, 64 hexadecimal digits as `cubistd players NAME` shows it.")
    var key: String
    @OptionGroup var reason: ReasonOption
    @Flag(help: "Revoke it even if it is the last key of a player without words.")
    var last = false
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
      guard PublicKey(key) != nil else {
        throw ValidationError("\(key) is no key: 64 hexadecimal digits are one.")
      }
    }

    func run() throws {
      guard let key = PublicKey(key) else { return }
      try Output.reporting { () throws(OperatorFailure) in
        let lookup = try PlayerLookup.open(as: "keys")
        let done = try KeyRevoker(lookup: lookup).revoke(key, reason: reason.text, last: last)
        Output.out(try json ? done.json() : done.text)
      }
    }
  }

  struct Uninvite: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take back a player's invitations of devices that nobody has used.",
      discussion: """
        Their codes are good for nothing from now on. The player's keys stay, and the player may \
        invite anew: revoke a thief's key first. Operator, time and reason are kept among the \
        operators' acts.
        """)

    @Argument(help: "The player's name or id.")
    var player: String
    @OptionGroup var reason: ReasonOption
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let lookup = try PlayerLookup.open(as: "keys")
        let done = try InvitationStopper(lookup: lookup).stop(player, reason: reason.text)
        let document = StoppedInvitations(
          player: "\(done.player.id)", name: done.player.name.text, stopped: done.count)
        let count = PlainText.count(done.count, "invitation")
        Output.out(
          try json ? JSONText.encode(document) : "\(count) of \(done.player.name) taken back.")
      }
    }
  }
}

/// The output of taking back invitations, for a program.
private struct StoppedInvitations: Encodable {
  var schema = "cubistd.invitations/1"
  var player, name: String
  var stopped: Int
}
