import IssueReporting
public import MatchCore

/// What a turn worker needs of the event bus: one connection to consume, one to publish. Confined
/// to the worker's thread.
public struct WorkerBus {
  /// Consumes exactly these queues from now on. Whatever was unacknowledged goes back to its queue
  /// in order, first, by closing the channel; nothing is ever requeued with nack.
  public var consume: (_ queues: [Int]) throws(BusError) -> Void
  /// What has arrived, at most so many; waits only if nothing has. In the order of each queue.
  public var receive: (_ limit: Int, _ wait: Duration) throws(BusError) -> [EventDelivery]
  /// Acknowledges everything up to and including a delivery.
  public var acknowledge: (_ through: UInt64) throws(BusError) -> Void
  /// Publishes without waiting; what the broker does not take at once is dropped, and a push job
  /// left to the relay. Replies and outcomes are transient and never confirmed; push jobs are, see
  /// `confirmed`. A reply goes to a direct reply-to address or nowhere.
  public var publish: ([Outgoing]) throws(BusError) -> Void
  /// The push jobs that the broker has confirmed since the last call; those it refused are simply
  /// never named.
  public var confirmed: () throws(BusError) -> [PushJobID]
  /// Reads what there is without giving it out yet, so that the broker sees a sign of life; cheap.
  public var serveHeartbeats: () -> Void
  /// Closes both connections; unacknowledged deliveries go back in order.
  public var close: () -> Void

  /// Something that a worker says.
  public enum Outgoing: Hashable, Sendable {
    /// To the sender of an event, by direct reply-to.
    case reply(to: String, correlationID: String, body: [UInt8])
    /// To whoever watches.
    case outcome(routingKey: String, body: [UInt8])
    /// To the push workers; confirmed.
    case push(PushJob)
  }

  /// Puts a bus together.
  public init(
    consume: @escaping (_ queues: [Int]) throws(BusError) -> Void,
    receive: @escaping (_ limit: Int, _ wait: Duration) throws(BusError) -> [EventDelivery],
    acknowledge: @escaping (_ through: UInt64) throws(BusError) -> Void,
    publish: @escaping ([Outgoing]) throws(BusError) -> Void,
    confirmed: @escaping () throws(BusError) -> [PushJobID],
    serveHeartbeats: @escaping () -> Void,
    close: @escaping () -> Void
  ) {
    self.consume = consume
    self.receive = receive
    self.acknowledge = acknowledge
    self.publish = publish
    self.confirmed = confirmed
    self.serveHeartbeats = serveHeartbeats
    self.close = close
  }
}

/// An event as a queue delivered it.
public struct EventDelivery: Hashable, Sendable {
  /// The index of the queue.
  public var queue: Int
  /// What acknowledges it; grows with every delivery of the connection.
  public var tag: UInt64
  /// The envelope.
  public var body: [UInt8]
  /// How often it was delivered, this time included.
  public var deliveryCount: Int
  /// Where the sender waits for the reply, if anywhere.
  public var replyTo: String?
  /// What the sender knows the reply by.
  public var correlationID: String?

  /// Puts a delivery together.
  public init(
    queue: Int, tag: UInt64, body: [UInt8], deliveryCount: Int = 1, replyTo: String? = nil,
    correlationID: String? = nil
  ) {
    self.queue = queue
    self.tag = tag
    self.body = body
    self.deliveryCount = deliveryCount
    self.replyTo = replyTo
    self.correlationID = correlationID
  }
}

extension WorkerBus {
  /// Never delivers, swallows everything.
  public static var noop: WorkerBus {
    WorkerBus(
      consume: { _ in }, receive: { _, _ in [] }, acknowledge: { _ in }, publish: { _ in },
      confirmed: { [] }, serveHeartbeats: {}, close: {})
  }

  /// Reports an issue whenever it is used, and is disconnected.
  public static var failing: WorkerBus {
    WorkerBus(
      consume: { _ throws(BusError) in throw busFailure("WorkerBus.consume") },
      receive: { _, _ throws(BusError) in throw busFailure("WorkerBus.receive") },
      acknowledge: { _ throws(BusError) in throw busFailure("WorkerBus.acknowledge") },
      publish: { _ throws(BusError) in throw busFailure("WorkerBus.publish") },
      confirmed: { () throws(BusError) in throw busFailure("WorkerBus.confirmed") },
      serveHeartbeats: { reportIssue("Unimplemented: WorkerBus.serveHeartbeats") },
      close: { reportIssue("Unimplemented: WorkerBus.close") })
  }
}
