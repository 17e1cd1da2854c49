import Foundation
import LibPQ
import MatchInterfaces

/// PostgreSQL and RabbitMQ of this service alone, under its folder, on free ports of 127.0.0.1.
struct PrivateServers: Sendable {
  /// The database that the service uses.
  static let database = "cubist"

  private let script: ServersScript
  private let folder: String

  init(in folder: PrivateFolder) throws(OperatorFailure) {
    script = try ServersScript(in: folder.programs)
    self.folder = folder.servers
  }

  /// Where the servers are; the URLs hold the administrator's password.
  struct Addresses: Equatable, Sendable {
    /// A conninfo of the administrator.
    var postgres: String
    /// The administrator's URL of the default virtual host.
    var amqp: String
    /// The administrator's URL of the management API.
    var management: String

    /// The conninfo of the service's database.
    var database: String {
      // In a conninfo the later of two equal keys counts.
      "\(postgres) dbname=\(PrivateServers.database)"
    }

    /// The URL by which another user connects to the broker.
    func amqp(user: String, password: String) throws(OperatorFailure) -> String {
      guard let scheme = amqp.firstRange(of: "://"), let at = amqp.lastIndex(of: "@") else {
        throw .servers("they do not say where RabbitMQ is")
      }
      return "\(amqp[..<scheme.upperBound])\(user):\(password)\(amqp[at...])"
    }
  }

  /// Starts both, or finds them running, and makes the service's database.
  func start() throws(OperatorFailure) -> Addresses {
    try succeed(["start", folder])
    let addresses = try addresses()
    try makeDatabase(addresses)
    return addresses
  }

  /// Stops both; their data stays.
  func stop() throws(OperatorFailure) { try succeed(["stop", folder]) }

  @discardableResult
  private func succeed(_ arguments: [String]) throws(OperatorFailure) -> String {
    let outcome = try script.run(arguments)
    guard outcome.status == 0 else {
      let text = outcome.errors.trimmingCharacters(in: .whitespacesAndNewlines)
      throw .servers(text.isEmpty ? "the script ended with \(outcome.status)" : text)
    }
    return outcome.output
  }

  private func addresses() throws(OperatorFailure) -> Addresses {
    let text = try succeed(["env", folder])
    return try PrivateServers.addresses(in: text)
  }

  /// Reads the lines that tell a shell where the servers are: `export NAME=VALUE`, special
  /// characters behind a backslash.
  static func addresses(in text: String) throws(OperatorFailure) -> Addresses {
    var values: [Substring: String] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("export ") {
      let parts = line.dropFirst(7).split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      var value = ""
      var isEscaped = false
      for character in parts[1] {
        isEscaped = !isEscaped && character == "\\"
        if !isEscaped { value.append(character) }
      }
      values[parts[0]] = value
    }
    guard let postgres = values["CUBIST_TEST_POSTGRES"], let amqp = values["CUBIST_TEST_AMQP"],
      let management = values["CUBIST_TEST_RABBITMQ_MANAGEMENT"]
    else { throw .servers("they do not say where they are") }
    return Addresses(postgres: postgres, amqp: amqp, management: management)
  }

  private func makeDatabase(_ addresses: Addresses) throws(OperatorFailure) {
    do throws(PostgreSQLError) {
      var settings = try PostgreSQLSettings(connectionString: addresses.postgres)
      settings.applicationName = "cubistd up"
      settings.statementTimeout = .seconds(60)
      let connection = try Connection(settings)
      let known = try connection.query(
        "SELECT FROM pg_database WHERE datname = $1", [.text(PrivateServers.database)])
      guard known.isEmpty else { return }
      // A script runs outside of a transaction, as making a database demands.
      try connection.script("CREATE DATABASE \(PrivateServers.database) TEMPLATE template0")
    } catch {
      throw .servers("the database cannot be made: \(error)")
    }
  }
}
