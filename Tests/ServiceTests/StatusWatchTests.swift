import Chaos
import Foundation
import MatchService
import MatchWire
import PseudoTerminal
import TestedService
import Testing

/// `cubistd status --watch` in a terminal.
@Suite("An operator who watches the service")
struct StatusWatchTests {
  private static func watch(_ lab: ServiceLab) throws -> PseudoTerminal {
    let settings = try lab.settings()
    return try PseudoTerminal(
      RoleProcess.binaryBesideThisProgram(), ["status", "--watch"],
      environment: [
        "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
        "CUBIST_DATABASE": settings.database, "CUBIST_BROKER": settings.broker,
        "CUBIST_BROKER_MANAGEMENT": settings.brokerManagement ?? "",
        "CUBIST_QUEUES": "\(lab.layout.queueCount)",
      ], columns: 120, rows: 50)
  }

  @Test(
    """
    The screen is drawn anew when something changes; Ctrl-C ends it with 1 if something needs \
    attention, with 0 if all is well
    """)
  func watch() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let (first, second) = (try Self.watch(lab), try Self.watch(lab))
      defer {
        first.shut()
        second.shut()
      }
      try first.wait(showing: "[workerAbsent]")
      first.type("\u{3}")
      #expect(try first.end() == .exit(1))

      try second.wait(showing: "[workerAbsent]")
      for role in RoleName.standard { _ = try processes.start(role.rawValue) }
      try second.wait(showing: "All is well.", seconds: 300)
      // Nothing of the former screen is left.
      #expect(second.text.ranges(of: "service   ").count == 1)
      #expect(!second.text.contains("[workerAbsent]"))
      second.type("\u{3}")
      #expect(try second.end() == .exit(0))
    }
  }
}
