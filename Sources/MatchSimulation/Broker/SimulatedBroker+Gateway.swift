import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// The broker for a gateway, over one connection.
  func gateway(_ link: Link) -> GatewayBus {
    var open: Set<UInt64> = []
    var unsent: [GatewayBus.Incoming] = []
    var bus = GatewayBus.failing
    bus.send.answer { messages throws(BusError) in
      for message in messages {
        do throws(BusError) {
          guard try self.send(message, over: link) else {
            throw .disconnected("the connection is closed")
          }
          open.insert(message.number)
        } catch {
          guard link.isOpen else { throw error }
          unsent.append(.failed(message.number, error))
        }
      }
    }
    bus.receive.answer { _ throws(BusError) in
      guard link.isOpen else { throw .disconnected("the connection is closed") }
      var incoming = unsent
      unsent = []
      let arrivals = self.collect(link)
      for reply in arrivals.replies {
        guard let number = UInt64(reply.correlationID), open.remove(number) != nil else { continue }
        incoming.append(.reply(number, reply.body))
      }
      for number in arrivals.confirms.compactMap({ UInt64($0) }) where open.contains(number) {
        incoming.append(.confirmed(number))
      }
      for (id, refusal) in arrivals.refusals.sorted(by: { $0.key < $1.key }) {
        guard let number = UInt64(id), open.remove(number) != nil else { continue }
        incoming.append(.failed(number, refusal))
      }
      return incoming
    }
    bus.forget.answer { open.subtract($0) }
    bus.close.answer { self.drop(link) }
    return bus
  }

  /// - Returns: Whether the message is under way. If not, the connection broke.
  private func send(
    _ message: GatewayBus.Outgoing, over link: Link
  ) throws(BusError) -> Bool {
    guard message.body.count <= SimulatedBroker.messageByteLimit else {
      throw .refused("the message is larger than the broker takes")
    }
    var sent = Message(
      body: message.body, replyTo: link.replyTo, correlationID: "\(message.number)",
      headers: message.trace?.headers ?? [])
    let target: Target
    switch message.destination {
    case .events(let slot): target = .events(layout.queue(of: slot))
    case .queries: target = .queries
    case .gatewayQueries: target = .gatewayQueries
    }
    if case .events = message.destination {
    } else {
      sent.expiresAt = clock.now.adding(message.life)
    }
    return try publish(sent, to: target, "\(message.number)", over: link)
  }

  /// The notices of changes, over one connection.
  func notices(_ connection: Connection) -> NoticeBus {
    connection.isListener = true
    var bus = NoticeBus.failing
    bus.receive.answer { limit, _ throws(BusError) in
      try self.checkOpen(connection)
      let heard = connection.notices.prefix(limit)
      connection.notices.removeFirst(heard.count)
      return Array(heard)
    }
    bus.close.answer { self.drop(connection) }
    return bus
  }
}
