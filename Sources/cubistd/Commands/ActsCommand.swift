import ArgumentParser
import CubistBasics
import MatchInterfaces

struct ActsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "acts",
    abstract: "List the operators' acts, the newest first.",
    discussion: """
      Examples:
        cubistd acts --limit 20
        cubistd acts --json | jq -r '.acts[] | "\\(.at) \\(.act): \\(.detail)"'

      Such as matches ended, annulled or rebuilt, keys revoked, invitations taken back, recoveries \
      stopped, words hidden, working keys renewed, dead letters discarded. Each has its operator.
      """)

  @OptionGroup var list: ListOptions

  func run() throws {
    try OperatorConnection.withStore(as: "acts", reads: true) { store throws(OperatorFailure) in
      let acts = try onStore(try store.acts(list.limit))
      Output.out(try list.json ? OperatorActs.json(acts) : OperatorActs.text(acts))
    }
  }
}

/// The operators' acts.
enum OperatorActs {
  static func text(_ acts: [ActRow]) -> String {
    guard !acts.isEmpty else { return "Nothing was done yet." }
    return TextTable(
      header: ["at", "act", "with"],
      rows: acts.map { ["\($0.at)", $0.act, PlainText.oneLine($0.detail)] }
    ).lines.joined(separator: "\n")
  }

  static func json(_ acts: [ActRow]) throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Act: Encodable {
        var act, at, detail: String
      }
      var schema = "cubistd.acts/1"
      var acts: [Act]
    }
    return try JSONText.encode(
      Document(
        acts: acts.map { Document.Act(act: $0.act, at: "\($0.at)", detail: $0.detail) }))
  }
}
