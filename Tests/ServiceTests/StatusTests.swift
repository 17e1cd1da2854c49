import Chaos
import Foundation
import LibPQ
import MatchInterfaces
import MatchService
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("An operator's view of a service that runs", .serialized)
struct StatusTests {
  private static let roles = RoleName.standard.map(\.rawValue)

  private static func withRoles(
    _ body: @Sendable (ServiceLab, RoleProcesses) throws -> Void
  ) async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      try body(lab, processes)
    }
  }

  @Test(
    "Each role that dies is named within twenty seconds, with its start command, and no other is",
    arguments: roles)
  func deadRole(dying: String) async throws {
    try await StatusTests.withRoles { lab, processes in
      var running: [String: RoleProcess] = [:]
      for role in StatusTests.roles { running[role] = try processes.start(role) }
      let settings = try lab.settings()
      try waitUntil("all is well") { try StatusReport.gather(settings).attention() == [] }
      running[dying]?.kill()
      try waitUntil("\(dying) is named") {
        try StatusReport.gather(settings).attention().contains {
          $0.contains("`cubistd run \(dying)`")
        }
      }
      let said = try StatusReport.gather(settings).attention()
      for other in StatusTests.roles where other != dying {
        #expect(!said.contains { $0.contains("no \(other)") }, "\(said)")
      }
      running[dying] = try processes.start(dying)
      try waitUntil("all is well again") { try StatusReport.gather(settings).attention() == [] }
    }
  }

  @Test("A service that starts is well from its first sign of life on")
  func start() async throws {
    try await StatusTests.withRoles { lab, processes in
      let settings = try lab.settings()
      // The clocks of a service that stood still for an hour are as late.
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.script(
        """
        INSERT INTO queue_clocks (queue, time, credit_microseconds)
        SELECT q, clock_timestamp() - interval '1 hour', 0 FROM generate_series(0, 3) AS q
        """)
      for role in StatusTests.roles { _ = try processes.start(role) }
      try waitUntil("a worker lives") { try !StatusReport.gather(settings).livingWorkers.isEmpty }
      // A busy machine is slow, and status says so.
      let slow: Set = [
        "repliesSlow", "databaseSlow", "brokerUnanswered", "managementUnanswered",
        "databaseUnanswered", "databasePartUnanswered",
      ]
      let isWell = try Patience.holds(for: .seconds(25), every: 0.2) {
        let found = try StatusReport.gather(settings).findings()
        let said = found.filter { !slow.contains($0.name) }.map(\.sentence)
        #expect(said == [])
        return said.isEmpty
      }
      #expect(isWell)
    }
  }

  @Test("A process that is started again as soon as it has left is absent to nobody")
  func startedAgain() async throws {
    try await StatusTests.withRoles { lab, processes in
      let settings = try lab.settings()
      // Nobody is there when status looks first.
      // SAFETY: the clock sleeps on the thread that asks.
      nonisolated(unsafe) var waiting = StatusTests.roles
      var clock = WallClock.live
      // Looks once.
      var hasty = WallClock.live
      hasty.sleep = { _ in }
      clock.sleep = { [hasty] _ in
        for role in waiting { _ = try? processes.start(role) }
        waiting = []
        // On a busy machine signs of life come later than status looks for them.
        _ = try? Patience.comes(within: waitLimit) {
          try StatusTests.absent(StatusReport.gather(settings, clock: hasty)).isEmpty
        }
      }
      let absent = try StatusTests.absent(StatusReport.gather(settings, clock: clock))
      #expect(absent.isEmpty, "\(absent)")
    }
  }

  /// The findings about roles that are not there.
  private static func absent(_ report: StatusReport) -> [String] {
    report.findings().map(\.name).filter { $0.hasSuffix("Absent") && $0 != "replicaAbsent" }
  }

  @Test("A server that cannot be asked is a finding of its own, and hides nothing else")
  func unanswered() async throws {
    try await ServiceLab.run(.init(workers: 1, roles: [.reader], hasNewHost: true)) { lab in
      let settings = try lab.settings()
      for (missing, setting) in [
        (\ServiceSettings.database, "CUBIST_DATABASE"), (\.broker, "CUBIST_BROKER"),
      ] {
        var broken = settings
        broken[keyPath: missing] =
          setting == "CUBIST_BROKER"
          ? "amqp://nobody@127.0.0.1:1/" : "host=127.0.0.1 port=1 dbname=none"
        var report = try StatusReport.gather(broken)
        try waitUntil("the others have answered in time", found: report.text()) {
          if report.text().contains("cubist.slots.00") { return true }
          report = try StatusReport.gather(broken)
          return false
        }
        let said = report.attention()
        #expect(said.contains { $0.contains(setting) }, "\(said)")
        if setting == "CUBIST_BROKER" { #expect(report.livingWorkers.count == 1) }
      }
      var broken = settings
      broken.brokerManagement = "http://nobody:x@127.0.0.1:1"
      var report = try StatusReport.gather(broken)
      // The broker itself says how long queues are.
      try waitUntil("the broker has answered in time") {
        if report.queueRows().first?.ready == 0 { return true }
        report = try StatusReport.gather(broken)
        return false
      }
      #expect(report.attention().contains { $0.contains("CUBIST_BROKER_MANAGEMENT") })
      #expect(report.livingWorkers.count == 1)
    }
  }
}

extension StatusReport {
  /// A report for which every server has answered in the little time that status gives it.
  static func complete(_ settings: ServiceSettings) throws -> StatusReport {
    var report = try gather(settings)
    try waitUntil("every server answers in time", found: "\(report.failures)") {
      if report.failures.isEmpty { return true }
      report = try gather(settings)
      return report.failures.isEmpty
    }
    return report
  }
}

extension ServiceLab {
  /// The settings of `cubistd status` for this service.
  func settings() throws -> ServiceSettings {
    ServiceSettings(
      database: database.connectionString, broker: serviceURL,
      brokerManagement: try RealServers.environment().managementURL, serviceKeys: "",
      layout: layout)
  }
}
