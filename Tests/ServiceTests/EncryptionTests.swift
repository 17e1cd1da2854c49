import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import RealServers
import TestedService
import Testing

@testable import cubistd

/// Every lab connects with the addresses of `VirtualHost` and `Database`; so it is shown of one.
@Suite("Connections of a service")
struct EncryptionTests {
  @Test(
    "Roles, on threads and as processes, gateway and players speak with both servers by TLS alone")
  func everyConnection() async throws {
    let roles = RoleName.standard.filter { $0 != .worker }
    try await ServiceLab.run(.init(workers: 0, roles: roles, hasNewHost: true)) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      _ = try processes.start("worker")
      try await lab.withGateway { _ in
        let (ann, bob) = try lab.pair()
        let match = try lab.begin(ann, bob)
        try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
        try EncryptionTests.expectEncryptedSessions(in: lab)
        try EncryptionTests.expectEncryptedConnections(of: lab)
      }
    }
  }

  /// Asks PostgreSQL.
  private static func expectEncryptedSessions(in lab: ServiceLab) throws {
    let connection = try lab.connection()
    defer { connection.close() }
    let sessions = try connection.query(
      """
      SELECT usename::text, application_name, ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
      WHERE datname = current_database() AND backend_type = 'client backend'
      """)
    let users = try Set(sessions.map { row in try row[0].text })
    let roles: [DatabaseUser] = [.worker, .scheduler, .steward, .relay, .reader, .push, .rater]
    let expected = roles.compactMap { LabUsers.names[$0] }
    #expect(users.isSuperset(of: expected), "\(users)")
    for row in sessions {
      let (user, program) = (try row[0].text, try row[1].text)
      #expect(try row[2].bool, "\(user), \(program)")
    }
  }

  /// Asks RabbitMQ.
  private static func expectEncryptedConnections(of lab: ServiceLab) throws {
    let ends = ["service", "players", "gateway"]
    var connections: [VirtualHost.BrokerConnection] = []
    try waitUntil("the broker tells of every user's connections") {
      connections = try lab.host.connections()
      return ends.allSatisfy { end in
        connections.contains { $0.user == "\(lab.host.name)-\(end)" }
      } && connections.allSatisfy { $0.isEncrypted != nil }
    }
    for connection in connections {
      #expect(connection.isEncrypted == true, "\(connection.clientName ?? connection.name)")
    }
  }
}
