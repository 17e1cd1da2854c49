import BrokerManagement
import Chaos
import CustomDump
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RawHTTP
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("Passwords that change while the service runs")
struct ChangedPasswordTests {
  @Test("A worker goes on as a user of its own when its passwords change or cannot be read")
  func changed() async throws {
    var options = ServiceLab.Options(workers: 0)
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let owner = try lab.connection()
      defer { owner.close() }
      let name = "\(lab.database.name)_worker"
      try DatabaseRights.make(name, password: "former", owner)
      defer { try? owner.script("DROP OWNED BY \"\(name)\"; DROP ROLE \"\(name)\"") }
      try DatabaseRights.grant([.worker: name], owner)
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let files = URL(filePath: processes.keys).deletingLastPathComponent()
      let (database, broker) = (files.appending(path: "database"), files.appending(path: "broker"))
      func write(_ password: String) throws {
        try "\(lab.database.connectionString) user=\(name) password=\(password)"
          .write(to: database, atomically: true, encoding: .utf8)
        // Gives the user another password.
        try lab.host.addUser("worker", .service())
          .write(to: broker, atomically: true, encoding: .utf8)
      }
      try write("former")
      let process = try processes.start(
        "worker",
        [
          "CUBIST_DATABASE_WORKER": "", "CUBIST_DATABASE_WORKER_FILE": database.path,
          "CUBIST_BROKER": "", "CUBIST_BROKER_FILE": broker.path,
        ])
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)

      /// The worker loses its sessions, and judges a turn in new ones.
      func endSessions() throws {
        let sessions = "FROM pg_stat_activity WHERE usename = '\(name)'"
        try waitUntil("the worker is at work") {
          try !owner.query("SELECT 1 \(sessions)").isEmpty
        }
        try owner.script("SELECT pg_terminate_backend(pid) \(sessions)")
        let player = try lab.match(match).seatToPlay == 0 ? ann : bob
        _ = try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
      }
      try endSessions()

      // Files that are away for a moment stop nobody.
      try FileManager.default.removeItem(at: database)
      try endSessions()

      try write("newer")
      try DatabaseRights.make(name, password: "newer", owner)
      let error = #expect(throws: PostgreSQLError.self) {
        try PostgreSQLConnection(
          PostgreSQLSettings(
            connectionString: "\(lab.database.connectionString) user=\(name) password=former"))
      }
      #expect("\(error as Any)".contains("password"))
      try endSessions()
      try endSessions()

      #expect(process.isRunning)
      #expect(try lab.match(match).turnNumber == 5)
      expectNoDifference(try lab.violations(), [])
    }
  }

  @Test("A gateway goes on when its password changes")
  func changedOfGateway() async throws {
    try await ServiceLab.run { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let file = URL(filePath: processes.keys).deletingLastPathComponent()
        .appending(path: "gateway")
      func changePassword() throws {
        try lab.gatewayURL().write(to: file, atomically: true, encoding: .utf8)
      }
      try changePassword()
      let port = Int(try FreePort.take())
      let process = try processes.start(
        "gateway",
        [
          "CUBIST_GATEWAY_BROKER_FILE": file.path,
          "CUBIST_GATEWAY_LISTEN": "127.0.0.1:\(port)",
        ])
      func connections() throws -> [VirtualHost.BrokerConnection] {
        try lab.host.connections().filter { $0.user == "\(lab.host.name)-gateway" }
      }
      func serves() throws -> Bool {
        guard let client = try? RawClient(port: port) else { return false }
        return try client.ask("GET", "/v1/service").status == 200
      }
      try waitUntil("the gateway serves", found: process.logText) { try serves() }
      var former: [VirtualHost.BrokerConnection] = []
      try waitUntil("the broker tells of its connections") {
        former = try connections()
        return former.count == GatewayWiring.roleNames.count
      }
      try changePassword()
      for connection in former { try lab.host.close(connection) }
      try waitUntil("the gateway serves by new connections", found: process.logText) {
        let present = try connections().map(\.name)
        let areNew = Set(present).isDisjoint(with: former.map(\.name))
        return try areNew && present.count == former.count && serves()
      }
      #expect(process.isRunning)
    }
  }
}
