import LibPQ

/// A database of one test.
package struct Database: Sendable {
  /// Its name on the server.
  package let name: String
  /// A conninfo of the administrator with this database, by TLS with a verified certificate.
  package let connectionString: String

  private let administration: String

  /// Makes a database that nobody else uses: an empty one, or one like a template without
  /// connections. The maker drops it.
  package static func create(
    in environment: ServerEnvironment, like template: Database? = nil
  ) throws -> Database {
    let name = RealServers.uniqueName()
    let database = Database(
      name: name,
      // In a conninfo the later of two equal keys counts.
      connectionString: environment.postgres + " dbname=\(name)",
      administration: environment.postgres)
    try database.administer("CREATE DATABASE \(name) TEMPLATE \(template?.name ?? "template0")")
    return database
  }

  /// Drops it, even if somebody is connected.
  package func drop() throws {
    try administer("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
  }

  private func administer(_ statement: String) throws {
    var settings = try PostgreSQLSettings(connectionString: administration)
    // Many tests at once make databases on a slow disk.
    (settings.connectTimeout, settings.statementTimeout) = (.seconds(120), .seconds(60))
    settings.lockTimeout = .seconds(60)
    let connection = try PostgreSQLConnection(settings)
    defer { connection.close() }
    try connection.script(statement)
  }
}
