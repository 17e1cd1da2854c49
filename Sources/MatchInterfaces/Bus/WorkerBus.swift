package import MatchCore
package import MatchWire

/// The event bus as a turn worker needs it: one connection to consume, one to publish. Confined to
/// the worker's thread.
package struct WorkerBus: Interface {
  /// Consumes exactly these queues from now on. First it closes the channel, so that every
  /// unacknowledged event goes back to its queue in order. Nothing is ever requeued with nack.
  package var consume: Ask<[Int], Void, BusError>
  /// Events that have arrived, at most so many, in the order of each queue. Waits so long only if
  /// nothing has.
  package var receive: Ask<(Int, Duration), [EventDelivery], BusError>
  /// Acknowledges everything up to and including a delivery, by its tag.
  package var acknowledge: Ask<UInt64, Void, BusError>
  /// Publishes without waiting. A message that the broker does not take at once is dropped; a push
  /// job is left to the relay. Replies and outcomes are transient and never confirmed; push jobs
  /// are confirmed, see `confirmed`. A reply goes to a direct reply-to address or nowhere.
  package var publish: Ask<[Outgoing], Void, BusError>
  /// The push jobs that the broker has confirmed since the last call; jobs that it refused never
  /// appear.
  package var confirmed: Ask<Void, [PushJobID], BusError>
  /// Reads the arrived bytes without giving them out yet, so that the broker sees a sign of life;
  /// cheap.
  package var serveHeartbeats: Ask<Void, Void, Never>
  /// Closes both connections; unacknowledged deliveries go back in order.
  package var close: Ask<Void, Void, Never>

  /// Something that a worker says.
  package enum Outgoing: Hashable, Sendable {
    /// To the sender of an event, by direct reply-to.
    case reply(to: String, correlationID: String, body: [UInt8])
    /// To everybody who watches.
    case outcome(routingKey: String, body: [UInt8])
    /// To the push workers; confirmed.
    case push(PushJob)
  }

  package init(_ how: Asking<BusError>, around inner: WorkerBus?) {
    consume = how("WorkerBus.consume", inner?.consume) { _ in }
    receive = how("WorkerBus.receive", inner?.receive) { _, _ in [] }
    acknowledge = how("WorkerBus.acknowledge", inner?.acknowledge) { _ in }
    publish = how("WorkerBus.publish", inner?.publish) { _ in }
    confirmed = how("WorkerBus.confirmed", inner?.confirmed) { [] }
    serveHeartbeats = how("WorkerBus.serveHeartbeats", inner?.serveHeartbeats) {}
    close = how("WorkerBus.close", inner?.close) {}
  }
}

/// An event as a queue delivered it.
package struct EventDelivery: Hashable, Sendable {
  /// The index of the queue.
  package var queue: Int
  /// The broker's number for it, to acknowledge it by; grows with every delivery of the connection.
  package var tag: UInt64
  /// The envelope.
  package var body: [UInt8]
  /// How often it was delivered, this time included.
  package var deliveryCount: Int
  /// Where the sender waits for the reply, if anywhere.
  package var replyTo: String?
  /// The correlation id, by which the sender knows the reply.
  package var correlationID: String?
  /// The priority that its publisher set, if any. The service's programs set none.
  package var priority: UInt8?
  /// The marks of the request that brought it, if a gateway did.
  package var trace: RequestTrace?
  /// The worker's uptime when it received it; 0 before.
  package var receivedAt: UInt64 = 0

  package init(
    queue: Int, tag: UInt64, body: [UInt8], deliveryCount: Int = 1, replyTo: String? = nil,
    correlationID: String? = nil, priority: UInt8? = nil, trace: RequestTrace? = nil
  ) {
    self.queue = queue
    self.tag = tag
    self.body = body
    self.deliveryCount = deliveryCount
    self.replyTo = replyTo
    self.correlationID = correlationID
    self.priority = priority
    self.trace = trace
  }

  /// The highest priority with which a message keeps its place in the queue: that of messages
  /// without one. RabbitMQ 4 delivers higher ones before messages that came earlier.
  /// Source: `rabbit_fifo.erl` of RabbitMQ 4.0.5 and 4.3.5
  package static let highestPriorityInOrder: UInt8 = 4

  /// Whether RabbitMQ 4 may have delivered it before earlier messages, such as ticks.
  package var mayHaveOvertaken: Bool { (priority ?? 0) > Self.highestPriorityInOrder }
}
