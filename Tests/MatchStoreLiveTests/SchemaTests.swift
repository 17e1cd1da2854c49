import Conformance
import CustomDump
import Dispatch
import Foundation
import LibPQ
import MatchInterfaces
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("The schema")
struct SchemaTests {
  private func connect(_ database: Database) throws -> Connection {
    try Connection(PostgreSQLSettings(connectionString: database.connectionString))
  }

  /// All parts of a schema, one line each.
  private func description(_ connection: Connection) throws -> [String] {
    let queries = [
      """
      SELECT concat_ws(' ', 'column', table_name,
        row_number() OVER (PARTITION BY table_name ORDER BY ordinal_position), column_name,
        data_type, udt_name, is_nullable, column_default, is_identity, is_generated)
      FROM information_schema.columns WHERE table_schema = 'public'
      """,
      "SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'",
      """
      SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      """,
      """
      SELECT concat_ws(' ', 'table', relname, relkind, reloptions::text,
        pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), obj_description(oid))
      FROM pg_class WHERE relnamespace = 'public'::regnamespace
      """,
      """
      SELECT concat_ws(' ', 'storage', attrelid::regclass, attname, attstorage::text,
        col_description(attrelid, attnum))
      FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
      """,
      """
      SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace
      """,
      "SELECT 'version ' || version FROM schema_version",
      "SELECT 'registration ' || mode FROM registration",
    ]
    var lines: [String] = []
    for query in queries {
      lines += try connection.query(query).map { row in try row[0].text }.sorted()
    }
    return lines
  }

  @Test("schema.sql agrees with all migrations", .timeLimit(.minutes(5)))
  func equality() throws {
    try RealServers.withDatabase { whole in
      try RealServers.withDatabase { migrated in
        let (one, other) = (try connect(whole), try connect(migrated))
        #expect(try Schema.install(one) == nil)
        try Schema.migrate(other)
        let description = try description(one)
        #expect(description.count > 200)
        try expectNoDifference(self.description(other), description)
      }
    }
  }

  @Test("Installing again changes nothing; an older database gets its missing parts")
  func install() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      #expect(try Schema.install(connection) == nil)
      let before = try description(connection)
      #expect(try Schema.install(connection) == Schema.requiredVersion)
      try expectNoDifference(description(connection), before)
    }
  }

  @Test("Two that install at once do not get into each other's way", .timeLimit(.minutes(5)))
  func together() throws {
    try RealServers.withDatabase { database in
      let found = OnThreads.run(2) { _ in
        let connection = try connect(database)
        return try Schema.install(connection)
      }
      let versions = try found.map { result in try result.get() }
      #expect(Set(versions) == [nil, Schema.requiredVersion])
    }
  }

  @Test(
    "A migration that somebody's transaction keeps waiting holds up nobody else",
    .timeLimit(.minutes(5)))
  func patience() throws {
    try RealServers.withDatabase { database in
      try Schema.migrate(connect(database), to: 9)
      let isHeld = DispatchSemaphore(value: 0)
      let found = OnThreads.run(2) { number -> Int? in
        guard number > 0 else {
          isHeld.wait()
          return try Schema.install(connect(database))
        }
        defer { isHeld.signal() }
        let (holder, player) = (try connect(database), try connect(database))
        try holder.query("BEGIN")
        try holder.query("SELECT count(*) FROM seats")
        isHeld.signal()
        // Each waits for a lock as long as a role would at most.
        for _ in 1...30 {
          try player.query("SELECT count(*) FROM seats")
          Thread.sleep(forTimeInterval: 0.1)
        }
        try holder.query("ROLLBACK")
        return nil
      }
      let versions = try found.map { result in try result.get() }
      #expect(versions == [9, nil])
    }
  }

  @Test("A migration that cannot have its tables says so and has changed nothing")
  func impatience() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      try Schema.migrate(connection, to: 9)
      let before = try description(connection)
      let holder = try connect(database)
      try holder.query("BEGIN")
      try holder.query("SELECT count(*) FROM seats")
      let error = try storeError { try Schema.install(connection, attempts: 1) }
      #expect(error.isUnusable && "\(error)".contains("pg_stat_activity"))
      try expectNoDifference(description(connection), before)
      try holder.query("ROLLBACK")
      #expect(try Schema.install(connection) == 9)
    }
  }

  @Test("A schema that is missing, too old or too new is unusable; the next one is tolerated")
  func check() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      let message = "\(try storeError { try Schema.check(connection) })"
      #expect(message.contains("cubistd setup"))
      try Schema.install(connection)
      try Schema.check(connection)
      for (version, isTolerated) in [(1, true), (2, false)] {
        try connection.query(
          "INSERT INTO schema_version VALUES ($1)",
          [.int32(Int32(Schema.requiredVersion + version))])
        if isTolerated {
          try Schema.check(connection)
        } else {
          #expect(try storeError { try Schema.check(connection) }.isUnusable)
        }
      }
      try connection.query("DELETE FROM schema_version")
      #expect(try storeError { try Schema.check(connection) }.isUnusable)
    }
  }

  @Test("The binary carries schema.sql and every migration as they are on disk")
  func embedded() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let schema = try String(contentsOf: root.appending(path: "schema.sql"), encoding: .utf8)
    #expect(Schema.text == schema)
    let folder = root.appending(path: "deploy/migrations")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    let migrations = try names.map { name in
      try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    #expect(Schema.migrations.map(\.sql) == migrations)
    #expect(names.map { Int($0.prefix(4)) } == Schema.migrations.map(\.version))
  }

  @Test("Migrations are numbered from 1 without a gap")
  func numbers() {
    #expect(Schema.migrations.map(\.version) == Array(1...Schema.requiredVersion))
  }
}
