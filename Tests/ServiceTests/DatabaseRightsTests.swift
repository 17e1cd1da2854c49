import LibPQ
import MatchInterfaces
import MatchStoreLive
import RealServers
import Testing

@testable import cubistd

@Suite("Rights in the database")
struct DatabaseRightsTests {
  @Test("Each user of the database does its own work and no other's")
  func ownWork() throws {
    try RealServers.withDatabase { database in
      let owner = try PostgreSQLConnection(
        PostgreSQLSettings(connectionString: database.connectionString))
      defer { owner.close() }
      try Schema.install(owner)
      let names = Dictionary(
        uniqueKeysWithValues: DatabaseUser.allCases.map { ($0, "\(database.name)_\($0.rawValue)") })
      for name in names.values { try DatabaseRights.make(name, password: "secret", owner) }
      defer {
        for name in names.values {
          try? owner.script("DROP OWNED BY \"\(name)\"; DROP ROLE \"\(name)\"")
        }
      }
      try DatabaseRights.grant(names, owner)
      // Doing it again changes nothing.
      try DatabaseRights.grant(names, owner)
      func connect(_ user: DatabaseUser) throws -> PostgreSQLConnection {
        try PostgreSQLConnection(
          PostgreSQLSettings(
            connectionString:
              "\(database.connectionString) user=\(names[user] ?? "") password=secret"))
      }
      func isRefused(_ statement: String, _ user: DatabaseUser) throws -> Bool {
        let connection = try connect(user)
        defer { connection.close() }
        do throws(PostgreSQLError) {
          try connection.script("BEGIN; \(statement); ROLLBACK")
          return false
        } catch { return error.sqlState?.rawValue == "42501" }
      }
      for user in DatabaseUser.allCases {
        #expect(try !isRefused("SELECT FROM schema_version", user), "\(user)")
        #expect(try isRefused("DELETE FROM entries", user), "\(user)")
        #expect(try isRefused("UPDATE service SET root_key = root_key", user), "\(user)")
        let writes = user == .worker || user == .steward
        let statement = "UPDATE matches SET remind_at = NULL WHERE false"
        #expect(try isRefused(statement, user) != writes, "\(user)")
      }
      #expect(try isRefused("INSERT INTO entries SELECT * FROM entries", .push))
      #expect(try !isRefused("INSERT INTO entries SELECT * FROM entries", .worker))
      #expect(try isRefused("SELECT FROM outbox", .reader))
      #expect(try isRefused("SELECT cubist_drop_partitions('events', '2000-01-01')", .worker))
      let keeper = try connect(.housekeeper)
      defer { keeper.close() }
      #expect(try Partitions.add(keeper))
      #expect(try Partitions.missing(keeper).isEmpty)
      // Records are deleted only where games are not kept for ever.
      var retention = Retention()
      retention.games = retention.leastGames
      let scheduler = SchedulerStore.live(keeper, keeping: retention)
      let now = try scheduler.now()
      #expect(throws: StoreError.self) { try scheduler.rotatePartitions(now, .zero) }
      try DatabaseRights.grant(names, dropsGames: true, owner)
      try SchedulerStore.live(connect(.housekeeper), keeping: retention)
        .rotatePartitions(now, .zero)
      #expect(try isRefused("DELETE FROM entries", .worker))
    }
  }
}
