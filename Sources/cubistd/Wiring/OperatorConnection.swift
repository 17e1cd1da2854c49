import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive

/// Connections of the commands that look at the database.
enum OperatorConnection {
  /// A connection to the settings' database. The database must have the schema.
  static func open(
    _ settings: ServiceSettings, as command: String,
    limits change: (inout PostgreSQLSettings) -> Void = { _ in }
  ) throws(OperatorFailure) -> PostgreSQLConnection {
    let connection = try openAnySchema(settings, as: command, limits: change)
    try onStore(try Schema.check(connection))
    return connection
  }

  /// A connection to the settings' database, with any schema.
  static func openAnySchema(
    _ settings: ServiceSettings, as command: String,
    limits change: (inout PostgreSQLSettings) -> Void = { _ in }
  ) throws(OperatorFailure) -> PostgreSQLConnection {
    var database = try settings.databaseSettings()
    // Counting may take longer than judging.
    database.statementTimeout = .seconds(60)
    change(&database)
    return try Wiring.open(database, as: "cubistd \(command)")
  }

  /// The store of an operator's commands.
  static func store(
    _ settings: ServiceSettings, as command: String
  ) throws(OperatorFailure) -> OperatorStore {
    .live(try open(settings, as: command))
  }

  /// Lends a command the store of the settings' database, and reports the errors.
  static func withStore(
    as command: String, _ body: (OperatorStore) throws(OperatorFailure) -> Void
  ) throws {
    try Output.reporting { () throws(OperatorFailure) in
      try body(try store(try ServiceSettings.load(needing: [.database]), as: command))
    }
  }
}
