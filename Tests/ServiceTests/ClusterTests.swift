import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

/// Servers that replicate each other lose one under load.
///
/// Only on servers that were started with `deploy/servers start DIR --standby --nodes 3`, and alone
/// there: `deploy/nightly` does so.
@Suite(
  "Clusters that lose a server", .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["CUBIST_CLUSTER_TESTS"] == "1",
    "set CUBIST_CLUSTER_TESTS=1, as deploy/nightly does"))
struct ClusterTests {
  @Test("PostgreSQL fails over twice under load: nothing that was answered is lost or doubled")
  func postgresFailsOver() async throws {
    try await underLoad { servers, load in
      for _ in 0..<2 {
        print("writable again after \(try servers.failOver())")
        try load.awaitTurns(30)
      }
      try servers.restartPostgres()
      try load.awaitTurns(30)
    }
  }

  @Test("Every RabbitMQ node is killed once under load: nothing confirmed is lost or doubled")
  func nodesDie() async throws {
    try await underLoad { servers, load in
      // The first is where everybody is connected, and each leads some of the queues.
      for node in 1...3 {
        try servers.killBroker(node: node)
        try load.awaitTurns(30)
        try servers.startBroker(node: node)
        try load.awaitTurns(10)
      }
    }
  }

  @Test("Every queue of the service is replicated to three nodes")
  func replicated() async throws {
    try await ServiceLab.run(.init(hasNewHost: true)) { lab in
      try waitUntil("the broker knows the members of all queues") {
        // A reader's queue of outcomes lives and dies with its connection.
        let queues = try lab.host.queues().filter {
          $0.name.hasPrefix("cubist.") && !$0.name.hasPrefix("cubist.outcomes")
        }
        // Those of events, of queries and of push jobs, and one for each delay of these.
        let count = lab.layout.queueCount + 2 + PushBus.RetryDelay.allCases.count
        return queues.count == count && queues.allSatisfy { $0.members?.count == 3 }
      }
    }
  }

  @Test("A standby that is gone is named while commits wait for it")
  func standbyGone() async throws {
    let servers = RunServers(folder: try #require(try RealServers.environment().folder))
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      let settings = try lab.settings()
      func found() throws -> [cubistd.Finding] {
        try StatusReport.gather(settings).findings().filter { $0.name == "standbyGone" }
      }
      #expect(try found() == [])
      try servers.killStandby()
      defer { #expect(throws: Never.self) { try servers.startStandby() } }
      // One finding is about commits, the other about the standby's slot.
      try waitUntil("it is missed") { try found().map(\.severity) == [.critical, .warning] }
    }
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      let names = try StatusReport.gather(lab.settings()).findings().map(\.name)
      #expect(!names.contains("standbyGone"))
    }
  }

  /// The servers are disturbed, the workers are not.
  private func underLoad(
    _ disturb: @Sendable (RunServers, Load) throws -> Void
  ) async throws {
    let servers = RunServers(folder: try #require(try RealServers.environment().folder))
    // A job that is published again because of a failover comes twice.
    try await Crew.underLoad(eachPushOnce: false) { _, load, _, _ in
      try disturb(servers, load)
    }
  }
}
