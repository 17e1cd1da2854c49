import ArgumentParser
import EventBusLive
import MatchInterfaces
import MatchService

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say how the service stands: workers, queues, clocks, outbox, dead letters.",
    discussion: """
      Examples:
        cubistd status
        cubistd status --json | jq .attention

      Needs CUBIST_DATABASE, and CUBIST_BROKER with CUBIST_BROKER_MANAGEMENT to see how long the \
      queues are. Exits with 1 if something needs attention.
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database])
      let report = try StatusReport.gather(settings)
      Output.out(try json ? report.json() : report.text())
      let count = report.attention().count
      guard count == 0 else { throw .wrong("\(count) things need attention") }
    }
  }
}

extension StatusReport {
  /// Asks the database and, where the settings name it, the broker.
  static func gather(_ settings: ServiceSettings) throws(OperatorFailure) -> StatusReport {
    let store = try OperatorConnection.store(settings, as: "status")
    var report = try onStore { () throws(StoreError) in
      StatusReport(
        service: try store.service()?.service,
        registrationNeedsCode: try store.registrationNeedsCode(), status: try store.status(),
        layout: settings.layout, queues: nil, alarms: [])
    }
    let certificates = try onStore(store.service)?.certificates ?? []
    report.keyTerm = KeyTerm(latestOf: certificates)
    // Another machine may have renewed it, and this one lack the new key file.
    if !settings.serviceKeys.isEmpty { report.ownKeyTerm = try? settings.identity().term }
    guard let administration = try settings.administration() else { return report }
    let host = settings.broker.isEmpty ? "/" : try settings.brokerAccount().virtualHost
    try onManagement { () throws(ManagementError) in
      report.queues = try administration.queues(in: host)
      report.alarms = try administration.alarms()
    }
    return report
  }
}
