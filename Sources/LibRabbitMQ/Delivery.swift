/// A message as the broker delivered it.
package struct Delivery: Hashable, Sendable {
  /// The consumer it is for; empty if it was fetched by ``RabbitMQConnection/get(queue:noAck:)``.
  package let consumerTag: String
  /// The tag to acknowledge it by, on the same connection only.
  package let tag: UInt64
  /// Whether it may have been delivered before.
  package let isRedelivered: Bool
  /// The exchange it was published to.
  package let exchange: String
  /// The routing key it was published with.
  package let routingKey: String
  /// The properties beside the body.
  package let properties: MessageProperties
  package let body: [UInt8]

  /// The largest number of earlier deliveries that is counted.
  static let deliveryLimit: Int64 = 1_000_000

  /// How often a quorum queue has delivered this message, this time included: 1 on the first
  /// delivery, then 2 to 1,000,001.
  ///
  /// The queue counts in the header `x-delivery-count`. It writes that on redeliveries only, over
  /// the first of the name: on a first delivery, and behind the first one, a publisher may have put
  /// any value there.
  /// Source: `rabbit_fifo_client.erl` and `rabbit_misc:set_table_value` of RabbitMQ 3.10.8
  package var timesDelivered: Int {
    guard isRedelivered else { return 1 }
    let before = properties.headers[MessageProperties.deliveryCountHeader]?.integer ?? 1
    return Int(max(1, min(before, Self.deliveryLimit))) + 1
  }
}

/// The broker's answer to a published message.
package enum PublishOutcome: Hashable, Sendable {
  /// Every queue it was routed to has it, on disk where both are durable.
  case confirmed
  /// A queue refused it, for example because it is full (`reject-publish`).
  case refused
  /// No queue is bound for it (reply code 312).
  case returned(code: Int, text: String)
  /// The connection was lost first: the message may be stored or not. Send it again.
  case unknown
}

/// The outcome of one published message.
package struct PublishConfirmation: Hashable, Sendable {
  /// The number that ``RabbitMQConnection/publish(exchange:routingKey:properties:body:mandatory:)`` gave.
  package let sequence: UInt64
  /// The broker's answer.
  package let outcome: PublishOutcome
}

/// A queue as its declaration found it.
package struct QueueStatus: Hashable, Sendable {
  /// Its name, which the broker chooses if the given one was empty.
  package let name: String
  /// Messages ready for delivery.
  package let messageCount: Int
  package let consumerCount: Int
}

/// Counters of one connection.
package struct ConnectionStatistics: Hashable, Sendable {
  /// Messages sent.
  package internal(set) var published = 0
  /// Bytes of their bodies.
  package internal(set) var publishedBytes = 0
  /// Messages received, by consumers and by ``RabbitMQConnection/get(queue:noAck:)``.
  package internal(set) var delivered = 0
  /// Bytes of their bodies.
  package internal(set) var deliveredBytes = 0
  /// Acknowledgements sent; one for many messages counts once.
  package internal(set) var acknowledgements = 0
  /// Rejections sent.
  package internal(set) var rejections = 0
  /// Messages the broker confirmed.
  package internal(set) var confirmed = 0
  /// Messages the broker refused.
  package internal(set) var refused = 0
  /// Messages the broker returned as unroutable.
  package internal(set) var returned = 0
}
