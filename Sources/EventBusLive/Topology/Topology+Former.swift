import LibRabbitMQ
package import MatchInterfaces
import MatchWire

/// The queues of builds before schema 10, and their removal.
///
/// The former queues of events dead-lettered into a queue that could be full, and counted the
/// messages that waited for it. Arguments cannot be changed in place, so the present queues have
/// other names. A worker drains a former queue of events before it takes the present one
/// (`FormerQueues`). Push workers drain the queues of push jobs. Setup deletes former queues once
/// they stay empty.
/// workers drain the queues of push jobs, and setup deletes these once they stay empty.
extension Topology {
  /// The names of the former queues that still exist: those of events first, that of dead letters
  /// last.
  package func formerQueues(at address: BrokerAddress) throws(BusError) -> [String] {
    let visitor = Visitor(address, "cubist setup")
    defer { visitor.close() }
    let events = (0..<layout.queueCount).map { names.formerEvents(queue: $0) }
    var found: [String] = []
    for name in events + formerPushQueues + [names.formerDead]
    where try visitor.status(of: name) != nil {
      found.append(name)
    }
    return found
  }

  /// Drops the expired events in the former queue of dead letters. They are their senders' loss. A
  /// queue full of them would hold up the queues that workers must drain.
  ///
  /// - Returns: How many letters were dropped. All others stay.
  package func dropExpiredLetters(at address: BrokerAddress) throws(BusError) -> Int {
    try onBroker { () throws(RabbitMQError) in
      let connection = try RabbitMQConnection(address.settings(for: "cubist setup"))
      // A job that is held and not dropped goes back to its place.
      defer { connection.close() }
      var count = 0
      while let letter = try connection.get(names.formerDead) {
        guard let death = letter.properties.deaths.first, death.reason == "expired",
          names.formerIndex(of: death.queue) != nil
        else { continue }
        try connection.acknowledge(letter.tag)
        count += 1
      }
      return count
    }
  }

  /// Deletes former queues, with their contents.
  package func delete(former queues: [String], at address: BrokerAddress) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in
      let connection = try RabbitMQConnection(address.settings(for: "cubist setup"))
      defer { connection.close() }
      for queue in queues where names.isFormer(queue) { try connection.deleteQueue(queue) }
    }
  }

  /// The former queues of push jobs. Those that lead into another one come before it.
  private var formerPushQueues: [String] {
    PushBus.RetryDelay.short.map { names.formerPushRetry(seconds: $0.rawValue) }
      + [names.formerPush]
  }
}
