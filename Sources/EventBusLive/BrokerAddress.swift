import LibRabbitMQ

/// The broker's address and the user's credentials, read from a URL.
public struct BrokerAddress: Sendable {
  var settings: RabbitMQSettings

  /// Reads `amqp://user:password@host:port/vhost`, or `amqps://` for TLS.
  ///
  /// A cluster's nodes are listed with commas (`host1:port1,host2:port2`). A client connects to the
  /// first one that it can reach.
  /// User, password and virtual host may be percent-encoded. Queries understood: `heartbeat`
  /// (seconds), `connection_timeout` (milliseconds), `cacertfile`, `certfile`, `keyfile`, `verify`.
  /// Source: https://www.rabbitmq.com/docs/uri-query-parameters
  /// - Throws: The mistake in the URL. The text repeats no part that could be a password.
  public init(url: String) throws(BrokerAddressError) {
    do throws(RabbitMQError) {
      settings = try RabbitMQSettings(url: url)
    } catch {
      throw BrokerAddressError(reason: error.reason)
    }
  }

  public var virtualHost: String { settings.virtualHost }

  public var user: String { settings.user }

  /// Whether the broker runs on this machine, as far as its names say.
  public var isOnThisMachine: Bool {
    ([settings.host] + settings.alternates.map(\.host)).allSatisfy { host in
      let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
      let isLoopback = bytes.count == 4 && bytes[0] == 127 && !bytes.contains(nil)
      return host == "localhost" || host == "::1" || isLoopback
    }
  }

  /// Host and port of each node that speaks TLS; empty for plain TCP.
  public var secureEndpoints: [String] {
    guard settings.tls != nil else { return [] }
    let first = RabbitMQSettings.Endpoint(host: settings.host, port: settings.port)
    return ([first] + settings.alternates).map { node in
      node.host.contains(":") ? "[\(node.host)]:\(node.port)" : "\(node.host):\(node.port)"
    }
  }

  /// The settings of one connection, by the name that the broker's pages show.
  func settings(for name: String) -> RabbitMQSettings {
    var settings = settings
    settings.name = name
    // The largest message that RabbitMQ takes by default. An oversized body must reach the code
    // that refuses it by name, and must not end its receiver's connection.
    settings.messageSizeLimit = 128 * 1_024 * 1_024
    return settings
  }

  /// The same, with the most time to wait for a connection, all nodes of a cluster together, and
  /// for an answer.
  func settings(for name: String, within limit: Duration) -> RabbitMQSettings {
    var settings = settings(for: name)
    settings.connectTimeout = min(
      settings.connectTimeout, limit / (1 + settings.alternates.count))
    settings.replyTimeout = min(settings.replyTimeout, limit)
    return settings
  }
}

extension BrokerAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Scheme, user, hosts, ports and virtual host, without the password.
  public var description: String { settings.description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Hides the password from `dump` and test failures too.
  public var customMirror: Mirror {
    Mirror(self, children: ["settings": description], displayStyle: .struct)
  }
}

/// The reason a URL is not a broker's.
public struct BrokerAddressError: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String

  /// One sentence for a person, with an example.
  public var description: String {
    "the broker's URL cannot be read: \(reason); "
      + "it looks like amqp://user:password@host:5672/vhost"
  }
}
