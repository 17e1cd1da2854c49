import ArgumentParser
import EventBusLive
import MatchInterfaces
import MatchService
import MatchWire

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say how the service stands: workers, queues, clocks, outbox, dead letters.",
    discussion: """
      Examples:
        cubistd status
        cubistd status --json | jq .attention

      Needs CUBIST_DATABASE, and CUBIST_BROKER with CUBIST_BROKER_MANAGEMENT to see how long the \
      queues are. What does not answer is named, and the rest is shown all the same. Exits with 1 \
      if something needs attention, with 69 if a server does not answer.
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
      guard count == 0 else { throw .wrong("\(count) things need attention") }
    }
  }
}

extension StatusReport {
  /// Asks the database and, where the settings name them, the broker and its management API. What
  /// does not answer is among the report's failures.
  /// - Throws: `settings` where they cannot be read.
  static func gather(_ settings: ServiceSettings) throws(OperatorFailure) -> StatusReport {
    var report = StatusReport(layout: settings.layout)
    let account = settings.broker.isEmpty ? nil : try settings.brokerAccount()
    let administration = try settings.administration()
    _ = try settings.databaseSettings()
    report.ask { report throws(OperatorFailure) in
      let store = try OperatorConnection.store(settings, as: "status")
      try onStore { () throws(StoreError) in
        report.service = try store.service()?.service
        report.registrationNeedsCode = try store.registrationNeedsCode()
        report.status = try store.status()
        report.keyTerm = KeyTerm(latestOf: try store.service()?.certificates ?? [])
      }
    }
    // Another machine may have renewed it, and this one lack the new key file.
    if !settings.serviceKeys.isEmpty { report.ownKeyTerm = try? settings.identity().term }
    if let account {
      report.ask { report throws(OperatorFailure) in
        report.counts = try onBroker { () throws(BusError) in
          try QueueCount.of(report.layout.queueNames, at: account.address)
        }
      }
    }
    if let administration {
      report.ask { report throws(OperatorFailure) in
        try onManagement { () throws(ManagementError) in
          report.queues = try administration.queues(in: account?.virtualHost ?? "/")
          report.alarms = try administration.alarms()
        }
      }
    }
    return report
  }

  private mutating func ask(
    _ question: (inout StatusReport) throws(OperatorFailure) -> Void
  ) {
    do throws(OperatorFailure) { try question(&self) } catch { failures.append(error) }
  }
}

extension QueueLayout {
  /// The queues that a service always has.
  fileprivate var queueNames: [String] {
    let names = Names()
    return (0..<queueCount).map { names.events(queue: $0) } + [names.push, names.queries]
  }
}
