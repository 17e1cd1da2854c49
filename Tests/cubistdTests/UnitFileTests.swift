import Foundation
import MatchGateway
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

  @Test("A role may take its time to leave, and its start is prolonged in time")
  func times() throws {
    let unit = "cubistd@.service"
    let stop = try #require(try values(of: "TimeoutStopSec", in: unit).first.flatMap(Int.init))
    #expect(.seconds(stop) > ServiceProcess.leaveTime)
    let start = try #require(try values(of: "TimeoutStartSec", in: unit).first.flatMap(Int.init))
    #expect(start * 1_000_000 == ManagerNews.startMicroseconds)
    #expect(.seconds(start) > HealthReport.patience)
    #expect(try values(of: "RestartPreventExitStatus", in: unit) == ["64"])
    #expect(OperatorFailure.settings([]).exitCode == 64)
    #expect(
      try values(of: "Environment", in: unit) == [
        "CUBIST_CONFIG=\(ServiceSettings.installedFile)"
      ])
  }
}
