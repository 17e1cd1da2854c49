import ArgumentParser
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import SystemCalls

struct RebuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Rebuild derived data that differs from the records, while the service runs.",
    discussion: """
      Examples:
        cubistd rebuild --match 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11
        cubistd rebuild --all --dry-run   list the differences, and change nothing
        cubistd rebuild --all

      Folds records anew. It mends states, seats, past games, open seats, pairs, codes and offers \
      of a rematch. It also mends daily points, scores, places on leaderboards, the matches that \
      wait to be rated, and the players' standings. With CUBIST_BROKER_MANAGEMENT, and with no \
      push job in a queue, it mends owed push jobs too. It never changes records, replies, players \
      or results of ratings. Each match is one transaction: it can be ended at any point and run \
      again. Exits with 1 if something is left that it cannot mend, or that it would mend without \
      --dry-run.
      """)

  @Option(help: "The one match to rebuild.")
  var match: String?
  @Flag(help: "Rebuild every match that differs from its record.")
  var all = false
  @Flag(help: "Only list the differences.")
  var dryRun = false
  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(help: "With --all: only the matches after this one, in the order of ids.")
  var after: String?
  @OptionGroup var threading: ThreadOptions

  func validate() throws {
    guard all != (match != nil) else { throw ValidationError("Give either --match ID or --all.") }
    guard after == nil || all else { throw ValidationError("--after goes with --all.") }
  }

  func run() throws {
    Signals.listen(leavingAtOnceAfter: 2)
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database, .serviceKeys])
      let only = try match.map { text throws(OperatorFailure) in try MatchID(argument: text) }
      let first = try after.map { text throws(OperatorFailure) in try MatchID(argument: text) }
      var check = try LiveCheck(settings, as: "rebuild")
      check.threadCount = threading.threads
      check.isStopped = { Signals.stop.isAsked }
      let writing = try OperatorConnection.open(settings, as: "rebuild")
      let rebuild = LiveRebuild(
        check,
        .live(
          writing, RebuildTally(run: Randomness.live.next(), by: OperatorName.current)),
        isDryRun: dryRun)
      let report: LiveRebuild.Report
      if let only {
        report = try rebuild.run(only)
      } else {
        var bar = ProgressBar(isShown: !json)
        report = try rebuild.run(after: first) { bar.draw($0, of: $1, "\($0) matches") }
        bar.clear()
      }
      Output.out(try json ? report.json() : report.text())
      if !report.isComplete, let last = report.last {
        Output.note(
          "Go on with: cubistd rebuild --all --after \(last)\(dryRun ? " --dry-run" : "")")
      }
      if let failure = report.failure { throw failure }
      try report.reportLeft()
    }
  }
}

/// Rebuilds a database that others write to meanwhile.
struct LiveRebuild {
  /// The outcome of a rebuild.
  struct Report {
    var isDryRun = false
    /// Matches looked at.
    var matchCount = 0
    /// The faults, match by match.
    var findings: [MatchRebuilder.Finding] = []
    /// The last match up to which everything was looked at.
    var last: MatchID?
    /// Whether everything was looked at.
    var isComplete = false
    /// Why it ended before, unless by a signal.
    var failure: OperatorFailure?
  }

  private let check: LiveCheck
  private let store: RebuildStore
  private let isDryRun: Bool

  init(_ check: LiveCheck, _ store: RebuildStore, isDryRun: Bool) {
    var check = check
    // The rebuilder looks at each finding again before it writes anything.
    check.looks = 1
    check.violationLimit = 1_000
    // The rebuild compares the replies before it writes anything, not after.
    check.includesReplies = false
    self.check = check
    self.store = store
    self.isDryRun = isDryRun
  }

  func run(_ match: MatchID) throws(OperatorFailure) -> Report {
    let own = try check.connect()
    let rebuilder = MatchRebuilder(try check.start(own), store)
    let planned = try onStore(try rebuilder.rebuild(match, isDryRun: true))
    guard var finding = planned else { throw .notFound("there is no match \(match)") }
    if !finding.mended.isEmpty {
      let cut = try cutRecords(own)[match]
      finding = try onStore(try rebuilder.rebuild(match, isDryRun: isDryRun, cut: cut) ?? finding)
    }
    var report = Report(isDryRun: isDryRun, matchCount: 1, isComplete: true)
    report.take(finding)
    return report
  }

  /// The matches whose records lack events that replies report as done. The rest of such a record
  /// must not become the truth.
  private func cutRecords(_ store: CheckStore) throws(OperatorFailure) -> [MatchID: Violation] {
    let found = try check.untold(besides: [], store) { _ in !check.isStopped() }
    guard !check.isStopped() else { throw .interrupted(status: Signals.exitStatus) }
    return Dictionary(found.map { ($0.match, $0) }) { first, _ in first }
  }

  /// Rebuilds everything after a match, or everything.
  func run(
    after match: MatchID?, report tell: (_ done: Int, _ total: Int) -> Void
  ) throws(OperatorFailure) -> Report {
    var report = Report(isDryRun: isDryRun, last: match)
    let own = try check.connect()
    let total = try onStore(try own.count(match))
    let rebuilder = MatchRebuilder(try check.start(own), store)
    var cut: [MatchID: Violation]?
    while !report.isComplete, report.failure == nil, !check.isStopped() {
      let before = report.matchCount
      let found = try check.run(after: report.last) { result, _ in
        tell(before + result.matchCount, total)
      }
      if cut == nil, !found.violations.isEmpty { cut = try cutRecords(own) }
      do throws(StoreError) {
        for id in Set(found.violations.map(\.match)).sorted() {
          let finding = try rebuilder.rebuild(id, isDryRun: isDryRun, cut: cut?[id])
          if let finding { report.take(finding) }
        }
      } catch {
        // Up to the end of the last page: matches of this one that are mended already hold at the
        // next look.
        report.failure = .store(error)
        break
      }
      report.matchCount += found.matchCount
      (report.last, report.isComplete) = (found.last, found.isComplete)
      report.failure = found.failure
    }
    return report
  }
}

extension LiveRebuild.Report {
  fileprivate mutating func take(_ finding: MatchRebuilder.Finding) {
    guard !finding.mended.isEmpty || !finding.left.isEmpty else { return }
    findings.append(finding)
  }

  private var leftCount: Int { findings.reduce(0) { $0 + $1.left.count } }
  private var mendedCount: Int { findings.count { !$0.mended.isEmpty } }

  /// Turns violations that are left into the command's failure.
  fileprivate func reportLeft() throws(OperatorFailure) {
    guard leftCount == 0 else {
      let left = leftCount == 1 ? "1 violation is" : "\(leftCount) violations are"
      throw .wrong("\(left) left that no rebuild mends")
    }
    guard !isDryRun || findings.isEmpty else {
      throw .wrong(mendedCount == 1 ? "1 match differs" : "\(mendedCount) matches differ")
    }
    guard isComplete else { throw .interrupted(status: Signals.exitStatus) }
  }

  func text() -> String {
    let verb = isDryRun ? "to be mended" : "mended"
    var lines = findings.flatMap { finding in
      finding.mended.map {
        "\(verb): match \(finding.match): \($0.kind.rawValue): \($0.text)"
      } + finding.left.map { "! \($0)" }
    }
    let matches = PlainText.count(matchCount, "match", "matches")
    lines.append("\(matches) looked at, \(mendedCount) \(verb), \(leftCount) left")
    return lines.joined(separator: "\n")
  }

  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Row: Encodable {
        var match: String
        var mended, left: [ViolationRow]
      }
      var schema = "cubistd.rebuild/1"
      var matches: Int
      var isComplete, isDryRun: Bool
      var last: String?
      var findings: [Row]
    }
    return try JSONText.encode(
      Document(
        matches: matchCount, isComplete: isComplete, isDryRun: isDryRun,
        last: last.map { "\($0)" },
        findings: findings.map {
          Document.Row(
            match: "\($0.match)", mended: $0.mended.map(ViolationRow.init),
            left: $0.left.map(ViolationRow.init))
        }))
  }
}
