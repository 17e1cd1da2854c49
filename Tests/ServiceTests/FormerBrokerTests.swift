import BrokerManagement
import Chaos
import CubistBasics
import EventBusLive
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("A broker that a former build set up", .serialized)
struct FormerBrokerTests {
  private static func setup(_ lab: ServiceLab) throws -> BrokerSetup {
    BrokerSetup(
      service: try BrokerAccount(url: lab.serviceURL, setting: "CUBIST_BROKER"), players: nil,
      administration: try LabBroker.administration(), topology: Topology(layout: lab.layout))
  }

  @Test(
    "The queues change over under load, with workers replaced and killed: each event counts once",
    arguments: [0, 3])
  func underLoad(kills: Int) async throws {
    let seed = UInt64.random(in: .min ... .max)
    var options = ServiceLab.Options(queueCount: 16, workers: 0)
    options.roles = [.reader, .scheduler]
    options.lexicons = .standard
    options.isFormer = true
    try await ServiceLab.run(options) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      var crew = Crew(processes)
      let former = try [FormerWorker(in: lab), FormerWorker(in: lab)]
      let load = Load()
      async let played: Void = load.run(pairs: 6, in: lab, seed: seed)
      do {
        defer { load.stop.ask() }
        try load.awaitTurns(20)
        try FormerBrokerTests.bringOver(&crew, former, load, lab, seed, kills: kills)
      } catch {
        throw LabFailure("seed \(seed): \(error)\n\(crew.logs)")
      }
      try await played
      try load.log.settle(in: lab)
      try load.log.verify(in: lab, seed: seed, eachPushOnce: true)
      #expect(load.log.all.allSatisfy { $0.isConfirmed }, "seed \(seed)")
      #expect(try lab.deadEventCount() == 0, "seed \(seed)")
    }
  }

  private static func bringOver(
    _ crew: inout Crew, _ former: [FormerWorker], _ load: Load, _ lab: ServiceLab, _ seed: UInt64,
    kills: Int
  ) throws {
    var random = SplitMix64(state: seed)
    let brought = try setup(lab)
    // Before setup was run workers of this build serve the former queues like the others.
    try crew.add(1)
    try load.awaitTurns(20)
    let left = try setupLines { report throws(OperatorFailure) in
      try brought.run(report: report)
    }
    // Those of the former workers; the new one may have brought its own over already.
    #expect(left.contains { $0.contains("cubist.events.") })
    try lab.start(.relay)
    try lab.start(.push)
    try former[0].leave()
    for _ in 0..<kills {
      // Nothing is awaited: the worker is to be at any point of its work when it dies.
      Patience.passAny(upTo: 3, random.next())
      crew.kill(0)
      try crew.add(1)
      try lab.forgetWorkers()
    }
    try former[1].leave()
    try crew.add(1)
    try crew.waitForShares([8, 8])
    try load.awaitTurns(20)
    try waitUntil("no slot leads to a former queue") {
      try !LabBroker.administration().eventBindings(in: lab.host.name).contains(where: \.isFormer)
    }
    try waitUntil("the former queues are gone") {
      try setupLines { report throws(OperatorFailure) in try brought.run(report: report) }
        .allSatisfy { !$0.contains("is still there") }
    }
    guard kills == 0 else { return }
    #expect(try brought.problems() == [])
    // Workers find nothing to bring over any more.
    crew.kill(0)
    try crew.add(1)
    try lab.forgetWorkers()
    try crew.waitForShares([8, 8])
    try load.awaitTurns(20)
  }
}
