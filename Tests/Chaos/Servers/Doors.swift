package import RealServers

/// The way of some processes to both servers, which can be cut and stalled without the others
/// noticing.
package final class Doors: Sendable {
  /// The processes that go through them.
  package enum Users: Sendable {
    /// Roles that speak with both servers.
    case roles
    /// Players speak with the broker alone.
    case players
    /// Gateways speak with the broker alone.
    case gateways
  }

  /// The processes that go through them.
  package let users: Users
  /// The broker's URL through the proxy.
  package let broker: String
  /// The database's connection string through the proxies.
  package let database: String
  private let brokerProxy: TCPProxy
  /// One for each server that the connection string names.
  private let databaseProxies: [TCPProxy]

  /// A server.
  package enum Server: String, Sendable, CaseIterable {
    /// RabbitMQ.
    case broker
    /// PostgreSQL.
    case database
  }

  /// Puts proxies in front of both servers.
  package init(broker: String, database: String, users: Users = .roles) throws {
    self.users = users
    (brokerProxy, self.broker) = try TCPProxy.inFront(ofURL: broker)
    let words = database.split(separator: " ")
    guard let ports = words.last(where: { $0.hasPrefix("port=") }) else {
      throw ChaosFailure("the connection string names no port")
    }
    databaseProxies = try ports.dropFirst(5).split(separator: ",").map { text in
      guard let port = UInt16(text) else { throw ChaosFailure("\(text) is no port") }
      return try TCPProxy(port: port)
    }
    // In a connection string the later of two equal keys counts.
    self.database =
      database + " port=" + databaseProxies.map { "\($0.port)" }.joined(separator: ",")
  }

  /// How many connections to a server there are.
  package func connectionCount(_ server: Server) -> Int {
    proxies(server).reduce(0) { $0 + $1.connectionCount }
  }

  /// Ends all connections to a server by a reset.
  package func cut(_ server: Server) { for proxy in proxies(server) { proxy.cut() } }

  /// Forwards nothing more in these directions, and keeps the connections.
  package func stall(_ server: Server, _ directions: TCPProxy.Directions) {
    for proxy in proxies(server) { proxy.stall(directions) }
  }

  /// Ends all connections to a server by a reset, and refuses new ones.
  package func refuse(_ server: Server) {
    for proxy in proxies(server) {
      proxy.refuse()
      proxy.cut()
    }
  }

  /// Forwards again, and takes connections again.
  package func resume(_ server: Server) throws {
    for proxy in proxies(server) { try proxy.resume() }
  }

  /// Ends everything.
  package func close() {
    for proxy in [brokerProxy] + databaseProxies { proxy.close() }
  }

  private func proxies(_ server: Server) -> [TCPProxy] {
    server == .broker ? [brokerProxy] : databaseProxies
  }
}
