/// Options beyond one PostgreSQL and one RabbitMQ. Later starts keep them.
package struct ServerOptions: Hashable, Sendable {
  /// Both speak TLS too.
  package var tls: Bool
  /// PostgreSQL has a synchronous streaming standby.
  package var standby: Bool
  /// RabbitMQ is a cluster of so many nodes; nil: as it is.
  package var nodes: Int?

  /// One of each, unless told otherwise.
  package init(tls: Bool = false, standby: Bool = false, nodes: Int? = nil) {
    self.tls = tls
    self.standby = standby
    self.nodes = nodes
  }
}
