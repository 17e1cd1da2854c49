import LibRabbitMQ
package import MatchInterfaces
import MatchWire

/// The settings of a live bus of notices.
package struct NoticeBusSettings: Hashable, Sendable {
  /// Notices that wait for a gateway. More push out the oldest: the numbers of the others show it.
  package var noticeLimit = 10_000
  /// The bytes of those notices.
  package var byteLimit = 16 * 1_024 * 1_024
  /// The interval at which a gateway checks the exchange and the binding.
  package var bindingInterval: Duration = .seconds(2)

  package init() {}
}

extension NoticeBus {
  /// The notices of changes on RabbitMQ, by a queue of the listener's own that disappears with it.
  ///
  /// If somebody deletes the exchange of outcomes, readers make it again, and the listener binds its
  /// queue to it again. It has no right to make the exchange itself. As long as there is none,
  /// `receive` throws, and the owner makes a new bus. Nobody else can delete the queue or its
  /// binding: the queue is exclusive.
  ///
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect, `unroutable` if there is no
  ///   exchange of outcomes.
  package static func live(
    _ context: BusContext, settings: NoticeBusSettings = .init()
  ) throws(BusError) -> NoticeBus {
    let bus = try LiveNoticeBus(context, settings)
    var made = NoticeBus.failing
    made.receive.answer(with: bus.receive)
    made.close.answer { bus.close() }
    return made
  }
}

private final class LiveNoticeBus {
  private static let byteLimit = 4 * 1_024 * 1_024

  private let consumer: RabbitMQConnection
  private let names: Names
  private let own: String
  private let clock: WallClock
  private let bindingInterval: UInt64
  private var boundAt: UInt64

  init(_ context: BusContext, _ settings: NoticeBusSettings) throws(BusError) {
    names = context.names
    let (names, own) = (names, names.gateway(context.randomness.next128()))
    self.own = own
    clock = context.clock
    boundAt = clock.uptimeNanoseconds()
    bindingInterval = UInt64(max(0, settings.bindingInterval / .nanoseconds(1)))
    consumer = try onBroker { () throws(RabbitMQError) in
      let consumer = try RabbitMQConnection(
        context.address.settings(for: "cubist gateway, listening"))
      try consumer.declareQueue(
        own, durable: false, exclusive: true, autoDelete: true,
        arguments: [
          "x-max-length": .int64(Int64(settings.noticeLimit)),
          "x-max-length-bytes": .int64(Int64(settings.byteLimit)), "x-overflow": "drop-head",
        ])
      try consumer.bindQueue(
        own, exchange: names.outcomes, routingKey: Names.changedMatches)
      try consumer.consume(own, noAck: true)
      return consumer
    }
  }

  func receive(_ limit: Int, _ wait: Duration) throws(BusError) -> [[UInt8]] {
    try onBroker { () throws(RabbitMQError) in
      try bindIfDue()
      return try consumer.poll(maxCount: limit, maxBytes: Self.byteLimit, wait: wait)
    }.map(\.body)
  }

  private func bindIfDue() throws(RabbitMQError) {
    let now = clock.uptimeNanoseconds()
    guard now &- boundAt >= bindingInterval else { return }
    boundAt = now
    try consumer.bindQueue(own, exchange: names.outcomes, routingKey: Names.changedMatches)
  }

  func close() { consumer.close() }
}
