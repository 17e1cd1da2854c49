public import MatchWire

/// What a user of the broker may do in a virtual host, as regular expressions of names.
/// Source: https://www.rabbitmq.com/docs/access-control
public struct BrokerRights: Hashable, Sendable {
  /// What may be declared and deleted.
  public var configure: String
  /// What may be published to, and bound.
  public var write: String
  /// What may be consumed, and bound to.
  public var read: String

  public init(configure: String, write: String, read: String) {
    self.configure = configure
    self.write = write
    self.read = read
  }

  /// A player's: to publish events and queries, and nothing else. Direct reply-to needs no right.
  public static func player(_ names: Names = Names()) -> BrokerRights {
    BrokerRights(
      configure: "^$", write: "^(\(quoted(names.events))|\(quoted(names.queries)))$", read: "^$")
  }

  /// The service's: everything of its own, and the default exchange, by which replies, push jobs
  /// and dead letters go.
  public static func service(_ names: Names = Names()) -> BrokerRights {
    let own = "\(quoted(names.prefix))cubist\\..*"
    return BrokerRights(
      configure: "^\(own)$", write: "^(\(own)|amq\\.default)$", read: "^\(own)$")
  }

  /// A name as a regular expression that matches it alone.
  private static func quoted(_ name: String) -> String {
    var quoted = ""
    for character in name {
      if !character.isLetter && !character.isNumber && character != "_" { quoted += "\\" }
      quoted.append(character)
    }
    return quoted
  }
}
