import LibRabbitMQ
import MatchCore
package import MatchInterfaces
package import MatchWire

/// Events and queues that were moved after the number of queues changed.
package struct MovedEvents: Hashable, Sendable {
  /// Events that waited in queues of a former number. They wait now in those that serve their
  /// slots.
  package var events = 0
  /// Queues that served slots before and are gone.
  package var queues = 0
}

extension Topology {
  /// The bindings that the queues of former layouts may still have and must not have.
  ///
  /// Without the management API nobody can tell which of them exist. Removing an absent one changes
  /// nothing.
  package func staleBindings(
    of former: [QueueLayout], at address: BrokerAddress
  ) throws(BusError) -> [EventBinding] {
    let present = Set(try presentQueues(of: former, at: address))
    return former.flatMap { EventBinding.stale(of: $0, under: layout) }.filter {
      present.contains($0.queue)
    }
  }

  /// Moves the waiting events of former layouts to the queues that serve their slots now, and
  /// deletes the queues that serve none. Slots must be bound to their new queues only, and nobody
  /// may consume: see ``declare(at:removing:limitedBy:)``.
  ///
  /// Each event is published with its slot, and acknowledged once the broker has confirmed the
  /// publication. If the move is interrupted anywhere, it can be repeated: an event that comes
  /// twice is judged once by its id. Waiting events of one slot keep their order, and may come
  /// behind later ones.
  ///
  /// Ticks are dropped. They carry the time of a former queue, and the waiting events of another
  /// queue would come behind them. A message keeps the properties that a worker reads. Others are a
  /// stranger's, such as copies to other slots, or would be refused, such as a user's name.
  ///
  /// - Throws: `refused` if a queue has no room for the events that it takes over, `timedOut` if
  ///   somebody else consumes, `disconnected`. In all cases nothing is lost.
  package func moveEvents(
    from former: [QueueLayout], _ context: BusContext
  ) throws(BusError) -> MovedEvents {
    guard !former.isEmpty else { return MovedEvents() }
    let queues = try presentQueues(of: former, at: context.address)
    let mover = try EventMover(self, context)
    defer { mover.close() }
    // A publisher's message may be on its way to an unbound queue for this long.
    context.clock.sleep(.seconds(1))
    // Mark all queues before anything is moved: a moved event comes behind the marker.
    for queue in queues { try mover.mark(queue) }
    for queue in queues { try mover.empty(queue) }
    try mover.remove(queues.filter { $0 >= layout.queueCount })
    return mover.moved
  }

  /// The queues of former layouts that exist.
  private func presentQueues(
    of former: [QueueLayout], at address: BrokerAddress
  ) throws(BusError) -> [Int] {
    let visitor = Visitor(address, "cubist setup")
    defer { visitor.close() }
    var present: [Int] = []
    for queue in 0..<(former.map(\.queueCount).max() ?? 0)
    where try visitor.status(of: names.events(queue: queue)) != nil {
      present.append(queue)
    }
    return present
  }
}

/// Takes events from the queues that served their slots and publishes them to those that do now.
private final class EventMover {
  /// Messages in hand at once.
  private static let batch = 256
  /// The time that a queue with a marker may deliver nothing.
  private static let patience: UInt64 = 30_000_000_000

  private(set) var moved = MovedEvents()
  private let topology: Topology
  private let context: BusContext
  private let line: ConfirmedLine<Int>
  /// Names the markers.
  private let token: String
  /// The queues that hold a marker.
  private var marked: Set<Int> = []

  init(_ topology: Topology, _ context: BusContext) throws(BusError) {
    self.topology = topology
    self.context = context
    line = try ConfirmedLine<Int>(context, name: "cubist setup, moving", kind: .event)
    token = "\(context.randomness.next128())"
  }

  func close() { line.close() }

  /// Moves everything that is in a queue now. A marker says where that ends: events behind it came
  /// by the present bindings. It is published past the exchange, where no player may write.
  func empty(_ queue: Int) throws(BusError) {
    let name = topology.names.events(queue: queue)
    let consumer = try onBroker { () throws(RabbitMQError) in
      let connection = try RabbitMQConnection(
        context.address.settings(for: "cubist setup, emptying"))
      try connection.setPrefetch(UInt16(EventMover.batch))
      try connection.consume(name, tag: name)
      return connection
    }
    // Deliveries from behind the marker go back to their places.
    defer { consumer.close() }
    var isOver = false
    var newsAt = context.clock.uptimeNanoseconds()
    while !isOver {
      // A full queue takes the marker after something was taken out.
      try mark(queue)
      let deliveries = try onBroker(
        try consumer.poll(
          maxCount: EventMover.batch, maxBytes: 16 * 1_024 * 1_024, wait: .milliseconds(500)))
      let now = context.clock.uptimeNanoseconds()
      guard !deliveries.isEmpty else {
        guard now &- newsAt < EventMover.patience else {
          throw .timedOut("nothing comes of queue \(name): does somebody else consume it?")
        }
        continue
      }
      newsAt = now
      let end = deliveries.firstIndex { isMarker($0) && $0.properties.messageID == token }
      let former = deliveries[...(end ?? deliveries.endIndex - 1)]
      try publish(former, from: queue)
      try onBroker(try consumer.acknowledge(deliveries[former.endIndex - 1].tag, multiple: true))
      isOver = end != nil
    }
    marked.remove(queue)
    // The broker answers this only after it has handled everything sent before.
    try onBroker { () throws(RabbitMQError) in _ = try consumer.inspectQueue(name) }
  }

  /// Deletes queues once they are empty.
  func remove(_ queues: [Int]) throws(BusError) {
    guard !queues.isEmpty else { return }
    let visitor = Visitor(context.address, "cubist setup")
    defer { visitor.close() }
    // By then the messages held behind a marker are back in their places, and counted.
    context.clock.sleep(.seconds(1))
    for queue in queues {
      let name = topology.names.events(queue: queue)
      while let status = try visitor.status(of: name), status.messageCount > 0 {
        try empty(queue)
        context.clock.sleep(.seconds(1))
      }
      let isThere = try visitor.finds { connection throws(RabbitMQError) in
        try connection.deleteQueue(name)
      }
      if isThere { moved.queues += 1 }
    }
  }

  /// A marker of this setup, or of an earlier one that was ended.
  private func isMarker(_ delivery: Delivery) -> Bool {
    delivery.exchange.isEmpty && delivery.body.isEmpty
  }

  private func publish(_ deliveries: ArraySlice<Delivery>, from queue: Int) throws(BusError) {
    var messages: [ConfirmedLine<Int>.Message] = []
    for delivery in deliveries where !isMarker(delivery) && !EventMover.isTick(delivery) {
      messages.append(message(messages.count, delivery, from: queue))
    }
    for result in try line.publish(messages) {
      let slot = messages[result.id].routingKey
      if result.outcome == .refused {
        throw .refused(
          "the queue of slot \(slot) is full, and events wait in \(topology.names.events(queue: queue)) "
            + "that it is to take over: nothing is lost; run cubistd setup again with more queues")
      }
      if let error = BusError(result.outcome, of: "slot \(slot)") { throw error }
    }
    moved.events += messages.count
  }

  private func message(
    _ id: Int, _ delivery: Delivery, from queue: Int
  ) -> ConfirmedLine<Int>.Message {
    // If a stranger brought a message here by another key, it is answered in any queue.
    let key = Slot(routingKey: delivery.routingKey)?.routingKey ?? "\(queue)"
    let sent = delivery.properties
    var properties = MessageProperties(
      correlationID: sent.correlationID.flatMap(EventMover.short),
      replyTo: sent.replyTo.flatMap(EventMover.short))
    // A worker refuses what may have overtaken others: it has to see that.
    properties.priority = sent.priority
    return ConfirmedLine<Int>.Message(
      id: id, exchange: topology.names.events, routingKey: key, properties: properties,
      body: delivery.body)
  }

  /// A text that the protocol can carry. One that was not UTF-8 may have become too long.
  private static func short(_ text: String) -> String? { text.utf8.count <= 255 ? text : nil }

  /// Whether a message is a tick. Nobody awaits an answer to a tick.
  private static func isTick(_ delivery: Delivery) -> Bool {
    guard delivery.properties.replyTo == nil,
      let signed = try? Envelope.decode(delivery.body),
      let event = try? PayloadCodec.decodeEvent(signed.payload),
      case .ticked = event.action
    else { return false }
    return true
  }

  /// Publishes the marker to a queue that has none, if there is room.
  func mark(_ queue: Int) throws(BusError) {
    guard !marked.contains(queue) else { return }
    let name = topology.names.events(queue: queue)
    let results = try line.publish([
      ConfirmedLine<Int>.Message(
        id: 0, routingKey: name, properties: MessageProperties(messageID: token), body: [])
    ])
    for result in results where result.outcome != .refused {
      if let error = BusError(result.outcome, of: "queue \(name)") { throw error }
    }
    if results.allSatisfy({ $0.outcome == .confirmed }) { marked.insert(queue) }
  }
}
