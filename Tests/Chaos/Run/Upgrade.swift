import LibPQ
import Synchronization

/// Replaces every role by the other build's, one process after another, while players play.
///
/// An operator upgrades like this: `cubistd setup` of the new build, then SIGTERM to one process
/// and a start of its successor, then the next process.
struct Upgrade {
  /// The roles in the order in which their processes are replaced.
  static let order = ["reader", "worker", "scheduler", "relay", "push", "rater", "gateway"]
  /// The most that a queue may be credited for times without ticks while one process is replaced,
  /// in seconds. A process that leaves is followed by another one at once.
  static let creditLimit = 15.0

  private let service: ServiceUnderTest
  private let crowd: Crowd
  private let isStopped: () -> Bool
  private let progress: (String) -> Void

  init(
    _ service: ServiceUnderTest, _ crowd: Crowd, isStopped: @escaping () -> Bool,
    progress: @escaping (String) -> Void
  ) {
    self.service = service
    self.crowd = crowd
    self.isStopped = isStopped
    self.progress = progress
  }

  /// Brings every role to the present build, and back to the former one.
  ///
  /// - Returns: What was wrong; the round ends with the first process that gives a finding.
  func run(_ report: inout ChaosReport.Upgrades) throws -> [Finding] {
    let (status, said) = try service.run(["setup"])
    guard status == 0 else {
      return [Finding(.wrong, "cubistd setup of the new build ended with \(status): \(said)")]
    }
    for isFormer in [false, true] {
      for index in service.indices(inOrder: Upgrade.order) {
        let found = try replace(index, isFormer: isFormer, &report)
        guard found.isEmpty else { return found }
      }
    }
    report.rounds += 1
    return []
  }

  private func replace(
    _ index: Int, isFormer: Bool, _ report: inout ChaosReport.Upgrades
  ) throws -> [Finding] {
    if isStopped() { throw ChaosInterruption() }
    if let failure = crowd.failureText { throw ChaosFailure(failure) }
    let name = service.places.withLock { $0[index].name }
    progress("\(name) becomes one of the \(isFormer ? "former" : "new") build")
    let before = try DeadlineBook(of: service)
    let (status, began) = try service.exchange(index, isFormer: isFormer)
    var findings: [Finding] = []
    if status != 0 { findings.append(Finding(.wrong, "\(name) left with \(status)")) }
    do {
      try waitUntil("\(name) and every queue answer", atMost: ChaosRun.recoveryLimit) {
        if isStopped() { throw ChaosInterruption() }
        if let failure = crowd.failureText { throw ChaosFailure(failure) }
        guard service.deadProcesses().isEmpty else { return true }
        return try service.hasBegun(index) && crowd.watch.isAnswering(since: began)
      }
    } catch let failure as ChaosFailure {
      findings.append(Finding(.wrong, "after \(name) was replaced: \(failure)"))
    }
    findings += service.deadProcesses().map { Finding(.wrong, "\($0) ended by itself") }
    let after = try DeadlineBook(of: service)
    report.replaced += 1
    report.comparedDeadlines += before.count(comparedWith: after)
    report.creditSeconds = max(report.creditSeconds, after.credit(since: before))
    return findings + before.findings(comparedWith: after, around: name)
  }
}

/// The deadlines of all running matches at one moment, and the credit of the queues.
struct DeadlineBook {
  /// A version of a match: as long as it stays, nobody has written the match.
  struct Version: Hashable {
    var match: String
    var number: Int64
  }

  /// The deadlines, as PostgreSQL writes them.
  var deadlines: [Version: String]
  /// The seconds that each queue was credited since it began.
  var credits: [Int64: Double]

  init(deadlines: [Version: String], credits: [Int64: Double]) {
    self.deadlines = deadlines
    self.credits = credits
  }

  init(of service: ServiceUnderTest) throws {
    let connection = try service.connectDirectly()
    defer { connection.close() }
    let rows = try connection.query(
      "SELECT id::text, version, deadline::text FROM matches WHERE deadline IS NOT NULL")
    var deadlines: [Version: String] = [:]
    for row in rows {
      deadlines[Version(match: try row[0].text, number: try row[1].int64)] = try row[2].text
    }
    var credits: [Int64: Double] = [:]
    for row in try connection.query(
      "SELECT queue::int8, credit_microseconds::int8 FROM queue_clocks")
    {
      credits[try row[0].int64] = Double(try row[1].int64) / 1_000_000
    }
    self.init(deadlines: deadlines, credits: credits)
  }

  /// The most seconds that a queue was credited since the earlier book.
  func credit(since earlier: DeadlineBook) -> Double {
    credits.map { $1 - earlier.credits[$0, default: 0] }.max() ?? 0
  }

  /// How many matches have the same version in both.
  func count(comparedWith later: DeadlineBook) -> Int {
    deadlines.keys.count { later.deadlines[$0] != nil }
  }

  /// Deadlines that moved although nobody played, and time that was credited although servers and
  /// roles were there.
  func findings(comparedWith later: DeadlineBook, around what: String) -> [Finding] {
    var findings: [Finding] = []
    for (version, deadline) in deadlines {
      guard let moved = later.deadlines[version], moved != deadline else { continue }
      findings.append(
        Finding(
          .wrong,
          "the deadline of match \(version.match) moved from \(deadline) to \(moved) as \(what) was "
            + "replaced"))
    }
    let credit = later.credit(since: self)
    if credit > Upgrade.creditLimit {
      findings.append(
        Finding(
          .wrong,
          "time stood still for \(credit) s as \(what) was replaced, more than "
            + "\(Upgrade.creditLimit) s"))
    }
    return findings
  }
}
