/// The names of exchanges, queues and routing keys.
public struct Names: Hashable, Sendable {
  /// The prefix of every name. Empty, except in tests that share a broker.
  public let prefix: String

  public init(prefix: String = "") { self.prefix = prefix }

  /// The direct exchange that events are published to. The routing key is the slot.
  public var events: String { prefix + "cubist.events" }
  /// The beginning of the names of all queues of slots.
  public var slots: String { prefix + "cubist.slots" }
  /// The queue of some slots, numbered with two digits or more.
  public func events(queue: Int) -> String { "\(slots).\(Names.digits(queue))" }
  /// The exchange that queries are published to, and its queue.
  public var queries: String { prefix + "cubist.queries" }
  /// The exchange of gateways' own questions to the readers, and its queue.
  public var gatewayQueries: String { prefix + "cubist.gateways" }
  /// The name of one gateway's own queue of notices.
  public func gateway(_ number: UInt128) -> String {
    "\(gatewayQueries).\(String(number, radix: 16))"
  }
  /// Whether it is the name of a gateway's own queue of notices.
  public func isOfGateway(_ queue: String) -> Bool { queue.hasPrefix("\(gatewayQueries).") }
  /// The topic exchange that tells readers and gateways of changes.
  public var outcomes: String { prefix + "cubist.outcomes" }
  /// The queue of push jobs.
  public var push: String { prefix + "cubist.jobs" }
  /// The queue where push jobs wait this many seconds before they come back.
  public func pushRetry(seconds: Int) -> String { "\(push).retry.\(seconds)" }

  /// The routing key of changes in matches.
  public static let changedMatches = "matches"
  /// The routing key of the service's queries to all its readers, past the queue of queries.
  public static let ownQueries = "asked"

  private static func digits(_ queue: Int) -> String { "\(queue < 10 ? "0" : "")\(queue)" }
}

// MARK: Queues of builds before schema 10, whose arguments could not be changed in place.

extension Names {
  /// The former queue of some slots.
  public func formerEvents(queue: Int) -> String { "\(events).\(Names.digits(queue))" }
  /// The former queue of push jobs.
  public var formerPush: String { prefix + "cubist.push" }
  /// The former queue where push jobs waited this many seconds before they came back.
  public func formerPushRetry(seconds: Int) -> String { "\(formerPush).retry.\(seconds)" }
  /// The former queue of dead letters, of events and of push jobs.
  ///
  /// It is deleted last: if it is gone, no other former queue exists.
  public var formerDead: String { prefix + "cubist.dead" }

  /// Whether a queue is one of former builds.
  public func isFormer(_ queue: String) -> Bool {
    queue == formerDead || queue == formerPush || queue.hasPrefix("\(formerPush).")
      || formerIndex(of: queue) != nil
  }

  /// The number of a former queue of events.
  public func formerIndex(of queue: String) -> Int? {
    guard queue.hasPrefix("\(events).") else { return nil }
    return Int(queue.dropFirst(events.count + 1))
  }

  /// The number of a queue of events.
  public func index(of queue: String) -> Int? {
    let start = "\(slots)."
    return queue.hasPrefix(start) ? Int(queue.dropFirst(start.count)) : nil
  }
}
