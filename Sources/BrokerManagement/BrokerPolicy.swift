package import EventBusLive
package import MatchWire

/// Limits that the broker sets to queues, whatever their makers ask for.
/// Source: https://www.rabbitmq.com/docs/parameters#policies
package struct BrokerPolicy: Hashable, Sendable {
  package var name: String
  var body: Body

  /// A policy as the management API has it.
  struct Body: Hashable, Sendable, Codable {
    var pattern: String
    var definition: [String: Value]
    var priority: Int
    var applyTo: String

    private enum CodingKeys: String, CodingKey {
      case pattern, definition, priority
      case applyTo = "apply-to"
    }

    init(
      pattern: String, definition: [String: Value], priority: Int = 0, applyTo: String = "queues"
    ) {
      (self.pattern, self.definition) = (pattern, definition)
      (self.priority, self.applyTo) = (priority, applyTo)
    }

    /// Somebody else's policy may have values that none of ours has. Its definition is empty then.
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        pattern: try values.decode(String.self, forKey: .pattern),
        definition: (try? values.decode([String: Value].self, forKey: .definition)) ?? [:],
        priority: try values.decode(Int.self, forKey: .priority),
        applyTo: try values.decode(String.self, forKey: .applyTo))
    }
  }

  /// The value of a key of a policy.
  enum Value: Hashable, Sendable, Codable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try value.decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .number(let number): try value.encode(number)
      case .text(let text): try value.encode(text)
      }
    }
  }

  /// The limits of gateways' own queues: 4 MB each, and gone a minute after the last consumer. The
  /// right to make them is all that a gateway's user has against the broker.
  package static func gateways(_ names: Names = Names()) -> BrokerPolicy {
    BrokerPolicy(
      name: names.gatewayQueries,
      body: Body(
        pattern: BrokerRights.gateway(names).configure,
        definition: [
          "expires": .number(60_000), "max-length-bytes": .number(4 * 1_024 * 1_024),
          "overflow": .text("drop-head"),
        ]))
  }

  /// The limits of the service's own queues.
  ///
  /// A queue has one policy, that of the highest priority. A policy that somebody made for all
  /// queues usually has the priority 0.
  package static func queues(of topology: Topology) -> [BrokerPolicy] {
    let (names, limits) = (topology.names, topology.limits)
    func policy(
      _ name: String, _ pattern: String, _ length: TopologyLimits.Length, lifeMilliseconds: Int?
    ) -> BrokerPolicy {
      var definition: [String: Value] = [
        "max-length": .number(length.messages), "max-length-bytes": .number(length.bytes),
      ]
      definition["message-ttl"] = lifeMilliseconds.map(Value.number)
      return BrokerPolicy(
        name: name, body: Body(pattern: pattern, definition: definition, priority: 10))
    }
    let queries = [names.queries, names.gatewayQueries].map(BrokerRights.quoted)
    return [
      policy(
        names.slots, "^\(BrokerRights.quoted(names.slots))\\.[0-9]+$", limits.events,
        lifeMilliseconds: nil),
      policy(
        names.queries, "^(\(queries.joined(separator: "|")))$", limits.queries,
        lifeMilliseconds: limits.queryLifeMilliseconds),
      policy(
        names.push, "^\(BrokerRights.quoted(names.push))(\\.retry\\.[0-9]+)?$", limits.push,
        lifeMilliseconds: nil),
    ]
  }
}

extension BrokerPolicy {
  /// That the broker has it with other values, a sentence; nil: it has not.
  /// - Parameter policies: All policies of the virtual host.
  package func difference(among policies: [BrokerPolicy]) -> String? {
    policies.contains { $0.name == name && $0 != self }
      ? "the policy \(name), which limits queues, differs from the settings" : nil
  }

  /// Whether it is meant for a queue of this name. A pattern that Swift cannot read matches none.
  func matches(_ queue: String) -> Bool {
    guard ["queues", "all", "quorum_queues"].contains(body.applyTo),
      let pattern = try? Regex(body.pattern)
    else { return false }
    return queue.firstMatch(of: pattern) != nil
  }

  private func number(_ key: String) -> Int? {
    guard case .number(let number) = body.definition[key] else { return nil }
    return number
  }

  /// The queues whose arguments do not already keep them within its limits.
  private func needing(
    _ queues: [BrokerAdministration.QueueReport]
  ) -> [BrokerAdministration.QueueReport] {
    queues.filter { queue in
      matches(queue.name)
        && !(queue.maxMessages.map { $0 <= number("max-length") ?? .max } ?? false
          && queue.maxBytes.map { $0 <= number("max-length-bytes") ?? .max } ?? false)
    }
  }

  /// The reasons that queues have other limits than it gives them, a sentence each; none if the
  /// broker has it with other values: ``difference(among:)`` tells that.
  ///
  /// - Parameters:
  ///   - policies: All policies of the virtual host.
  ///   - queues: The service's queues.
  package func problems(
    among policies: [BrokerPolicy], queues: [BrokerAdministration.QueueReport]
  ) -> [String] {
    guard let own = policies.first(where: { $0.name == name }) else {
      guard let first = needing(queues).first else { return [] }
      return ["the policy \(name), which limits queues such as \(first.name), is missing"]
    }
    guard own == self else { return [] }
    return policies.compactMap { other in
      guard other.name != name, other.body.priority >= body.priority,
        let hidden = queues.first(where: { matches($0.name) && other.matches($0.name) })
      else { return nil }
      return "the policy \(other.name) hides the policy \(name) from queues such as "
        + "\(hidden.name): give it a priority below \(body.priority), or delete it"
    }
  }

  /// The queues that a former setup gave lower limits, which hold for ever; a sentence.
  package func tighterArguments(
    among queues: [BrokerAdministration.QueueReport]
  ) -> String? {
    let tighter = queues.filter { queue in
      matches(queue.name)
        && (queue.maxMessages ?? .max < number("max-length") ?? 0
          || queue.maxBytes ?? .max < number("max-length-bytes") ?? 0)
    }
    guard let first = tighter.first else { return nil }
    let limit = "\(first.maxMessages ?? 0) messages, \(first.maxBytes ?? 0) bytes"
    return "queues such as \(first.name) (\(tighter.count)) were declared with lower limits "
      + "(\(limit)) than the policy \(name) has, and the lower limit holds; docs/operating.md, "
      + "The limits of queues, says how to replace them"
  }
}
