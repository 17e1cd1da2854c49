import BrokerManagement
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import Testing

@testable import cubistd

@Suite("Findings that begin at the servers")
struct ServerFindingTests {
  private func names(_ report: StatusReport) -> [String] { report.findings().map(\.name) }

  @Test("Commits that wait for a standby are critical, and too few standbys are told by numbers")
  func synchronousStandby() throws {
    var report = try StatusTests.report()
    report.status?.neededStandbyCount = 2
    report.status?.streamingStandbyCount = 2
    #expect(names(report) == [])
    report.status?.streamingStandbyCount = 1
    let found = try #require(report.findings().first)
    #expect(found.name == "standbyGone" && found.severity == .critical)
    #expect(
      found.cause == "commits wait: synchronous_standby_names wants 2 standbys, and 1 streams")
    #expect(found.command.contains("pg_stat_replication"))
    #expect(!found.remedy.contains("pg_terminate_backend"))
    #expect(found.place == .cause)
  }

  @Test("A slot that nobody uses is named with the log that it keeps, one finding a slot")
  func idleSlots() throws {
    var report = try StatusTests.report()
    report.status?.idleSlots = ["b": 3 * 1_048_576, "a": 0]
    let found = report.findings()
    #expect(found.map(\.name) == ["standbyGone", "standbyGone"])
    #expect(found[0].cause.contains("slot a, which keeps 0 MB"))
    #expect(found[1].cause.contains("slot b, which keeps 3 MB"))
    #expect(found.allSatisfy { $0.severity == .warning })
    #expect(found.allSatisfy { $0.command.contains("pg_replication_slots") })
  }

  @Test("A node's disk is named before its alarm, and once: the alarm takes its place")
  func brokerDisk() throws {
    var report = try StatusTests.report()
    var node = StatusTests.node()
    node.isShortOfMemory = false
    report.nodes = [node]
    #expect(names(report) == [])
    node.freeBytes = 1_073_741_824 + 40_000_000
    report.nodes = [node]
    let found = try #require(report.findings().first)
    #expect(found.name == "brokerDiskLow" && found.severity == .warning)
    #expect(found.cause.contains("node a has 1062 MB left; from 47 MB on"))
    node.isShortOfDisk = true
    report.nodes = [node]
    #expect(names(report) == ["brokerAlarm"])
    // One that does not look at its disk, or tells anything, is no finding.
    (node.isShortOfDisk, node.freeBytes) = (false, nil)
    report.nodes = [node]
    #expect(names(report) == [])
    (node.freeBytes, node.freeLimit) = (.min, .max)
    (node.fileCount, node.fileLimit) = (.max, .min)
    report.nodes = [node]
    #expect(names(report) == ["brokerDiskLow"])
  }

  @Test("A node that runs out of file descriptors is named, and is critical once it takes no more")
  func brokerFiles() throws {
    var report = try StatusTests.report()
    var node = StatusTests.node()
    node.isShortOfMemory = false
    let severities: [(Int, Finding.Severity?)] = [
      (800, nil), (801, .warning), (899, .warning), (900, .critical),
    ]
    for (count, severity) in severities {
      node.fileCount = count
      report.nodes = [node]
      #expect(report.findings().map(\.severity) == [severity].compactMap(\.self), "\(count)")
    }
    let found = try #require(report.findings().first)
    #expect(found.name == "brokerFilesRunOut" && found.cause.contains("900 of 1000"))
  }

  @Test("An account that joins matches and leaves them again and again is named, and can wait")
  func leavers() throws {
    var report = try StatusTests.report()
    report.status?.leavers = [.init(player: PlayerID(rawValue: 7), name: "Bob", count: 8)]
    let found = try #require(report.findings().first)
    #expect(found.name == "playerLeaves" && found.severity == .notice)
    #expect(found.cause.contains("player Bob joined 8 matches within a day and left"))
    #expect(found.command == "cubistd players Bob")
  }

  @Test("A refusal is named whose share is five times that of the day before, and often enough")
  func refusals() throws {
    var report = try StatusTests.report()
    func names(_ recent: [String: Int], _ earlier: [String: Int]) -> [String] {
      report.status?.replies.recent = recent
      report.status?.replies.earlier = earlier
      return self.names(report)
    }
    #expect(names(["": 1_000, "wrongPrevious": 120], ["": 9_000]) == [])
    #expect(names(["": 1_000, "wrongPrevious": 121], ["": 9_000]) == ["refusalsRise"])
    // Also where there was no day before.
    #expect(names(["wrongPrevious": 121], [:]) == ["refusalsRise"])
    // The same share as ever, or less than five times as much.
    let usual = ["": 8_000, "wrongPrevious": 2_000]
    #expect(names(["": 800, "wrongPrevious": 200], usual) == [])
    #expect(names(["": 1_000], usual) == [])
    #expect(names(["": 1_000, "wrongPrevious": 121], ["": 9_700, "wrongPrevious": 300]) == [])
    #expect(
      names(["": 850, "wrongPrevious": 150], ["": 9_800, "wrongPrevious": 200]) == ["refusalsRise"])
    let found = try #require(report.findings().first)
    #expect(found.cause.contains("15.0 % of the kept replies"))
    #expect(found.cause.contains("refuse as wrongPrevious; the day before it was 2.0 %"))
    #expect(found.command == "journalctl -u 'cubistd@*' --grep wrongPrevious")
  }

  @Test("Settings of users are one finding a user, and show a thief's words on one line")
  func userSettings() throws {
    var report = try StatusTests.report()
    report.userSettings = [
      .init(user: "writer", parameter: "search_path", value: "a\nb"),
      .init(user: "reader", parameter: "jit", value: "on"),
      .init(user: "writer", parameter: "jit", value: "on", database: "cubist"),
    ]
    let found = report.findings()
    #expect(found.map(\.name) == ["userSettings", "userSettings"])
    #expect(found[0].cause.contains("user reader") && found[0].cause.hasSuffix(": jit = on"))
    #expect(found[1].cause.hasSuffix(": search_path = a\u{fffd}b, jit = on"))
    #expect(found.allSatisfy { $0.command == "cubistd setup" && $0.severity == .warning })
  }

  @Test("Large objects of a user are a finding, and members of users are left to setup")
  func userObjects() throws {
    var report = try StatusTests.report()
    report.userTraces = [
      .largeObjects(user: "reader", count: 3), .member("monitor", of: "reader"),
      .largeObjects(user: "writer", count: DatabaseRights.mostObjects),
    ]
    let found = report.findings()
    #expect(found.map(\.name) == ["userObjects", "userObjects"])
    #expect(found[0].cause.contains("user reader has 3 large objects,"))
    #expect(found[1].cause.contains("user writer has at least 100000 large objects,"))
    #expect(found.allSatisfy { $0.command == "cubistd setup --check" })
  }

  @Test("Each alert has a row that names the findings which answer it, or the reason for none")
  func alerts() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    let alerts = try text("deploy/observe/alerts.yml").matches(of: /- alert: (\w+)/).map {
      String($0.1)
    }
    let rows = try text("docs/operating.md").matches(of: /\n\| `(Cubist\w+)` \| (.+) \|/)
    #expect(rows.map { String($0.1) } == alerts)
    for row in rows {
      let findings = row.2.matches(of: /`([a-zA-Z]+)`/).map { String($0.1) }
      #expect(!findings.isEmpty || row.2.hasPrefix("none: "), "\(row.1)")
      #expect(findings.filter { Finding.advice[$0] == nil } == [], "\(row.1)")
    }
  }
}
