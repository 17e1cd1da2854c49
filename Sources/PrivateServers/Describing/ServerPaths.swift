/// The paths of private servers.
///
/// The folder belongs to its maker. `data` below it belongs to the servers' user.
struct ServerPaths: Hashable, Sendable {
  let folder: String

  var ports: String { "\(folder)/ports" }
  var lock: String { "\(folder)/lock" }
  /// Which keeper ends the servers.
  var keeper: String { "\(folder)/keeper" }
  var keeperLog: String { "\(folder)/keeper.log" }
  var variables: String { "\(folder)/env" }
  var authority: String { "\(folder)/ca.pem" }
  func password(_ user: String) -> String { "\(folder)/password-\(user)" }
  func toolLog(_ name: String) -> String { "\(folder)/\(name).log" }
  /// Files of the folder's maker, by names that do not change.
  var ownFiles: [String] {
    [ports, lock, keeper, keeperLog, variables, authority] + ["postgres", "rabbitmq"].map(password)
  }

  var data: String { "\(folder)/data" }
  var tls: String { "\(data)/tls" }
  /// The member of PostgreSQL that is the primary.
  var primary: String { "\(data)/postgresql.primary" }
  /// Whether commits wait for the standby.
  var synchronous: String { "\(data)/postgresql.synchronous" }
  func postgres(_ member: Int) -> String { ServerPaths.numbered("\(data)/postgresql", member) }
  func postgresLog(_ member: Int) -> String { "\(postgres(member)).log" }
  func rabbitmq(_ node: Int) -> String { ServerPaths.numbered("\(data)/rabbitmq", node) }
  /// The name under which the folder's own epmd is started.
  var epmd: String { "\(data)/epmd" }
  /// One home for all nodes.
  var home: String { "\(rabbitmq(1))/home" }
  /// By it nodes know each other.
  var cookie: String { "\(home)/.erlang.cookie" }

  private static func numbered(_ path: String, _ number: Int) -> String {
    number == 1 ? path : "\(path)-\(number)"
  }
}
