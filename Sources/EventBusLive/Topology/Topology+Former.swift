import LibRabbitMQ
public import MatchInterfaces
import MatchWire

/// The queues of builds before schema 10, and what becomes of them.
///
/// Those of events dead-lettered into a queue that could be full, and counted what waited for it.
/// Arguments cannot be changed in place, so there are queues of other names now. A worker drains a
/// former queue of events before it takes the present one, and deletes it (`FormerQueues`); push
/// workers drain the queues of push jobs, and setup deletes these once they stay empty.
extension Topology {
  /// The former queues that are still there, by name; those of events first, that of dead letters
  /// last.
  public func formerQueues(at address: BrokerAddress) throws(BusError) -> [String] {
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

  /// Drops what the former queue of dead letters holds of events that expired: it is their senders'
  /// loss, and full of it the queue would hold up those that workers are to drain.
  ///
  /// - Returns: How many letters were dropped; all others stay.
  public func dropExpiredLetters(at address: BrokerAddress) throws(BusError) -> Int {
    try onBroker { () throws(RabbitMQError) in
      let connection = try Connection(address.settings(for: "cubist setup"))
      // A job that is held and not dropped goes back into its place.
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

  /// Deletes former queues, with whatever is in them.
  public func delete(former queues: [String], at address: BrokerAddress) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in
      let connection = try Connection(address.settings(for: "cubist setup"))
      defer { connection.close() }
      for queue in queues where names.isFormer(queue) { try connection.deleteQueue(queue) }
    }
  }

  /// Those that lead into another one before it.
  private var formerPushQueues: [String] {
    PushBus.RetryDelay.short.map { names.formerPushRetry(seconds: $0.rawValue) }
      + [names.formerPush]
  }
}
