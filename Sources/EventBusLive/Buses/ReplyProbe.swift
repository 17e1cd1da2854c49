import LibRabbitMQ
import MatchWire

/// Finds a broker node's own name in reply addresses: it sends itself a message.
///
/// So the node is known before the first request, and no stranger can influence it.
enum ReplyProbe {
  /// The address that a node gave to this process, over a connection that is closed again. Nil if
  /// none came in time, for example while an alarm of the broker is on.
  static func address(
    _ settings: RabbitMQSettings, queue: String, wait: Duration
  ) throws(RabbitMQError) -> String? {
    let connection = try RabbitMQConnection(settings)
    defer { connection.close() }
    try connection.declareQueue(queue, durable: false, exclusive: true, autoDelete: true)
    try connection.consume(queue, noAck: true)
    // Direct reply-to must be consumed on the channel that publishes.
    try connection.consume(ReplyAddress.queue, noAck: true)
    try connection.publish(
      exchange: "", routingKey: queue,
      properties: MessageProperties(isPersistent: false, replyTo: ReplyAddress.queue), body: [],
      mandatory: false)
    return try connection.poll(maxCount: 1, wait: wait).first?.properties.replyTo
  }
}
