import LibRabbitMQ
import MatchCore
public import MatchInterfaces
import MatchWire

extension PushBus {
  /// The event bus of a push worker on RabbitMQ: it consumes on one connection and puts jobs into
  /// the retry queues on another.
  ///
  /// `retry` acknowledges a delivery only when its copy is confirmed; if it throws, the delivery is
  /// as it was. After `disconnected` or `timedOut` the owner makes a new bus.
  ///
  /// - Parameter prefetch: Jobs that are handed out and not yet acknowledged.
  /// - Throws: `disconnected` or `notPermitted` if there is no connection to be had, `unroutable`
  ///   if there is no queue of push jobs.
  public static func live(
    _ context: BusContext, prefetch: UInt16 = 64
  ) throws(BusError) -> PushBus {
    let bus = try LivePushBus(context, prefetch: prefetch)
    return PushBus(
      receive: { limit, wait throws(BusError) in try bus.receive(limit, wait) },
      acknowledge: { tag throws(BusError) in try bus.acknowledge(tag) },
      retry: { delivery, delay throws(BusError) in try bus.retry(delivery, after: delay) },
      close: { bus.close() })
  }
}

private final class LivePushBus {
  /// How often a job was tried; the count of the retry queues' broker would start anew.
  private static let attemptsHeader = "x-cubist-attempts"

  private let names: Names
  private let consumer: Connection
  private let line: ConfirmedLine<UInt64>

  init(_ context: BusContext, prefetch: UInt16) throws(BusError) {
    names = context.names
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
    let deliveries = try onBroker { () throws(RabbitMQError) in
      try consumer.poll(maxCount: limit, wait: wait)
    }
    return deliveries.map { delivery in
      PushBus.Delivery(
        tag: delivery.tag, job: Self.job(in: delivery.body),
        attempts: Self.attempts(of: delivery.properties), body: delivery.body)
    }
  }

  func acknowledge(_ tag: UInt64) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in try consumer.acknowledge(tag) }
  }

  func retry(_ delivery: PushBus.Delivery, after delay: PushBus.RetryDelay) throws(BusError) {
    var properties = delivery.job?.properties ?? MessageProperties()
    properties.headers[Self.attemptsHeader] = .int64(Int64(delivery.attempts) + 1)
    let copy = ConfirmedLine<UInt64>.Message(
      id: delivery.tag, routingKey: names.pushRetry(seconds: delay.rawValue),
      properties: properties, body: delivery.body)
    // No copy for a delivery that is on its way back.
    try onBroker { () throws(RabbitMQError) in try consumer.serveHeartbeats() }
    for result in try line.publish([copy]) {
      if let error = BusError(result.outcome, of: "jobs that are tried again") { throw error }
    }
    try acknowledge(delivery.tag)
  }

  func close() {
    consumer.close()
    line.close()
  }

  private static func job(in body: [UInt8]) -> PushJob? {
    // What cannot be read is not an error of the bus: the delivery says so.
    try? PushJobCodec.decode(body)
  }

  private static func attempts(of properties: MessageProperties) -> Int {
    let count = properties.headers[attemptsHeader]?.integer ?? 0
    return Int(max(0, min(count, 1_000_000)))
  }
}
