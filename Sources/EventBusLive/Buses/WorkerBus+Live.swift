import LibRabbitMQ
import MatchCore
package import MatchInterfaces
package import MatchWire

/// The settings of a live worker bus.
package struct WorkerBusSettings: Hashable, Sendable {
  /// Unacknowledged deliveries of each queue, 1...65,535.
  ///
  /// RabbitMQ advises 100 to 300. All of them count as delivered when a worker dies.
  package var prefetch: UInt16 = 256
  /// The number of unconfirmed push jobs from which on further ones are left to the outbox relay.
  package var unconfirmedJobLimit = 1_024

  package init() {}
}

extension WorkerBus {
  /// The event bus of a turn worker on RabbitMQ.
  ///
  /// It consumes on one connection, publishes on another, and replies on others. If the consuming
  /// connection is lost, it throws `disconnected`, and the owner makes a new bus. Any other lost
  /// connection is opened anew at the next use, at growing intervals. Meanwhile replies and
  /// outcomes are dropped and push jobs are left to the relay. The same happens while an alarm is
  /// on or the broker is slow. Replies go to direct reply-to addresses only. A reply to anything
  /// else is dropped and counted.
  ///
  /// A queue that the broker does not have is left out until it is made anew (`MissingQueues`).
  ///
  /// If another build left a former queue, that one is served until it is empty (`FormerQueues`).
  ///
  /// - Parameter layout: The slots of each queue.
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect.
  package static func live(
    _ context: BusContext, layout: QueueLayout, settings: WorkerBusSettings = .init()
  ) throws(BusError) -> WorkerBus {
    let bus = try LiveWorkerBus(context, layout, settings)
    var made = WorkerBus.failing
    made.consume.answer(with: bus.consume)
    made.receive.answer(with: bus.receive)
    made.acknowledge.answer(with: bus.acknowledge(through:))
    made.publish.answer { bus.publish($0) }
    made.confirmed.answer { bus.outlet.takeConfirmed() }
    made.serveHeartbeats.answer { bus.serveHeartbeats() }
    made.close.answer { bus.close() }
    return made
  }
}

private final class LiveWorkerBus {
  let outlet: CourtesyPublisher
  private let replies: ReplyLines
  private let context: BusContext
  private let settings: WorkerBusSettings
  private var consumer: RabbitMQConnection
  private let former: FormerQueues
  private let missing: MissingQueues
  private var isConsuming = false

  init(
    _ context: BusContext, _ layout: QueueLayout, _ settings: WorkerBusSettings
  ) throws(BusError) {
    self.context = context
    former = FormerQueues(context, layout)
    missing = MissingQueues(context)
    self.settings = settings
    let meters = BusMeters()
    var limits = CourtesyPublisher.Limits()
    limits.jobs = settings.unconfirmedJobLimit
    let outage = PublishingOutage()
    outlet = try CourtesyPublisher(
      context, name: "cubist worker, publishing", isConfirming: true, limits: limits,
      meters: meters, outage: outage)
    replies = try ReplyLines(
      context, name: "cubist worker, replying", kind: .reply, meters: meters, outage: outage)
    consumer = try Self.connect(context)
  }

  private static func connect(_ context: BusContext) throws(BusError) -> RabbitMQConnection {
    try onBroker(try RabbitMQConnection(context.address.settings(for: "cubist worker, consuming")))
  }

  func consume(_ queues: [Int]) throws(BusError) {
    // A cancelled consumer would still hold its deliveries while the next one goes on behind them.
    if isConsuming {
      consumer.close()
      isConsuming = false
      consumer = try Self.connect(context)
    }
    missing.forget()
    guard !queues.isEmpty else { return }
    isConsuming = true
    try former.look(for: queues)
    do throws(BusError) { try begin(queues) } catch {
      guard case .unroutable = error else { throw error }
      let others = try missing.leaveOut(of: queues, name: former.name)
      // Without any queue there is nothing to do but to say so.
      guard !others.isEmpty else { throw error }
      // The broker has closed the channel, with the consumers that it had.
      consumer.close()
      consumer = try Self.connect(context)
      try begin(others)
    }
  }

  private func begin(_ queues: [Int]) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in
      try consumer.setPrefetch(settings.prefetch)
      for queue in queues {
        try consumer.consume(former.name(of: queue), tag: String(queue))
      }
    }
  }

  func receive(_ limit: Int, _ wait: Duration) throws(BusError) -> [EventDelivery] {
    outlet.serve()
    replies.serve()
    if !former.isEmpty { try former.moveOn(consumer) }
    if !missing.isEmpty { try missing.takeUp(consumer) }
    let deliveries = try onBroker { () throws(RabbitMQError) in
      let found = try consumer.poll(maxCount: limit, maxBytes: 16 * 1_024 * 1_024, wait: wait)
      return former.isEmpty ? found : try former.sort(found, of: consumer)
    }
    return deliveries.map { delivery in
      let properties = delivery.properties
      return EventDelivery(
        // The tag was made from the number in `consume`.
        queue: Int(delivery.consumerTag) ?? 0, tag: delivery.tag, body: delivery.body,
        deliveryCount: delivery.timesDelivered,
        replyTo: properties.replyTo, correlationID: properties.correlationID,
        priority: properties.priority, trace: RequestTrace(properties))
    }
  }

  func acknowledge(through tag: UInt64) throws(BusError) {
    try onBroker(try consumer.acknowledge(tag, multiple: true))
    if !former.isEmpty { former.noteAcknowledged(through: tag) }
  }

  func publish(_ outgoing: [WorkerBus.Outgoing]) {
    var (answers, messages): ([ReplyLines.Reply], [CourtesyPublisher.Message]) = ([], [])
    var jobs: [PushJob] = []
    for item in outgoing {
      switch item {
      case .reply(let replyTo, let correlationID, let body):
        answers.append(.init(replyTo: replyTo, correlationID: correlationID, body: body))
      case .outcome(let routingKey, let body):
        messages.append(
          CourtesyPublisher.Message(
            kind: .outcome, exchange: context.names.outcomes, routingKey: routingKey,
            properties: MessageProperties(isPersistent: false), body: body))
      case .push(let job): jobs.append(job)
      }
    }
    let now = context.clock.now()
    messages += PushJobMessage.messages(of: jobs).map {
      CourtesyPublisher.Message(
        kind: .push, routingKey: context.names.push, properties: $0.properties(at: now),
        body: $0.body,
        jobs: $0.jobs.map(\.id))
    }
    replies.send(answers)
    outlet.send(messages)
  }

  func serveHeartbeats() {
    // The cause stays with the connection. The next call that may throw reports it.
    try? consumer.serveHeartbeats()
    outlet.serve()
    replies.serve()
  }

  func close() {
    consumer.close()
    former.close()
    outlet.close()
    replies.close()
  }
}
