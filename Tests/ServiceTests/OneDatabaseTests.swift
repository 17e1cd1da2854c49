import Chaos
import EventBusLive
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("A broker serves one database", .serialized)
struct OneDatabaseTests {
  /// A service that was set up, with its key file, and a copy of its database.
  private struct Scene {
    let lab: ServiceLab
    let copy: Database
    let settings: ServiceSettings

    var copied: ServiceSettings {
      var copied = settings
      copied.database = copy.connectionString
      return copied
    }

    func setUp(_ settings: ServiceSettings, takingBroker: Bool = false) throws {
      try ServiceSetup(settings, players: nil).run(takingBroker: takingBroker) { _ in }
    }

    func connection(_ database: Database) throws -> PostgreSQLConnection {
      try PostgreSQLConnection(database.patientSettings())
    }

    /// Brings the copy to the present state of the service's database.
    func takeCopy() throws {
      let (from, to) = (try connection(lab.database), try connection(copy))
      defer {
        from.close()
        to.close()
      }
      let row = try from.query(
        "SELECT mark::text, former::text, claimed_at::text FROM broker_claim"
      ).only
      func quoted(_ index: Int) throws -> String {
        guard let cell = try row[index].ifPresent else { return "NULL" }
        return "'\(try cell.text)'"
      }
      try to.script(
        """
        DELETE FROM broker_claim;
        INSERT INTO broker_claim (mark, former, claimed_at)
        VALUES (\(quoted(0)), \(quoted(1)), \(quoted(2)))
        """)
    }

    /// Lets a minute pass for a database's mark, and changes it as a steward does.
    func renewMark(of database: Database) throws {
      let connection = try connection(database)
      defer { connection.close() }
      try connection.script(
        "UPDATE broker_claim SET claimed_at = claimed_at - interval '2 minutes'")
      try BrokerWatch(connection, lab.context(), renews: true).look()
    }

    func complaint(of database: Database) throws -> String? {
      let connection = try connection(database)
      defer { connection.close() }
      let context = try lab.context()
      do throws(Interruption) {
        try BrokerWatch(connection, context, renews: false).look()
      } catch {
        guard case .store(.unusable(let text)) = error else { return "\(error)" }
        return text
      }
      return nil
    }
  }

  private static func withScene(_ body: @Sendable (Scene) throws -> Void) async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      try RealServers.withDatabase { (copy: Database) throws in
        let folder = FileManager.default.temporaryDirectory
          .appendingPathComponent("cubist-copy-\(UInt64.random(in: .min ... .max))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = try lab.settings()
        settings.serviceKeys = "\(folder)/keys.json"
        try lab.keys.create(at: settings.serviceKeys)
        let scene = Scene(lab: lab, copy: copy, settings: settings)
        try scene.setUp(settings)
        let connection = try scene.connection(copy)
        defer { connection.close() }
        try Schema.install(connection)
        try LabUsers.grant(connection)
        try Layouts.keep(lab.layout, connection)
        try scene.takeCopy()
        try body(scene)
      }
    }
  }

  @Test("Roles of a copy of the database take nothing, and say why")
  func copy() async throws {
    try await OneDatabaseTests.withScene { scene in
      let lab = scene.lab
      #expect(try scene.complaint(of: scene.copy) == nil)
      // The original goes on.
      try scene.renewMark(of: lab.database)
      try scene.renewMark(of: lab.database)
      #expect(try scene.complaint(of: lab.database) == nil)
      let wiring = try lab.wiring(database: scene.copy.connectionString)
      let problem = try #require(wiring.problem())
      #expect(problem.contains("another database") && problem.contains("--take-broker"))
      for role in [RoleName.worker, .reader, .push, .relay, .scheduler] {
        let id = RoleID(rawValue: Randomness.live.next128())
        #expect(throws: Interruption.store(.unusable(problem))) {
          _ = try wiring.make(RolePresence(id: id, role: role, stop: StopSignal()))
        }
      }
      try BrokerWatch.look(scene.settings, as: "check")
      #expect(throws: OperatorFailure.wrong(problem)) {
        try BrokerWatch.look(scene.copied, as: "check")
      }
    }
  }

  @Test("Status of a copy says that the broker serves another database, that of the original not")
  func copyStatus() async throws {
    try await OneDatabaseTests.withScene { scene in
      for _ in 1...2 { try scene.renewMark(of: scene.lab.database) }
      let wiring = try scene.lab.wiring(database: scene.copy.connectionString)
      let id = RoleID(rawValue: Randomness.live.next128())
      #expect(throws: Interruption.self) {
        _ = try wiring.make(RolePresence(id: id, role: .push, stop: StopSignal()))
      }
      var last: StatusReport?
      try waitUntil("status says so") {
        last = try StatusReport.gather(scene.copied)
        return last?.findings().map(\.name).contains("brokerServesAnother") == true
      }
      let report = try #require(last)
      // The reason stands in the signs of life of its roles, too.
      #expect(report.status?.roles.first?.sign.problem?.contains("--take-broker") == true)
      #expect(
        try !StatusReport.gather(scene.settings).findings().map(\.name)
          .contains("brokerServesAnother"))
    }
  }

  @Test("Roles that began with a very young copy leave, and the service's own answer from then on")
  func youngCopy() async throws {
    try await OneDatabaseTests.withScene { scene in
      let lab = scene.lab
      let stranger = try lab.start(
        .worker, lab.wiring(database: scene.copy.connectionString))
      try lab.waitUntilWorking()
      // The service's own stands by behind it.
      for role in [RoleName.worker, .reader] { try lab.start(role) }
      try lab.waitUntilWorking()
      try waitUntil("status names it") {
        try StatusReport.gather(scene.settings).findings().contains {
          $0.name == "strangeConsumers" && $0.cause.contains("cubist.slots.00")
        }
      }
      for _ in 1...2 { try scene.renewMark(of: lab.database) }
      try waitUntil("the stranger leaves") {
        guard case .interrupted(.store(.unusable)) = stranger.runner.state else { return false }
        return true
      }
      _ = try lab.client("Ann")
      #expect(try lab.replies().count == 1)
      // The broker's statistics are some seconds old.
      try waitUntil("status names nobody any more") {
        try !StatusReport.gather(scene.settings).findings().map(\.name)
          .contains("strangeConsumers")
      }
    }
  }

  @Test("Setup takes the broker for a copy only when told so and when nobody works there")
  func taking() async throws {
    try await OneDatabaseTests.withScene { scene in
      let lab = scene.lab
      for _ in 1...2 { try scene.renewMark(of: lab.database) }
      func failure(_ body: () throws -> Void) throws -> String {
        let failure = #expect(throws: OperatorFailure.self) { try body() }
        return try #require(failure).description
      }
      let refusal = try failure { try scene.setUp(scene.copied) }
      #expect(refusal.contains("another database"))
      let found = try ServiceSetup(scene.copied, players: nil).problems()
      #expect(found.contains(refusal), "\(found)")
      try lab.startWorker()
      #expect(
        try failure { try scene.setUp(scene.copied, takingBroker: true) }.contains("still work"))
      #expect(try scene.complaint(of: lab.database) == nil)
      try lab.stopWorkers()
      var blind = scene.copied
      blind.brokerManagement = nil
      #expect(try failure { try scene.setUp(blind) }.contains("another database"))
      // Without the management API it does not see the other's mark.
      let told = try setupLines { report throws(OperatorFailure) in
        try ServiceSetup(blind, players: nil).run(takingBroker: true, report: report)
      }
      #expect(told.contains { $0.contains("by hand") })
      #expect(try scene.complaint(of: scene.copy) == nil)
      #expect(try scene.complaint(of: lab.database) == nil)
      try scene.setUp(scene.copied, takingBroker: true)
      #expect(try scene.complaint(of: scene.copy) == nil)
      #expect(try ServiceSetup(scene.copied, players: nil).problems() == [])
      #expect(try scene.complaint(of: lab.database)?.contains("another database") == true)
      // And back.
      try scene.setUp(scene.settings, takingBroker: true)
      #expect(try scene.complaint(of: lab.database) == nil)
      #expect(try scene.complaint(of: scene.copy) != nil)
    }
  }

  @Test("A broker that has lost every mark gets one again")
  func lostMark() async throws {
    try await OneDatabaseTests.withScene { scene in
      let connection = try scene.connection(scene.lab.database)
      defer { connection.close() }
      let claim = try #require(try BrokerClaims.stored(connection))
      try BrokerMarks(at: BrokerAddress(url: scene.lab.serviceURL)).put(nil, removing: claim.marks)
      #expect(try scene.complaint(of: scene.lab.database) != nil)
      try scene.setUp(scene.settings)
      #expect(try scene.complaint(of: scene.lab.database) == nil)
    }
  }

  @Test(
    "Marks of former states that come back, as with definitions that are imported, hinder nobody")
  func formerMarks() async throws {
    try await OneDatabaseTests.withScene { scene in
      let former = BrokerMark(rawValue: 7)
      try BrokerMarks(at: BrokerAddress(url: scene.lab.serviceURL)).put(former, removing: [])
      try scene.setUp(scene.settings)
      #expect(try ServiceSetup(scene.settings, players: nil).problems() == [])
      #expect(try scene.complaint(of: scene.lab.database) == nil)
    }
  }
}
