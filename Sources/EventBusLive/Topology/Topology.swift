import LibRabbitMQ
package import MatchInterfaces
package import MatchWire

/// The exchanges, queues and bindings of the service.
package struct Topology: Hashable, Sendable {
  /// The slots of each queue.
  package var layout: QueueLayout
  /// The names of exchanges and queues.
  package var names: Names
  /// The capacity of the queues.
  package var limits: TopologyLimits

  /// The place of a queue's limits.
  package enum LimitKeeper: Hashable, Sendable {
    /// Arguments of the queue, which nobody can change.
    case arguments
    /// Policies, which somebody has to set before: `BrokerPolicy` of `BrokerManagement`.
    case policies
  }

  package init(
    layout: QueueLayout = .standard, names: Names = Names(), limits: TopologyLimits = .init()
  ) {
    self.layout = layout
    self.names = names
    self.limits = limits
  }

  /// Declares everything that is missing, and removes wrong bindings.
  ///
  /// A repetition changes nothing. When the number of queues changes, name the bindings of the
  /// former layout in `removing`. Slots are bound to their new queues first and unbound from the
  /// old ones afterwards. So an event may arrive twice meanwhile, which is harmless, but never gets
  /// lost. ``moveEvents(from:_:)`` moves the events in the old queues to the new ones.
  ///
  /// A slot whose former queue still exists is left to it: the worker that takes the slot moves it.
  ///
  /// Takes about a second, most of it for the 1,024 bindings.
  ///
  /// A queue that was declared with the other keeper of its limits stays as it is.
  ///
  /// - Parameter removing: Bindings to remove, such as ``EventBinding/stale(of:under:)`` or those
  ///   that ``BrokerAdministration`` found.
  /// - Throws: `refused` if something of the same name was declared otherwise, `notPermitted`
  ///   without the rights, `disconnected`.
  package func declare(
    at address: BrokerAddress, removing stale: [EventBinding] = [],
    limitedBy keeper: LimitKeeper = .arguments
  ) throws(BusError) {
    let former = Set(try formerQueues(at: address))
    let bindings = EventBinding.all(of: layout).filter {
      !former.contains(names.formerEvents(queue: $0.queue))
    }
    try declare(
      at: address, binding: bindings, removing: stale, limitedBy: keeper,
      keepingFormer: !former.isEmpty)
  }

  /// Does the same with bindings other than the layout's. Most tests need only a few.
  func declare(
    at address: BrokerAddress, binding bindings: [EventBinding], removing stale: [EventBinding],
    limitedBy keeper: LimitKeeper = .arguments, keepingFormer: Bool = false
  ) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in
      var connection = try RabbitMQConnection(address.settings(for: "cubist setup"))
      defer { connection.close() }
      for exchange in exchanges {
        try connection.declareExchange(exchange.name, kind: exchange.kind)
      }
      let forms = forms(keeper)
      for (index, queue) in queues.enumerated() {
        try Topology.declare(queue.name, forms.map { $0[index].arguments }, on: &connection) {
          () throws(RabbitMQError) in
          try RabbitMQConnection(address.settings(for: "cubist setup"))
        }
      }
      // Workers recognize by this queue that other former queues exist.
      if keepingFormer {
        try connection.declareQueue(names.formerDead, arguments: formerDeadArguments)
      }
      for name in [names.queries, names.gatewayQueries] {
        try connection.bindQueue(name, exchange: name, routingKey: name)
      }
      for binding in bindings {
        try connection.bindQueue(
          names.events(queue: binding.queue), exchange: names.events,
          routingKey: binding.slot.routingKey)
      }
      for binding in stale
      where !binding.isFormer && layout.queue(of: binding.slot) != binding.queue {
        try connection.unbindQueue(
          names.events(queue: binding.queue), exchange: names.events,
          routingKey: binding.slot.routingKey)
      }
    }
  }

  /// Declares a queue in the first form that the broker takes. A refusal ends the connection.
  private static func declare(
    _ name: String, _ forms: [[String: Argument]], on connection: inout RabbitMQConnection,
    connect: () throws(RabbitMQError) -> RabbitMQConnection
  ) throws(RabbitMQError) {
    var refusal: RabbitMQError?
    for arguments in forms {
      do throws(RabbitMQError) {
        if connection.failure != nil { connection = try connect() }
        try connection.declareQueue(name, arguments: arguments)
        return
      } catch {
        guard error.code == .channelClosed, error.replyCode == 406, !error.isRetryable else {
          throw error
        }
        refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
  }

  /// Looks for everything that ``declare(at:removing:limitedBy:)`` makes, without making it.
  ///
  /// Bindings can only be seen by the management API:
  /// ``BrokerAdministration/eventBindings(of:in:)`` and ``problems(in:)``.
  ///
  /// - Returns: A sentence for each missing thing. Empty if nothing is missing.
  /// - Throws: `disconnected` or `notPermitted` if the broker cannot be asked.
  package func missing(at address: BrokerAddress) throws(BusError) -> [String] {
    try missingParts(at: address).map { "\($0) is missing" }
  }

  /// An exchange or a queue of the service.
  package enum Part: Hashable, Sendable, CustomStringConvertible {
    case exchange(String)
    case queue(String)

    /// The kind and the name.
    package var description: String {
      switch self {
      case .exchange(let name): "exchange \(name)"
      case .queue(let name): "queue \(name)"
      }
    }
  }

  /// The exchanges and queues that ``declare(at:removing:limitedBy:)`` would make.
  /// - Throws: `disconnected` or `notPermitted` if the broker cannot be asked.
  package func missingParts(at address: BrokerAddress) throws(BusError) -> [Part] {
    let visitor = Visitor(address, "cubist setup --check")
    defer { visitor.close() }
    var missing = try missingExchanges(visitor).map(Part.exchange)
    for queue in queues where try visitor.status(of: queue.name) == nil {
      missing.append(.queue(queue.name))
    }
    return missing
  }

  /// The names of the missing exchanges.
  /// - Parameter limit: The most time for connecting, and for an answer.
  package func missingExchanges(
    at address: BrokerAddress, within limit: Duration
  ) throws(BusError) -> [String] {
    let visitor = Visitor(address, "cubist status", within: limit)
    defer { visitor.close() }
    return try missingExchanges(visitor)
  }

  private func missingExchanges(_ visitor: Visitor) throws(BusError) -> [String] {
    var missing: [String] = []
    for exchange in exchanges {
      let isThere = try visitor.finds { connection throws(RabbitMQError) in
        try connection.inspectExchange(exchange.name)
      }
      if !isThere { missing.append(exchange.name) }
    }
    return missing
  }

  /// The mistakes in the broker's bindings.
  ///
  /// - Returns: A sentence for each kind of mistake. Empty if there is none.
  package func problems(in bindings: [EventBinding]) -> [String] {
    let former = Set(bindings.filter(\.isFormer))
    let (unbound, wrong) = differences(in: bindings)
    var problems: [String] = []
    if !former.isEmpty {
      problems.append(
        "\(former.count) slots lead to queues of a former build; workers of this one move them")
    }
    if let first = unbound.min(by: { $0.slot < $1.slot }) {
      problems.append(
        "\(unbound.count) of \(Slot.count) slots are not bound, the first is \(first)")
    }
    if let first = wrong.min(by: { $0.slot < $1.slot }) {
      problems.append("\(wrong.count) slots lead to a wrong queue too, the first is \(first)")
    }
    return problems
  }

  /// The bindings that the broker lacks, and those that it has and should not have. Slots that a
  /// former build's queues serve are in neither.
  package func differences(
    in bindings: [EventBinding]
  ) -> (unbound: Set<EventBinding>, wrong: Set<EventBinding>) {
    let former = Set(
      bindings.filter(\.isFormer).map { EventBinding(slot: $0.slot, queue: $0.queue) })
    let wanted = Set(EventBinding.all(of: layout)).subtracting(former)
    let present = Set(bindings.filter { !$0.isFormer }).subtracting(former)
    return (wanted.subtracting(present), present.subtracting(wanted))
  }
}

extension Topology {
  /// The names of all queues that ``declare(at:removing:limitedBy:)`` makes.
  package var queueNames: [String] { queues.map(\.name) }

  private var exchanges: [(name: String, kind: ExchangeKind)] {
    [
      (names.events, .direct), (names.queries, .direct), (names.gatewayQueries, .direct),
      (names.outcomes, .topic),
    ]
  }

  private typealias Queue = (name: String, arguments: [String: Argument])

  /// All queues in the form that they shall have, and then in the other one that they may have.
  private func forms(_ keeper: LimitKeeper) -> [[Queue]] {
    switch keeper {
    case .arguments: [queues, unlimitedQueues]
    case .policies:
      [unlimitedQueues, Topology(layout: layout, names: names, limits: TopologyLimits()).queues]
    }
  }

  /// The queues without the arguments that a policy replaces. What keeps a message from being lost
  /// stays an argument: a policy can be deleted.
  private var unlimitedQueues: [Queue] {
    queues.map { queue in
      var arguments = queue.arguments
      arguments["x-max-length"] = nil
      arguments["x-max-length-bytes"] = nil
      // A retry queue's is the delay that its name says.
      if [names.queries, names.gatewayQueries].contains(queue.name) {
        arguments["x-message-ttl"] = nil
      }
      return (queue.name, arguments)
    }
  }

  private var queues: [Queue] {
    var queues: [(String, [String: Argument])] = []
    // No dead letters: an expired event is its sender's loss. Messages that wait for room elsewhere
    // would count against the queue, and it would refuse everybody.
    for index in 0..<layout.queueCount {
      var arguments = working(limits.events)
      arguments["x-single-active-consumer"] = true
      queues.append((names.events(queue: index), arguments))
    }
    // A quorum queue as well: a classic queue lives on one node, and all queries would end with it.
    var queries = quorum(limits.queries)
    queries["x-message-ttl"] = .int64(Int64(limits.queryLifeMilliseconds))
    queues += [names.queries, names.gatewayQueries].map { ($0, queries) }
    queues.append((names.push, working(limits.push)))
    for delay in PushBus.RetryDelay.allCases {
      var arguments = quorum(limits.push)
      // One queue per delay: messages expire at the head of a queue only.
      arguments["x-message-ttl"] = .int64(Int64(delay.rawValue) * 1_000)
      arguments["x-dead-letter-exchange"] = ""
      arguments["x-dead-letter-routing-key"] = .string(names.push)
      arguments["x-dead-letter-strategy"] = "at-least-once"
      queues.append((names.pushRetry(seconds: delay.rawValue), arguments))
    }
    return queues
  }

  /// A quorum queue that refuses messages beyond its limit. At-least-once dead-lettering demands
  /// that.
  private func quorum(_ length: TopologyLimits.Length) -> [String: Argument] {
    [
      "x-queue-type": "quorum", "x-overflow": "reject-publish",
      "x-max-length": .int64(Int64(length.messages)),
      "x-max-length-bytes": .int64(Int64(length.bytes)),
    ]
  }

  /// A queue that drops nothing by itself.
  private func working(_ length: TopologyLimits.Length) -> [String: Argument] {
    quorum(length).merging(["x-delivery-limit": .int64(Int64(limits.deliveries))]) { $1 }
  }

  private var formerDeadArguments: [String: Argument] {
    quorum(limits.formerDead).merging(["x-delivery-limit": 1_000_000]) { $1 }
  }
}
