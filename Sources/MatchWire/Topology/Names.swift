/// The names of exchanges, queues and routing keys.
public struct Names: Hashable, Sendable {
  /// What every name begins with; empty but in tests that share a broker.
  public let prefix: String

  /// Names with a prefix.
  public init(prefix: String = "") { self.prefix = prefix }

  /// The direct exchange that events are published to; routing key: the slot.
  public var events: String { prefix + "cubist.events" }
  /// The queue of some slots, numbered with two digits or more.
  public func events(queue: Int) -> String {
    "\(events).\(queue < 10 ? "0" : "")\(queue)"
  }
  /// The exchange that queries are published to, and its queue.
  public var queries: String { prefix + "cubist.queries" }
  /// The topic exchange that tells readers what changed in matches.
  public var outcomes: String { prefix + "cubist.outcomes" }
  /// The queue of push jobs.
  public var push: String { prefix + "cubist.push" }
  /// The queue where push jobs wait so many seconds before they come back.
  public func pushRetry(seconds: Int) -> String { "\(push).retry.\(seconds)" }
  /// The queue of dead letters.
  public var dead: String { prefix + "cubist.dead" }

  /// The routing key of what happened in matches.
  public static let changedMatches = "matches"
}
