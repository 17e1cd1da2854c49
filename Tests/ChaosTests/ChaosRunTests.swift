import Foundation
import MatchWire
import Testing

@testable import Chaos

@Suite("Chaos", .serialized)
struct ChaosRunTests {
  private static let victims: [String: Set<String>] = [
    "worker-kill": ["worker-1", "worker-2", "worker-3"], "push-kill": ["push-1", "push-2"],
    "backends-terminated": ["sessions"], "postgres-restart": ["postgresql"],
    "broker-restart": ["rabbitmq"], "queue-full": ["worker"], "connections-cut": ["connections"],
    "answers-lost": ["connections"],
  ]

  /// A target that says nothing for long is taken for one that hangs.
  @Sendable private static func tell(_ step: String) {
    FileHandle.standardError.write(Data("· chaos: \(step)\n".utf8))
  }

  @Test("Servers and roles killed under load for 45 seconds: nothing lost, nothing doubled")
  func fortyFiveSeconds() throws {
    let seed = UInt64.random(in: 0...999_999_999)
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    var options = ChaosOptions(
      folder: "\(root)/.cubist/chaos-test",
      binary: try RoleProcess.binaryBesideThisProgram(), seconds: 45, seed: seed)
    options.faults = [
      .workerKill, .pushKill, .backendsTerminated, .postgresRestart, .brokerRestart, .queueFull,
      .connectionsCut, .answersLost,
    ]
    // Other tests take half of the time of a busy machine.
    options.players = 40
    options.pause = 0.5
    options.quiet = 0.2...1
    let queues = try #require(QueueLayout(queueCount: 4))
    options.queues = queues
    options.leastFaults = 3
    let report = try ChaosRun(options, progress: Self.tell).run()
    #expect(report.findings == [], "seed \(seed); logs are in \(options.folder)")
    #expect(report.load.turns > 0 && report.load.pushes > 0, "seed \(seed)")
    #expect(report.check.entries > report.load.turns, "seed \(seed)")
    // Hostile players attack all the while.
    #expect(report.attacks?.kinds.count == AttackKind.allCases.count, "seed \(seed)")
    // A fault that struck nothing is among the findings. Here every kind of fault that came struck
    // one of its victims.
    for (kind, victims) in Self.victims where report.faults.contains(where: { $0.kind == kind }) {
      #expect(report.strikes.keys.contains { victims.contains($0) }, "seed \(seed): \(kind)")
    }
    #expect(report.faults.contains { $0.kind == "broker-restart" } || report.faults.count > 2)
  }

  @Test(
    "Gateways killed, cut off, and behind a proxy that sends everything twice and loses answers")
  func gateways() throws {
    let seed = UInt64.random(in: 0...999_999_999)
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    var options = ChaosOptions(
      folder: "\(root)/.cubist/chaos-gateways",
      binary: try RoleProcess.binaryBesideThisProgram(), seconds: 20, seed: seed)
    options.faults = [.gatewayKill, .gatewayCut, .requestsDoubled]
    options.isAttacked = false
    options.players = 24
    options.pause = 0.3
    options.quiet = 0.2...0.5
    options.queues = try #require(QueueLayout(queueCount: 4))
    options.leastFaults = 2
    let report = try ChaosRun(options, progress: Self.tell).run()
    #expect(report.findings == [], "seed \(seed); logs are in \(options.folder)")
    // Events came again and again, and counted once.
    #expect(report.load.turns > 0 && report.load.resends > 0, "seed \(seed)")
    #expect(report.check.entries > report.load.turns, "seed \(seed)")
    #expect(report.faults.count > 1, "seed \(seed)")
  }
}
