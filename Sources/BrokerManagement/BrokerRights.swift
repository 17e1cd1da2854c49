package import MatchWire

/// A user's rights in a virtual host of the broker, as regular expressions of names, and the bounds of
/// the user in the whole broker.
/// Source: https://www.rabbitmq.com/docs/access-control, https://www.rabbitmq.com/docs/user-limits
package struct BrokerRights: Hashable, Sendable {
  /// The names that the user may declare and delete.
  package var configure: String
  /// The names that the user may publish to and bind.
  package var write: String
  /// The names that the user may consume and bind to.
  package var read: String
  /// A limit to the keys of one topic exchange; nil: the user may use all keys.
  package var topic: Topic?
  /// The most that the user may have at a time. Nil: nothing is asked for, and limits that somebody else
  /// has set stay.
  package var limits: Limits?

  package init(
    configure: String, write: String, read: String, topic: Topic? = nil, limits: Limits? = nil
  ) {
    self.configure = configure
    self.write = write
    self.read = read
    self.topic = topic
    self.limits = limits
  }

  /// Bounds of a user. Nil: as many as the broker takes.
  package struct Limits: Hashable, Sendable {
    package var connections: Int?
    package var channels: Int?

    package init(connections: Int?, channels: Int?) {
      (self.connections, self.channels) = (connections, channels)
    }

    /// So many connections with one channel each, as all our programs have them.
    package init(_ connections: Int) { self.init(connections: connections, channels: connections) }

    /// The broker's names of them.
    var named: [(name: String, value: Int?)] {
      [("max-connections", connections), ("max-channels", channels)]
    }
  }

  /// Rights to the routing keys of a topic exchange, as regular expressions.
  package struct Topic: Hashable, Sendable {
    package var exchange: String
    /// The keys that the user may publish with.
    package var write: String
    /// The keys that the user may bind with.
    package var read: String

    package init(exchange: String, write: String, read: String) {
      self.exchange = exchange
      self.write = write
      self.read = read
    }
  }

  /// A player's rights: to publish events and queries, and nothing else. Direct reply-to needs
  /// none. All players share the user. A connection takes some 60 KB of the broker's memory.
  package static func player(_ names: Names = Names()) -> BrokerRights {
    BrokerRights(
      configure: "^$", write: "^(\(quoted(names.events))|\(quoted(names.queries)))$", read: "^$",
      limits: Limits(1_000))
  }

  /// A gateway's rights: to publish players' events and queries and its own questions, and to hear of
  /// changes by a queue of its own. The exchange of outcomes also leads the scheduler's queries to
  /// readers, which a gateway may not hear. Direct reply-to needs no right. A gateway has some
  /// four connections.
  package static func gateway(_ names: Names = Names()) -> BrokerRights {
    let own = "\(quoted(names.gatewayQueries))\\.[0-9a-f]+"
    let exchanges = [names.events, names.queries, names.gatewayQueries].map(quoted)
    return BrokerRights(
      configure: "^\(own)$", write: "^(\(exchanges.joined(separator: "|"))|\(own))$",
      read: "^(\(quoted(names.outcomes))|\(own))$",
      topic: Topic(exchange: names.outcomes, write: "^$", read: "^\(Names.changedMatches)$"),
      limits: Limits(256))
  }

  /// The service's rights: everything of its own, and the default exchange. Replies, push jobs and
  /// dead letters go by the default exchange. A worker has some six connections: there is room for
  /// ten of them a queue.
  package static func service(
    _ names: Names = Names(), queueCount: Int = QueueLayout.standard.queueCount
  ) -> BrokerRights {
    let own = "\(quoted(names.prefix))cubist\\..*"
    return BrokerRights(
      configure: "^\(own)$", write: "^(\(own)|amq\\.default)$", read: "^\(own)$",
      limits: Limits(max(1_024, 64 * queueCount)))
  }

  /// A name as a regular expression that matches it alone.
  static func quoted(_ name: String) -> String {
    var quoted = ""
    for character in name {
      if !character.isLetter && !character.isNumber && character != "_" { quoted += "\\" }
      quoted.append(character)
    }
    return quoted
  }
}
