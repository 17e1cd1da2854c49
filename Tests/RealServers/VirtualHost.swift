import FoundationEssentials

/// A RabbitMQ virtual host of one test.
package struct VirtualHost: Sendable {
  /// Its name on the broker.
  package let name: String
  /// The administrator's `amqps://` URL of this virtual host. It names the authority to trust.
  package let url: String

  private let management: ManagementClient

  /// Makes one that nobody else uses. The maker deletes it.
  package static func create(in environment: ServerEnvironment) throws -> VirtualHost {
    let name = RealServers.uniqueName()
    let address = environment.amqp.prefix { $0 != "?" }
    let host = VirtualHost(
      name: name,
      url: (address.hasSuffix("/") ? address : address + "/") + name
        + environment.amqp.dropFirst(address.count),
      management: environment.management)
    try host.management.put("/api/vhosts/\(name)", [String: String]())
    do {
      try host.permit(host.management.user, configure: ".*", write: ".*", read: ".*")
    } catch {
      // The permission's error is the one to report.
      try? host.delete()
      throw error
    }
    return host
  }

  /// Deletes it with its users.
  package func delete() throws {
    try management.delete("/api/vhosts/\(name)")
    try removeUsers()
  }

  /// Deletes its users, which ends their connections.
  package func removeUsers() throws {
    struct Entry: Decodable { var name: String }
    let users = try management.get("/api/users", as: [Entry].self)
    for user in users where user.name.hasPrefix("\(name)-") {
      try management.delete("/api/users/\(user.name)")
    }
  }

  /// Deletes a user of the broker that has this whole name, if there is one.
  package func removeUser(_ name: String) throws { try management.delete("/api/users/\(name)") }

  /// A broker user of one virtual host.
  package struct User: Sendable {
    /// Its name, unique on the broker.
    package let name: String
    /// Its password.
    package let password: String
    /// Its `amqps://` URL of the virtual host.
    package let url: String
  }

  /// Makes a user who may configure, write and read by these regular expressions.
  ///
  /// - Parameter suffix: the end of the user's name, unique in this virtual host.
  package func addUser(
    _ suffix: String, configure: String, write: String, read: String
  ) throws -> User {
    let user = "\(name)-\(suffix)"
    let password = String(UInt64.random(in: .min ... .max), radix: 36)
    try management.put("/api/users/\(user)", ["password": password, "tags": ""])
    try permit(user, configure: configure, write: write, read: read)
    return User(
      name: user, password: password,
      url: try ServerEnvironment.url(url, user: "\(user):\(password)"))
  }

  /// Limits a user's routing keys at a topic exchange by these regular expressions.
  package func limit(
    _ user: User, toTopicsOf exchange: String, write: String, read: String
  ) throws {
    try management.put(
      "/api/topic-permissions/\(name)/\(user.name)",
      ["exchange": exchange, "write": write, "read": read])
  }

  /// Bounds something of a user, such as `max-connections`.
  package func bound(_ user: User, _ name: String, _ value: Int) throws {
    try management.put("/api/user-limits/\(user.name)/\(name)", ["value": value])
  }

  private func permit(
    _ user: String, configure: String, write: String, read: String
  ) throws {
    try management.put(
      "/api/permissions/\(name)/\(user)",
      ["configure": configure, "write": write, "read": read])
  }

  /// A value in a policy's definition.
  package enum PolicyValue: Encodable, Sendable, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral
  {
    /// A text, such as the name of an exchange.
    case text(String)
    /// A number, such as a length.
    case number(Int)

    /// Makes a text.
    package init(stringLiteral value: String) {
      self = .text(value)
    }

    /// Makes a number.
    package init(integerLiteral value: Int) {
      self = .number(value)
    }

    /// Writes the bare text or number.
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      }
    }
  }

  /// Sets a policy for all queues whose names match `pattern`; it holds a moment later.
  package func setPolicy(
    _ policy: String, pattern: String, definition: [String: PolicyValue]
  ) throws {
    struct Body: Encodable {
      let pattern: String
      let definition: [String: PolicyValue]
      let applyTo = "queues"

      enum CodingKeys: String, CodingKey {
        case pattern, definition
        case applyTo = "apply-to"
      }
    }
    try management.put(
      "/api/policies/\(name)/\(policy)", Body(pattern: pattern, definition: definition))
  }

  /// Takes a policy away; it no longer holds a moment later.
  package func removePolicy(_ policy: String) throws {
    try management.delete("/api/policies/\(name)/\(policy)")
  }

  /// The declared parts of a virtual host.
  package struct Contents: Hashable, Sendable, Decodable {
    /// A queue, an exchange or a policy.
    package struct Named: Hashable, Sendable, Decodable {
      let name: String
      let type: String?
    }

    /// A way from an exchange to a queue.
    package struct Binding: Hashable, Sendable, Decodable {
      let source: String
      let destination: String
      let routingKey: String

      private enum CodingKeys: String, CodingKey {
        case source, destination
        case routingKey = "routing_key"
      }
    }

    let queues: Set<Named>
    let exchanges: Set<Named>
    let policies: Set<Named>
    let bindings: Set<Binding>
  }

  /// The parts that are declared in it.
  package func contents() throws -> Contents {
    try management.get("/api/definitions/\(name)", as: Contents.self)
  }

  /// The broker's statistics of a queue.
  package struct Queue: Sendable, Decodable {
    /// The queue's name.
    package let name: String
    /// Messages that wait.
    package let ready: Int?
    /// Messages that were delivered and not yet acknowledged.
    package let unacknowledged: Int?
    /// Consumers, the waiting ones of a single active consumer included.
    package let consumers: Int?
    /// The nodes that have a replica of a quorum queue.
    package let members: [String]?

    private enum CodingKeys: String, CodingKey {
      case name, consumers, members
      case ready = "messages_ready"
      case unacknowledged = "messages_unacknowledged"
    }
  }

  /// The queues of this virtual host.
  ///
  /// Counts are some seconds old, and nil before the broker has gathered any; a passive declaration
  /// over AMQP is exact.
  package func queues() throws -> [Queue] {
    try management.get("/api/queues/\(name)", as: [Queue].self)
  }

  /// A client's connection as the broker knows it.
  package struct BrokerConnection: Sendable, Decodable {
    /// The broker's name of it, two addresses.
    package let name: String
    /// The user who logged in.
    package let user: String?
    /// The name that the client gave it.
    package let clientName: String?
    /// Whether it is one by TLS; nil before the broker has told.
    package let isEncrypted: Bool?

    private enum CodingKeys: String, CodingKey {
      case name, user
      case clientName = "user_provided_name"
      case isEncrypted = "ssl"
    }
  }

  /// The connections to this virtual host; a new one shows up within some seconds.
  package func connections() throws -> [BrokerConnection] {
    try management.get("/api/vhosts/\(name)/connections", as: [BrokerConnection].self)
  }

  /// Makes the broker close a connection in good order (`connection.close` 320).
  package func close(_ connection: BrokerConnection) throws {
    try management.delete("/api/connections/\(ManagementClient.escape(connection.name))")
  }
}
