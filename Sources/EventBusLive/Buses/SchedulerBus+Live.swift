import LibRabbitMQ
import MatchCore
package import MatchInterfaces
import MatchWire

extension SchedulerBus {
  /// The event bus of the scheduler on RabbitMQ: persistent, mandatory, confirmed events.
  ///
  /// `publish` tries every event, waits 10 s at most, and throws the first failure: `refused` if a
  /// queue is full, `unroutable` if a slot is not bound. `send` has a connection of its own and
  /// waits for nothing. `ask` also has one and connects at its first use. It publishes to the
  /// exchange of outcomes, which leads to a queue of each reader. A connection that broke between
  /// two calls is replaced.
  ///
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect.
  package static func live(_ context: BusContext) throws(BusError) -> SchedulerBus {
    let sending = try SendingLine(context)
    let waiting = WaitingLine(context)
    let asking = AskingLine(context)
    var bus = SchedulerBus.failing
    bus.publish.answer(with: waiting.publish)
    bus.send.answer(with: sending.send)
    bus.troubles.answer(with: sending.troubles)
    bus.ask.answer(with: asking.ask)
    bus.answers.answer { asking.answers() }
    bus.queueCounts.answer { layout throws(BusError) in
      try QueueCount.of(
        Topology(layout: layout).queueNames, at: context.address, clock: context.clock)
    }
    bus.topologyFaults.answer { layout throws(BusError) in
      try Topology(layout: layout).missingExchanges(at: context.address, within: .seconds(3))
        .map { "exchange \($0) is missing" }
    }
    bus.close.answer {
      asking.close()
      sending.close()
      waiting.close()
    }
    return bus
  }
}

/// Publishes and waits for the confirms; connects at its first use.
private final class WaitingLine {
  private let context: BusContext
  private var line: ConfirmedLine<Int>?

  init(_ context: BusContext) { self.context = context }

  func publish(_ events: [(slot: Slot, body: [UInt8])]) throws(BusError) {
    let line = try opened()
    let messages = events.enumerated().map { index, event in
      ConfirmedLine<Int>.Message(
        id: index, exchange: context.names.events, routingKey: event.slot.routingKey,
        properties: MessageProperties(), body: event.body)
    }
    for result in try line.publish(messages) {
      if let error = BusError(result.outcome, of: "slot \(events[result.id].slot)") { throw error }
    }
  }

  func close() { line?.close() }

  private func opened() throws(BusError) -> ConfirmedLine<Int> {
    if let line { return line }
    let new = try ConfirmedLine<Int>(context, name: "cubist events", kind: .event)
    line = new
    return new
  }
}

/// Publishes without waiting, and remembers the unconfirmed events by slot.
///
/// A quorum queue without a majority neither confirms nor refuses. On one channel the other queues
/// are still confirmed. So only a caller that waits for all of them is kept waiting.
private final class SendingLine {
  /// After this time a slot with an unconfirmed event counts as silent.
  static let silentNanoseconds: UInt64 = 3_000_000_000
  /// After this time the connection is replaced: its missing confirms may never come.
  static let givenUpNanoseconds: UInt64 = 30_000_000_000
  /// Events that may wait for their confirms. A scheduler sends fewer than that before it gives
  /// them up.
  private static let window = 65_536

  private struct Sent {
    var slot: Slot
    var uptime: UInt64
  }

  private let context: BusContext
  private let settings: RabbitMQSettings
  private let meters = BusMeters()
  private var publisher: Publisher<UInt64>
  private var sent: [UInt64: Sent] = [:]
  private var last: UInt64 = 0
  private var refused: [Slot: BusError] = [:]
  private var patience: RefusalPatience

  init(_ context: BusContext) throws(BusError) {
    self.context = context
    let settings = context.address.settings(for: "cubist scheduler")
    self.settings = settings
    publisher = try Self.connect(settings)
    patience = RefusalPatience(openedAt: context.clock.uptimeNanoseconds())
  }

  private static func connect(
    _ settings: RabbitMQSettings
  ) throws(BusError) -> Publisher<UInt64> {
    try onBroker(try Publisher(RabbitMQConnection(settings), window: window))
  }

  func send(_ events: [(slot: Slot, body: [UInt8])]) throws(BusError) {
    try revive()
    let now = context.clock.uptimeNanoseconds()
    try onBroker { () throws(RabbitMQError) in
      for event in events {
        last += 1
        sent[last] = Sent(slot: event.slot, uptime: now)
        do throws(RabbitMQError) {
          try publisher.publish(
            id: last, exchange: context.names.events, routingKey: event.slot.routingKey,
            properties: MessageProperties(), body: event.body, timeout: .zero)
        } catch {
          sent[last] = nil
          throw error
        }
        meters.countPublished(.event)
      }
    }
  }

  func troubles() throws(BusError) -> [Slot: BusError] {
    try revive()
    let now = context.clock.uptimeNanoseconds()
    collect(at: now)
    defer { refused = [:] }
    var troubles = refused
    var oldest: UInt64 = 0
    for event in sent.values {
      let age = now &- min(event.uptime, now)
      guard age >= SendingLine.silentNanoseconds else { continue }
      troubles[event.slot] = .timedOut(
        "slot \(event.slot): not confirmed for \(age / 1_000_000_000) s")
      oldest = max(oldest, age)
    }
    if oldest >= SendingLine.givenUpNanoseconds { drop() }
    return troubles
  }

  func close() { publisher.close() }

  /// Reads the arrived data, and connects anew if the connection is gone.
  private func revive() throws(BusError) {
    do throws(RabbitMQError) {
      try publisher.serveHeartbeats()
    } catch {
      drop()
      publisher = try Self.connect(settings)
      patience = RefusalPatience(openedAt: context.clock.uptimeNanoseconds())
    }
  }

  private func collect(at now: UInt64) {
    for result in publisher.takeResults() {
      meters.count(result.outcome)
      guard let event = sent.removeValue(forKey: result.id),
        let error = BusError(result.outcome, of: "slot \(event.slot)")
      else { continue }
      refused[event.slot] = error
      if case .refused = error, patience.isOver(at: now) { drop() }
    }
  }

  /// Gives the connection up. The outcome of everything sent over it stays unknown.
  private func drop() {
    publisher.close()
    sent = [:]
  }
}

/// Asks readers and hears their answers on one connection, as direct reply-to demands.
private final class AskingLine {
  /// The milliseconds after which an untaken query is worthless: another one has followed it.
  private static let life = "10000"

  private let context: BusContext
  private var connection: RabbitMQConnection?

  init(_ context: BusContext) { self.context = context }

  func ask(_ query: [UInt8]) throws(BusError) {
    let names = context.names
    try onBroker { () throws(RabbitMQError) in
      var properties = MessageProperties(
        isPersistent: false, correlationID: Names.ownQueries, replyTo: ReplyAddress.queue)
      properties.expiration = Self.life
      // Not mandatory: if no reader is there, the missing answer shows it.
      try opened().publish(
        exchange: names.outcomes, routingKey: Names.ownQueries, properties: properties, body: query,
        mandatory: false)
    }
  }

  func answers() -> [[UInt8]] {
    do throws(RabbitMQError) {
      return try connection?.poll(maxCount: .max, maxBytes: .max, wait: .zero).map(\.body) ?? []
    } catch {
      close()
      return []
    }
  }

  func close() {
    connection?.close()
    connection = nil
  }

  private func opened() throws(RabbitMQError) -> RabbitMQConnection {
    if let connection {
      do throws(RabbitMQError) {
        try connection.serveHeartbeats()
        return connection
      } catch { close() }
    }
    let new = try RabbitMQConnection(
      context.address.settings(for: "cubist scheduler, asking readers"))
    try new.consume(ReplyAddress.queue, noAck: true)
    connection = new
    return new
  }
}
