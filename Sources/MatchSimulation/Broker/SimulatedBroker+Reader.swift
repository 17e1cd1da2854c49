import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// The broker for the reader, over one connection.
  func reader(_ connection: Connection) -> ReaderBus {
    connection.isReader = true
    var bus = ReaderBus.failing
    bus.receive.answer { limit, _ throws(BusError) in
      try self.checkOpen(connection)
      // The next `receive` acknowledges the queries before it.
      (connection.queries, connection.gatewayQueries) = ([], [])
      return self.takeAsked(connection) + self.hear(limit, connection)
    }
    bus.ownQueries.answer { connection.isOpen ? self.takeAsked(connection) : [] }
    bus.answer.answer { answers in
      guard let line = self.openLine(of: connection) else { return }
      for answer in answers {
        guard let time = try? self.readingTime(of: line) else { return }
        self.reply(
          to: answer.replyTo, correlationID: answer.correlationID, body: answer.body, at: time)
      }
    }
    bus.close.answer { self.drop(connection) }
    return bus
  }

  private func takeAsked(_ connection: Connection) -> [ReaderBus.Incoming] {
    defer { connection.asked = [] }
    return connection.asked
  }

  private func hear(_ limit: Int, _ connection: Connection) -> [ReaderBus.Incoming] {
    let now = clock.now
    let asked = queries.take(limit, at: now)
    connection.queries = asked
    let questions = gatewayQueries.take(limit - asked.count, at: now)
    connection.gatewayQueries = questions
    let heard = connection.incoming.prefix(limit - asked.count - questions.count)
    connection.incoming.removeFirst(heard.count)
    return heard
      + asked.map {
        .query(
          body: $0.body, replyTo: $0.replyTo, correlationID: $0.correlationID,
          trace: RequestTrace($0.headers))
      }
      + questions.map {
        .gatewayQuery(
          body: $0.body, replyTo: $0.replyTo, correlationID: $0.correlationID,
          trace: RequestTrace($0.headers))
      }
  }
}

extension SimulatedBroker.Queue {
  /// Takes the first messages that have not expired.
  fileprivate mutating func take(_ limit: Int, at now: Instant) -> [SimulatedBroker.Message] {
    ready.removeAll { message in message.expiresAt.map { $0 <= now } ?? false }
    let taken = ready.prefix(limit)
    ready.removeFirst(taken.count)
    return Array(taken)
  }
}
