import Chaos
import Foundation
import MatchService
import MatchWire
import RawHTTP
import RealServers
import TestedService
import Testing

/// From what a player reads to the lines of the log.
@Suite("The way from a player's error to the log")
struct ErrorTrailTests {
  private static func withProgram(
    _ body: @Sendable (ServiceLab, (_ gateway: LabGateway) -> CubistProgram) throws -> Void
  ) async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [.reader])) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-trail-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try body(lab) { CubistProgram(folder: folder, url: "http://127.0.0.1:\($0.port)") }
    }
  }

  @Test("The event that a pending answer names is found in the logs of gateway and worker")
  func event() async throws {
    try await Self.withProgram { lab, program in
      let gateway = try LabGateway(in: lab)
      // A busy machine may not even say which service this is in so little time.
      var said = try program(gateway).run("register Ann --timeout 3s", as: "ann")
      try waitUntil("the answer is pending", found: said.errors) {
        if said.status != 75 {
          said = try program(gateway).run("register Ann --timeout 3s", as: "ann")
        }
        return said.status == 75
      }
      let event = try #require(
        said.errors.firstMatch(of: /tell the operators this event: ([0-9a-f-]{36})/)?.1,
        "\(said.errors)")
      try waitUntil("the gateway's log names it", found: gateway.lines.joined(separator: "\n")) {
        gateway.lines.contains { $0.hasPrefix("event unanswered ") && $0.contains(event) }
      }
      let processes = try RoleProcesses(of: lab, ["CUBIST_LOG_LEVEL": "debug"])
      defer { processes.end() }
      let worker = try processes.start("worker")
      try waitUntil("the worker's log names it", found: worker.logText) {
        worker.logText.split(separator: "\n").contains {
          $0.contains("event accepted") && $0.contains(event)
        }
      }
    }
  }

  @Test("The request that an error names is found in the gateway's log")
  func request() async throws {
    try await Self.withProgram { lab, program in
      let (broker, url) = try TCPProxy.inFront(ofURL: lab.gatewayURL())
      defer { broker.close() }
      let gateway = try LabGateway(in: lab, broker: url)
      broker.refuse()
      broker.cut()
      try waitUntil("the gateway has lost the broker") {
        try gateway.connect().ask("GET", "/v1/service").status == 503
      }
      // A busy machine may be too late for the error.
      var (request, errors): (Substring?, String) = (nil, "")
      try waitUntil("an error names its request", found: errors) {
        let said = try program(gateway).run("register Ann --timeout 3s", as: "ann")
        #expect(said.status == 69, "\(said.errors)")
        errors = said.errors
        request = errors.firstMatch(of: /\(\w+, request ([0-9a-f]+)\)/)?.1
        return request != nil
      }
      let named = try #require(request)
      try waitUntil("the gateway's log names it", found: gateway.lines.joined(separator: "\n")) {
        gateway.lines.contains { $0.hasPrefix("request failed ") && $0.contains(named) }
      }
    }
  }
}
