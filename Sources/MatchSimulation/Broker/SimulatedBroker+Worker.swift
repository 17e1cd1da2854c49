import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// What a turn worker needs, over one connection.
  func worker(_ connection: Connection) -> WorkerBus {
    WorkerBus(
      consume: { wanted throws(BusError) in
        try self.checkOpen(connection)
        self.giveBack(connection)
        for queue in wanted { self.queues[queue].consumers.append(connection.number) }
      },
      receive: { limit, _ throws(BusError) in
        try self.checkOpen(connection)
        return self.deliver(limit, to: connection)
      },
      acknowledge: { tag throws(BusError) in
        try self.checkOpen(connection)
        if self.faults.strikes(.redeliver) {
          self.drop(connection)
          throw .disconnected("the acknowledgement is lost")
        }
        connection.unacknowledged.removeAll { $0.tag <= tag }
      },
      publish: { outgoing throws(BusError) in
        try self.checkOpen(connection)
        try self.publish(outgoing, connection)
      },
      confirmed: { () throws(BusError) in
        try self.checkOpen(connection)
        return self.takeConfirms(connection)
      },
      serveHeartbeats: {}, close: { self.drop(connection) })
  }

  private func deliver(_ limit: Int, to connection: Connection) -> [EventDelivery] {
    var deliveries: [EventDelivery] = []
    let active = queues.indices.filter { queues[$0].consumers.first == connection.number }
    let start = active.isEmpty ? 0 : random.below(active.count)
    for queue in active[start...] + active[..<start] {
      let count = min(limit - deliveries.count, queues[queue].ready.count)
      guard count > 0 else { continue }
      for var message in queues[queue].ready.prefix(count) {
        message.deliveries += 1
        let tag = connection.nextTag()
        connection.unacknowledged.append(
          Unacknowledged(tag: tag, queue: queue, message: message))
        deliveries.append(
          EventDelivery(
            queue: queue, tag: tag, body: message.body, deliveryCount: message.deliveries,
            replyTo: message.replyTo, correlationID: message.correlationID))
      }
      queues[queue].ready.removeFirst(count)
    }
    return deliveries
  }

  private func publish(
    _ outgoing: [WorkerBus.Outgoing], _ connection: Connection
  ) throws(BusError) {
    let isCut = faults.strikes(.lostConnection)
    let count = isCut ? random.below(outgoing.count + 1) : outgoing.count
    for message in outgoing.prefix(count) {
      switch message {
      case .reply(let address, let correlationID, let body):
        reply(to: address, correlationID: correlationID, body: body)
      case .outcome(let key, let body):
        for reader in connections.values where reader.isReader {
          reader.incoming.append(.outcome(routingKey: key, body: body))
        }
      case .push(let job):
        if let time = publishPush(job) { connection.confirms.append((job.id, time)) }
      }
    }
    if isCut {
      drop(connection)
      throw .disconnected("lost while publishing")
    }
  }

  /// Takes the confirms that have arrived.
  func takeConfirms(_ connection: Connection) -> [PushJobID] {
    let now = clock.now
    let arrived = connection.confirms.filter { $0.at <= now }.map(\.job)
    connection.confirms.removeAll { $0.at <= now }
    return arrived
  }
}
