import BrokerManagement
import EventBusLive
import Logging
import MatchInterfaces
import MatchService
import MatchWire

/// Exchanges, queues, bindings, and users with exactly the rights they need.
struct BrokerSetup: Sendable {
  var service: BrokerAccount
  /// The user of programs that speak AMQP; nil where nobody asked for one.
  var players: BrokerAccount?
  /// The user that gateways connect as; nil where there are none, or somebody else manages it.
  var gateway: BrokerAccount?
  /// Nil where there is no management API. Users, rights and bindings are then left alone.
  var administration: BrokerAdministration?
  var topology: Topology
  /// The age that the broker's statistics may have.
  var statisticsAge: Duration = .seconds(12)
  var clock = WallClock.live
  var randomness = Randomness.live

  /// Makes everything that is missing, gives every user exactly its rights, and moves the messages
  /// in the queues of former layouts. Doing it again changes nothing.
  /// - Parameter report: Hears of each change once it is done, and of queues of a former build.
  func run(
    movingFrom former: [QueueLayout] = [], report: (SetupLine) -> Void
  ) throws(OperatorFailure) {
    var stale: [EventBinding] = []
    if let administration {
      stale = try onManagement { () throws(ManagementError) in
        try manage(administration, report: report)
        return try administration.eventBindings(of: topology.names, in: service.virtualHost)
      }
    } else {
      stale = try onBroker(try topology.staleBindings(of: former, at: service.address))
    }
    if let moved = stale.first(where: {
      $0.isFormer && topology.layout.queue(of: $0.slot) != $0.queue
    }) {
      throw .settings([
        "\(SettingName.queues.rawValue): \(moved) was bound by a former build with another number "
          + "of queues; keep that number until its queues are gone"
      ])
    }
    let missing = try onBroker(try topology.missingParts(at: service.address))
    try onBroker(
      try topology.declare(
        at: service.address, removing: stale,
        limitedBy: administration == nil ? .arguments : .policies))
    for part in missing { report(.change("\(part) made")) }
    if administration != nil { reportBindings(stale, report) }
    try move(from: former, report: report)
    try clearFormer(report: report)
    guard let administration else { return }
    let queues = try onManagement(
      try administration.queues(of: topology.names, in: service.virtualHost))
    for line in tighterArguments(queues) { report(.note(line)) }
  }

  /// The virtual host, users with their rights, and policies. Only what differs is written.
  private func manage(
    _ administration: BrokerAdministration, report: (SetupLine) -> Void
  ) throws(ManagementError) {
    let host = service.virtualHost
    if try !administration.hasVirtualHost(host) {
      try administration.createVirtualHost(host)
      report(.change("virtual host \(host) made"))
    }
    // The administrator may look into the virtual host only with rights of its own there.
    if try administration.rights(of: administration.user, in: host) == nil {
      try administration.permit(administration.user, .everything, in: host)
      report(.change("broker user \(administration.user) may look into virtual host \(host)"))
    }
    for (account, rights) in accounts where account.user != administration.user {
      let user = try administration.user(account.user)
      if user?.tags != [] || user?.has(password: account.password) != true {
        try administration.createUser(account.user, password: account.password)
        let done = user == nil ? "made" : "has the password of the settings, and no tags"
        report(.change("broker user \(account.user) \(done)"))
      }
      if try administration.rights(of: account.user, in: account.virtualHost) != rights {
        try administration.permit(account.user, rights, in: account.virtualHost)
        report(.change("broker user \(account.user) has exactly the rights that it needs"))
      }
    }
    // Before the queues: none is without limits for a moment.
    let present = try administration.policies(in: host)
    for policy in policies where !present.contains(policy) {
      try administration.apply(policy, in: host)
      let done = present.contains { $0.name == policy.name } ? "corrected" : "made"
      report(.change("policy \(policy.name) \(done)"))
    }
  }

  /// - Parameter present: The bindings before setup.
  private func reportBindings(_ present: [EventBinding], _ report: (SetupLine) -> Void) {
    let (unbound, wrong) = topology.differences(in: present)
    if !unbound.isEmpty {
      report(
        .change("\(PlainText.count(unbound.count, "slot")) bound to the queues that serve them"))
    }
    if !wrong.isEmpty {
      let count = PlainText.count(wrong.count, "slot")
      report(.change("\(count) unbound from queues that do not serve them"))
    }
  }

  /// The policies that limit queues.
  private var policies: [BrokerPolicy] {
    BrokerPolicy.queues(of: topology) + (gateway == nil ? [] : [.gateways(topology.names)])
  }

  /// The queues of a former setup whose arguments are lower than the policies, a sentence for each
  /// policy.
  private func tighterArguments(_ queues: [BrokerAdministration.QueueReport]) -> [String] {
    BrokerPolicy.queues(of: topology).compactMap { $0.tighterArguments(among: queues) }
  }

  /// Moves the messages of queues that do not serve their slot any more.
  private func move(
    from former: [QueueLayout], report: (SetupLine) -> Void
  ) throws(OperatorFailure) {
    guard !former.isEmpty else { return }
    let context = BusContext(
      address: service.address, names: topology.names, clock: clock, randomness: randomness,
      log: .make(level: .warning, clock: clock, sink: .standardError))
    let moved = try onBroker(try topology.moveEvents(from: former, context))
    report(
      .change(
        "\(PlainText.count(moved.events, "event")) moved to the queues that serve their slots now"))
    report(
      .change(
        "\(PlainText.count(moved.queues, "queue")) removed, since no slot is served there any more")
    )
  }

  /// Makes room so that workers can drain the queues, and deletes former queues that stay empty.
  private func clearFormer(report: (SetupLine) -> Void) throws(OperatorFailure) {
    guard !(try former()).isEmpty else { return }
    let dropped = try onBroker(try topology.dropExpiredLetters(at: service.address))
    if dropped > 0 {
      let letters = PlainText.count(dropped, "dead letter")
      report(.change("\(letters) dropped, since their events had expired"))
    }
    if let administration {
      // Two looks: a message on its way is in no queue at the first one, and in some queue at the
      // second.
      let candidates = try removable(administration)
      if !candidates.isEmpty {
        clock.sleep(statisticsAge)
        let queues = try removable(administration).filter(candidates.contains)
        try onBroker(try topology.delete(former: queues, at: service.address))
        if !queues.isEmpty {
          report(.change("\(PlainText.count(queues.count, "queue")) of a former build removed"))
        }
      }
    }
    for name in try former() { report(.note("\(name) of a former build is still there")) }
  }

  private func former() throws(OperatorFailure) -> [String] {
    try onBroker(try topology.formerQueues(at: service.address))
  }

  /// The former queues that nobody needs any more.
  private func removable(
    _ administration: BrokerAdministration
  ) throws(OperatorFailure) -> [String] {
    try onManagement { () throws(ManagementError) in
      topology.removableFormer(
        among: try administration.queues(of: topology.names, in: service.virtualHost),
        bindings: try administration.eventBindings(of: topology.names, in: service.virtualHost))
    }
  }

  /// Missing and wrong parts, a sentence each.
  func problems() throws(OperatorFailure) -> [String] {
    var problems = try onBroker(try topology.missing(at: service.address))
    problems += try former().map {
      "queue \($0) of a former build is still there; docs/operating.md, Upgrading, says when it goes"
    }
    if let administration {
      let (queues, seesRights) = try onManagement { () throws(ManagementError) in
        (
          try administration.queues(of: topology.names, in: service.virtualHost),
          try administration.isAdministrator()
        )
      }
      let managed = try managedProblems(queues, seesRights: seesRights)
      problems += managed.faults + managed.limits + tighterArguments(queues)
      if !seesRights {
        problems.append(
          "the rights of the broker's users cannot be read: user \(administration.user) of "
            + "\(SettingName.brokerManagement.rawValue) is no administrator")
      }
    }
    if let players {
      problems += PlayerAccess(at: players.address, names: topology.names).problems()
    }
    if let gateway {
      problems += GatewayAccess(at: gateway.address, names: topology.names).problems()
    }
    return problems
  }

  /// Bindings, rights and policies that are wrong by the management API, and limits of queues that
  /// differ from the settings, a sentence each; none where there is no such API.
  ///
  /// - Parameters:
  ///   - queues: The service's queues.
  ///   - seesRights: Whether the API's user is an administrator. Nobody else sees rights.
  func managedProblems(
    _ queues: [BrokerAdministration.QueueReport], seesRights: Bool
  ) throws(OperatorFailure) -> (faults: [String], limits: [String]) {
    guard let administration else { return ([], []) }
    return try onManagement { () throws(ManagementError) in
      var problems = topology.problems(
        in: try administration.eventBindings(of: topology.names, in: service.virtualHost))
      for (account, rights) in seesRights ? accounts : [] where account.user != administration.user
      {
        let found = try administration.rights(of: account.user, in: account.virtualHost)
        if let found, found != rights {
          problems.append(
            "broker user \(account.user) has other rights than it needs: \(found.summary); it needs "
              + rights.summary)
        } else if found == nil {
          problems.append(
            "broker user \(account.user) has no rights in virtual host \(account.virtualHost)")
        }
      }
      let policies = try administration.policies(in: service.virtualHost)
      for policy in BrokerPolicy.queues(of: topology) {
        problems += policy.problems(among: policies, queues: queues)
      }
      let own = BrokerPolicy.gateways(topology.names)
      if gateway != nil, !policies.contains(own) {
        problems.append(
          "the policy \(own.name), which limits the queues of gateways, is missing or differs")
      }
      let limits = BrokerPolicy.queues(of: topology).compactMap { $0.difference(among: policies) }
      return (problems, limits)
    }
  }

  /// What the account of programs can do, and accounts like it that the settings do not name, a
  /// sentence each. Former builds made one unasked. None where there is no management API.
  func accountNotes() -> [String] {
    guard let administration else { return [] }
    // Setup has used the same API a moment ago; advice is no reason to fail.
    let found =
      (try? administration.users(with: .player(topology.names), in: service.virtualHost)) ?? []
    let asked = players.flatMap { players in
      do throws(ManagementError) { return try administration.peril(of: players.user) } catch {
        return BrokerVersion.peril(of: players.user, version: nil, flagIsOn: false)
      }
    }
    return (asked.map { [$0] } ?? [])
      + found.filter { $0 != players?.user }.map { user in
        "broker user \(user) may publish as \(SettingName.playerBroker.rawValue) would, which "
          + "\(players == nil ? "is not set" : "names another one"). Unless a program of yours needs "
          + "it: rabbitmqctl delete_user \(AdministratorLines.quoted(user))"
      }
  }

  /// Each account with the rights it needs and no more.
  private var accounts: [(BrokerAccount, BrokerRights)] {
    [(service, .service(topology.names, queueCount: topology.layout.queueCount))]
      + (players.map { [($0, .player(topology.names))] } ?? [])
      + (gateway.map { [($0, .gateway(topology.names))] } ?? [])
  }
}

extension TopologyLimits {
  /// The limits of settings.
  init(_ capacity: QueueCapacity) {
    func length(_ length: QueueCapacity.Length) -> Length {
      Length(messages: length.messages, bytes: length.megabytes * 1_024 * 1_024)
    }
    self.init()
    events = length(capacity.events)
    queries = length(capacity.queries)
    push = length(capacity.jobs)
  }
}

extension BrokerRights {
  /// An administrator's.
  static let everything = BrokerRights(configure: ".*", write: ".*", read: ".*")

  /// The expressions on one line.
  var summary: String {
    "configure \(configure), write \(write), read \(read)"
      + (topic.map { "; of \($0.exchange) write \($0.write), read \($0.read)" } ?? "")
      + (limits.map { "; \($0.summary)" } ?? "; any number of connections")
  }
}

extension BrokerRights.Limits {
  fileprivate var summary: String {
    func bound(_ limit: Int?, _ noun: String) -> String {
      limit.map { "\(PlainText.count($0, noun)) at most" } ?? "any number of \(noun)s"
    }
    return "\(bound(connections, "connection")) and \(bound(channels, "channel"))"
  }
}
