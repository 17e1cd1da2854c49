import LibRabbitMQ
import MatchInterfaces

/// Publishes mandatory messages and waits for the confirms, on a connection of its own.
final class ConfirmedLine<ID: Hashable & Sendable> {
  /// Something to publish.
  struct Message {
    var id: ID
    var exchange = ""
    var routingKey: String
    var properties: MessageProperties
    var body: [UInt8]
  }

  private let publisher: Publisher<ID>
  private let kind: BusMeters.Kind
  private let timeout: Duration
  private let meters = BusMeters()

  init(
    _ context: BusContext, name: String, kind: BusMeters.Kind, timeout: Duration = .seconds(10)
  ) throws(BusError) {
    self.kind = kind
    self.timeout = timeout
    publisher = try onBroker { () throws(RabbitMQError) in
      try Publisher(Connection(context.address.settings(for: name)))
    }
  }

  /// Publishes messages and waits until the broker has said something about each.
  ///
  /// - Throws: `disconnected`, `timedOut` or `refused` (an alarm) if it did not in time and nothing
  ///   was confirmed; the line is then of no use any more. If some were, they are returned, and the
  ///   next call throws.
  func publish(_ messages: [Message]) throws(BusError) -> [PublishResult<ID>] {
    do throws(RabbitMQError) {
      for message in messages {
        try publisher.publish(
          id: message.id, exchange: message.exchange, routingKey: message.routingKey,
          properties: message.properties, body: message.body, timeout: timeout)
        meters.countPublished(kind)
      }
      try publisher.flush(timeout: timeout)
    } catch {
      // Late confirmations must not be taken for those of the next call.
      publisher.close()
      let results = taken()
      guard results.contains(where: { $0.outcome == .confirmed }) else {
        throw error.code == .timedOut ? .timedOut(error.description) : BusError(error)
      }
      return results
    }
    return taken()
  }

  /// Serves heartbeats.
  func serve() throws(BusError) {
    try onBroker { () throws(RabbitMQError) in try publisher.serveHeartbeats() }
  }

  func close() { publisher.close() }

  private func taken() -> [PublishResult<ID>] {
    let results = publisher.takeResults()
    for result in results { meters.count(result.outcome) }
    return results
  }
}
