import Glibc
import LibPQ
import RealServers
import Synchronization
import Testing

/// The PostgreSQL server that `deploy/test` starts.
enum TestServer {
  private static let lastSchema = Atomic(0)

  /// Settings for the server, by TLS; a test fails, and is not skipped, if there is none.
  static func settings(
    _ change: (inout PostgreSQLSettings) -> Void = { _ in }
  ) throws -> PostgreSQLSettings {
    let environment = try RealServers.environment()
    var settings = try PostgreSQLSettings(connectionString: environment.postgres)
    settings.applicationName = "LibPQTests"
    // None of these limits strikes on a busy machine.
    settings.connectTimeout = .seconds(120)
    (settings.statementTimeout, settings.responseMargin) = (.seconds(120), .seconds(60))
    (settings.lockTimeout, settings.idleInTransactionTimeout) = (.seconds(120), .seconds(600))
    change(&settings)
    return settings
  }

  static func connection(
    _ change: (inout PostgreSQLSettings) -> Void = { _ in }
  ) throws -> PostgreSQLConnection {
    try PostgreSQLConnection(settings(change))
  }

  /// Lends settings with a schema of the test's own as search path; the schema is dropped
  /// afterwards.
  static func withSchema<R>(_ body: (PostgreSQLSettings) throws -> R) throws -> R {
    let number = lastSchema.wrappingAdd(1, ordering: .relaxed).newValue
    let name = "libpq_test_\(getpid())_\(number)"
    let keeper = try connection()
    try keeper.query("CREATE SCHEMA \(name)")
    let result = Result { try body(try settings { $0.searchPath = name }) }
    try keeper.query("DROP SCHEMA \(name) CASCADE")
    return try result.get()
  }

  /// Lends a connection to a schema with `item (id bigint PRIMARY KEY, note text)`.
  static func withItems<R>(
    _ body: (PostgreSQLConnection, PostgreSQLSettings) throws -> R
  ) throws -> R {
    try withSchema { settings in
      let connection = try PostgreSQLConnection(settings)
      try connection.query("CREATE TABLE item (id bigint PRIMARY KEY, note text)")
      defer { connection.close() }
      return try body(connection, settings)
    }
  }
}

extension PostgreSQLConnection {
  /// The ids in `item`, in order.
  func itemIDs() throws -> [Int64] {
    try query("SELECT id FROM item ORDER BY id").map { row in try row[0].int64 }
  }
}

extension SQLStatement {
  static func insertItem(_ id: Int64, _ note: String? = nil) -> SQLStatement {
    SQLStatement("INSERT INTO item (id, note) VALUES ($1, $2)", [.int64(id), .text(note)])
  }
}

/// The error that `body` throws; a failed test if it throws none.
func failure<R>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> R
) throws -> PostgreSQLError {
  let error = try #require(
    throws: PostgreSQLError.self, sourceLocation: sourceLocation
  ) { _ = try body() }
  return error
}
