import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive

/// Connections of the commands that look at the database.
enum OperatorConnection {
  /// A connection to the settings' database. The database must have the schema.
  /// - Parameter reads: Whether a database will do that takes no writes.
  static func open(
    _ settings: ServiceSettings, as command: String, reads: Bool = false,
    limits change: (inout PostgreSQLSettings) -> Void = { _ in }
  ) throws(OperatorFailure) -> PostgreSQLConnection {
    let connection = try openAnySchema(settings, as: command, reads: reads, limits: change)
    try onStore(try Schema.check(connection))
    return connection
  }

  /// A connection to the settings' database, with any schema.
  static func openAnySchema(
    _ settings: ServiceSettings, as command: String, reads: Bool = false,
    limits change: (inout PostgreSQLSettings) -> Void = { _ in }
  ) throws(OperatorFailure) -> PostgreSQLConnection {
    var database = try settings.databaseSettings()
    // Counting may take longer than judging.
    database.statementTimeout = .seconds(60)
    change(&database)
    let name = "cubistd \(command)"
    do throws(OperatorFailure) { return try Wiring.open(database, as: name) } catch {
      guard reads, case .databaseReadOnly = error else { throw error }
      database.targetSessionAttributes = .any
      return try Wiring.open(database, as: name)
    }
  }

  /// A connection to a copy of the database, which is only read.
  static func open(
    copy text: String, as command: String
  ) throws(OperatorFailure) -> PostgreSQLConnection {
    var database: PostgreSQLSettings
    do throws(PostgreSQLError) {
      database = try PostgreSQLSettings(connectionString: text)
    } catch {
      throw .unreadable("--from-database is no connection to PostgreSQL: \(error)")
    }
    database.statementTimeout = .seconds(60)
    database.targetSessionAttributes = .any
    return try onCopy { () throws(OperatorFailure) in
      try Wiring.open(database, as: "cubistd \(command)")
    }
  }

  /// The store of an operator's commands.
  static func store(
    _ settings: ServiceSettings, as command: String, reads: Bool = false
  ) throws(OperatorFailure) -> OperatorStore {
    .live(try open(settings, as: command, reads: reads), by: OperatorName.current)
  }

  /// Lends a command the store of the settings' database, and reports the errors.
  static func withStore(
    as command: String, reads: Bool = false, _ body: (OperatorStore) throws(OperatorFailure) -> Void
  ) throws {
    try Output.reporting { () throws(OperatorFailure) in
      try body(
        try store(try ServiceSettings.load(needing: [.database]), as: command, reads: reads))
    }
  }
}
