import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive

/// Compares the knowledge of senders and push workers with the contents of the database.
struct Verification {
  private let service: ServiceUnderTest
  private let crowd: Crowd
  private let hostile: HostileCrowd?
  private let faults: [ClosedRange<UInt64>]

  /// - Parameter faults: When a fault was on.
  init(
    _ service: ServiceUnderTest, _ crowd: Crowd, _ hostile: HostileCrowd?,
    faults: [ClosedRange<UInt64>]
  ) {
    self.service = service
    self.crowd = crowd
    self.hostile = hostile
    self.faults = faults
  }

  /// Adds all findings to a report.
  func complete(_ report: inout ChaosReport) throws {
    let connection = try service.connectDirectly()
    defer { connection.close() }
    let store = CheckStore.live(connection)
    report.findings += try crowd.log.findings(in: store, besides: hostile?.log)
    report.findings += crowd.tally.troubles.map {
      Finding(.wrong, "\($0.value) times a player was told: \($0.key)")
    }
    report.findings += AnswerWait.findings(
      crowd.log.longWaits + crowd.queries.longWaits, faults: faults)
    report.findings += service.leaveWorkers().map { Finding(.wrong, $0) }
    try checkPushes(store, &report)
    // Both builds have to find that everything holds.
    if let former = service.former { try runCheck(by: former, &report) }
    try runCheck(by: nil, &report)
    let status = try OperatorStore.live(connection).status()
    report.deadEvents = status.deadEventCount
    report.deadLetters = status.deadJobCount
    noteHostile(status, &report)
    report.load.players = crowd.count
    report.load.matches = report.check.matches
    report.load.turns = crowd.tally.turnCount
    report.load.events = crowd.log.eventCount
    report.load.resends = crowd.log.requestCount - crowd.log.eventCount
    report.load.queueFull = crowd.log.nackCount
    report.load.refusals = crowd.tally.refusals
    report.findings += service.leaveOthers().map { Finding(.wrong, $0) }
  }

  /// No message of a hostile player may be given up by the service, and no forbidden one granted.
  private func noteHostile(_ status: ServiceStatus, _ report: inout ChaosReport) {
    if report.deadEvents > 0 {
      report.findings.append(Finding(.lost, "workers gave \(report.deadEvents) events up"))
    }
    if report.deadLetters > 0 {
      report.findings.append(Finding(.lost, "the broker gave \(report.deadLetters) messages up"))
    }
    guard let hostile else { return }
    report.findings += hostile.log.findings
    report.attacks = ChaosReport.Attacks(
      accounts: hostile.count, messages: hostile.log.messageCount,
      kinds: Dictionary(
        uniqueKeysWithValues: hostile.log.counts.map { ($0.key.rawValue, $0.value) }))
  }

  /// Compares the jobs that push workers handed over with the outcome of every job in the database.
  private func checkPushes(_ store: CheckStore, _ report: inout ChaosReport) throws {
    var handedOver: [PushJobID: Int] = [:]
    for line in try service.pushLines() {
      guard let id = line.job else {
        report.findings.append(Finding(.wrong, "a push log has an unreadable line: \(line.text)"))
        continue
      }
      handedOver[id, default: 0] += 1
    }
    report.load.pushes = handedOver.count
    report.load.pushRepeats = handedOver.values.reduce(0) { $0 + $1 - 1 }
    report.findings += try Verification.pushFindings(of: handedOver, in: store)
  }

  /// Every job that is owed was handed over, at least once, and nothing else was.
  static func pushFindings(
    of handedOver: [PushJobID: Int], in store: CheckStore
  ) throws(StoreError) -> [Finding] {
    var findings: [Finding] = []
    var unknown = Set(handedOver.keys)
    var last: PushJobID?
    while true {
      let page = try store.jobs(last, 10_000)
      guard let next = page.last?.job.id else { break }
      last = next
      for row in page {
        let name = "push job \(row.job.id) (\(row.job.kind.rawValue))"
        let wasHandedOver = unknown.remove(row.job.id) != nil
        if row.isOwed { findings.append(Finding(.lost, "\(name) is still owed")) }
        switch row.fate {
        case .delivered? where !wasHandedOver:
          findings.append(Finding(.lost, "\(name) is in no push log"))
        case .failed?: findings.append(Finding(.lost, "\(name) failed"))
        default: break
        }
      }
    }
    return findings
      + unknown.map { Finding(.doubled, "push job \($0) was handed over, and nothing owes it") }
  }

  /// `cubistd check`: every record, and everything that is derived from it.
  private func runCheck(by program: String?, _ report: inout ChaosReport) throws {
    struct Document: Decodable {
      struct Violation: Decodable { var kind, match, text: String }
      var matches, entries: Int
      var violations: [Violation]
    }
    let (status, said) = try service.run(["check", "--json"], by: program)
    guard let line = said.split(separator: "\n").first(where: { $0.hasPrefix("{") }),
      let document = try? JSONDecoder().decode(Document.self, from: Data(line.utf8))
    else {
      report.findings.append(Finding(.wrong, "cubistd check ended with \(status): \(said)"))
      return
    }
    report.check = ChaosReport.Check(matches: document.matches, entries: document.entries)
    report.findings += document.violations.map {
      Finding(
        $0.kind.hasSuffix("Missing") ? .lost : $0.kind == "entryRepeated" ? .doubled : .wrong,
        "cubistd check: \($0.kind) in match \($0.match): \($0.text)")
    }
    if status != 0, document.violations.isEmpty {
      report.findings.append(Finding(.wrong, "cubistd check ended with \(status): \(said)"))
    }
  }
}
