import CustomDump
import Foundation
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("Status on one screen")
struct StatusScreenTests {
  @Test("A healthy service takes a dozen lines")
  func healthy() throws {
    expectNoDifference(
      try StatusTests.report().screen(),
      """
      service   00000000-0000-0000-0000-000000000abc
      database  schema 1, its time is 2026-09-21T14:13:20.000Z
      keys      none certified
      players   12; registration is open to all
      matches   40, of which 3 are not over
      outbox    empty
      ratings   no match waits to be rated
      dead      0 events, 0 push jobs
      gateways  0
      roles     1 worker, 1 scheduler, 1 steward, 1 relay, 1 reader, 1 push worker, 1 rater
      queues    4, 4 messages waiting, most in cubist.slots.00: 4; the latest clock is 1 s behind

      All is well.

      """)
  }

  @Test("A service with every trouble still fits on one screen, the worst first with its command")
  func sick() throws {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    (status.workers, status.roles) = ([], [])
    (status.deadEventCount, status.deadJobCount) = (2, 4)
    (status.connectionCount, status.connectionLimit) = (86, 100)
    status.standbyLagBytes = 128 * 1_024 * 1_024
    report.status = status
    report.nodes = [StatusTests.node(String(repeating: "a is short of memory, node ", count: 20))]
    report.queues = nil
    let findings = report.findings()
    #expect(findings.count > 9)
    let ranks = findings.map { Finding.Severity.allCases.firstIndex(of: $0.severity) ?? 9 }
    #expect(ranks == ranks.sorted())
    let lines = report.screen().split(separator: "\n", omittingEmptySubsequences: false)
    // A terminal of 80 columns folds long lines.
    #expect(lines.reduce(0) { $0 + max(1, ($1.count + 79) / 80) } <= 40)
    #expect(lines.contains { $0.hasPrefix("! critical [brokerAlarm] RabbitMQ: node a") })
    #expect(lines.contains("    rabbitmq-diagnostics alarms"))
    let shown = lines.count { $0.hasPrefix("! ") }
    #expect((1...6).contains(shown))
    let rest = "\(findings.count - shown) more, and all details: cubistd status"
    #expect(report.screen().contains(rest))
    // Nothing is cut, however long it is.
    #expect(report.screen().contains(findings[0].cause) && !report.screen().contains("…"))
    for name in ["connectionsNearLimit", "standbyBehind"] {
      #expect(findings.contains { $0.name == name && $0.severity == .warning }, "\(name)")
    }
    #expect(report.text().contains("a standby lacks 128 MB of the log"))
  }

  @Test("Without an answer of the database the screen shows what the broker tells")
  func unanswered() throws {
    var report = try StatusTests.report()
    report.status = nil
    report.failures = [.store(.unavailable("gone"))]
    let screen = report.screen()
    #expect(screen.contains("database  no answer\n"))
    #expect(screen.contains("roles     ?\n"))
    #expect(screen.contains("! critical [databaseUnanswered]"))
    #expect(screen.contains("    systemctl status 'postgresql*'\n"))
  }

  @Test("Where a server refuses a password the first command looks at settings, not at it")
  func refused() throws {
    for failure in [OperatorFailure.databaseRefuses("no"), .broker(.notPermitted("no"))] {
      var report = try StatusTests.report()
      report.failures = [failure]
      let screen = report.screen()
      #expect(screen.contains("    cubistd setup --check\n"))
      #expect(!screen.contains("systemctl"))
    }
  }

  @Test("Each finding has a severity and a command of its own")
  func advice() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/cubistd/Status")
    var names: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for match in text.matches(of: /Finding\(\s*"([a-zA-Z]+)"/) { names.insert(String(match.1)) }
    }
    #expect(names.count > 20)
    names.formUnion(RoleName.signing.map { "\($0.rawValue)DiesYoung" })
    #expect(names.filter { Finding.advice[$0] == nil } == [])
    let page = try String(
      contentsOf: folder.appending(path: "../../../docs/operating.md"), encoding: .utf8)
    let roles = RoleName.signing.map(\.rawValue)
    for name in Finding.advice.keys where !roles.contains(where: name.hasPrefix) {
      #expect(page.contains("`\(name)`") || name == "unanswered", "\(name) is not on the page")
    }
  }
}
