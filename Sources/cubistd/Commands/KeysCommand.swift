import ArgumentParser
import MatchCore
import MatchInterfaces
import MatchService

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Revoke players' keys.",
    discussion: """
      Examples:
        cubistd players ada                    lists a player's keys
        cubistd keys revoke KEY --reason "stolen, says the player by mail"
      """,
    subcommands: [Revoke.self])

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a key: refuse its events and queries from now on.",
      discussion: """
        Every worker refuses its events and queries with keyRevoked afterwards. Accepted events \
        stay, and a match that waits for a turn ends by its deadline. The player's other keys and \
        recovery key stay. This cannot be undone. Operator, time and reason are kept among the \
        operators' acts.
        """)

    @Argument(help: "The key, 64 hexadecimal digits as `cubistd players NAME` shows it.")
    var key: String
    @Option(help: "The reason, in a few words.")
    var reason: String
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
      guard PublicKey(key) != nil else {
        throw ValidationError("\(key) is no key: 64 hexadecimal digits are one.")
      }
      try checkReason(reason)
    }

    func run() throws {
      guard let key = PublicKey(key) else { return }
      try OperatorConnection.withStore(as: "keys") { store throws(OperatorFailure) in
        try KeyRevoker(store: store).revoke(key, reason: reason)
        let done = RevokedKey(key: key.description)
        Output.out(try json ? done.json() : "The key \(key) is revoked.")
      }
    }
  }
}

/// The output of revoking a key, for a program.
private struct RevokedKey: Encodable {
  var schema = "cubistd.key/1"
  var key: String
  var isRevoked = true

  func json() throws(OperatorFailure) -> String { try JSONText.encode(self) }
}
