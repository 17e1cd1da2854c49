import Glibc
import Synchronization

/// A database that many tests have copies of: copying takes a fifth of the time that a schema does.
///
/// It is made at its first use and dropped as the process ends.
package final class DatabaseTemplate: Sendable {
  private static let made = Mutex<[Database]>([])

  private let database = Mutex<Database?>(nil)
  private let fill: @Sendable (Database) throws -> Void

  /// One that something fills; it has closed its connections when it returns.
  package init(_ fill: @escaping @Sendable (Database) throws -> Void) { self.fill = fill }

  func get() throws -> Database {
    try database.withLock { database in
      if let database { return database }
      let made = try Database.create(in: RealServers.environment())
      DatabaseTemplate.dropAtEnd(made)
      try fill(made)
      database = made
      return made
    }
  }

  private static func dropAtEnd(_ database: Database) {
    made.withLock { made in
      if made.isEmpty {
        atexit { for database in DatabaseTemplate.made.withLock({ $0 }) { try? database.drop() } }
      }
      made.append(database)
    }
  }
}
