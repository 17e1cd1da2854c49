package import Logging
package import MatchCore
package import MatchInterfaces
package import MatchWire

/// Everything that a process of the service has to be told.
package struct ServiceSettings: Hashable, Sendable {
  /// Connection string or URI of PostgreSQL; may hold a password.
  package var database: String
  /// The same for users of the database with the rights of one role; may hold passwords.
  package var databaseUsers: [DatabaseUser: String] = [:]
  /// URL of RabbitMQ; may hold a password.
  package var broker: String
  /// URL of RabbitMQ's management API; may hold a password.
  package var brokerManagement: String?
  /// URL of RabbitMQ as programs of the operator's own connect; may hold a password.
  package var playerBroker: String?
  /// URL of RabbitMQ as gateways connect; may hold a password.
  package var gatewayBroker: String?
  /// The path of the file with the service's keys.
  package var serviceKeys: String
  /// The roles that run in this process, each once.
  package var roles: [RoleName]
  /// Which queue serves which slots.
  package var layout: QueueLayout
  package var push = PushWays([LogSettings()])
  /// The networks of the operator's in which a browser's push service may be all the same.
  package var pushAllow: [AddressRange] = []
  /// The lowest level that is logged.
  package var logLevel: Logger.Level
  /// Events in one transaction at most, 1...4096.
  package var workerBatch: Int
  /// For how long after a notification of a turn the next ones wait.
  package var pushBundleSeconds = 300
  /// Requests in a minute to one origin that a client chose; nil: any number.
  package var pushStrangePerMinute: Int? = 60
  /// How long rows are kept that are not needed for ever.
  package var retention = Retention.standard
  /// The most that the broker's queues hold; `setup` tells the broker.
  package var capacity = QueueCapacity.standard
  /// Turn workers in this process, 1...64.
  package var workers: Int
  /// The limits of one player.
  package var limits = PlayerLimits.standard
  /// The names that nobody registers without an operator.
  package var reservedNames = ReservedNames.standard
  /// The gateway; nil: this process may run none.
  package var gateway: GatewaySettings?
  /// Where health is told; nil: nowhere.
  package var healthListen: ListenAddress?

  /// Settings as they are; nothing is checked.
  package init(
    database: String, broker: String, brokerManagement: String? = nil,
    playerBroker: String? = nil, gatewayBroker: String? = nil, serviceKeys: String,
    roles: [RoleName] = RoleName.standard, layout: QueueLayout = .standard,
    logLevel: Logger.Level = .info, workerBatch: Int = 512, workers: Int = 1
  ) {
    self.database = database
    self.broker = broker
    self.brokerManagement = brokerManagement
    self.playerBroker = playerBroker
    self.gatewayBroker = gatewayBroker
    self.serviceKeys = serviceKeys
    self.roles = roles
    self.layout = layout
    self.logLevel = logLevel
    self.workerBatch = workerBatch
    self.workers = workers
  }

  /// The settings of an environment and of the files that it names, or everything that is wrong
  /// with them.
  ///
  /// A command that needs only some of the required settings names them in `needing`; the others
  /// may be missing then, and are empty.
  package static func read(
    environment: [String: String],
    needing: Set<SettingName> = [.database, .broker, .serviceKeys],
    look: (_ path: String) -> SettingsReader.FileState? = LiveFiles.look,
    readFile: (_ path: String) throws(SettingsReader.FileFailure) -> String = LiveFiles.text
  ) -> Result<ServiceSettings, SettingsProblems> {
    var reader = SettingsReader(environment: environment, look: look, readFile: readFile)
    func text(_ name: SettingName) -> String {
      needing.contains(name) ? reader.required(name) : reader.optional(name) ?? ""
    }
    var settings = ServiceSettings(
      database: text(.database), broker: text(.broker),
      brokerManagement: reader.optional(.brokerManagement),
      playerBroker: reader.optional(.playerBroker),
      gatewayBroker: reader.optional(.gatewayBroker), serviceKeys: text(.serviceKeys))
    for user in DatabaseUser.allCases {
      settings.databaseUsers[user] = reader.optional(SettingName(of: user))
    }
    for (name, value) in [
      (SettingName.broker, settings.broker), (.brokerManagement, settings.brokerManagement ?? ""),
      (.playerBroker, settings.playerBroker ?? ""),
      (.gatewayBroker, settings.gatewayBroker ?? ""),
    ] where !value.isEmpty {
      let schemes = name == .brokerManagement ? ["http", "https"] : ["amqp", "amqps"]
      guard !schemes.contains(where: { value.lowercased().hasPrefix("\($0)://") }) else { continue }
      let beginnings = schemes.map { "\($0)://" }.joined(separator: " or ")
      reader.report(name, "does not begin with \(beginnings)")
    }
    settings.roles = reader.value(
      .roles, "a list of \(RoleName.named.map(\.rawValue).joined(separator: ", "))",
      standard: RoleName.standard, parse: roles)
    let queueCount = reader.integer(.queues, in: 1...Slot.count, standard: 16)
    settings.layout = QueueLayout(queueCount: queueCount) ?? .standard
    settings.push = reader.pushWays()
    settings.pushAllow = reader.value(
      .pushAllow, "a list of addresses and ranges", standard: [], parse: AddressRange.list)
    settings.logLevel = reader.value(
      .logLevel, "one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))",
      standard: .info, parse: { Logger.Level(rawValue: $0) })
    settings.pushBundleSeconds = reader.integer(.pushBundle, in: 0...300, standard: 300)
    settings.pushStrangePerMinute = reader.limit(.pushStrange, upTo: 100_000, standard: 60)
    settings.retention = retention(&reader)
    settings.capacity = capacity(&reader)
    settings.workerBatch = reader.integer(.workerBatch, in: 1...4_096, standard: 512)
    settings.workers = reader.integer(.workers, in: 1...64, standard: 1)
    settings.limits = limits(&reader)
    settings.reservedNames = reader.value(
      .reservedNames, "a list of names of 3 to 16 of A-Z a-z 0-9 _ -, or a single - for none",
      standard: .standard, parse: names)
    settings.gateway = reader.gateway()
    if settings.gateway != nil, reader.optional(.roles) == nil { settings.roles.append(.gateway) }
    for name in [SettingName.gatewayBroker, .gatewayListen] where needing.contains(name) {
      _ = reader.required(name)
    }
    settings.healthListen = reader.address(.healthListen)
    do throws(SettingsProblems) {
      try reader.check()
      return .success(settings)
    } catch {
      return .failure(error)
    }
  }

  private static func retention(_ reader: inout SettingsReader) -> Retention {
    var retention = Retention.standard
    retention.replies = reader.integer(
      .keepReplies, in: Retention.replyRange, standard: retention.replies)
    retention.jobs = reader.integer(.keepJobs, in: Retention.jobRange, standard: retention.jobs)
    retention.reports = reader.integer(
      .keepReports, in: Retention.reportRange, standard: retention.reports)
    retention.acts = reader.integer(.keepActs, in: Retention.actRange, standard: retention.acts)
    retention.games = reader.integer(
      .keepGames, in: Retention.gameRange, standard: retention.games)
    let least = retention.leastGames
    if 1..<least ~= retention.games {
      reader.report(
        .keepGames,
        "is \(retention.games), and has to be 0 (for ever) or \(least) at least: two days more than "
          + "\(SettingName.keepReplies.rawValue) and \(SettingName.keepJobs.rawValue)")
    }
    return retention
  }

  private static func capacity(_ reader: inout SettingsReader) -> QueueCapacity {
    var capacity = QueueCapacity.standard
    func read(
      _ messages: SettingName, _ megabytes: SettingName, _ length: inout QueueCapacity.Length
    ) {
      length.messages = reader.integer(
        messages, in: QueueCapacity.Length.messageRange, standard: length.messages)
      length.megabytes = reader.integer(
        megabytes, in: QueueCapacity.Length.megabyteRange, standard: length.megabytes)
    }
    read(.capacityEvents, .capacityEventsMB, &capacity.events)
    read(.capacityQueries, .capacityQueriesMB, &capacity.queries)
    read(.capacityJobs, .capacityJobsMB, &capacity.jobs)
    return capacity
  }

  /// The limits of one player by their settings, and the most that each may be.
  private static var limitSettings:
    [(name: SettingName, limit: WritableKeyPath<PlayerLimits, Int?>, most: Int)]
  {
    [
      (.limitEvents, \.eventsPerMinute, 1_000_000), (.limitRequests, \.openRequests, 1_000_000),
      (.limitMatches, \.runningMatches, 1_000_000),
      (.limitQueries, \.queriesPerMinute, 1_000_000),
      (.limitInvitations, \.invitations, Inbox.countLimit),
      (.limitStrangers, \.strangerInvitations, Inbox.countLimit),
      (.limitRegistrations, \.registrationsPerHour, 1_000_000),
      (.limitBlocks, \.blocks, 1_000_000), (.limitTests, \.testsPerMinute, 1_000_000),
    ]
  }

  private static func limits(_ reader: inout SettingsReader) -> PlayerLimits {
    var limits = PlayerLimits.standard
    for (name, limit, most) in limitSettings {
      limits[keyPath: limit] = reader.limit(name, upTo: most, standard: limits[keyPath: limit])
    }
    return limits
  }

  private static func names(_ text: String) -> ReservedNames? {
    if text == "-" { return ReservedNames.none }
    var names: [PlayerName] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let name = PlayerName(part.filter { $0 != " " }) else { return nil }
      names.append(name)
    }
    return ReservedNames(names)
  }

  private static func roles(_ text: String) -> [RoleName]? {
    var roles: [RoleName] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.filter { $0 != " " }
      guard let role = RoleName(named: name), !roles.contains(role) else { return nil }
      roles.append(role)
    }
    return roles
  }
}

extension ServiceSettings: CustomStringConvertible, CustomReflectable {
  /// The settings without anything that may be a secret.
  package var description: String {
    shown.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
  }

  /// The same, for a line of the log.
  package var metadata: Logger.Metadata {
    Dictionary(shown.map { ($0.name, $0.value) }) { first, _ in first }
  }

  private var shown: [(name: String, value: Logger.MetadataValue)] {
    var shown: [(name: String, value: Logger.MetadataValue)] = [
      ("database", database.isEmpty ? "not set" : "set"),
      ("databaseUsers", .stringConvertible(databaseUsers.count)), ("broker", address(broker)),
    ]
    for (name, url) in [
      ("brokerManagement", brokerManagement), ("playerBroker", playerBroker),
      ("gatewayBroker", gatewayBroker),
    ] {
      if let url { shown.append((name, address(url))) }
    }
    shown += [
      ("serviceKeys", "\(serviceKeys)"),
      ("roles", "\(roles.map(\.rawValue).joined(separator: ","))"),
      ("queues", .stringConvertible(layout.queueCount)),
      ("push", "\(push.chosen.map(\.place).joined(separator: ","))"),
      ("pushBundle", .stringConvertible(pushBundleSeconds)),
      ("pushAllow", .stringConvertible(pushAllow.count)),
      ("pushStrange", .stringConvertible(pushStrangePerMinute ?? 0)),
      ("logLevel", "\(logLevel.rawValue)"),
      ("workerBatch", .stringConvertible(workerBatch)), ("workers", .stringConvertible(workers)),
    ]
    for (name, limit, _) in ServiceSettings.limitSettings {
      shown.append(("\(name)", .stringConvertible(limits[keyPath: limit] ?? 0)))
    }
    shown.append(("reservedNames", .stringConvertible(reservedNames.names.count)))
    if let healthListen { shown.append(("healthListen", "\(healthListen)")) }
    return shown + (gateway.map(GatewaySettings.shown) ?? [])
  }

  private func address(_ url: String) -> Logger.MetadataValue {
    "\(ServiceSettings.withoutUser(url))"
  }

  /// `dump` shows the description only.
  package var customMirror: Mirror { Mirror(self, children: [("settings", description)]) }

  /// A URL without the user and password (up to the last `@` of its authority), and without path
  /// and query.
  static func withoutUser(_ url: String) -> String {
    let schemes = ["amqp", "amqps", "http", "https"].map { "\($0)://" }
    guard let scheme = schemes.first(where: { url.lowercased().hasPrefix($0) }) else {
      return url.isEmpty ? "not set" : "set"
    }
    let rest = url.dropFirst(scheme.count)
    // A password may hold an unescaped slash: nothing before the last @ is shown.
    let host = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    return scheme + host.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  }
}
