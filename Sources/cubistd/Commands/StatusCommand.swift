import ArgumentParser
import MatchService

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the service: workers, queues, clocks, outbox, dead letters.",
    discussion: """
      Examples:
        cubistd status
        cubistd status --json | jq .attention

      Needs CUBIST_DATABASE; shows the lengths of queues with CUBIST_BROKER and \
      CUBIST_BROKER_MANAGEMENT. A server or a table that does not answer is named, and the rest is \
      shown anyway. Exits with 1 if something needs attention, with 69 if a server does not answer.
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database])
      let report = try StatusReport.gather(settings)
      Output.out(try json ? report.json() : report.text())
      if let failure = report.failures.first { throw failure }
      let count = report.findings().count
      guard count == 0 else {
        throw .wrong(count == 1 ? "1 thing needs attention" : "\(count) things need attention")
      }
    }
  }
}
