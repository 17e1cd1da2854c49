import LibRabbitMQ
import MatchInterfaces
package import MatchWire

/// Checks with a player's login whether players can do everything they must.
package struct PlayerAccess: Sendable {
  /// The key of no slot and no queue: a message published by it reaches nobody.
  private static let nowhere = "nobody"

  private let address: BrokerAddress
  private let names: Names

  /// Checks the access of players who connect to an address.
  package init(at address: BrokerAddress, names: Names = Names()) {
    (self.address, self.names) = (address, names)
  }

  /// The obstacles to playing, a sentence each. Empty if there are none. An alarm of the broker is
  /// not reported here.
  /// - Parameter limit: The most time for connecting, and for an answer.
  package func problems(within limit: Duration = .seconds(3)) -> [String] {
    do throws(RabbitMQError) { try RabbitMQConnection(settings(within: limit)).close() } catch {
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

  /// Tries something on a connection of its own: without the right to do it, the connection is
  /// lost.
  private func problem(
    _ what: String, _ limit: Duration, _ body: (RabbitMQConnection) throws(RabbitMQError) -> Void
  ) -> String? {
    do throws(RabbitMQError) {
      let connection = try RabbitMQConnection(settings(within: limit))
      defer { connection.close() }
      try body(connection)
      return nil
    } catch {
      if case .refused = BusError(error) { return nil }
      return "players cannot \(what): \(error)"
    }
  }

  /// Publishes a message that is returned, unless publishing is not permitted.
  private func publish(
    to exchange: String, _ connection: RabbitMQConnection, _ limit: Duration
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
