package import EventBusLive
import FoundationEssentials
import LibCurl
package import MatchInterfaces
package import MatchWire

/// The management API of the broker, as an operator uses it: users, rights, and a look at queues.
///
/// Every call blocks. It gives up after a number of seconds without a sign of life.
/// Source: https://www.rabbitmq.com/docs/management
package struct BrokerAdministration: Sendable {
  /// The time that a call waits for the broker by default, in seconds.
  package static let standardTimeoutSeconds = 15

  private let client: ManagementClient

  /// The management API at `http://user:password@host:port` or, with its certificate verified,
  /// `https://…`, which may end with `?cacertfile=` and the path of a file with authorities. To change
  /// anything, and to read rights, the user must be an administrator. The tag `monitoring` and any
  /// rights in the virtual host are enough for the rest.
  /// - Throws: `badURL`.
  package init(
    url: String, timeoutSeconds: Int = BrokerAdministration.standardTimeoutSeconds
  ) throws(ManagementError) {
    client = try ManagementClient(url: url, timeoutSeconds: timeoutSeconds)
  }

  /// The name of the user who asks.
  package var user: String { client.url.user }

  /// Its host and port.
  package var endpoint: String { client.url.endpoint }

  /// Host and port, where it speaks TLS.
  package var secureEndpoint: String? {
    client.url.scheme == "https" ? client.url.endpoint : nil
  }

  /// Whether the user may change things and read the rights of users.
  package func isAdministrator() throws(ManagementError) -> Bool {
    struct Answer: Decodable {
      let tags: [String]
    }
    return try get(["whoami"], as: Answer.self, operation: "read the user's tags")
      .tags.contains("administrator")
  }

  /// The broker's version; nil where it is written in another way than RabbitMQ's.
  package func version() throws(ManagementError) -> BrokerVersion? {
    struct Answer: Decodable {
      let rabbitmq_version: String
    }
    return BrokerVersion(
      try get(["overview"], as: Answer.self, operation: "read the version").rabbitmq_version)
  }

  /// Whether a feature flag is on; nil where the broker does not know it. 3.12 and earlier ones
  /// tell administrators alone.
  package func isOn(flag name: String) throws(ManagementError) -> Bool? {
    struct Flag: Decodable {
      let name: String
      let state: String
    }
    return try get(["feature-flags"], as: [Flag].self, operation: "read the feature flags")
      .first { $0.name == name }.map { $0.state == "enabled" }
  }

  /// What an account of this broker can do, a sentence; nil where the broker withstands.
  package func peril(of user: String) throws(ManagementError) -> String? {
    let version = try version()
    let flagIsOn =
      version?.needsFlag == true ? try isOn(flag: BrokerVersion.flag) == true : false
    return BrokerVersion.peril(of: user, version: version, flagIsOn: flagIsOn)
  }

  // MARK: Users

  /// Whether there is a virtual host of this name.
  package func hasVirtualHost(_ name: String) throws(ManagementError) -> Bool {
    struct Answer: Decodable {}
    return try find(["vhosts", name], as: Answer.self, operation: "look at virtual host \(name)")
      != nil
  }

  /// Makes a virtual host, if it does not exist.
  package func createVirtualHost(_ name: String) throws(ManagementError) {
    try put(["vhosts", name], [String: String](), operation: "create virtual host \(name)")
  }

  /// Makes a user with these tags, by default without any, or gives them and this password to an
  /// existing one.
  package func createUser(
    _ name: String, password: String, tags: String = ""
  ) throws(ManagementError) {
    try put(
      ["users", name], ["password": password, "tags": tags], operation: "create user \(name)")
  }

  /// A user; nil where there is none of this name.
  package func user(_ name: String) throws(ManagementError) -> BrokerUser? {
    try find(["users", name], as: BrokerUser.self, operation: "look at user \(name)")
  }

  /// Gives a user exactly these rights in a virtual host, and these limits, if there are any.
  package func permit(
    _ user: String, _ rights: BrokerRights, in virtualHost: String
  ) throws(ManagementError) {
    try put(
      ["permissions", virtualHost, user],
      ["configure": rights.configure, "write": rights.write, "read": rights.read],
      operation: "set the rights of user \(user)")
    if let topic = rights.topic {
      try put(
        ["topic-permissions", virtualHost, user],
        ["exchange": topic.exchange, "write": topic.write, "read": topic.read],
        operation: "set the rights of user \(user) to topics")
    } else {
      try delete(
        ["topic-permissions", virtualHost, user],
        operation: "remove the rights of user \(user) to topics")
    }
    for (name, value) in rights.limits?.named ?? [] {
      let path = ["user-limits", user, name]
      if let value {
        try put(path, ["value": value], operation: "set the limits of user \(user)")
      } else {
        try delete(path, operation: "remove a limit of user \(user)")
      }
    }
  }

  /// The rights that a user has in a virtual host; nil if it has none or does not exist.
  package func rights(
    of user: String, in virtualHost: String
  ) throws(ManagementError) -> BrokerRights? {
    struct Answer: Decodable {
      let configure, write, read: String
    }
    guard
      let answer = try find(
        ["permissions", virtualHost, user], as: Answer.self,
        operation: "read the rights of user \(user)")
    else { return nil }
    return BrokerRights(
      configure: answer.configure, write: answer.write, read: answer.read,
      topic: try topic(of: user, in: virtualHost), limits: try limits(of: user))
  }

  /// The users that may configure, write and read exactly the same in a virtual host; by name.
  package func users(
    with rights: BrokerRights, in virtualHost: String
  ) throws(ManagementError) -> [String] {
    struct Answer: Decodable {
      let user, configure, write, read: String
    }
    return try get(
      ["vhosts", virtualHost, "permissions"], as: [Answer].self, operation: "list rights"
    ).filter {
      ($0.configure, $0.write, $0.read) == (rights.configure, rights.write, rights.read)
    }.map(\.user).sorted()
  }

  private func limits(of user: String) throws(ManagementError) -> BrokerRights.Limits? {
    struct Answer: Decodable {
      let value: [String: Int]
    }
    let answers = try find(
      ["user-limits", user], as: [Answer].self, operation: "read the limits of user \(user)")
    // Below zero it is none.
    guard let found = answers?.first?.value.filter({ $0.value >= 0 }), !found.isEmpty else {
      return nil
    }
    return .init(connections: found["max-connections"], channels: found["max-channels"])
  }

  private func topic(
    of user: String, in virtualHost: String
  ) throws(ManagementError) -> BrokerRights.Topic? {
    struct Answer: Decodable {
      let exchange, write, read: String
    }
    let answers = try find(
      ["topic-permissions", virtualHost, user], as: [Answer].self,
      operation: "read the rights of user \(user) to topics")
    return answers?.first.map { .init(exchange: $0.exchange, write: $0.write, read: $0.read) }
  }

  /// Deletes a user, if it exists.
  package func deleteUser(_ name: String) throws(ManagementError) {
    try delete(["users", name], operation: "delete user \(name)")
  }

  // MARK: Limits

  /// Gives the queues of a policy their limits.
  package func apply(_ policy: BrokerPolicy, in virtualHost: String) throws(ManagementError) {
    try put(
      ["policies", virtualHost, policy.name], policy.body,
      operation: "set the policy \(policy.name)")
  }

  /// All policies; none where there is no such virtual host. A policy of somebody else may have
  /// values that none of the service's has: its definition is empty then.
  package func policies(in virtualHost: String) throws(ManagementError) -> [BrokerPolicy] {
    struct Answer: Decodable {
      let policy: BrokerPolicy

      private enum CodingKeys: CodingKey { case name }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        policy = BrokerPolicy(
          name: try values.decode(String.self, forKey: .name),
          body: try BrokerPolicy.Body(from: decoder))
      }
    }
    // Only an administrator may ask for one policy, and everybody who may look sees the list.
    let found = try find(
      ["policies", virtualHost], as: [Answer].self, operation: "list policies")
    return (found ?? []).map(\.policy)
  }

  /// Deletes a policy, if it exists.
  package func deletePolicy(_ name: String, in virtualHost: String) throws(ManagementError) {
    try delete(["policies", virtualHost, name], operation: "delete the policy \(name)")
  }

  // MARK: Looking

  /// A queue as the statistics have it. Numbers are some seconds old.
  package struct QueueReport: Hashable, Sendable {
    package var name: String
    /// Messages that wait.
    package var ready: Int
    /// Messages that were delivered and not yet acknowledged.
    package var unacknowledged: Int
    /// All messages. Those that wait for room in another queue are included.
    package var total: Int
    package var bytes: Int
    /// The bytes of messages that wait: those count for a limit.
    package var readyBytes: Int
    /// Consumers, including those on standby.
    package var consumers: Int
    package var isRunning: Bool
    /// The names of nodes that should have a replica and do not.
    package var absentMembers: [String]
    /// The most messages that it was declared with; nil: only a policy limits it.
    package var maxMessages: Int?
    /// The most bytes that it was declared with; nil: only a policy limits it.
    package var maxBytes: Int?
    /// The limits of the policy that it has; nil: none.
    package var policyMessages: Int?
    package var policyBytes: Int?

    package init(
      name: String, ready: Int, unacknowledged: Int, total: Int? = nil, bytes: Int,
      consumers: Int, isRunning: Bool, absentMembers: [String] = []
    ) {
      self.name = name
      self.ready = ready
      self.unacknowledged = unacknowledged
      self.total = total ?? ready + unacknowledged
      self.bytes = bytes
      readyBytes = bytes
      self.consumers = consumers
      self.isRunning = isRunning
      self.absentMembers = absentMembers
    }
  }

  /// The service's queues in a virtual host, by name.
  package func queues(
    of names: Names = Names(), in virtualHost: String
  ) throws(ManagementError) -> [QueueReport] {
    try get(["queues", virtualHost], as: [QueueReport].self, operation: "list queues")
      .filter { $0.name.hasPrefix("\(names.prefix)cubist.") }
      .sorted { $0.name < $1.name }
  }

  /// The marks of databases that a virtual host has; none where there is no such host.
  package func marks(
    of names: Names = Names(), in virtualHost: String
  ) throws(ManagementError) -> Set<BrokerMark> {
    Set(try exchanges(in: virtualHost).compactMap { names.mark(of: $0) })
  }

  /// The names of all exchanges; none where there is no such virtual host.
  private func exchanges(in virtualHost: String) throws(ManagementError) -> [String] {
    struct Answer: Decodable {
      let name: String
    }
    let found = try find(
      ["exchanges", virtualHost], as: [Answer].self, operation: "list exchanges")
    return (found ?? []).map(\.name)
  }

  /// The slots and the queues that they lead to; compare them by ``Topology/problems(in:)``.
  ///
  /// Empty if the exchange of events does not exist.
  package func eventBindings(
    of names: Names = Names(), in virtualHost: String
  ) throws(ManagementError) -> [EventBinding] {
    struct Answer: Decodable {
      let destination, key: String

      private enum CodingKeys: String, CodingKey {
        case destination
        case key = "routing_key"
      }
    }
    let answers = try find(
      ["exchanges", virtualHost, names.events, "bindings", "source"], as: [Answer].self,
      operation: "list bindings")
    return (answers ?? []).compactMap { answer in
      guard let slot = Slot(routingKey: answer.key) else { return nil }
      if let queue = names.index(of: answer.destination) {
        return EventBinding(slot: slot, queue: queue)
      }
      return names.formerIndex(of: answer.destination).map {
        EventBinding(slot: slot, queue: $0, isFormer: true)
      }
    }.sorted { ($0.slot, $0.queue, $0.isFormer ? 0 : 1) < ($1.slot, $1.queue, $1.isFormer ? 0 : 1) }
  }

  /// A node of the broker, as its statistics have it. One that is down or has just begun tells
  /// little.
  package struct NodeReport: Hashable, Sendable {
    package var name: String
    package var isRunning = true
    package var isShortOfMemory = false
    package var isShortOfDisk = false
    /// The bytes that its disk has left; nil where it does not look.
    package var freeBytes: Int?
    /// From here on it is short of disk space.
    package var freeLimit: Int?
    /// The file descriptors in use.
    package var fileCount: Int?
    package var fileLimit: Int?

    package init(name: String) { self.name = name }

    /// The alarms that are on, as sentences. While any is on, nobody can publish.
    package var alarms: [String] {
      var alarms: [String] = []
      if !isRunning { alarms.append("node \(name) is down") }
      if isShortOfMemory { alarms.append("node \(name) is short of memory") }
      if isShortOfDisk { alarms.append("node \(name) is short of disk space") }
      return alarms
    }
  }

  /// The nodes of the broker.
  package func nodes() throws(ManagementError) -> [NodeReport] {
    try get(["nodes"], as: [NodeReport].self, operation: "list nodes")
  }

  // MARK: Asking

  private func get<Answer: Decodable>(
    _ path: [String], as type: Answer.Type, operation: String
  ) throws(ManagementError) -> Answer {
    let body = try client.request(.get, path, operation: operation)
    do {
      return try JSONDecoder().decode(type, from: body)
    } catch {
      throw .malformed(operation: operation, reason: "\(error)")
    }
  }

  /// Like ``get(_:as:operation:)``, but nil where nothing is there.
  private func find<Answer: Decodable>(
    _ path: [String], as type: Answer.Type, operation: String
  ) throws(ManagementError) -> Answer? {
    try ifThere { () throws(ManagementError) in
      try get(path, as: type, operation: operation)
    }
  }

  /// Deletes a thing, if it is there.
  private func delete(_ path: [String], operation: String) throws(ManagementError) {
    _ = try ifThere { () throws(ManagementError) in
      try client.request(.delete, path, operation: operation)
    }
  }

  private func ifThere<Result>(
    _ body: () throws(ManagementError) -> Result
  ) throws(ManagementError) -> Result? {
    do throws(ManagementError) { return try body() } catch {
      guard case .refused(_, 404, _) = error else { throw error }
      return nil
    }
  }

  private func put(
    _ path: [String], _ body: some Encodable, operation: String
  ) throws(ManagementError) {
    let encoded: Data
    do { encoded = try JSONEncoder().encode(body) } catch {
      throw .malformed(operation: operation, reason: "\(error)")
    }
    _ = try client.request(.put, path, body: encoded, operation: operation)
  }
}

extension BrokerAdministration: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The address of the API and the administrator; no password.
  package var description: String { "\(client.url.scheme)://\(user)@\(client.url.endpoint)" }

  /// The same as ``description``.
  package var debugDescription: String { description }

  /// Hides the password from `dump` and test failures too.
  package var customMirror: Mirror {
    Mirror(self, children: ["client": description], displayStyle: .struct)
  }
}

extension BrokerAdministration.QueueReport: Decodable {
  private enum CodingKeys: String, CodingKey {
    case name, state, consumers, members, online, arguments
    case policy = "effective_policy_definition"
    case total = "messages"
    case ready = "messages_ready"
    case unacknowledged = "messages_unacknowledged"
    case bytes = "message_bytes"
    case readyBytes = "message_bytes_ready"
  }

  private enum ArgumentKeys: String, CodingKey {
    case maxMessages = "x-max-length"
    case maxBytes = "x-max-length-bytes"
  }

  private enum PolicyKeys: String, CodingKey {
    case maxMessages = "max-length"
    case maxBytes = "max-length-bytes"
  }

  /// The limit that holds: the lower one of its arguments and its policy.
  package var limits: (messages: Int?, bytes: Int?) {
    (
      [maxMessages, policyMessages].compactMap(\.self).min(),
      [maxBytes, policyBytes].compactMap(\.self).min()
    )
  }

  /// Reads the management API's answer, which says little about a new queue.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    ready = try values.decodeIfPresent(Int.self, forKey: .ready) ?? 0
    unacknowledged = try values.decodeIfPresent(Int.self, forKey: .unacknowledged) ?? 0
    total = try values.decodeIfPresent(Int.self, forKey: .total) ?? ready + unacknowledged
    bytes = try values.decodeIfPresent(Int.self, forKey: .bytes) ?? 0
    readyBytes = try values.decodeIfPresent(Int.self, forKey: .readyBytes) ?? bytes
    consumers = try values.decodeIfPresent(Int.self, forKey: .consumers) ?? 0
    let state = try values.decodeIfPresent(String.self, forKey: .state)
    isRunning = state.map { $0 == "running" } ?? true
    // Only a quorum queue has members.
    let members = try values.decodeIfPresent([String].self, forKey: .members) ?? []
    let online = try values.decodeIfPresent([String].self, forKey: .online) ?? members
    absentMembers = Set(members).subtracting(online).sorted()
    let arguments = try? values.nestedContainer(keyedBy: ArgumentKeys.self, forKey: .arguments)
    maxMessages = try? arguments?.decodeIfPresent(Int.self, forKey: .maxMessages)
    maxBytes = try? arguments?.decodeIfPresent(Int.self, forKey: .maxBytes)
    // Without a policy it is an empty list.
    let policy = try? values.nestedContainer(keyedBy: PolicyKeys.self, forKey: .policy)
    policyMessages = try? policy?.decodeIfPresent(Int.self, forKey: .maxMessages)
    policyBytes = try? policy?.decodeIfPresent(Int.self, forKey: .maxBytes)
  }
}

extension BrokerAdministration.NodeReport: Decodable {
  private enum CodingKeys: String, CodingKey {
    case name, running
    case memory = "mem_alarm"
    case disk = "disk_free_alarm"
    case freeBytes = "disk_free"
    case freeLimit = "disk_free_limit"
    case fileCount = "fd_used"
    case fileLimit = "fd_total"
  }

  /// Reads the management API's answer. A number that a node does not know is a word there.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    isRunning = try values.decodeIfPresent(Bool.self, forKey: .running) ?? true
    isShortOfMemory = try values.decodeIfPresent(Bool.self, forKey: .memory) ?? false
    isShortOfDisk = try values.decodeIfPresent(Bool.self, forKey: .disk) ?? false
    freeBytes = try? values.decodeIfPresent(Int.self, forKey: .freeBytes)
    freeLimit = try? values.decodeIfPresent(Int.self, forKey: .freeLimit)
    fileCount = try? values.decodeIfPresent(Int.self, forKey: .fileCount)
    fileLimit = try? values.decodeIfPresent(Int.self, forKey: .fileLimit)
  }
}
