import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// The broker for the scheduler, over one connection.
  func scheduler(_ connection: Connection) -> SchedulerBus {
    var troubles: [Slot: BusError] = [:]
    func offer(_ events: [(slot: Slot, body: [UInt8])]) throws(BusError) -> [Slot: BusError] {
      guard !events.isEmpty else { return [:] }
      let verdicts = try self.publishConfirmed(
        events.map { (.events(self.layout.queue(of: $0.slot)), Message(body: $0.body)) },
        over: connection)
      var found: [Slot: BusError] = [:]
      for (event, verdict) in zip(events, verdicts) {
        switch verdict {
        case .confirmed?: break
        case .refused?: found[event.slot] = .refused("the queue of slot \(event.slot) is full")
        case .returned?: found[event.slot] = .unroutable("no queue takes slot \(event.slot)")
        case nil: throw .disconnected("lost before slot \(event.slot) was confirmed")
        }
      }
      return found
    }
    var bus = SchedulerBus.failing
    bus.publish.answer { events throws(BusError) in
      let found = try offer(events)
      for event in events { if let error = found[event.slot] { throw error } }
    }
    bus.send.answer { events throws(BusError) in troubles.merge(try offer(events)) { $1 } }
    bus.troubles.answer {
      defer { troubles = [:] }
      return troubles
    }
    bus.ask.answer { query throws(BusError) in try self.ask(query, connection) }
    bus.answers.answer {
      guard let link = connection.asking, link.isOpen else { return [] }
      return self.collect(link).replies.map(\.body)
    }
    bus.queueCounts.answer { _ in [] }
    bus.topologyFaults.answer { _ in [] }
    bus.close.answer { self.drop(connection) }
    return bus
  }

  /// Sends a query to every reader. A broken link is opened anew.
  private func ask(_ query: [UInt8], _ connection: Connection) throws(BusError) {
    guard !connection.isGone else { throw .disconnected("the connection is closed") }
    if connection.asking?.isOpen != true { connection.asking = openLink() }
    guard let link = connection.asking else { throw .disconnected("the broker is down") }
    do throws(Obstacle) {
      // A query that arrives after the alarm has expired by then.
      guard try readingTime(of: link) <= clock.now else { return }
    } catch {
      throw error == .blocked ? .refused("an alarm is on") : .disconnected("the link is closed")
    }
    for reader in connections.values where reader.isReader {
      reader.asked.append(
        .query(body: query, replyTo: link.replyTo, correlationID: Names.ownQueries))
    }
  }

  /// The broker for the outbox relay, over one connection.
  func relay(_ connection: Connection) -> RelayBus {
    var bus = RelayBus.failing
    bus.publish.answer { jobs throws(BusError) in
      guard !jobs.isEmpty else { return [] }
      let messages = PushJobMessage.messages(of: jobs)
      let verdicts = try self.publishConfirmed(
        messages.map { (.push, Message(body: $0.body, publishedAt: self.clock.now)) },
        over: connection)
      if verdicts.contains(.returned) { throw .unroutable("no queue takes push jobs") }
      return zip(messages, verdicts).flatMap { $1 == .confirmed ? $0.jobs.map(\.id) : [] }
    }
    bus.close.answer { self.drop(connection) }
    return bus
  }

  /// The broker for the push worker, over one connection to consume and one to publish.
  func pushWorker(_ connection: Connection) -> PushBus {
    var held = HeldPushJobs()
    var bus = PushBus.failing
    bus.receive.answer { limit, _ throws(BusError) in
      try self.checkOpen(connection)
      self.returnRetries()
      if held.readyCount < limit { self.deliverPushes(limit, to: connection, into: &held) }
      return held.take(limit)
    }
    bus.acknowledge.answer { tags throws(BusError) in
      try self.acknowledge(held.finish(tags), connection)
    }
    bus.retry.answer { delayed throws(BusError) in
      try self.checkOpen(connection)
      let verdicts = try self.publishConfirmed(
        delayed.map { delayed in
          (
            .retry(delayed.delay),
            Message(
              body: delayed.delivery.body, attempts: delayed.attempts, reached: delayed.reached,
              refused: delayed.refused, isInDoubt: delayed.isInDoubt,
              publishedAt: delayed.delivery.publishedAt)
          )
        }, over: connection)
      let confirmed = zip(delayed, verdicts).filter { $1 == .confirmed }
      if !confirmed.isEmpty {
        try self.acknowledge(held.finish(confirmed.map(\.0.delivery.tag)), connection)
      }
      switch verdicts.first(where: { $0 != .confirmed }) {
      case nil, .confirmed??: break
      case .refused??: throw .refused("the queue of jobs that are tried again is full")
      case .returned??: throw .unroutable("no queue takes jobs that are tried again")
      case .some(nil): throw .disconnected("lost before the job was confirmed")
      }
    }
    bus.serveHeartbeats.answer { () throws(BusError) in try self.checkOpen(connection) }
    bus.announce.answer { notice in
      guard let line = self.openLine(of: connection),
        let time = try? self.readingTime(of: line), time <= self.clock.now
      else { return }
      self.announce(Names.changedMatches, notice)
    }
    bus.close.answer { self.drop(connection) }
    return bus
  }

  private func acknowledge(_ tags: [UInt64], _ connection: Connection) throws(BusError) {
    try checkOpen(connection)
    if faults.strikes(.redeliver) {
      cut(connection)
      throw .disconnected("the acknowledgement is lost")
    }
    connection.pushes.removeAll { tags.contains($0.tag) }
  }

  private func deliverPushes(
    _ limit: Int, to connection: Connection, into held: inout HeldPushJobs
  ) {
    let messages = push.ready.prefix(limit)
    push.ready.removeFirst(messages.count)
    for var message in messages {
      message.deliveries += 1
      let tag = connection.nextTag()
      connection.pushes.append((tag, message))
      held.add(
        tag, body: message.body, attempts: message.attempts, deliveryCount: message.deliveries,
        reached: message.reached, refused: message.refused, publishedAt: message.publishedAt,
        isInDoubt: message.isInDoubt)
    }
  }
}
