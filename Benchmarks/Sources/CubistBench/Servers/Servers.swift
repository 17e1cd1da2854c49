import EventBusLive
import Foundation
import Glibc
import LibPQ
import MatchStoreLive
import PrivateServers

/// PostgreSQL and RabbitMQ of the benchmark alone. They end with it, however it ends.
final class Servers {
  let folder: String
  let postgres: String
  let amqp: String
  let management: String
  private let held: HeldServers

  /// Starts them. Databases are as they were left; the broker is new.
  ///
  /// - Parameter cubistd: The path of the program that keeps them.
  init(folder: String, cubistd: String) throws {
    self.folder = folder
    let servers = ServerSet(in: folder)
    do throws(ServersError) {
      try servers.forgetMessages()
      let (held, addresses) = try HeldServers.start(servers, keptBy: cubistd)
      self.held = held
      (postgres, amqp, management) = (addresses.postgres, addresses.amqp, addresses.management)
    } catch { throw BenchFailure("\(error)") }
  }

  /// Stops them, after Ctrl-C too.
  func stop() { try? held.stop() }

  /// A connection to a database; `asStore` with the settings of the service's own connections.
  func connect(
    _ database: String = "postgres", asStore: Bool = false
  ) throws -> PostgreSQLConnection {
    var settings = try PostgreSQLSettings(connectionString: "\(postgres) dbname=\(database)")
    if asStore { settings = settings.forMatchStore() }
    settings.statementTimeout = .seconds(3_600)
    settings.idleInTransactionTimeout = .seconds(3_600)
    return try PostgreSQLConnection(settings)
  }

  /// Whether there is a database of that name.
  func hasDatabase(_ name: String) throws -> Bool {
    let connection = try connect()
    defer { connection.close() }
    return try connection.query(
      "SELECT 1 FROM pg_database WHERE datname = $1", [.text(name)]
    ).count == 1
  }

  /// Changes a setting of PostgreSQL for all connections.
  func set(_ name: String, _ value: String) throws {
    let connection = try connect()
    defer { connection.close() }
    try connection.script("ALTER SYSTEM SET \(name) = \(value)")
    try connection.script("SELECT pg_reload_conf()")
    // The postmaster tells the backends by signals, and nobody learns when the last one has heard.
    usleep(200_000)
  }

  /// Processor time of both servers.
  var cpu: CPUTimes {
    var times = CPUTimes()
    let status = held.servers.status()
    if let id = status.first(where: { $0.name == "PostgreSQL" })?.process {
      times.seconds["PostgreSQL"] = CPUTimes.of(id, children: true)
    }
    if let id = status.first(where: { $0.name == "RabbitMQ" })?.process {
      times.seconds["RabbitMQ"] = CPUTimes.of(id)
    }
    return times
  }

  /// Where the databases are.
  var postgresData: String { held.servers.postgresData() }
}
