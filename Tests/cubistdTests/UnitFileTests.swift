import Foundation
import MatchGateway
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("Units of systemd")
struct UnitFileTests {
  /// All values of a unit's option.
  private func values(of option: String, in unit: String) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "deploy/systemd/\(unit)"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("\(option)=") }
      .flatMap { $0.dropFirst(option.count + 1).split(separator: " ") }.map(String.init)
  }

  @Test("The target starts every role that a person names")
  func target() throws {
    #expect(
      Set(try values(of: "Wants", in: "cubistd.target"))
        == Set(RoleName.named.map { "cubistd@\($0.rawValue).service" }))
  }

  @Test("Each role tells its health at a port of its own, and Prometheus' sample names them all")
  func healthPorts() throws {
    let addresses = try RoleName.named.map { role in
      let values = try values(
        of: "Environment", in: "cubistd@\(role.rawValue).service.d/health.conf")
      let value = try #require(values.first)
      #expect(values.count == 1 && value.hasPrefix("CUBIST_HEALTH_LISTEN="))
      return String(value.dropFirst("CUBIST_HEALTH_LISTEN=".count))
    }
    #expect(Set(addresses).count == RoleName.named.count)
    #expect(addresses.allSatisfy { ListenAddress($0)?.host == "127.0.0.1" })
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sample = try String(
      contentsOf: root.appending(path: "deploy/observe/prometheus.yml"), encoding: .utf8)
    let page = try String(
      contentsOf: root.appending(path: "docs/operating.md"), encoding: .utf8)
    for (role, address) in zip(RoleName.named, addresses) {
      #expect(sample.contains("          - \(address)\n"), "\(role.rawValue)")
      let port = try #require(ListenAddress(address)).port
      let name = role == .worker ? "for `cubistd@worker`" : "`\(role.rawValue)`"
      #expect(page.contains("\(port) \(name)"), "\(role.rawValue)")
    }
  }

  @Test("A robot's unit has the limits of a role's, and starts a command that there is")
  func robot() throws {
    let (robot, role) = ("cubist-bot@.service", "cubistd@.service")
    for option in [
      "User", "Group", "UMask", "CapabilityBoundingSet", "NoNewPrivileges", "ProtectSystem",
      "ProtectHome", "PrivateUsers", "SystemCallFilter", "RestrictAddressFamilies", "Restart",
      "RestartSec", "RestartPreventExitStatus", "StateDirectory", "StateDirectoryMode",
    ] {
      #expect(try values(of: option, in: robot) == values(of: option, in: role), "\(option)")
    }
    #expect(
      try values(of: "ExecStart", in: robot)
        == ["/usr/bin/cubist", "--profile", "%i", "bot", "--all"])
    #expect(try values(of: "Environment", in: robot) == ["XDG_STATE_HOME=/var/lib/cubist"])
  }

  @Test("A role may take its time to leave, and its start is prolonged in time")
  func times() throws {
    let unit = "cubistd@.service"
    let stop = try #require(try values(of: "TimeoutStopSec", in: unit).first.flatMap(Int.init))
    #expect(.seconds(stop) > ServiceProcess.leaveTime)
    let start = try #require(try values(of: "TimeoutStartSec", in: unit).first.flatMap(Int.init))
    #expect(start * 1_000_000 == ManagerNews.startMicroseconds)
    #expect(.seconds(start) > HealthReport.patience)
    let restart = try #require(try values(of: "RestartSec", in: unit).first.flatMap(Int.init))
    #expect(Int64(restart) > WorkerStanding.freshSeconds)
    #expect(Int64(restart) < WorkerStore.heartbeatLimitSeconds)
    let watchdog = try #require(try values(of: "WatchdogSec", in: unit).first.flatMap(Int.init))
    // Half of it passes between two signs, and a role may be busy with one step for a while.
    #expect(ManagerNews(watchdog: .seconds(watchdog)).interval >= .seconds(10))
    #expect(try values(of: "RestartPreventExitStatus", in: unit) == ["64"])
    #expect(OperatorFailure.settings([]).exitCode == 64)
    #expect(
      try values(of: "Environment", in: unit) == [
        "CUBIST_CONFIG=\(ServiceSettings.installedFile)"
      ])
  }
}
