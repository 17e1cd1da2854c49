import ArgumentParser
import BrokerManagement
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import SystemCalls

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Compare everything in the database with the records, while the service runs.",
    discussion: """
      Examples:
        cubistd check
        cubistd check --json
        cubistd check --after 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11   go on after it
        cubistd check --after-restore receipts   what players hold and it has not

      Replays every record and compares states, past games, replies and push jobs with it. Then it \
      looks for every event that a kept reply reports as done, and for the signed messages behind \
      keys, recovery keys and recoveries. Needs CUBIST_DATABASE and \
      CUBIST_SERVICE_KEYS; with CUBIST_BROKER_MANAGEMENT it also finds missing push jobs, as long \
      as none waits in a queue. If that does not answer, the rest is checked, and the command exits \
      with 69. Ctrl-C ends it, and prints the findings so far and the command \
      that continues. Exits with 1 if something is wrong.

      --after-restore compares no records. It reads a folder with a folder for each player, with \
      profile.json and journal.jsonl of the player's program, and names each accepted event that \
      the database does not have.
      """)

  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(help: "Check only the matches after this one, in the order of ids.")
  var after: String?
  @Option(
    help: .init(
      "Compare the answers that players kept with this database.", valueName: "folder"))
  var afterRestore: String?
  @OptionGroup var threading: ThreadOptions

  func validate() throws {
    if after != nil, afterRestore != nil {
      throw ValidationError("--after continues a check of records, --after-restore begins none.")
    }
  }

  func run() throws {
    if let afterRestore { return try compareReceipts(in: afterRestore) }
    Signals.listen(leavingAtOnceAfter: 2)
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database, .serviceKeys])
      let first = try after.map { text throws(OperatorFailure) in try MatchID(argument: text) }
      var check = try LiveCheck(settings, as: "check")
      check.threadCount = threading.threads
      check.isStopped = { Signals.stop.isAsked }
      var bar = ProgressBar(isShown: !json)
      let result = try check.run(after: first) { result, total in
        bar.draw(result.matchCount, of: total, result.progressText)
      }
      bar.clear()
      Output.out(try json ? result.json() : result.text())
      if let note = result.queueNote { Output.note(note) }
      if !result.isComplete, let last = result.last {
        Output.note("Go on with: cubistd check --after \(last)")
      }
      if let failure = result.failure { throw failure }
      // In a copy of the database everything may hold, while its roles take the service's events.
      try BrokerWatch.look(settings, as: "check")
      guard result.allViolations.isEmpty else {
        throw .wrong(PlainText.count(result.allViolations.count, "violation"))
      }
      guard result.isComplete else { throw .interrupted(status: Signals.exitStatus) }
      if let failure = result.queueFailure { throw failure }
    }
  }
}

extension CheckCommand {
  private func compareReceipts(in folder: String) throws {
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database])
      let connection = try OperatorConnection.open(settings, as: "check", reads: true)
      guard let owner = try onStore(try OperatorStore.live(connection).service()) else {
        throw .wrong("The database belongs to no service yet: run cubistd setup.")
      }
      var report = try RestoreCheck(
        store: .live(connection), service: owner.service, retention: settings.retention
      ).run(folder)
      var queueFailure: OperatorFailure?
      do throws(OperatorFailure) { report.waiting = try settings.waitingEventCount() } catch {
        guard case .management = error else { throw error }
        (queueFailure, report.waiting) = (error, .unanswered)
      }
      Output.out(try json ? report.json() : report.text)
      guard report.losses.isEmpty else {
        throw .wrong(PlainText.count(report.losses.count, "loss", "losses"))
      }
      if let queueFailure { throw queueFailure }
    }
  }
}

extension ServiceSettings {
  /// How many events wait in the broker's queues.
  fileprivate func waitingEventCount() throws(OperatorFailure) -> ManagementAnswer<Int> {
    guard let administration = try administration() else { return .unset }
    let host = try virtualHost()
    let names = Names()
    let queues = Set((0..<layout.queueCount).map { names.events(queue: $0) })
    let found = try onManagement(try administration.queues(in: host))
    return .told(found.filter { queues.contains($0.name) }.reduce(0) { $0 + $1.total })
  }
}

extension MatchID {
  /// A match that an argument names.
  init(argument text: String) throws(OperatorFailure) {
    guard let match = MatchID(text) else { throw .unreadable("\"\(text)\" is no match's id") }
    self = match
  }
}

extension LiveCheck.Result {
  var progressText: String {
    "\(matches), \(entries)" + (replyCount > 0 ? ", \(replies)" : "")
      + (violations.isEmpty ? "" : ", \(violations.count) to look at again")
  }

  private var matches: String { PlainText.count(matchCount, "match", "matches") }
  private var entries: String { PlainText.count(entryCount, "entry", "entries") }
  private var replies: String { PlainText.count(replyCount, "reply", "replies") }

  /// That missing push jobs were not found, with the reason; nil: they were, unless some job waits.
  var queueNote: String? {
    noJobWaits.absence.map {
      "\($0): queues were not looked at, and push jobs that are missing were not found."
    }
  }

  func text() -> String {
    let summary =
      "\(matches) with \(entries) and \(replies) checked" + (isComplete ? "" : " so far")
    let lines = allViolations
    guard !lines.isEmpty else { return "\(summary): everything holds." }
    let found = PlainText.count(lines.count, "violation")
    return (["\(summary), \(found):"] + lines.map { "! \($0)" }).joined(separator: "\n")
  }

  /// A line for each violation.
  fileprivate var allViolations: [String] {
    violations.map(\.description) + recoveryViolations.map(\.description)
      + jobViolations.map(\.description)
  }

  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      var schema = "cubistd.check/1"
      var entries, matches, replies, recoveries, jobs: Int
      var isComplete: Bool
      var queuesUnseen: String?
      var last: String?
      var violations: [ViolationRow]
      var recoveryViolations: [RecoveryViolationRow]
      var jobViolations: [JobViolationRow]
    }
    return try JSONText.encode(
      Document(
        entries: entryCount, matches: matchCount, replies: replyCount, recoveries: recoveryCount,
        jobs: jobCount,
        isComplete: isComplete, queuesUnseen: noJobWaits.absence, last: last.map { "\($0)" },
        violations: violations.map(ViolationRow.init),
        recoveryViolations: recoveryViolations.map(RecoveryViolationRow.init),
        jobViolations: jobViolations.map(JobViolationRow.init)))
  }
}

/// A violation in a player's recoveries, for a program.
struct RecoveryViolationRow: Encodable {
  var kind, player, remedy, text: String

  init(_ violation: RecoveryViolation) {
    kind = violation.kind.rawValue
    player = "\(violation.player)"
    remedy = violation.remedy
    text = violation.text
  }
}

/// A violation by a push job that no record owes, for a program.
struct JobViolationRow: Encodable {
  var kind, job, of, player, remedy, text: String

  init(_ violation: JobViolation) {
    kind = violation.kind.rawValue
    job = "\(violation.job.id)"
    of = violation.job.kind.rawValue
    player = "\(violation.job.player)"
    remedy = violation.remedy
    text = violation.text
  }
}

/// A violation for a program.
struct ViolationRow: Encodable {
  var kind, match, remedy, text: String
  var position: Int?
  var since: String?

  init(_ violation: Violation) {
    kind = violation.kind.rawValue
    match = "\(violation.match)"
    remedy = violation.remedy
    text = violation.text
    position = violation.position
    since = violation.since.map { "\($0)" }
  }
}
