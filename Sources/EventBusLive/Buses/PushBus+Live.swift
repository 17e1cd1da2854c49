import LibRabbitMQ
import MatchCore
package import MatchInterfaces
import MatchWire

extension PushBus {
  /// The event bus of a push worker on RabbitMQ: it consumes on one connection, puts jobs into the
  /// retry queues on another, and sends notices on a third.
  ///
  /// `retry` acknowledges a delivery only when its copy is confirmed. If it throws, the other
  /// deliveries are unchanged. After `disconnected` or `timedOut` the owner makes a new bus.
  ///
  /// A message may hold several jobs (`PushJobMessage`). A job that is tried again leaves it in a
  /// copy of its own.
  ///
  /// As long as a former build's queue of push jobs exists, the bus consumes it too.
  ///
  /// - Parameter prefetch: Messages that are handed out and not yet acknowledged, from one job to
  ///   sixteen each. Not fewer than the jobs that the worker wants in hand: if the jobs of one
  ///   player could take all of these places, no others would come. The broker wants an ack within
  ///   half an hour, or it closes the channel: the remaining jobs come again, and those handed over
  ///   are known by then.
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect, `unroutable` if the queue of
  ///   push jobs does not exist.
  package static func live(
    _ context: BusContext, prefetch: UInt16 = 2_048
  ) throws(BusError) -> PushBus {
    let bus = try LivePushBus(context, prefetch: prefetch)
    var made = PushBus.failing
    made.receive.answer(with: bus.receive)
    made.acknowledge.answer(with: bus.acknowledge)
    made.retry.answer(with: bus.retry)
    made.serveHeartbeats.answer(with: bus.serveHeartbeats)
    made.announce.answer { bus.announce($0) }
    made.close.answer { bus.close() }
    return made
  }
}

private final class LivePushBus {
  /// The number of attempts at a job. The broker's own count would start anew in the retry queues.
  private static let attemptsHeader = "x-cubist-attempts"
  /// The devices that have the job of a copy already.
  private static let reachedHeader = "x-cubist-reached"
  /// The devices that have refused it for good.
  private static let refusedHeader = "x-cubist-refused"
  /// Whether a device may have the job of a copy, though no answer said so.
  private static let doubtHeader = "x-cubist-in-doubt"

  private let names: Names
  private let randomness: Randomness
  private let consumer: RabbitMQConnection
  private let line: ConfirmedLine<UInt64>
  private let outlet: CourtesyPublisher
  private var held = HeldPushJobs()
  /// Messages received and not yet acknowledged or rejected, in order. A run of them from the first
  /// on is acknowledged at once.
  private var outstanding: ArraySlice<UInt64> = []

  init(_ context: BusContext, prefetch: UInt16) throws(BusError) {
    names = context.names
    randomness = context.randomness
    let queues = try Self.queues(context)
    consumer = try onBroker { () throws(RabbitMQError) in
      let consumer = try RabbitMQConnection(context.address.settings(for: "cubist push, consuming"))
      // The broker counts the prefetch for each queue.
      try consumer.setPrefetch(max(1, prefetch / UInt16(queues.count)))
      for queue in queues { try consumer.consume(queue) }
      return consumer
    }
    line = try ConfirmedLine(context, name: "cubist push, publishing", kind: .retry)
    outlet = try CourtesyPublisher(
      context, name: "cubist push, announcing", isConfirming: false, meters: BusMeters())
  }

  /// The queues to consume: the present one, and the former one while it exists.
  private static func queues(_ context: BusContext) throws(BusError) -> [String] {
    let names = context.names
    let visitor = Visitor(context.address, "cubist push, looking for former queues")
    defer { visitor.close() }
    guard try visitor.status(of: names.formerDead) != nil,
      try visitor.status(of: names.formerPush) != nil
    else { return [names.push] }
    return [names.push, names.formerPush]
  }

  func receive(_ limit: Int, _ wait: Duration) throws(BusError) -> [PushBus.Delivery] {
    try line.serve()
    outlet.serve()
    if held.readyCount < limit {
      let messages = try onBroker(
        try consumer.poll(maxCount: limit, wait: held.readyCount == 0 ? wait : .zero))
      outstanding += messages.map(\.tag)
      for message in messages {
        let headers = message.properties.headers
        held.add(
          message.tag, body: message.body, attempts: Self.attempts(of: message.properties),
          deliveryCount: message.timesDelivered,
          reached: ReachedDevices.names(in: headers[Self.reachedHeader]?.string),
          refused: ReachedDevices.names(in: headers[Self.refusedHeader]?.string),
          publishedAt: message.properties.publishedAt,
          isInDoubt: headers[Self.doubtHeader] == .boolean(true))
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
    // Do not publish copies for deliveries that are on their way back.
    try onBroker(try consumer.serveHeartbeats())
    var (left, failure): ([PushBus.Delayed], BusError?) = (delayed, nil)
    while !left.isEmpty {
      let copies = left.map(copy)
      let sent = Dictionary(left.map { ($0.delivery.tag, $0) }) { first, _ in first }
      var confirmed: [UInt64] = []
      left = []
      for result in try line.publish(copies) {
        let error = BusError(result.outcome, of: "jobs that are tried again")
        if error == nil {
          confirmed.append(result.id)
        } else if result.outcome == .refused, let next = sent[result.id]?.sooner {
          // A client's server may ask for long delays until their queue is full. That must not stop
          // the jobs of others.
          left.append(next)
        } else {
          failure = failure ?? error
        }
      }
      try acknowledge(confirmed)
    }
    if let failure { throw failure }
  }

  /// The message that brings a job again.
  private func copy(_ delayed: PushBus.Delayed) -> ConfirmedLine<UInt64>.Message {
    let delivery = delayed.delivery
    var properties = delivery.job?.properties ?? MessageProperties()
    properties.headers[Self.attemptsHeader] = .int64(Int64(delayed.attempts))
    properties.publishedAt = delivery.publishedAt
    if let reached = ReachedDevices.text(delayed.reached) {
      properties.headers[Self.reachedHeader] = .string(reached)
    }
    if let refused = ReachedDevices.text(delayed.refused) {
      properties.headers[Self.refusedHeader] = .string(refused)
    }
    if delayed.isInDoubt { properties.headers[Self.doubtHeader] = .boolean(true) }
    // Within one queue the first message expires first. It delays the others by that fifth at
    // most.
    properties.expiration = "\(delayed.delay.milliseconds(random: randomness.next()))"
    return ConfirmedLine<UInt64>.Message(
      id: delivery.tag, routingKey: names.pushRetry(seconds: delayed.delay.rawValue),
      properties: properties, body: delivery.body)
  }

  func announce(_ body: [UInt8]) {
    outlet.send([
      CourtesyPublisher.Message(
        kind: .outcome, exchange: names.outcomes, routingKey: Names.changedMatches,
        properties: MessageProperties(isPersistent: false), body: body)
    ])
  }

  func serveHeartbeats() throws(BusError) {
    try line.serve()
    outlet.serve()
    try onBroker(try consumer.serveHeartbeats())
  }

  func close() {
    consumer.close()
    line.close()
    outlet.close()
  }

  private static func attempts(of properties: MessageProperties) -> Int {
    let count = properties.headers[attemptsHeader]?.integer ?? 0
    return Int(max(0, min(count, 1_000_000)))
  }
}

extension PushBus.Delayed {
  /// The same after the next shorter delay; nil: there is none.
  fileprivate var sooner: PushBus.Delayed? {
    delay.shorter.map { shorter in
      var sooner = self
      sooner.delay = shorter
      return sooner
    }
  }
}
