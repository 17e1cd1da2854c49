package import MatchWire

/// The lines by which an administrator of the broker does by hand what the management API would do.
/// None holds a password: `rabbitmqctl` asks for it.
package enum AdministratorLines {
  /// Makes a virtual host.
  package static func virtualHost(_ name: String) -> String {
    "rabbitmqctl add_vhost \(quoted(name))"
  }

  /// Makes a user, and asks for the password.
  package static func addUser(_ name: String) -> String { "rabbitmqctl add_user \(quoted(name))" }

  /// Lets a user change users, rights and policies by the management API.
  package static func administrator(_ name: String) -> String {
    "rabbitmqctl set_user_tags \(quoted(name)) administrator"
  }

  /// Makes a user with exactly these rights and limits.
  package static func user(
    _ name: String, _ rights: BrokerRights, in virtualHost: String
  ) -> [String] {
    let place = "-p \(quoted(virtualHost)) \(quoted(name))"
    var lines = [
      addUser(name),
      "rabbitmqctl set_permissions \(place) "
        + [rights.configure, rights.write, rights.read].map(quoted).joined(separator: " "),
    ]
    if let topic = rights.topic {
      lines.append(
        "rabbitmqctl set_topic_permissions \(place) "
          + [topic.exchange, topic.write, topic.read].map(quoted).joined(separator: " "))
    }
    if let limits = rights.limits {
      let pairs = limits.named.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
      lines.append(
        "rabbitmqctl set_user_limits \(quoted(name)) "
          + quoted("{\(pairs.joined(separator: ","))}"))
    }
    return lines
  }

  /// Sets the policy that bounds the queues of gateways.
  package static func gatewayPolicy(_ names: Names = Names(), in virtualHost: String) -> String {
    let policy = BrokerPolicy.gateways(names)
    let keys = policy.body.definition.sorted { $0.key < $1.key }.map { key, value in
      switch value {
      case .number(let number): #""\#(key)":\#(number)"#
      case .text(let text): #""\#(key)":"\#(text)""#
      }
    }
    let definition = "{\(keys.joined(separator: ","))}"
    return "rabbitmqctl set_policy -p \(quoted(virtualHost)) --apply-to \(policy.body.applyTo) "
      + [policy.name, policy.body.pattern, definition].map(quoted).joined(separator: " ")
  }

  /// A text as one word of a shell.
  package static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 {
        case true: true
        case false: 0x30...0x39 ~= byte || byte == 0x2d || byte == 0x2e || byte == 0x5f
        }
      }
    return isPlain ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}
