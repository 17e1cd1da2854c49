import MatchCore
import MatchInterfaces
import MatchService
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("Status asks as a player does, and looks at certificates", .serialized)
struct StatusLookTests {
  @Test("A gateway that serves is no finding, and one that has left is named")
  func gateway() async throws {
    try await ServiceLab.run { lab in
      let gateway = try LabGateway(in: lab)
      var settings = try lab.settings()
      settings.gateway = GatewaySettings(
        listen: ListenAddress(host: "127.0.0.1", port: gateway.port))
      var served = try StatusReport.complete(settings)
      // Both on a machine that is not too busy for the time of a look.
      try waitUntil("the gateway answers", found: "\(String(describing: served.gateway))") {
        if case .answered(status: 200, _) = served.gateway?.look { return true }
        served = try StatusReport.complete(settings)
        return false
      }
      let own: Set = ["requestsFail", "gatewayUnanswered"]
      #expect(served.findings().filter { own.contains($0.name) } == [])
      try gateway.leave()
      try waitUntil("it is missed") {
        try StatusReport.gather(settings).findings().map(\.name).contains("gatewayUnanswered")
      }
    }
  }

  @Test(
    "The certificates that PostgreSQL, RabbitMQ and its management API show are read, with their ends"
  )
  func certificates() async throws {
    try await ServiceLab.run { lab in
      let settings = try lab.settings()
      var report = try StatusReport.gather(settings)
      try waitUntil("each shows one in time", found: "\(report.certificates)") {
        let servers = Set(report.certificates.map(\.server))
        if servers == ["PostgreSQL", "RabbitMQ", "RabbitMQ's management API"] { return true }
        report = try StatusReport.gather(settings)
        return false
      }
      // One authority has made one certificate for all of them.
      #expect(Set(report.certificates.map(\.end)).count == 1)
      #expect(report.certificateFindings() == [])
      let end = try #require(report.certificates.first?.end)
      report.status?.now = end.adding(seconds: -86_400)
      let found = report.certificateFindings()
      #expect(found.count == report.certificates.count)
      #expect(found.allSatisfy { $0.severity == .critical && $0.cause.contains("ends in 1 day,") })
    }
  }
}
