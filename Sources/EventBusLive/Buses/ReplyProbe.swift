import LibRabbitMQ
import MatchWire

/// Finds out how a node of the broker names itself in reply addresses: it sends itself a message.
///
/// So the node is known before anybody else has asked for anything, and no stranger has a say in
/// it.
enum ReplyProbe {
  /// The address that a node gave to this process, over a connection that is closed again; nil
  /// where none came in time, as while an alarm of the broker is on.
  static func address(
    _ settings: RabbitMQSettings, queue: String, wait: Duration
  ) throws(RabbitMQError) -> String? {
    let connection = try Connection(settings)
    defer { connection.close() }
    try connection.declareQueue(queue, durable: false, exclusive: true, autoDelete: true)
    try connection.consume(queue, noAck: true)
    // Direct reply-to demands that it is consumed on the channel that publishes.
    try connection.consume(ReplyAddress.queue, noAck: true)
    try connection.publish(
      exchange: "", routingKey: queue,
      properties: MessageProperties(isPersistent: false, replyTo: ReplyAddress.queue), body: [],
      mandatory: false)
    return try connection.poll(maxCount: 1, wait: wait).first?.properties.replyTo
  }
}
