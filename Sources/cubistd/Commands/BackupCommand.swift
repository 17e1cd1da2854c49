import ArgumentParser
import MatchInterfaces
import MatchService

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write a dump of the database, and copies of the keys apart from it.",
    discussion: """
      Examples:
        cubistd backup /backup
        cubistd backup /backup --keys /safe/keys       copies the keys, too
        cubistd backup /backup --json

      The dump is as of one moment, while the service runs. PostgreSQL's own pg_dump writes it, in \
      its custom format; pg_restore reads it again to its end, and restores it. Needs \
      CUBIST_DATABASE; for --keys also CUBIST_SERVICE_KEYS. The key of Web Push is copied if it is \
      set; the root key never. docs/operating.md tells how to restore.
      """)

  @Argument(help: "The folder for the dump. It is made if it is missing.")
  var folder: String
  @Option(help: "The folder for copies of the keys, apart from that of the dump.")
  var keys: String?
  @Option(
    help: "The folder with pg_dump and pg_restore; unless given, those of the server's version.")
  var tools: String?
  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    try Output.reporting { () throws(OperatorFailure) in
      var backup = Backup(
        settings: try ServiceSettings.load(
          needing: keys == nil ? [.database] : [.database, .serviceKeys]))
      backup.tools = tools
      let report = try backup.run(into: folder, keysInto: keys)
      Output.out(try json ? JSONText.encode(report) : report.text)
    }
  }
}
