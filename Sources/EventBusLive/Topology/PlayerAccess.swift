import LibRabbitMQ
import MatchInterfaces
public import MatchWire

/// Whether players can do what they must, as one of them finds who logs in.
public struct PlayerAccess: Sendable {
  /// No slot's and no queue's: what is published by it reaches nobody.
  private static let nowhere = "nobody"

  private let address: BrokerAddress
  private let names: Names

  /// That of players who connect to an address.
  public init(at address: BrokerAddress, names: Names = Names()) {
    (self.address, self.names) = (address, names)
  }

  /// What keeps players from playing, a sentence each; none where nothing does. An alarm of the broker is
  /// not told here.
  /// - Parameter limit: How long connecting may take, and how long an answer.
  public func problems(within limit: Duration = .seconds(3)) -> [String] {
    do throws(RabbitMQError) { try Connection(settings(within: limit)).close() } catch {
      if case .notPermitted = BusError(error) { return ["players cannot log in: \(error)"] }
      return ["players cannot reach the broker: \(error)"]
    }
    let reply = problem("have a reply queue", limit) { connection throws(RabbitMQError) in
      try connection.consume(ReplyAddress.queue, noAck: true)
    }
    let publishing = [names.events, names.queries].map { exchange in
      problem("publish to \(exchange)", limit) { connection throws(RabbitMQError) in
        try publish(to: exchange, connection, limit)
      }
    }
    return ([reply] + publishing).compactMap { $0 }
  }

  /// Tries something on a connection of its own: who may not do it loses the connection.
  private func problem(
    _ what: String, _ limit: Duration, _ body: (Connection) throws(RabbitMQError) -> Void
  ) -> String? {
    do throws(RabbitMQError) {
      let connection = try Connection(settings(within: limit))
      defer { connection.close() }
      try body(connection)
      return nil
    } catch {
      if case .refused = BusError(error) { return nil }
      return "players cannot \(what): \(error)"
    }
  }

  /// Publishes what comes back, unless it may not be published.
  private func publish(
    to exchange: String, _ connection: Connection, _ limit: Duration
  ) throws(RabbitMQError) {
    let publisher = try Publisher<Int>(connection)
    try publisher.publish(
      id: 0, exchange: exchange, routingKey: Self.nowhere,
      properties: MessageProperties(isPersistent: false), body: [], timeout: limit)
    try publisher.flush(timeout: limit)
  }

  private func settings(within limit: Duration) -> RabbitMQSettings {
    var settings = address.settings(for: "cubist setup, as a player")
    settings.connectTimeout = min(
      settings.connectTimeout, limit / (1 + settings.alternates.count))
    settings.replyTimeout = min(settings.replyTimeout, limit)
    return settings
  }
}
