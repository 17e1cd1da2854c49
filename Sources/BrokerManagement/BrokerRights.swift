package import MatchWire

/// A user's rights in a virtual host of the broker, as regular expressions of names.
/// Source: https://www.rabbitmq.com/docs/access-control
package struct BrokerRights: Hashable, Sendable {
  /// The names that the user may declare and delete.
  package var configure: String
  /// The names that the user may publish to and bind.
  package var write: String
  /// The names that the user may consume and bind to.
  package var read: String
  /// A limit to the keys of one topic exchange; nil: the user may use all keys.
  package var topic: Topic?

  package init(configure: String, write: String, read: String, topic: Topic? = nil) {
    self.configure = configure
    self.write = write
    self.read = read
    self.topic = topic
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
  /// none.
  package static func player(_ names: Names = Names()) -> BrokerRights {
    BrokerRights(
      configure: "^$", write: "^(\(quoted(names.events))|\(quoted(names.queries)))$", read: "^$")
  }

  /// A gateway's rights: to publish players' events and queries and its own questions, and to hear of
  /// changes by a queue of its own. The exchange of outcomes also leads the scheduler's queries to
  /// readers, which a gateway may not hear. Direct reply-to needs no right.
  package static func gateway(_ names: Names = Names()) -> BrokerRights {
    let own = "\(quoted(names.gatewayQueries))\\.[0-9a-f]+"
    let exchanges = [names.events, names.queries, names.gatewayQueries].map(quoted)
    return BrokerRights(
      configure: "^\(own)$", write: "^(\(exchanges.joined(separator: "|"))|\(own))$",
      read: "^(\(quoted(names.outcomes))|\(own))$",
      topic: Topic(exchange: names.outcomes, write: "^$", read: "^\(Names.changedMatches)$"))
  }

  /// The service's rights: everything of its own, and the default exchange. Replies, push jobs and
  /// dead letters go by the default exchange.
  package static func service(_ names: Names = Names()) -> BrokerRights {
    let own = "\(quoted(names.prefix))cubist\\..*"
    return BrokerRights(
      configure: "^\(own)$", write: "^(\(own)|amq\\.default)$", read: "^\(own)$")
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
