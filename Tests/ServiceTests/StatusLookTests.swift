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
      let served = try StatusReport.gather(settings)
      guard case .answered(status: 200, _) = served.gateway?.look else {
        Issue.record("the gateway was not asked: \(String(describing: served.gateway))")
        return
      }
      let own: Set = ["requestsFail", "gatewayUnanswered"]
      #expect(served.findings().filter { own.contains($0.name) } == [])
      try gateway.leave()
      let left = try StatusReport.gather(settings)
      #expect(left.findings().map(\.name).contains("gatewayUnanswered"))
    }
  }

  @Test(
    "The certificates that PostgreSQL, RabbitMQ and its management API show are read, with their ends"
  )
  func certificates() async throws {
    try await ServiceLab.run { lab in
      let settings = try lab.settings()
      var report = try StatusReport.gather(settings)
      #expect(
        Set(report.certificates.map(\.server))
          == ["PostgreSQL", "RabbitMQ", "RabbitMQ's management API"])
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
