import LibRabbitMQ
import MatchInterfaces

/// Publishes mandatory messages and waits for the confirms, on a connection of its own.
///
/// A connection that broke between two calls is replaced: the broker closes a rarely used one
/// because it misses the heartbeats.
final class ConfirmedLine<ID: Hashable & Sendable> {
  /// Something to publish.
  struct Message {
    var id: ID
    var exchange = ""
    var routingKey: String
    var properties: MessageProperties
    var body: [UInt8]
  }

  /// The outcome of a message.
  struct Result {
    var id: ID
    var outcome: PublishOutcome
  }

  private let settings: RabbitMQSettings
  private var publisher: Publisher<ID>
  private let kind: BusMeters.Kind
  private let timeout: Duration
  private let meters = BusMeters()
  private let clock: WallClock
  private var patience: RefusalPatience

  init(
    _ context: BusContext, name: String, kind: BusMeters.Kind, timeout: Duration = .seconds(10)
  ) throws(BusError) {
    self.kind = kind
    self.timeout = timeout
    clock = context.clock
    let settings = context.address.settings(for: name)
    self.settings = settings
    publisher = try onBroker(try Publisher(RabbitMQConnection(settings)))
    patience = RefusalPatience(openedAt: context.clock.uptimeNanoseconds())
  }

  /// Publishes messages and waits until the broker has answered each.
  ///
  /// - Throws: `disconnected`, `timedOut` or `refused` (an alarm) if the broker did not answer in
  ///   time and confirmed nothing. If it confirmed some, those are returned, and the others are
  ///   `unknown`.
  func publish(_ messages: [Message]) throws(BusError) -> [Result] {
    guard !messages.isEmpty else { return [] }
    try revive()
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
      // Messages behind the failure were never sent.
      let known = Set(results.map(\.id))
      return results
        + messages.filter { !known.contains($0.id) }.map { Result(id: $0.id, outcome: .unknown) }
    }
    return taken()
  }

  /// Serves heartbeats.
  func serve() throws(BusError) {
    try onBroker(try publisher.serveHeartbeats())
  }

  func close() { publisher.close() }

  private func revive() throws(BusError) {
    do throws(RabbitMQError) {
      try publisher.serveHeartbeats()
    } catch {
      publisher = try onBroker(try Publisher(RabbitMQConnection(settings)))
      patience = RefusalPatience(openedAt: clock.uptimeNanoseconds())
    }
  }

  private func taken() -> [Result] {
    let results = publisher.takeResults().map { Result(id: $0.id, outcome: $0.outcome) }
    for result in results { meters.count(result.outcome) }
    if results.contains(where: { $0.outcome == .refused }),
      patience.isOver(at: clock.uptimeNanoseconds())
    {
      publisher.close()
    }
    return results
  }
}
