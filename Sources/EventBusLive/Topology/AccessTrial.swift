import LibRabbitMQ
import MatchInterfaces

/// Tries with somebody's login what they must be able to do, on connections that nobody else uses.
struct AccessTrial {
  /// The key of no slot and no queue: a message published by it reaches nobody.
  private static let nowhere = "nobody"

  /// The people who log in, as sentences name them.
  let who: String
  private let settings: RabbitMQSettings
  private let limit: Duration

  /// - Parameter limit: The most time for connecting, and for an answer.
  init(_ address: BrokerAddress, who: String, name: String, within limit: Duration) {
    self.who = who
    self.limit = limit
    settings = address.settings(for: name, within: limit)
  }

  /// The obstacle to logging in, a sentence; nil if there is none.
  func loginProblem() -> String? {
    do throws(RabbitMQError) {
      try RabbitMQConnection(settings).close()
      return nil
    } catch {
      if case .notPermitted = BusError(error) { return "\(who) cannot log in: \(error)" }
      return "\(who) cannot reach the broker: \(error)"
    }
  }

  /// The obstacle to having replies.
  func replyProblem() -> String? {
    problem("have a reply queue") { connection throws(RabbitMQError) in
      try connection.consume(ReplyAddress.queue, noAck: true)
    }
  }

  /// The obstacle to publishing to an exchange.
  func publishingProblem(_ exchange: String) -> String? {
    problem("publish to \(exchange)") { connection throws(RabbitMQError) in
      // It is returned, unless publishing is not permitted.
      let publisher = try Publisher<Int>(connection)
      try publisher.publish(
        id: 0, exchange: exchange, routingKey: Self.nowhere,
        properties: MessageProperties(isPersistent: false), body: [], timeout: limit)
      try publisher.flush(timeout: limit)
    }
  }

  /// Tries something on a connection of its own: without the right to do it, the connection is
  /// lost.
  func problem(
    _ what: String, _ body: (RabbitMQConnection) throws(RabbitMQError) -> Void
  ) -> String? {
    do throws(RabbitMQError) {
      let connection = try RabbitMQConnection(settings)
      defer { connection.close() }
      try body(connection)
      return nil
    } catch {
      if case .refused = BusError(error) { return nil }
      return "\(who) cannot \(what): \(error)"
    }
  }
}
