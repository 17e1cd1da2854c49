import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// The broker for a turn worker, over one connection to consume and one to publish.
  func worker(_ connection: Connection) -> WorkerBus {
    var bus = WorkerBus.failing
    bus.consume.answer { wanted throws(BusError) in
      try self.beginAnew(connection)
      connection.hasConsumed = connection.hasConsumed || !wanted.isEmpty
      for queue in wanted { self.queues[queue].consumers.append(connection.number) }
    }
    bus.receive.answer { limit, _ throws(BusError) in
      try self.checkOpen(connection)
      return self.deliver(limit, to: connection)
    }
    bus.acknowledge.answer { tag throws(BusError) in
      try self.checkOpen(connection)
      if self.faults.strikes(.redeliver) {
        self.cut(connection)
        throw .disconnected("the acknowledgement is lost")
      }
      connection.unacknowledged.removeAll { $0.tag <= tag }
    }
    // For a worker publishing never fails. Messages that the broker does not accept are lost, or
    // left to the relay.
    bus.publish.answer { self.publish($0, connection) }
    bus.confirmed.answer { self.takeConfirmed(connection) }
    bus.serveHeartbeats.answer {}
    bus.close.answer { self.drop(connection) }
    return bus
  }

  private func deliver(_ limit: Int, to connection: Connection) -> [EventDelivery] {
    var deliveries: [EventDelivery] = []
    let active = queues.indices.filter { queues[$0].consumers.first == connection.number }
    let start = active.isEmpty ? 0 : random.below(active.count)
    for queue in active[start...] + active[..<start] {
      while deliveries.count < limit, var message = takeUnexpired(from: queue) {
        message.deliveries += 1
        arrivals.deliver(message)
        let tag = connection.nextTag()
        connection.unacknowledged.append(
          Unacknowledged(tag: tag, queue: queue, message: message))
        deliveries.append(
          EventDelivery(
            queue: queue, tag: tag, body: message.body, deliveryCount: message.timesDelivered,
            replyTo: message.replyTo, correlationID: message.correlationID,
            priority: message.priority, trace: RequestTrace(message.headers)))
      }
    }
    return deliveries
  }

  /// Takes the next message of a queue. Expired ones are dropped when it is their turn.
  private func takeUnexpired(from queue: Int) -> Message? {
    while let message = queues[queue].takeNext() {
      guard let end = message.expiresAt, end <= clock.now else { return message }
      arrivals.forget(message, in: queue)
    }
    return nil
  }

  private func publish(_ outgoing: [WorkerBus.Outgoing], _ connection: Connection) {
    guard let line = openLine(of: connection) else { return }
    let isCut = faults.strikes(.lostConnection)
    let count = isCut ? random.below(outgoing.count + 1) : outgoing.count
    var jobs: [PushJob] = []
    // Messages that cannot be sent at once are dropped.
    for message in outgoing.prefix(count) {
      switch message {
      case .reply(let address, let correlationID, let body):
        guard let time = try? readingTime(of: line) else { continue }
        reply(to: address, correlationID: correlationID, body: body, at: time)
      case .outcome(let key, let body):
        // Nobody waits for an outcome that arrives after the alarm.
        guard let time = try? readingTime(of: line), time <= clock.now else { continue }
        announce(key, body)
      case .push(let job): jobs.append(job)
      }
    }
    for message in PushJobMessage.messages(of: jobs) {
      let sent = Message(body: message.body, publishedAt: clock.now)
      guard let receipt = try? publish(.push, sent, from: line) else { continue }
      connection.jobs += message.jobs.map { ($0.id, receipt) }
    }
    if isCut { breakOutlet(of: connection) }
  }

  /// Hands an outcome to everybody who watches.
  func announce(_ key: String, _ body: [UInt8]) {
    for connection in connections.values {
      if connection.isReader { connection.incoming.append(.outcome(routingKey: key, body: body)) }
      if connection.isListener, key == Names.changedMatches { connection.notices.append(body) }
    }
  }

  /// Breaks the connection that publishes. It is opened anew after a while.
  func breakOutlet(of connection: Connection) {
    cutLine(of: connection)
    connection.lineReopensAt = clock.now.adding(
      microseconds: Int64(random.number(in: 100_000...3_000_000)))
  }

  /// Takes the arrived confirms. A refused job is never named.
  private func takeConfirmed(_ connection: Connection) -> [PushJobID] {
    let now = clock.now
    var confirmed: [PushJobID] = []
    connection.jobs.removeAll { entry in
      guard let verdict = entry.receipt.verdict(at: now) else { return false }
      if verdict == .confirmed { confirmed.append(entry.job) }
      return true
    }
    return confirmed
  }
}
