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
    try reload(connection)
  }

  /// Lets PostgreSQL read its settings and its rules for connections anew.
  private func reload(_ connection: PostgreSQLConnection) throws {
    try connection.script("SELECT pg_reload_conf()")
    // The postmaster tells the backends by signals, and nobody learns when the last one has heard.
    usleep(200_000)
  }

  /// Lets the service in from other addresses than 127.0.0.1, with its passwords.
  func admit(_ range: String) throws {
    let path = "\(postgresData)/pg_hba.conf"
    let rules = try String(contentsOfFile: path, encoding: .utf8)
    let rule = "host all all \(range) scram-sha-256\n"
    guard !rules.contains(rule) else { return }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw BenchFailure("\(path) cannot be written; run this as root")
    }
    try file.seekToEnd()
    try file.write(contentsOf: Data("\n\(rule)".utf8))
    try file.close()
    let connection = try connect()
    defer { connection.close() }
    try reload(connection)
  }

  /// The process of `PostgreSQL` or `RabbitMQ`, and those that it has made.
  func processes(of name: String) -> [pid_t] {
    guard let id = held.servers.status().first(where: { $0.name == name })?.process else {
      return []
    }
    return [id] + CPUTimes.children(of: id)
  }

  /// The messages that the broker has taken, by its own count, which is a second old at most.
  func publishedMessages() throws -> Double {
    struct Overview: Decodable {
      struct Statistics: Decodable { var publish: Double? }
      var message_stats: Statistics?
    }
    guard let curl = Programs.find("curl") else { throw BenchFailure("there is no curl") }
    let said = try Child.run(
      [curl, "--silent", "--fail", "\(management)/api/overview"],
      environment: ["PATH": "/usr/bin:/bin"], log: "\(folder)/overview.json")
    let overview = try JSONDecoder().decode(Overview.self, from: Data(said.utf8))
    return overview.message_stats?.publish ?? 0
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
