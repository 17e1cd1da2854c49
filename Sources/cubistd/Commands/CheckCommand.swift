import ArgumentParser
import EventBusLive
import Glibc
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Compare everything in the database with the records, while the service runs.",
    discussion: """
      Examples:
        cubistd check
        cubistd check --json
        cubistd check --after 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11   go on after a match

      Replays every record and compares states, past games, replies and push jobs with it. Needs \
      CUBIST_DATABASE and CUBIST_SERVICE_KEYS; with CUBIST_BROKER_MANAGEMENT it also sees whether \
      push jobs are missing, as long as none waits in a queue. Exits with 1 if something is wrong.
      """)

  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(help: "Check only the matches after this one, in the order of ids.")
  var after: String?

  func run() throws {
    Signals.listen(leavingAtOnceAfter: 1)
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database, .serviceKeys])
      let first = try after.map { text throws(OperatorFailure) in
        guard let match = MatchID(text) else { throw .unreadable("\"\(text)\" is no match's id") }
        return match
      }
      let isTerminal = isatty(STDERR_FILENO) == 1 && !json
      var check = try LiveCheck(settings)
      try check.run(after: first) { progress in
        guard isTerminal else { return }
        Output.note("\(progress.matches) matches, \(progress.entries) entries …")
      }
      Output.out(try json ? check.json() : check.text())
      guard check.violations.isEmpty else {
        throw .wrong("\(check.violations.count) violations")
      }
    }
  }
}

/// The check of a database that is written to meanwhile.
struct LiveCheck {
  /// How often something that looks wrong is looked at again: it may have been read while it
  /// changed.
  static let looks = 3
  static let pause: Duration = .seconds(2)
  static let pageSize = 500

  let store: CheckStore
  let identity: ServiceIdentity
  var lexicons = Lexicons.standard
  var verifier = SignatureVerifier.live
  var clock = WallClock.live
  /// Whether no push job waits in a queue, so that one that is not in the database is missing.
  var jobsAreComplete: () throws(OperatorFailure) -> Bool
  /// Matches checked.
  private(set) var matchCount = 0
  /// Entries checked.
  private(set) var entryCount = 0
  /// What is wrong.
  private(set) var violations: [Violation] = []

  init(
    store: CheckStore, identity: ServiceIdentity,
    jobsAreComplete: @escaping () throws(OperatorFailure) -> Bool
  ) {
    self.store = store
    self.identity = identity
    self.jobsAreComplete = jobsAreComplete
  }

  /// The check of the database that the settings name.
  init(_ settings: ServiceSettings) throws(OperatorFailure) {
    let connection = try OperatorConnection.open(settings, as: "check")
    let administration = try settings.administration()
    let host = settings.broker.isEmpty ? "/" : try settings.brokerAccount().virtualHost
    self.init(
      store: .live(connection), identity: try settings.identity(now: WallClock.live.now()),
      jobsAreComplete: { () throws(OperatorFailure) in
        guard let administration else { return false }
        let queues = try onManagement { () throws(ManagementError) in
          try administration.queues(in: host)
        }
        let names = Names()
        return queues.filter { $0.name.hasPrefix(names.push) || $0.name == names.dead }
          .allSatisfy { $0.ready + $0.unacknowledged == 0 }
      })
  }

  /// Checks everything after a match, or everything.
  mutating func run(
    after match: MatchID?, report: (StoreCheck.Progress) -> Void
  ) throws(OperatorFailure) {
    var check = try start(after: match)
    while !check.isDone {
      let found = try onStore { () throws(StoreError) in
        try check.next(limit: LiveCheck.pageSize)
      }
      violations += try confirmed(found)
      matchCount = check.progress.matches
      entryCount = check.progress.entries
      report(check.progress)
    }
  }

  private func start(after match: MatchID?) throws(OperatorFailure) -> StoreCheck {
    StoreCheck(
      store, identity: identity, lexicons: lexicons, verifier: verifier, after: match,
      jobsAreComplete: try jobsAreComplete())
  }

  /// Those of the violations that are still there when their matches are looked at again.
  private func confirmed(_ found: [Violation]) throws(OperatorFailure) -> [Violation] {
    var standing = found
    for _ in 1..<LiveCheck.looks where !standing.isEmpty {
      clock.sleep(LiveCheck.pause)
      var again: [Violation] = []
      for match in Set(standing.map(\.match)).sorted() {
        // The one match after the id before it.
        var check = try start(after: MatchID(rawValue: match.rawValue &- 1))
        again += try onStore { () throws(StoreError) in try check.next(limit: 1) }
      }
      standing = again.filter { violation in
        standing.contains {
          $0.match == violation.match && $0.kind == violation.kind
            && $0.position == violation.position
        }
      }
    }
    return standing
  }

  func text() -> String {
    let summary = "\(matchCount) matches with \(entryCount) entries checked"
    guard !violations.isEmpty else { return "\(summary): everything holds." }
    return (["\(summary), \(violations.count) violations:"] + violations.map { "! \($0)" })
      .joined(separator: "\n")
  }

  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Row: Encodable {
        var kind, match, remedy, text: String
        var position: Int?
        var since: String?
      }
      var schema = "cubistd.check/1"
      var entries, matches: Int
      var violations: [Row]
    }
    return try JSONText.encode(
      Document(
        entries: entryCount, matches: matchCount,
        violations: violations.map {
          Document.Row(
            kind: $0.kind.rawValue, match: "\($0.match)", remedy: $0.remedy, text: $0.text,
            position: $0.position, since: $0.since.map { "\($0)" })
        }))
  }
}
