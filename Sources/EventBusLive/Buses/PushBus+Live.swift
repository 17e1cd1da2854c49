import LibRabbitMQ
import MatchCore
public import MatchInterfaces
import MatchWire

extension PushBus {
  /// The event bus of a push worker on RabbitMQ: it consumes on one connection and puts jobs into
  /// the retry queues on another.
  ///
  /// `retry` acknowledges a delivery only when its copy is confirmed; if it throws, the others are as
  /// they were. After `disconnected` or `timedOut` the owner makes a new bus.
  ///
  /// A message may hold several jobs (`PushJobMessage`). One that is tried again or rejected leaves it
  /// by a copy of its own.
  ///
  /// - Parameter prefetch: Messages that are handed out and not yet acknowledged. The jobs of so many,
  ///   should all time out at 8 s each, keep within the half hour in which the broker wants to hear
  ///   of a delivery.
  /// - Throws: `disconnected` or `notPermitted` if there is no connection to be had, `unroutable`
  ///   if there is no queue of push jobs.
  public static func live(
    _ context: BusContext, prefetch: UInt16 = 14
  ) throws(BusError) -> PushBus {
    let bus = try LivePushBus(context, prefetch: prefetch)
    return PushBus(
      receive: { limit, wait throws(BusError) in try bus.receive(limit, wait) },
      acknowledge: { tags throws(BusError) in try bus.acknowledge(tags) },
      retry: { delayed throws(BusError) in try bus.retry(delayed) },
      reject: { tag throws(BusError) in try bus.reject(tag) },
      serveHeartbeats: { () throws(BusError) in try bus.serveHeartbeats() },
      close: { bus.close() })
  }
}

private final class LivePushBus {
  /// How often a job was tried; the count of the retry queues' broker would start anew.
  private static let attemptsHeader = "x-cubist-attempts"

  private let names: Names
  private let consumer: Connection
  private let line: ConfirmedLine<UInt64>
  private let clock: WallClock
  private var held = HeldPushJobs()
  /// Messages that were received and not yet acknowledged or rejected, in order: a row of them from
  /// the first on is acknowledged at once.
  private var outstanding: ArraySlice<UInt64> = []

  init(_ context: BusContext, prefetch: UInt16) throws(BusError) {
    names = context.names
    clock = context.clock
    consumer = try onBroker { () throws(RabbitMQError) in
      let consumer = try Connection(context.address.settings(for: "cubist push, consuming"))
      try consumer.setPrefetch(prefetch)
      try consumer.consume(context.names.push)
      return consumer
    }
    line = try ConfirmedLine(context, name: "cubist push, publishing", kind: .retry)
  }

  func receive(_ limit: Int, _ wait: Duration) throws(BusError) -> [PushBus.Delivery] {
    try line.serve()
    if held.readyCount < limit {
      let messages = try onBroker { () throws(RabbitMQError) in
        try consumer.poll(maxCount: limit, wait: held.readyCount == 0 ? wait : .zero)
      }
      outstanding += messages.map(\.tag)
      for message in messages {
        held.add(
          message.tag, body: message.body, attempts: Self.attempts(of: message.properties))
      }
    }
    return held.take(limit)
  }

  func acknowledge(_ tags: [UInt64]) throws(BusError) {
    var left = Set(held.finish(tags))
    var last: UInt64?
    while let first = outstanding.first, left.remove(first) != nil {
      last = first
      outstanding.removeFirst()
    }
    outstanding.removeAll { left.contains($0) }
    try onBroker { () throws(RabbitMQError) in
      if let last { try consumer.acknowledge(last, multiple: true) }
      for tag in left.sorted() { try consumer.acknowledge(tag) }
    }
  }

  func retry(_ delayed: [PushBus.Delayed]) throws(BusError) {
    let copies = delayed.map { delayed in
      let delivery = delayed.delivery
      var properties = delivery.job?.properties ?? MessageProperties()
      properties.headers[Self.attemptsHeader] = .int64(Int64(delivery.attempts) + 1)
      return ConfirmedLine<UInt64>.Message(
        id: delivery.tag, routingKey: names.pushRetry(seconds: delayed.delay.rawValue),
        properties: properties, body: delivery.body)
    }
    // No copies for deliveries that are on their way back.
    try onBroker { () throws(RabbitMQError) in try consumer.serveHeartbeats() }
    var (confirmed, failure): ([UInt64], BusError?) = ([], nil)
    for result in try line.publish(copies) {
      if let error = BusError(result.outcome, of: "jobs that are tried again") {
        failure = failure ?? error
      } else {
        confirmed.append(result.id)
      }
    }
    try acknowledge(confirmed)
    if let failure { throw failure }
  }

  func reject(_ tag: UInt64) throws(BusError) {
    guard let message = held.message(ofLoneJob: tag) else { return try bury(tag) }
    _ = held.finish([tag])
    outstanding.removeAll { $0 == message }
    try onBroker { () throws(RabbitMQError) in try consumer.reject(message) }
  }

  /// Puts a job that shares its message among the dead letters, as the broker would.
  /// Source: https://www.rabbitmq.com/docs/dlx, header `x-death`
  private func bury(_ tag: UInt64) throws(BusError) {
    guard let body = held.body(of: tag) else { return }
    var properties = MessageProperties(contentType: "application/json", isPersistent: true)
    properties.headers["x-death"] = .array([
      .table([
        "queue": .string(names.push), "reason": "rejected", "count": 1, "exchange": "",
        "routing-keys": .array([.string(names.push)]),
        "time": .timestamp(UInt64(max(0, clock.now().microseconds / 1_000_000))),
      ])
    ])
    try onBroker { () throws(RabbitMQError) in try consumer.serveHeartbeats() }
    let copy = ConfirmedLine<UInt64>.Message(
      id: tag, routingKey: names.dead, properties: properties, body: body)
    for result in try line.publish([copy]) {
      if let error = BusError(result.outcome, of: "dead letters") { throw error }
    }
    try acknowledge([tag])
  }

  func serveHeartbeats() throws(BusError) {
    try line.serve()
    try onBroker { () throws(RabbitMQError) in try consumer.serveHeartbeats() }
  }

  func close() {
    consumer.close()
    line.close()
  }

  private static func attempts(of properties: MessageProperties) -> Int {
    let count = properties.headers[attemptsHeader]?.integer ?? 0
    return Int(max(0, min(count, 1_000_000)))
  }
}
