import LibRabbitMQ
package import MatchInterfaces
import MatchWire

/// The settings of a live reader bus.
package struct ReaderBusSettings: Hashable, Sendable {
  /// Queries that a reader may hold unacknowledged, and as many gateways' questions.
  package var prefetch: UInt16 = 256
  /// Outcomes that wait for a reader. More push out the oldest, because outcomes may be lost.
  package var outcomeLimit = 10_000
  /// The interval at which a reader checks the exchange of outcomes and its binding.
  package var bindingInterval: Duration = .seconds(2)
}

extension ReaderBus {
  /// The event bus of a reader on RabbitMQ: it hears queries, gateways' questions and outcomes on
  /// one connection and answers on others.
  ///
  /// `receive` acknowledges the queries of the `receive` before it. So if a reader dies, another
  /// one gets its queries. Outcomes come by a queue of the reader's own that disappears with it. So
  /// do the service's own queries, because no player may publish there. If somebody deletes the
  /// exchange of outcomes or the binding, the reader makes it again. An answer is sent without
  /// waiting, or dropped. An answer to anything but a direct reply-to address is dropped and
  /// counted. After `disconnected` the owner makes a new bus.
  ///
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect, `unroutable` if the topology
  ///   is missing.
  package static func live(
    _ context: BusContext, settings: ReaderBusSettings = .init()
  ) throws(BusError) -> ReaderBus {
    let bus = try LiveReaderBus(context, settings)
    var made = ReaderBus.failing
    made.receive.answer(with: bus.receive)
    made.ownQueries.answer { bus.ownQueries() }
    made.answer.answer { bus.answer($0) }
    made.close.answer { bus.close() }
    return made
  }
}

private final class LiveReaderBus {
  private static let queries = "queries"
  private static let gatewayQueries = "gateways"
  private static let outcomes = "outcomes"
  private static let byteLimit = 16 * 1_024 * 1_024
  /// Deliveries that are read at once in search of the service's own queries.
  private static let lookLimit = 1_024

  private let consumer: RabbitMQConnection
  private let answers: ReplyLines
  private let outcomeLimit: Int
  private let bind: (RabbitMQConnection) throws(RabbitMQError) -> Void
  private let clock: WallClock
  private let bindingInterval: UInt64
  private var boundAt: UInt64
  private let context: BusContext
  /// Whether gateways' questions are consumed.
  private var hearsGateways = false
  private var lastQuery: UInt64?
  /// Deliveries that came during the search for the service's own queries.
  private var held: [Delivery] = []

  init(_ context: BusContext, _ settings: ReaderBusSettings) throws(BusError) {
    answers = try ReplyLines(
      context, name: "cubist reader, answering", kind: .answer, meters: BusMeters())
    outcomeLimit = settings.outcomeLimit
    let names = context.names
    let own = names.reader(context.randomness.next128())
    clock = context.clock
    self.context = context
    boundAt = clock.uptimeNanoseconds()
    bindingInterval = UInt64(max(0, settings.bindingInterval / .nanoseconds(1)))
    let bind = { (consumer: RabbitMQConnection) throws(RabbitMQError) in
      try consumer.declareExchange(names.outcomes, kind: .topic)
      try consumer.bindQueue(own, exchange: names.outcomes, routingKey: "#")
    }
    self.bind = bind
    consumer = try onBroker { () throws(RabbitMQError) in
      let consumer = try RabbitMQConnection(
        context.address.settings(for: "cubist reader, listening"))
      try consumer.declareQueue(
        own, durable: false, exclusive: true, autoDelete: true,
        arguments: [
          "x-max-length": .int64(Int64(settings.outcomeLimit)), "x-overflow": "drop-head",
        ])
      try bind(consumer)
      try consumer.setPrefetch(settings.prefetch)
      try consumer.consume(own, tag: Self.outcomes, noAck: true)
      try consumer.consume(names.queries, tag: Self.queries)
      return consumer
    }
    try hearGateways()
  }

  func receive(_ limit: Int, _ wait: Duration) throws(BusError) -> [ReaderBus.Incoming] {
    answers.serve()
    try onBroker { () throws(RabbitMQError) in
      if let lastQuery {
        try consumer.acknowledge(lastQuery, multiple: true)
        self.lastQuery = nil
      }
    }
    try lookIfDue()
    if held.isEmpty {
      held = try onBroker(
        try consumer.poll(maxCount: limit, maxBytes: Self.byteLimit, wait: wait))
    }
    let deliveries = held.prefix(limit)
    held.removeFirst(deliveries.count)
    lastQuery = deliveries.last { $0.consumerTag != Self.outcomes }?.tag
    return deliveries.filter(Self.isOwn).map(Self.incoming)
      + deliveries.filter { !Self.isOwn($0) }.map(Self.incoming)
  }

  /// Consumes gateways' questions, if there is a queue for them: a broker that a former build set up
  /// has none before the next setup. It is looked for on a connection of its own, which a missing
  /// queue ends.
  private func hearGateways() throws(BusError) {
    let visitor = Visitor(context.address, "cubist reader, looking", within: .seconds(2))
    defer { visitor.close() }
    guard try visitor.status(of: context.names.gatewayQueries) != nil else { return }
    _ = try onBroker(
      try consumer.consume(context.names.gatewayQueries, tag: Self.gatewayQueries))
    hearsGateways = true
  }

  /// If the exchange is deleted, nobody hears that the readers are there, and time stands still.
  private func lookIfDue() throws(BusError) {
    let now = clock.uptimeNanoseconds()
    guard now &- boundAt >= bindingInterval else { return }
    boundAt = now
    try onBroker(try bind(consumer))
    if !hearsGateways { try hearGateways() }
  }

  func ownQueries() -> [ReaderBus.Incoming] {
    answers.serve()
    let new = try? consumer.poll(maxCount: Self.lookLimit, maxBytes: Self.byteLimit, wait: .zero)
    guard let new else { return [] }
    held += new.filter { !Self.isOwn($0) }
    // Outcomes may be lost; queries are no more than twice the prefetch.
    if held.count > outcomeLimit { held.removeAll { $0.consumerTag == Self.outcomes } }
    return new.filter(Self.isOwn).map(Self.incoming)
  }

  /// Whether it is one of the service's own queries. Nothing else on this queue wants an answer.
  private static func isOwn(_ delivery: Delivery) -> Bool {
    delivery.consumerTag == outcomes && delivery.properties.replyTo != nil
  }

  private static func incoming(_ delivery: Delivery) -> ReaderBus.Incoming {
    let properties = delivery.properties
    if delivery.consumerTag == gatewayQueries {
      return .gatewayQuery(
        body: delivery.body, replyTo: properties.replyTo, correlationID: properties.correlationID,
        trace: RequestTrace(properties))
    }
    guard delivery.consumerTag == queries || isOwn(delivery) else {
      return .outcome(routingKey: delivery.routingKey, body: delivery.body)
    }
    return .query(
      body: delivery.body, replyTo: properties.replyTo, correlationID: properties.correlationID,
      trace: RequestTrace(properties))
  }

  func answer(_ answers: [ReaderBus.Answer]) {
    self.answers.send(
      answers.map {
        ReplyLines.Reply(
          replyTo: $0.replyTo, correlationID: $0.correlationID, body: $0.body)
      })
  }

  func close() {
    consumer.close()
    answers.close()
  }
}

extension Names {
  /// The name of one reader's own queue.
  func reader(_ number: UInt128) -> String { "\(outcomes).\(String(number, radix: 16))" }
}
