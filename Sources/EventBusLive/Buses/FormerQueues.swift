import LibRabbitMQ
import Logging
import MatchCore
import MatchInterfaces
import MatchWire

/// Takes a worker from the queues of a former build to the present ones, in the order of each slot.
///
/// The worker consumes the former queue of its slots as long as it exists. When the worker gets the
/// first message from it, no other worker gets any. The worker then moves the slots. It binds them
/// to the present queue first and unbinds them from the former one afterwards. So an event may
/// arrive twice, which is harmless, but never gets lost. A while later it publishes a marker into
/// the former queue, past the exchange, where no player may write. When the marker has arrived and
/// everything before it is acknowledged, the former queue is empty for good. The worker then
/// consumes the present queue in its place.
///
/// If a worker is killed in between, the next one does the same steps again. No worker deletes a
/// former queue, because workers of the former build may still consume it. Setup deletes it.
final class FormerQueues {
  /// The way of a queue.
  private struct Passage {
    enum Stage {
      /// Another worker may be the consumer of the former queue.
      case waiting
      /// This worker is the active consumer.
      case active
      /// Nothing is bound to the former queue any more.
      case moved
      /// The marker has come.
      case over
    }

    var stage = Stage.waiting
    /// When to do the next thing.
    var nextAt: UInt64 = 0
    /// The tag of the last event that the worker got from the former queue.
    var lastTag: UInt64 = 0
  }

  /// A publisher's message may be on its way to an unbound queue for this long.
  private static let pause: UInt64 = 1_000_000_000
  /// The time that queues are looked after before events are received again.
  private static let turn: UInt64 = 200_000_000
  /// The time to wait before something is tried again.
  private static let patience: UInt64 = 5_000_000_000

  private let context: BusContext
  private let layout: QueueLayout
  /// Names this worker's markers.
  private let token: String
  /// Nil: it is not yet known whether any former queue exists.
  private var mayExist: Bool?
  private var passages: [Int: Passage] = [:]
  private var acknowledged: UInt64 = 0
  private var line: ConfirmedLine<Int>?
  private var homeless = Incidents<Int>(
    Incident.Messages(
      began: "no queue to move to; run cubistd setup",
      lasts: "still no queue to move to; run cubistd setup", ended: "queue to move to is there"))
  private var unmarked = Incidents<Int>(
    Incident.Messages(began: "no marker", lasts: "still no marker", ended: "marker is sent"))

  init(_ context: BusContext, _ layout: QueueLayout) {
    self.context = context
    self.layout = layout
    token = "\(context.randomness.next128())"
  }

  /// Whether every queue is the present one.
  var isEmpty: Bool { passages.isEmpty }

  /// Finds the queues that still have a former one, on a new consuming connection.
  func look(for queues: [Int]) throws(BusError) {
    passages = [:]
    acknowledged = 0
    guard !queues.isEmpty, mayExist != false else { return }
    let visitor = Visitor(context.address, "cubist worker, looking for former queues")
    defer { visitor.close() }
    mayExist = try visitor.status(of: context.names.formerDead) != nil
    guard mayExist == true else { return }
    for queue in queues
    where try visitor.status(of: context.names.formerEvents(queue: queue)) != nil {
      passages[queue] = Passage()
    }
  }

  /// The name of the queue that a worker consumes now.
  func name(of queue: Int) -> String {
    passages[queue] == nil
      ? context.names.events(queue: queue) : context.names.formerEvents(queue: queue)
  }

  /// Takes the markers out of the deliveries, and acknowledges them.
  func sort(
    _ deliveries: [Delivery], of consumer: RabbitMQConnection
  ) throws(RabbitMQError) -> [Delivery] {
    var events: [Delivery] = []
    for delivery in deliveries {
      guard let queue = Int(delivery.consumerTag), var passage = passages[queue] else {
        events.append(delivery)
        continue
      }
      if passage.stage == .waiting {
        passage.stage = .active
        passage.nextAt = 0
      }
      // A message that came past the exchange is a marker of this worker or of one before it.
      if delivery.exchange.isEmpty {
        if passage.stage == .moved, delivery.properties.messageID == token {
          passage.stage = .over
        }
        try consumer.acknowledge(delivery.tag)
      } else {
        passage.lastTag = delivery.tag
        events.append(delivery)
      }
      passages[queue] = passage
    }
    return events
  }

  /// Everything up to a delivery is acknowledged.
  func noteAcknowledged(through tag: UInt64) { acknowledged = max(acknowledged, tag) }

  /// Does the steps that are due, for no longer than the other queues may wait.
  func moveOn(_ consumer: RabbitMQConnection) throws(BusError) {
    let started = context.clock.uptimeNanoseconds()
    for (queue, var passage) in passages.sorted(by: { $0.key < $1.key }) {
      let now = context.clock.uptimeNanoseconds()
      guard now &- started < FormerQueues.turn else { return }
      guard passage.stage == .over || now >= passage.nextAt else { continue }
      passage.nextAt = now &+ FormerQueues.patience
      switch passage.stage {
      case .waiting: mark(queue, "asking")
      case .active:
        guard try move(queue) else { break }
        passage.stage = .moved
        passage.nextAt = context.clock.uptimeNanoseconds() &+ FormerQueues.pause
      case .moved: mark(queue, token)
      case .over:
        if acknowledged >= passage.lastTag { try cross(queue, consumer) }
        continue
      }
      passages[queue] = passage
    }
  }

  func close() { line?.close() }

  /// Consumes the present queue in place of the former one, of which no delivery is held.
  private func cross(_ queue: Int, _ consumer: RabbitMQConnection) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in
      try consumer.cancel(String(queue))
      try consumer.consume(context.names.events(queue: queue), tag: String(queue))
    }
    passages[queue] = nil
    context.log.info("former queue is drained", metadata: ["queue": .stringConvertible(queue)])
  }

  /// Binds the slots of a queue to the present one and unbinds them from the former one.
  /// - Returns: false if the present queue does not exist yet.
  private func move(_ queue: Int) throws(BusError) -> Bool {
    let names = context.names
    let visitor = Visitor(context.address, "cubist worker, moving slots")
    defer { visitor.close() }
    let isMoved = try visitor.finds { connection throws(RabbitMQError) in
      for slot in layout.slots(of: queue) {
        try connection.bindQueue(
          names.events(queue: queue), exchange: names.events, routingKey: slot.routingKey)
      }
      for slot in layout.slots(of: queue) {
        try connection.unbindQueue(
          names.formerEvents(queue: queue), exchange: names.events, routingKey: slot.routingKey)
      }
    }
    let now = context.clock.uptimeNanoseconds()
    context.log.write(
      isMoved ? homeless.wentWell(queue, at: now) : homeless.failed(queue, at: now),
      metadata: ["queue": .stringConvertible(queue)])
    return isMoved
  }

  /// Publishes a marker. If the broker does not take it now, it is published again later.
  private func mark(_ queue: Int, _ name: String) {
    do throws(BusError) {
      if line == nil {
        line = try ConfirmedLine<Int>(
          context, name: "cubist worker, marking", kind: .event, timeout: .seconds(1))
      }
      _ = try line?.publish([
        ConfirmedLine<Int>.Message(
          id: queue, routingKey: context.names.formerEvents(queue: queue),
          properties: MessageProperties(messageID: name), body: [])
      ])
      context.log.write(
        unmarked.wentWell(queue, at: context.clock.uptimeNanoseconds()),
        metadata: ["queue": .stringConvertible(queue)])
    } catch {
      context.log.write(
        unmarked.failed(queue, at: context.clock.uptimeNanoseconds()),
        metadata: ["queue": .stringConvertible(queue), "reason": "\(error)"])
    }
  }
}
