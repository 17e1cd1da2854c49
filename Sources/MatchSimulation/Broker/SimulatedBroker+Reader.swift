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
      connection.queries = []
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
    queries.ready.removeAll { query in query.expiresAt.map { $0 <= now } ?? false }
    let asked = queries.ready.prefix(limit)
    queries.ready.removeFirst(asked.count)
    connection.queries = Array(asked)
    let heard = connection.incoming.prefix(limit - asked.count)
    connection.incoming.removeFirst(heard.count)
    return heard
      + asked.map {
        .query(body: $0.body, replyTo: $0.replyTo, correlationID: $0.correlationID)
      }
  }
}
