import ArgumentParser
import Glibc
import MatchInterfaces
import MatchService

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the service: workers, queues, clocks, outbox, dead letters.",
    discussion: """
      Examples:
        cubistd status
        cubistd status --all                 every worker, role and queue
        cubistd status --watch               again each five seconds, until Ctrl-C
        cubistd status --json | jq .attention

      Names the worst first, each with the command to begin with.

      Needs CUBIST_DATABASE; shows the lengths of queues with CUBIST_BROKER and \
      CUBIST_BROKER_MANAGEMENT, and asks the gateway of this machine with CUBIST_GATEWAY_LISTEN. \
      A server or a table that does not answer is named, and the rest is shown anyway. Exits \
      with 1 if something needs attention, with 69 if PostgreSQL or RabbitMQ does not answer.
      """)

  @Flag(help: "Print one JSON object; with --watch one a line, again and again.")
  var json = false
  @Flag(help: "Show every worker, role and queue, and every finding with its remedy.")
  var all = false
  @Flag(help: "Look again each five seconds. Ctrl-C ends it with 0 if all is well, with 1 if not.")
  var watch = false

  func run() throws {
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database])
      if watch { return try keepWatching(settings) }
      let report = try StatusReport.gather(settings)
      Output.out(try shown(report))
      if let failure = report.failure { throw failure }
      let count = report.findings().count
      guard count == 0 else {
        throw .wrong(count == 1 ? "1 thing needs attention" : "\(count) things need attention")
      }
    }
  }

  private func shown(_ report: StatusReport) throws(OperatorFailure) -> String {
    try json ? report.json() : all ? report.text() : report.screen()
  }

  /// Looks again and again until a signal comes.
  private func keepWatching(_ settings: ServiceSettings) throws(OperatorFailure) {
    Signals.listen(leavingAtOnceAfter: 2)
    let isDrawn = !json && isatty(STDOUT_FILENO) == 1
    var isWell = true
    var tried = TriedLogins()
    while !Signals.stop.isAsked {
      let report = try StatusReport.gather(settings, trying: &tried)
      isWell = report.findings().isEmpty
      // Home, and the rest of the screen is cleared, so that nothing flickers.
      let text = try shown(report)
      Output.out(isDrawn ? "\u{1B}[H\u{1B}[J\(text)" : json ? text : "\(text)\n")
      for _ in 0..<50 where !Signals.stop.isAsked { WallClock.live.sleep(.milliseconds(100)) }
    }
    guard isWell else { throw .wrong("something needs attention") }
  }
}
