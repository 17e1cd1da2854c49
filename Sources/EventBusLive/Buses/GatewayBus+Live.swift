import CubistBasics
import LibRabbitMQ
import Logging
package import MatchInterfaces
import MatchWire
package import SystemCalls

extension GatewayBus {
  /// The event bus of a gateway on RabbitMQ: one connection, on which messages go out and replies
  /// come in.
  ///
  /// A message that no queue takes, or that the broker refuses, fails alone. If the connection is
  /// lost, `send` and `receive` throw, and the fate of everything open is unknown. The owner makes a
  /// new bus then. In a cluster the broker may refuse everything on an old connection
  /// (`RefusalPatience`). So after a refusal on a connection that is older than five seconds, the
  /// next messages go by a new one, and the old one only brings the replies to its open messages.
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

/// A connection with its open messages.
private final class GatewayLine {
  let requester: Requester
  var patience: RefusalPatience
  var numbers: [Requester.RequestID: UInt64] = [:]

  init(_ context: BusContext) throws(BusError) {
    requester = try onBroker(
      try Requester(RabbitMQConnection(context.address.settings(for: "cubist gateway"))))
    patience = RefusalPatience(openedAt: context.clock.uptimeNanoseconds())
  }
}

private final class LiveGatewayBus {
  /// Nobody waits for the answer to an older query.
  private static let queryLifeLimit = Duration.seconds(60)
  /// The broker ends the connection that publishes more than its `max_message_size`.
  private static let byteLimit = 131_072
  /// How long a replaced connection brings replies.
  private static let retiredNanoseconds: UInt64 = 60_000_000_000
  /// The longest wait on the present connection while there is a replaced one.
  private static let shortWait = Duration.milliseconds(20)

  private let context: BusContext
  private let wakeup: Wakeup
  private var line: GatewayLine
  /// A connection that was replaced and has open messages, and until when it is kept.
  private var retired: (line: GatewayLine, until: UInt64)?
  /// The open messages.
  private var requests: [UInt64: (line: GatewayLine, request: Requester.RequestID)] = [:]
  private var stuck = Incident(
    Incident.Messages(
      began: "a connection that was refused a message cannot be replaced yet",
      lasts: "a connection that was refused a message still cannot be replaced",
      ended: "the connection that was refused a message is replaced"))
  /// Messages that were not sent.
  private var unsent: [GatewayBus.Incoming] = []

  init(_ context: BusContext, _ wakeup: Wakeup) throws(BusError) {
    self.context = context
    self.wakeup = wakeup
    line = try GatewayLine(context)
  }

  func send(_ messages: [GatewayBus.Outgoing]) throws(BusError) {
    let connection = line.requester.connection
    if messages.count > 1 { connection.gather(true) }
    defer { if messages.count > 1 { connection.gather(false) } }
    for message in messages {
      guard message.body.count <= Self.byteLimit else {
        let text = "the message has \(message.body.count) bytes, more than \(Self.byteLimit)"
        unsent.append(.failed(message.number, .refused(text)))
        continue
      }
      do throws(RabbitMQError) {
        let request = try submit(message)
        line.numbers[request] = message.number
        requests[message.number] = (line, request)
      } catch {
        let meaning = BusError(error)
        guard connection.failure == nil else { throw meaning }
        unsent.append(.failed(message.number, meaning))
      }
    }
  }

  private func submit(
    _ message: GatewayBus.Outgoing
  ) throws(RabbitMQError) -> Requester.RequestID {
    let names = context.names
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
    return try line.requester.submit(
      exchange: exchange, routingKey: key, properties: properties, body: message.body)
  }

  func receive(_ wait: Duration) throws(BusError) -> [GatewayBus.Incoming] {
    var incoming = unsent
    unsent = []
    if let retired {
      incoming += try receive(from: retired.line, .zero)
      if retired.line.numbers.isEmpty || context.clock.uptimeNanoseconds() >= retired.until {
        retired.line.requester.close()
        self.retired = nil
      }
    }
    let longest = retired == nil ? wait : min(wait, Self.shortWait)
    incoming += try receive(from: line, incoming.isEmpty ? longest : .zero)
    wakeup.clear()
    return incoming
  }

  private func receive(
    from line: GatewayLine, _ wait: Duration
  ) throws(BusError) -> [GatewayBus.Incoming] {
    let updates = try onBroker(
      try line.requester.poll(wait: wait, interrupt: wakeup.descriptor))
    var isRefused = false
    let incoming = updates.compactMap { update -> GatewayBus.Incoming? in
      guard let number = line.numbers[update.id] else { return nil }
      switch update {
      case .confirmed: return .confirmed(number)
      case .reply(let id, let delivery):
        end(id, number, of: line)
        return .reply(number, delivery.body)
      case .failure(let id, let error):
        end(id, number, of: line)
        if case .unroutable = error { return .failed(number, .unroutable("\(error)")) }
        isRefused = true
        return .failed(number, .refused("\(error)"))
      }
    }
    if isRefused { replaceIfOld(line) }
    return incoming
  }

  /// Opens another connection for the next messages.
  private func replaceIfOld(_ refused: GatewayLine) {
    let now = context.clock.uptimeNanoseconds()
    guard refused === line, retired == nil, line.patience.isOver(at: now) else { return }
    do throws(BusError) {
      let fresh = try GatewayLine(context)
      context.log.write(stuck.wentWell(at: now))
      retired = (line, now &+ Self.retiredNanoseconds)
      line = fresh
    } catch {
      // The old one may be as good as ever. Another attempt comes five seconds later at the soonest.
      line.patience = RefusalPatience(openedAt: now)
      context.log.write(stuck.failed(at: now), metadata: ["reason": "\(error)"])
    }
  }

  private func end(_ id: Requester.RequestID, _ number: UInt64, of line: GatewayLine) {
    line.numbers[id] = nil
    requests[number] = nil
  }

  func forget(_ forgotten: [UInt64]) {
    for number in forgotten {
      guard let (line, request) = requests.removeValue(forKey: number) else { continue }
      line.numbers[request] = nil
      line.requester.abandon(request)
    }
  }

  func close() {
    line.requester.close()
    retired?.line.requester.close()
  }
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
