/// Options beyond one PostgreSQL and one RabbitMQ. Later starts keep them.
public struct ServerOptions: Hashable, Sendable {
  /// Both speak TLS too.
  public var tls: Bool
  /// PostgreSQL has a synchronous streaming standby.
  public var standby: Bool
  /// RabbitMQ is a cluster of so many nodes; nil: as it is.
  public var nodes: Int?

  /// One of each, unless told otherwise.
  public init(tls: Bool = false, standby: Bool = false, nodes: Int? = nil) {
    self.tls = tls
    self.standby = standby
    self.nodes = nodes
  }
}
