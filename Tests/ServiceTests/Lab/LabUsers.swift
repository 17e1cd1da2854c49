import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import TestedService

@testable import cubistd

/// The users of the database that the roles of every lab have, each with the rights of its role
/// alone.
///
/// Users belong to the whole server, their rights to a database: all labs share the users.
enum LabUsers {
  static let password = "lab"

  static let names = Dictionary(
    uniqueKeysWithValues: DatabaseUser.allCases.map { ($0, "cubist_lab_\($0.rawValue)") })

  /// Gives the users their rights in a database with the schema; makes them if they are missing.
  static func grant(_ owner: PostgreSQLConnection) throws {
    // Another process of tests may make the same user at the same time.
    for name in names.values {
      try owner.script(
        """
        DO $$ BEGIN
          CREATE ROLE \(name) LOGIN PASSWORD '\(password)';
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END $$
        """)
    }
    try DatabaseRights.grant(names, owner)
  }

  /// A conninfo of the owner with each user in the owner's place.
  static func connectionStrings(_ owner: String) -> [DatabaseUser: String] {
    // In a conninfo the later of two equal keys counts.
    names.mapValues { "\(owner) user=\($0) password=\(password)" }
  }

  /// The setting of each user, as a process of its own reads it.
  static func environment(_ owner: String) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: connectionStrings(owner).map { (SettingName(of: $0).rawValue, $1) })
  }
}

extension Wiring {
  /// Lets the owner and each user wait less for the database.
  mutating func limitWaits(statement: Duration, lock: Duration? = nil) {
    func limit(_ settings: inout PostgreSQLSettings) {
      settings.statementTimeout = statement
      if let lock { settings.lockTimeout = lock }
    }
    limit(&database)
    databaseUsers = databaseUsers.mapValues { settings in
      var settings = settings
      limit(&settings)
      return settings
    }
  }
}
