import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// What the scheduler needs, over one connection.
  func scheduler(_ connection: Connection) -> SchedulerBus {
    SchedulerBus(
      publish: { messages throws(BusError) in
        try self.checkOpen(connection)
        let isCut = self.faults.strikes(.lostConnection)
        let count = isCut ? self.random.below(messages.count + 1) : messages.count
        for message in messages.prefix(count) { self.publishEvent(message.slot, message.body) }
        if isCut {
          self.drop(connection)
          throw .disconnected("lost while publishing")
        }
      },
      close: { self.drop(connection) })
  }

  /// What the outbox relay needs, over one connection.
  func relay(_ connection: Connection) -> RelayBus {
    RelayBus(
      publish: { jobs throws(BusError) in
        try self.checkOpen(connection)
        let isCut = self.faults.strikes(.lostConnection)
        let count = isCut ? self.random.below(jobs.count + 1) : jobs.count
        var confirmed: [PushJobID] = []
        for job in jobs.prefix(count) {
          guard let time = self.publishPush(job), time <= self.clock.now else { continue }
          confirmed.append(job.id)
        }
        if isCut {
          self.drop(connection)
          throw .disconnected("lost while publishing")
        }
        return confirmed
      },
      close: { self.drop(connection) })
  }

  /// What the push worker needs, over one connection.
  func pushWorker(_ connection: Connection) -> PushBus {
    PushBus(
      receive: { limit, _ throws(BusError) in
        try self.checkOpen(connection)
        self.returnRetries()
        return self.deliverPushes(limit, to: connection)
      },
      acknowledge: { tag throws(BusError) in
        try self.checkOpen(connection)
        if self.faults.strikes(.redeliver) {
          self.drop(connection)
          throw .disconnected("the acknowledgement is lost")
        }
        connection.pushes.removeAll { $0.tag == tag }
      },
      retry: { delivery, delay throws(BusError) in
        try self.checkOpen(connection)
        let message = PushMessage(body: delivery.body, attempts: delivery.attempts + 1)
        self.retries.append(
          (message, self.clock.now.adding(seconds: Int64(delay.rawValue))))
        if self.faults.strikes(.lostConfirm) {
          self.drop(connection)
          throw .timedOut("no confirm")
        }
        connection.pushes.removeAll { $0.tag == delivery.tag }
      },
      close: { self.drop(connection) })
  }

  private func deliverPushes(_ limit: Int, to connection: Connection) -> [PushBus.Delivery] {
    let messages = push.prefix(limit)
    push.removeFirst(messages.count)
    return messages.map { message in
      let tag = connection.nextTag()
      connection.pushes.append((tag, message))
      return PushBus.Delivery(
        tag: tag, job: try? PushJobCodec.decode(message.body), attempts: message.attempts,
        body: message.body)
    }
  }

  /// What the reader needs, over one connection.
  func reader(_ connection: Connection) -> ReaderBus {
    connection.isReader = true
    return ReaderBus(
      receive: { limit, _ throws(BusError) in
        try self.checkOpen(connection)
        let asked = self.queries.prefix(limit)
        self.queries.removeFirst(asked.count)
        let heard = connection.incoming.prefix(limit - asked.count)
        connection.incoming.removeFirst(heard.count)
        return heard
          + asked.map {
            .query(body: $0.body, replyTo: $0.replyTo, correlationID: $0.correlationID)
          }
      },
      answer: { answers throws(BusError) in
        try self.checkOpen(connection)
        for answer in answers {
          self.reply(
            to: answer.replyTo, correlationID: answer.correlationID, body: answer.body)
        }
      },
      close: { self.drop(connection) })
  }
}
