import EventBusLive
import Foundation
import Glibc
import LibPQ
import MatchStoreLive

/// PostgreSQL and RabbitMQ of the benchmark alone, kept by deploy/servers.
final class Servers {
  let folder: String
  let postgres: String
  let amqp: String
  let management: String
  private let script: String

  /// Starts them; databases are as they were left, and the broker is a new one.
  init(root: String, folder: String) throws {
    script = "\(root)/deploy/servers"
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // What waits in queues from an earlier run is no part of this one.
    let broker = "\(folder)/data/rabbitmq"
    if FileManager.default.fileExists(atPath: broker) {
      try Servers.run(script, "stop", folder)
      try FileManager.default.removeItem(atPath: broker)
    }
    try Servers.run(script, "start", folder)
    let variables = try Servers.variables("\(folder)/env")
    guard let postgres = variables["CUBIST_TEST_POSTGRES"],
      let amqp = variables["CUBIST_TEST_AMQP"],
      let management = variables["CUBIST_TEST_RABBITMQ_MANAGEMENT"]
    else { throw BenchFailure("\(folder)/env does not say where the servers are") }
    (self.postgres, self.amqp, self.management) = (postgres, amqp, management)
  }

  /// Stops them, after Ctrl-C too.
  func stop() { try? Servers.run(script, "stop", folder, isInterruptible: false) }

  private static func run(
    _ script: String, _ command: String, _ folder: String, isInterruptible: Bool = true
  ) throws {
    _ = try Child.run(
      ["/bin/bash", script, command, folder], environment: ProcessInfo.processInfo.environment,
      log: "\(folder)/\(command).said", isInterruptible: isInterruptible)
  }

  /// A connection to a database; `asStore` with the settings that the service's own have.
  func connect(_ database: String = "postgres", asStore: Bool = false) throws -> Connection {
    var settings = try PostgreSQLSettings(connectionString: "\(postgres) dbname=\(database)")
    if asStore { settings = settings.forMatchStore() }
    settings.statementTimeout = .seconds(3_600)
    settings.idleInTransactionTimeout = .seconds(3_600)
    return try Connection(settings)
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
    // The postmaster tells the backends by signals, and nobody when the last has heard.
    usleep(200_000)
  }

  /// Processor time of both servers.
  var cpu: CPUTimes {
    var times = CPUTimes()
    if let id = processID("postgresql/postmaster.pid") {
      times.seconds["PostgreSQL"] = CPUTimes.of(id, children: true)
    }
    if let id = processID("rabbitmq.pid") { times.seconds["RabbitMQ"] = CPUTimes.of(id) }
    return times
  }

  private func processID(_ file: String) -> pid_t? {
    guard let data = FileManager.default.contents(atPath: "\(folder)/data/\(file)") else {
      return nil
    }
    let first = String(decoding: data, as: UTF8.self)
      .split(whereSeparator: { $0 == " " || $0 == "\n" }).first
    return first.flatMap { pid_t($0) }
  }

  /// The lines `export NAME=value` of a file, with the shell's backslashes.
  private static func variables(_ file: String) throws -> [String: String] {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw BenchFailure("\(file) is missing: the servers were not started")
    }
    var values: [String: String] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("export ") {
      let parts = line.dropFirst(7).split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      var value = ""
      var isEscaped = false
      for character in parts[1] {
        isEscaped = !isEscaped && character == "\\"
        if !isEscaped { value.append(character) }
      }
      values[String(parts[0])] = value
    }
    return values
  }
}
