import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("A working key with an expiring certificate", .serialized)
struct WorkingKeyTests {
  /// How long the short certificate lasts, in seconds.
  private static let shortSeconds: Int64 = 15

  // Failure: Interruption.keys
  @Test("Running roles stop, lose nothing, and go on by themselves once it is renewed")
  func runsOutAndIsRenewed() async throws {
    var options = ServiceLab.Options(workers: 0, hasNewHost: true)
    options.roles = [.relay, .push]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let stage = try Stage(lab, processes)
      defer { stage.close() }
      let roles = try ["worker", "worker", "scheduler", "reader"].map { try processes.start($0) }
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)

      // Running roles take it up; the signatures of both keys count.
      let first = try stage.renew(validSeconds: Self.shortSeconds)
      // At once: it runs out soon.
      let soon = try stage.status().attention()
      #expect(soon.contains { $0.contains("ends in less than two days") }, "\(soon)")
      try waitUntil("every role has the new key") {
        roles.allSatisfy { $0.logText.contains("keys taken up") }
      }
      #expect(first.contains { $0.contains("certified until") })

      let end = try #require(stage.identity().term.end)
      try waitUntil("the certificate has run out") { try stage.now() >= end }
      // Somebody plays on: the turn waits.
      let turn = try ann.sign(.turnPlayed(match, lab.turn(try lab.match(match))))
      let before = try lab.match(match)
      try lab.publish([(turn.slot, turn.envelope)])
      try waitUntil("workers and scheduler say what is wrong") {
        roles.filter { $0.role != "reader" }.allSatisfy { role in
          role.logText.contains("No certificate covers the working key")
            && role.logText.contains("cubistd setup --renew ROOT-KEY-FILE")
        }
      }
      #expect(try lab.match(match).version == before.version)
      let late = try stage.status().attention()
      #expect(late.contains { $0.contains("ended at \(end)") }, "\(late)")
      #expect(try stage.setup().problems().contains { $0.contains("ended at \(end)") })
      let failure = #expect(throws: OperatorFailure.self) { try stage.setup().run { _ in } }
      #expect(failure?.exitCode == 1)
      #expect(failure?.description.contains("cubistd setup --renew ROOT-KEY-FILE") == true)

      try stage.renew()
      try waitUntil("the turn that waited is judged") {
        try lab.match(match).version > before.version
      }
      #expect(try ann.send(turn).receipt != nil, "the first reply, as always")
      try bob.must(.turnPlayed(match, lab.turn(try lab.match(match))))
      try ann.must(.matchForfeited(match))
      try stage.expectGood(match, sharedBy: ann)
      // The last interruption is remembered for ten seconds.
      try waitUntil("nothing is said of the working key any more") {
        try stage.status().attention().allSatisfy { !$0.contains("working key") }
      }
      for role in roles {
        #expect(role.isRunning, "\(role.role) was never restarted")
        role.askToLeave()
        #expect(role.wait() == 0)
      }
    }
  }

  @Test(
    "Workers and readers with the former key file accept a renewed key's signatures, and show them")
  func formerKeyFile() async throws {
    var options = ServiceLab.Options(workers: 0, hasNewHost: true)
    options.roles = [.relay, .push, .reader]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let stage = try Stage(lab, processes)
      defer { stage.close() }
      try stage.renew()
      // The lab's own roles have the former file, those that run apart the new one.
      _ = try processes.start("scheduler")
      try lab.startWorker()
      try waitUntil("every queue has heard a tick of the new key") {
        try stage.status().status?.clocks.count == lab.layout.queueCount
      }
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      // From here on the worker is the one with the new key.
      try lab.stopWorkers()
      _ = try processes.start("worker")
      try bob.must(.matchForfeited(match))
      try stage.expectGood(match, sharedBy: bob)
    }
  }
}

/// A service of processes, and an operator's view of it.
private struct Stage {
  let lab: ServiceLab
  let settings: ServiceSettings
  private let root: String
  private let connection: PostgreSQLConnection

  init(_ lab: ServiceLab, _ processes: RoleProcesses) throws {
    self.lab = lab
    root = "\(processes.keys).root"
    try lab.rootKey.create(at: root)
    settings = ServiceSettings(
      database: lab.database.connectionString, broker: lab.serviceURL,
      serviceKeys: processes.keys, layout: lab.layout)
    connection = try lab.connection()
    try DatabaseSetup(
      settings: settings.databaseSettings(), identity: identity(), layout: lab.layout
    ).run { _ in }
  }

  func close() { connection.close() }

  func identity() throws -> ServiceIdentity { try settings.identity() }

  func setup() throws -> ServiceSetup { ServiceSetup(settings, players: nil) }

  func now() throws -> Instant { try SchedulerStore.live(connection).now() }

  func status() throws -> StatusReport { try StatusReport.gather(settings) }

  /// `cubistd setup --renew`, with a certificate that lasts as long as a test needs.
  @discardableResult
  func renew(validSeconds: Int64 = ServiceKeyFile.standardValidity) throws -> [String] {
    var setup = try setup()
    setup.validSeconds = validSeconds
    let told = try setupLines { report throws(OperatorFailure) in
      try setup.renewWorkingKey(root: root, report: report)
    }
    return told
  }

  /// Expects that `check` finds nothing, that no event was lost, and that the record that a reader
  /// hands out verifies.
  func expectGood(_ match: MatchID, sharedBy player: LabPlayer) throws {
    let check = try LiveCheck(settings, as: "test").run(after: nil)
    #expect(check.violations == [])
    #expect(check.isComplete)
    #expect(try lab.deadEventCount() == 0)
    // Setting up and renewing are acts of somebody.
    let acts = try OperatorStore.live(connection).acts(100)
    #expect(acts.map(\.act).contains("service set up"))
    #expect(acts.allSatisfy { $0.detail.hasSuffix(" by \(OperatorName.current)") }, "\(acts)")
    guard case .gameShared(_, let code) = try player.must(.gameShared(match)) else {
      throw LabFailure("not shared")
    }
    let record = try lab.client("Eve").record(code: code)
    let verifier = RecordVerifier(rootKey: try identity().rootKey)
    let report = try verifier.report(on: Array(record.utf8))
    #expect(report.isVerified, "\(String(describing: report.game.fault))")
    #expect(report.document.certificates.count > 1)
  }
}
