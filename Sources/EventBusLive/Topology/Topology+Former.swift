import LibRabbitMQ
public import MatchInterfaces
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

  /// Drops the expired events in the former queue of dead letters. They are their senders' loss. A
  /// queue full of them would hold up the queues that workers must drain.
  ///
  /// - Returns: How many letters were dropped. All others stay.
  public func dropExpiredLetters(at address: BrokerAddress) throws(BusError) -> Int {
    try onBroker { () throws(RabbitMQError) in
      let connection = try Connection(address.settings(for: "cubist setup"))
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

  /// The former queues that are empty and can receive nothing, as far as the broker's statistics
  /// tell, in an order in which they may be deleted.
  ///
  /// Such a queue of events has no slot and no consumer: workers of this build leave it when it is
  /// drained. While one queue of events is left, workers of the former build may run. The queues of
  /// push jobs and dead letters stay until then.
  ///
  /// - Parameters:
  ///   - reports: The contents of all queues.
  ///   - bindings: The slots and the queues that they lead to.
  public func removableFormer(
    among reports: [BrokerAdministration.QueueReport], bindings: [EventBinding]
  ) -> [String] {
    let bound = Set(bindings.filter(\.isFormer).map { names.formerEvents(queue: $0.queue) })
    let former = reports.filter { names.isFormer($0.name) }
    let events = former.filter { names.formerIndex(of: $0.name) != nil }
    let unused = events.filter {
      $0.total == 0 && $0.consumers == 0 && !bound.contains($0.name)
    }
    guard unused.count == events.count else { return unused.map(\.name) }
    let others = former.filter { names.formerIndex(of: $0.name) == nil }
    // A job that waits for a retry comes back to another of them.
    guard others.allSatisfy({ $0.total == 0 }) else { return unused.map(\.name) }
    // Workers recognize by the queue of dead letters that other former queues exist.
    return unused.map(\.name) + others.map(\.name).filter { $0 != names.formerDead }
      + others.map(\.name).filter { $0 == names.formerDead }
  }

  /// Deletes former queues and all their messages.
  public func delete(former queues: [String], at address: BrokerAddress) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in
      let connection = try Connection(address.settings(for: "cubist setup"))
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
