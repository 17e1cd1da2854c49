import CubistBasics
import LibRabbitMQ
package import MatchInterfaces
import MatchWire
package import SystemCalls

extension GatewayBus {
  /// The event bus of a gateway on RabbitMQ: one connection, on which messages go out and replies
  /// come in.
  ///
  /// A message that no queue takes, or that the broker refuses, fails alone. If the connection is
  /// lost, `send` and `receive` throw once, and the fate of everything open is unknown. The owner
  /// makes a new bus then. The broker may refuse everything on an old connection to a cluster
  /// (`RefusalPatience`). So a refusal on a connection that is older than five seconds ends it, as
  /// soon as no other message is open or some seconds have passed.
  ///
  /// - Parameter wakeup: Ends a wait of `receive`.
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect.
  package static func live(
    _ context: BusContext, wakeup: Wakeup
  ) throws(BusError) -> GatewayBus {
    let bus = try LiveGatewayBus(context, wakeup)
    var made = GatewayBus.failing
    made.send.answer(with: bus.send)
    made.receive.answer(with: bus.receive)
    made.forget.answer { bus.forget($0) }
    made.close.answer { bus.close() }
    return made
  }
}

private final class LiveGatewayBus {
  /// Nobody waits for the answer to an older query.
  private static let queryLifeLimit = Duration.seconds(60)
  /// The broker ends the connection that publishes more than its `max_message_size`.
  private static let byteLimit = 131_072
  /// The time that open messages get for their replies after the broker refused one.
  private static let graceNanoseconds: UInt64 = 5_000_000_000

  private let names: Names
  private let clock: WallClock
  private let wakeup: Wakeup
  private let requester: Requester
  private let patience: RefusalPatience
  /// The open messages by their requests, and the other way round.
  private var numbers: [Requester.RequestID: UInt64] = [:]
  private var requests: [UInt64: Requester.RequestID] = [:]
  /// Messages that were not sent.
  private var unsent: [GatewayBus.Incoming] = []
  /// When the connection is given up, after a refusal.
  private var endsAt: UInt64?

  init(_ context: BusContext, _ wakeup: Wakeup) throws(BusError) {
    names = context.names
    clock = context.clock
    self.wakeup = wakeup
    requester = try onBroker(
      try Requester(RabbitMQConnection(context.address.settings(for: "cubist gateway"))))
    patience = RefusalPatience(openedAt: context.clock.uptimeNanoseconds())
  }

  func send(_ messages: [GatewayBus.Outgoing]) throws(BusError) {
    if messages.count > 1 { requester.connection.gather(true) }
    defer { if messages.count > 1 { requester.connection.gather(false) } }
    for message in messages {
      guard message.body.count <= Self.byteLimit else {
        let text = "the message has \(message.body.count) bytes, more than \(Self.byteLimit)"
        unsent.append(.failed(message.number, .refused(text)))
        continue
      }
      do throws(RabbitMQError) {
        let request = try submit(message)
        numbers[request] = message.number
        requests[message.number] = request
      } catch {
        let meaning = BusError(error)
        guard requester.connection.failure == nil else { throw meaning }
        unsent.append(.failed(message.number, meaning))
      }
    }
  }

  private func submit(
    _ message: GatewayBus.Outgoing
  ) throws(RabbitMQError) -> Requester.RequestID {
    let (exchange, key) =
      switch message.destination {
      case .events(let slot): (names.events, slot.routingKey)
      case .queries: (names.queries, names.queries)
      case .gatewayQueries: (names.gatewayQueries, names.gatewayQueries)
      }
    var properties = MessageProperties(headers: message.trace?.headers ?? [:])
    if message.destination.isQuery {
      properties.isPersistent = false
      let life = min(message.life, Self.queryLifeLimit)
      properties.expiration = String(max(1, life.wholeMilliseconds))
    }
    return try requester.submit(
      exchange: exchange, routingKey: key, properties: properties, body: message.body)
  }

  func receive(_ wait: Duration) throws(BusError) -> [GatewayBus.Incoming] {
    if let endsAt, numbers.isEmpty || clock.uptimeNanoseconds() >= endsAt {
      requester.close()
      throw .disconnected("given up, since the broker refused a message on it")
    }
    let updates = try onBroker(
      try requester.poll(
        wait: unsent.isEmpty ? wait : .zero, interrupt: wakeup.descriptor))
    wakeup.clear()
    let incoming = unsent + updates.compactMap(incoming)
    unsent = []
    return incoming
  }

  private func incoming(_ update: Requester.Update) -> GatewayBus.Incoming? {
    guard let number = numbers[update.id] else { return nil }
    switch update {
    case .confirmed: return .confirmed(number)
    case .reply(let id, let delivery):
      end(id, number)
      return .reply(number, delivery.body)
    case .failure(let id, let error):
      end(id, number)
      guard case .unroutable = error else {
        let now = clock.uptimeNanoseconds()
        if endsAt == nil, patience.isOver(at: now) { endsAt = now &+ Self.graceNanoseconds }
        return .failed(number, .refused("\(error)"))
      }
      return .failed(number, .unroutable("\(error)"))
    }
  }

  private func end(_ id: Requester.RequestID, _ number: UInt64) {
    numbers[id] = nil
    requests[number] = nil
  }

  func forget(_ forgotten: [UInt64]) {
    for number in forgotten {
      guard let request = requests.removeValue(forKey: number) else { continue }
      numbers[request] = nil
      requester.abandon(request)
    }
  }

  func close() { requester.close() }
}

extension GatewayBus.Outgoing.Destination {
  /// Whether readers answer it.
  var isQuery: Bool {
    switch self {
    case .events: false
    case .queries, .gatewayQueries: true
    }
  }
}
