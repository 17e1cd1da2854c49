import LibPQ
import MatchInterfaces
import MatchStoreLive
import RealServers

/// A database of a test's own with the schema in it.
struct LiveStores {
  let database: Database

  /// Runs `body` with an empty database with the schema.
  static func run(_ body: (LiveStores) throws -> Void) throws {
    try RealServers.withDatabase { database in
      let stores = LiveStores(database: database)
      let connection = try stores.connect()
      try Schema.install(connection)
      connection.close()
      try body(stores)
    }
  }

  /// A new connection to the database.
  func connect(_ change: (inout PostgreSQLSettings) -> Void = { _ in }) throws -> Connection {
    var settings = try PostgreSQLSettings(connectionString: database.connectionString)
      .forMatchStore()
    change(&settings)
    return try Connection(settings)
  }

  /// Closes a connection and waits until the server has ended its session.
  func end(_ connection: Connection) throws {
    let process = connection.serverProcessID
    connection.close()
    try waitForEnd(of: process)
  }

  /// Waits until a session of the server is gone, with its locks.
  func waitForEnd(of process: Int32) throws {
    let observer = try connect()
    while try observer.query(
      "SELECT count(*) FROM pg_stat_activity WHERE pid = $1", [.int32(process)]
    ).only[0].int64 > 0 {}
  }

  /// Stores over connections of their own.
  func set() throws -> StoreSet {
    StoreSet(
      worker: .live(try connect()), otherWorker: .live(try connect()),
      scheduler: .live(try connect()), otherScheduler: .live(try connect()),
      relay: .live(try connect()), otherRelay: .live(try connect()), push: .live(try connect()),
      reader: .live(try connect()), operators: .live(try connect()),
      check: .live(try connect()))
  }
}
