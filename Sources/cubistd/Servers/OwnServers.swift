import CubistBasics
import FoundationEssentials
import LibPQ
import PrivateServers

/// PostgreSQL and RabbitMQ of this service alone, under its folder. They end with this process.
///
/// They listen on 127.0.0.1 alone. The service speaks TLS with them; the operator's own programs may do
/// without.
struct OwnServers: Sendable {
  /// The database that the service uses.
  static let database = "cubist"
  /// The broker's user for programs of the operator's own.
  static let playerUser = "player"

  private let servers: ServerSet
  private let program: String

  /// - Parameter program: The path of `cubistd`.
  init(in folder: PrivateFolder, keptBy program: String) {
    servers = ServerSet(in: folder.servers)
    self.program = program
  }

  /// Servers that run.
  struct Running: Sendable {
    fileprivate let held: HeldServers
    let addresses: ServerAddresses
    private let servers: ServerSet

    fileprivate init(_ held: HeldServers, _ addresses: ServerAddresses, _ servers: ServerSet) {
      (self.held, self.addresses, self.servers) = (held, addresses, servers)
    }

    /// The names of the servers whose process is gone.
    func ended() -> [String] { servers.status().filter { $0.process == nil }.map(\.name) }

    /// Starts those whose process is gone.
    func startAgain() throws(OperatorFailure) {
      try onServers(try held.startAgain(.init(tls: true)))
    }

    /// Stops both; their data stays.
    func stop() throws(OperatorFailure) {
      try onServers(try held.stop())
    }
  }

  /// Starts both, or finds them running, and makes the service's database.
  func start() throws(OperatorFailure) -> Running {
    let (held, addresses) = try onServers(
      try HeldServers.start(servers, .init(tls: true), keptBy: program))
    let running = Running(held, addresses, servers)
    do throws(OperatorFailure) { try makeDatabase(addresses) } catch {
      // The first failure is the one to tell.
      try? running.stop()
      throw error
    }
    return running
  }

  private func makeDatabase(_ addresses: ServerAddresses) throws(OperatorFailure) {
    let administrator = try addresses.ofService.postgres
    do throws(PostgreSQLError) {
      var settings = try PostgreSQLSettings(connectionString: administrator)
      settings.applicationName = "cubistd up"
      settings.statementTimeout = .seconds(60)
      let connection = try PostgreSQLConnection(settings)
      let known = try connection.query(
        "SELECT FROM pg_database WHERE datname = $1", [.text(OwnServers.database)])
      guard known.isEmpty else { return }
      // A script runs outside of a transaction, as `CREATE DATABASE` demands.
      try connection.script("CREATE DATABASE \(OwnServers.database) TEMPLATE template0")
    } catch {
      throw .servers("the database cannot be made: \(error)")
    }
  }
}

extension ServerAddresses {
  /// The ways that a service takes.
  var ofService: Secured {
    get throws(OperatorFailure) {
      guard let secured else { throw .servers("they do not speak TLS") }
      return secured
    }
  }

  /// The URL by which the operator's own programs connect to the broker. They need no certificate.
  func players(password: String) throws(OperatorFailure) -> String {
    try known(amqp(user: OwnServers.playerUser, password: password))
  }
}

extension ServerAddresses.Secured {
  /// The conninfo of the service's database.
  var database: String { postgres(database: OwnServers.database) }

  /// The URL by which a user of the service connects to the broker.
  func broker(user: String, password: String) throws(OperatorFailure) -> String {
    try known(amqps(user: user, password: password))
  }
}

private func known(_ url: String?) throws(OperatorFailure) -> String {
  guard let url else { throw .servers("they do not say where RabbitMQ is") }
  return url
}

/// Works on private servers, and turns their error into an operator's failure.
func onServers<Result>(
  _ body: @autoclosure () throws(ServersError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors({ OperatorFailure.servers("\($0)") }, body)
}
