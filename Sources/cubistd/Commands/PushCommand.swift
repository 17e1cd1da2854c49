import ArgumentParser
import BrokerManagement
import EventBusLive
import MatchInterfaces
import MatchService
import MatchWire

struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Show what is owed to players by notification, and what became of a job.",
    discussion: """
      Examples:
        cubistd push status
        cubistd push explain 5f0d8f0c-2b11-3c51-7c3e-9a400190b8d2
        cubistd push explain 5f0d8f0c
      """,
    subcommands: [Status.self, Explain.self])

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what is owed, and the answers and ends of the last hour.",
      discussion: """
        Needs CUBIST_DATABASE; shows the queues of push jobs with CUBIST_BROKER_MANAGEMENT. If \
        that does not answer, the rest is shown, and the command exits with 69. \
        `cubistd status` says whether anything needs attention.
        """)

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let settings = try ServiceSettings.load(needing: [.database])
        let store = try OperatorConnection.store(settings, as: "push")
        var report = PushReport(figures: try onStore(try store.pushFigures()))
        let failure = try report.readQueues(settings)
        Output.out(try json ? report.json() : report.text)
        if let failure { throw failure }
      }
    }
  }

  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tell the story of a push job.",
      discussion: """
        The id stands in the log of the push worker, in the operator's receiver and in the \
        payload of a notification. Exits with 3 if the database does not know the job.
        """)

    @Argument(help: "The job's id, or its first digits, at least four.")
    var job: String
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try OperatorConnection.withStore(as: "push") { store throws(OperatorFailure) in
        let found = try PushExplainer(store: store).explain(job)
        Output.out(try json ? found.json() : found.text)
      }
    }
  }
}

extension PushReport {
  /// Asks the management API, if the settings name it, for the queues.
  /// - Returns: Why it does not answer.
  mutating func readQueues(
    _ settings: ServiceSettings
  ) throws(OperatorFailure) -> OperatorFailure? {
    guard let administration = try settings.administration() else { return nil }
    let host = try settings.virtualHost()
    let names = PushReport.queueNames(Names())
    do throws(OperatorFailure) {
      let found = try onManagement(try administration.queues(in: host))
      queues = .told(
        found.filter { names.contains($0.name) }
          .map { PushReport.Queue(name: $0.name, jobs: $0.total) })
      missingQueues = names.subtracting(found.map(\.name)).sorted()
      return nil
    } catch {
      queues = .unanswered
      return error
    }
  }
}
