internal import CEmbedded
package import LibPQ
package import MatchInterfaces

/// The schema of the database: the migrations, which travel inside the binary. schema.sql shows
/// their result.
package enum Schema {
  /// The version that this build needs. It tolerates the next one too, so that workers are replaced
  /// one by one.
  package static let requiredVersion: Int = migrations.map(\.version).max() ?? 0

  /// The versions that this build works with.
  package static let usableVersions = requiredVersion...requiredVersion + 1

  /// The steps from one version to the next, in their order. The steps that a database lacks are
  /// one transaction.
  package static let migrations: [Migration] = (0..<cubist_migrations_count).map { index in
    let migration = cubist_migrations[index]
    return Migration(
      version: Int(migration.version), sql: embedded(migration.bytes, migration.size))
  }

  /// One step.
  package struct Migration: Hashable, Sendable {
    /// The version that it leads to.
    package var version: Int
    /// The statements of the step.
    package var sql: String
  }

  /// Whether the database has a schema that this build can work with.
  /// - Throws: `StoreError.unusable` with the remedy if not.
  package static func check(_ connection: PostgreSQLConnection) throws(StoreError) {
    try checkSession(connection)
    let found = try version(StoreSession(connection))
    guard let found else {
      throw .unusable("the database is empty: run cubistd setup")
    }
    guard found >= usableVersions.lowerBound else {
      throw .unusable(
        "the schema has version \(found), this build needs \(requiredVersion): run cubistd setup")
    }
    guard found <= usableVersions.upperBound else {
      throw .unusable(
        "the schema has version \(found), this build knows \(requiredVersion) and tolerates one "
          + "more: install the newer build")
    }
  }

  /// What a pooler between this program and PostgreSQL spoils, and what to do.
  package static let poolerHelp =
    "name PostgreSQL itself in CUBIST_DATABASE, or a proxy that passes on whole connections. Roles keep "
    + "locks, time-outs and prepared statements in sessions of their own, which a pooler such as "
    + "PgBouncer shares or changes"

  /// Whether PostgreSQL itself holds the session, and no pooler that gives it to others, too.
  /// - Throws: `StoreError.unusable` with the remedy if not.
  package static func checkSession(_ connection: PostgreSQLConnection) throws(StoreError) {
    let rows = try StoreSession(connection).rows(SQL.ownProcess())
    try checkSession(
      process: try reading(try rows.only[0].int), told: connection.serverProcessID)
  }

  /// A pooler makes up a process for the client at connecting.
  static func checkSession(process: Int, told: Int32) throws(StoreError) {
    guard process != Int(told) else { return }
    throw .unusable(
      "a pooler answers in PostgreSQL's place: at connecting it told process \(told), and the session is "
        + "process \(process); \(poolerHelp)")
  }

  /// Runs the migrations that the database lacks, all of them on an empty one; changes nothing
  /// else. A second process waits for the first.
  ///
  /// A session that waits for a table in use makes every later session wait behind it. So it waits
  /// a moment only, lets the others through and tries again.
  /// - Returns: the version before; nil: the database was empty.
  @discardableResult
  package static func install(
    _ connection: PostgreSQLConnection, attempts: Int = 30, clock: WallClock = .live
  ) throws(StoreError) -> Int? {
    let session = StoreSession(connection)
    for _ in 1..<attempts {
      do throws(StoreError) { return try installOnce(session) } catch {
        guard case .conflict = error else { throw error }
        clock.sleep(.seconds(4))
      }
    }
    do throws(StoreError) { return try installOnce(session) } catch {
      guard case .conflict(let text) = error else { throw error }
      throw .unusable(
        "a table that the schema changes was in use at \(attempts) attempts: \(text). See in "
          + "pg_stat_activity whose transaction is that old, wait for it or end it, and run cubistd "
          + "setup again; nothing has been changed")
    }
  }

  private static func installOnce(_ session: StoreSession) throws(StoreError) -> Int? {
    try inTransaction(session) { () throws(StoreError) in
      let found = try version(session)
      for migration in migrations where migration.version > found ?? 0 {
        try session.script(migration.sql)
      }
      return found
    }
  }

  /// Brings an empty database to an older version.
  static func migrate(_ connection: PostgreSQLConnection, to version: Int) throws(StoreError) {
    let session = StoreSession(connection)
    try inTransaction(session) { () throws(StoreError) in
      for migration in migrations where migration.version <= version {
        try session.script(migration.sql)
      }
    }
  }

  private static func inTransaction<Result>(
    _ session: StoreSession, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try session.run([SQL.waitForSchema(), SQL.lockSchema(), SQL.hurry()], .begins())
    do throws(StoreError) {
      let result = try body()
      try session.run([], .ends)
      return result
    } catch {
      session.rollBack()
      throw error
    }
  }

  /// The version of the schema in the database; nil if there is none.
  package static func version(of connection: PostgreSQLConnection) throws(StoreError) -> Int? {
    try version(StoreSession(connection))
  }

  /// The highest version in the database; nil if there is no schema.
  private static func version(_ session: StoreSession) throws(StoreError) -> Int? {
    let exists = try session.rows(SQL.schemaExists())
    guard try reading(try exists.only[0].bool) else {
      return nil
    }
    let rows = try session.rows(SQL.schemaVersion())
    return try reading(try rows.only[0].int)
  }

  private static func embedded(_ bytes: UnsafePointer<UInt8>, _ size: Int) -> String {
    String(decoding: UnsafeBufferPointer(start: bytes, count: size), as: UTF8.self)
  }
}

extension SQL {
  // The second process may wait as long as a statement may take, longer than for a usual lock.
  static let waitForSchema = SQL(
    "waitForSchema", "SELECT set_config('lock_timeout', '0', true)")
  static let lockSchema = SQL(
    "lockSchema", "SELECT pg_advisory_xact_lock(hashtextextended('cubist/schema', 0))")
  // Shorter than any role waits for a lock.
  static let hurry = SQL("hurry", "SELECT set_config('lock_timeout', '1s', true)")
  static let ownProcess = SQL("ownProcess", "SELECT pg_backend_pid()::bigint")
  static let schemaExists = SQL(
    "schemaExists", "SELECT to_regclass('schema_version') IS NOT NULL")
  static let schemaVersion = SQL(
    "schemaVersion", "SELECT coalesce(max(version), 0) FROM schema_version")
}
