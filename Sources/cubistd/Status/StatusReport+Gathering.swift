import BrokerManagement
import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

extension StatusReport {
  /// How long the management API may take to answer; with the 3 s of the broker itself that is 5 s.
  private static let managementSeconds = 2
  /// How often a queue without a consumer is looked at again, a second apart: workers that the broker
  /// lost a moment ago come back.
  private static let looks = 6
  /// How many of these are for a role that has left: a process that is started again is there soon.
  private static let looksForRoles = 3
  /// How many there are after an outage: roles come back one after the other, each within ten
  /// seconds.
  private static let looksForRecovery = 12
  /// A server of the database that began less than so many seconds ago may still be missed by roles.
  private static let recoverySeconds: Int64 = 30
  /// Signs of life are five seconds apart, and an outage may last a while before it is felt.
  private static let togetherSeconds: Int64 = 10

  /// Asks the database and, where the settings name them, the broker, its management API, the
  /// gateway of this machine and the key file, and looks at the certificates of these servers and at
  /// this machine's disks and processes. A server that does not answer is among the report's failures.
  /// - Throws: `settings` where they cannot be read.
  static func gather(
    _ settings: ServiceSettings, clock: WallClock = .live
  ) throws(OperatorFailure) -> StatusReport {
    var tried = TriedLogins()
    return try gather(settings, clock: clock, trying: &tried)
  }

  /// The same, without the logins that were refused a moment ago.
  static func gather(
    _ settings: ServiceSettings, clock: WallClock = .live, trying tried: inout TriedLogins
  ) throws(OperatorFailure) -> StatusReport {
    let uptime = clock.uptimeNanoseconds()
    var report = StatusReport(layout: settings.layout)
    report.lookedAt = clock.now()
    report.limits = TopologyLimits(settings.capacity)
    let account = settings.broker.isEmpty ? nil : try settings.brokerAccount()
    let administration = try settings.administration(timeoutSeconds: managementSeconds)
    let (players, gateway) = (try settings.playerAccount(), try settings.gatewayAccount())
    _ = try settings.databaseSettings()
    report.ask { report throws(OperatorFailure) in
      try tried.asking(as: .database, at: uptime) { () throws(OperatorFailure) in
        try report.readDatabase(settings)
      }
    }
    report.disks = LocalDisk.disks()
    report.processes = LocalProcess.processes()
    report.keyFile = KeyFile(of: settings, owner: report.status?.service)
    report.privateFolder = PrivateFolder.path(of: settings)
    if let account {
      report.ask { report throws(OperatorFailure) in
        try tried.asking(as: .broker, at: uptime) { () throws(OperatorFailure) in
          try report.count(at: account.address)
          report.servesAnother = try onBroker(
            try !BrokerMarks(at: account.address).serve(report.claim))
        }
      }
    }
    if let administration {
      report.ask { report throws(OperatorFailure) in
        try tried.asking(as: .brokerManagement, at: uptime) { () throws(OperatorFailure) in
          try onManagement { () throws(ManagementError) in
            report.queues = try administration.queues(in: account?.virtualHost ?? "/")
            report.nodes = try administration.nodes()
            report.blindUser = try administration.isAdministrator() ? nil : administration.user
          }
        }
        guard let account else { return }
        (report.topologyProblems, report.limitProblems) = try BrokerSetup(
          service: account, players: players, gateway: gateway, administration: administration,
          topology: Topology(
            layout: report.servedLayout, limits: report.limits)
        ).managedProblems(report.queues ?? [], seesRights: report.blindUser == nil)
      }
    }
    if let players, report.isServed {
      report.playerProblems = tried.problems(of: .playerBroker, at: uptime) {
        PlayerAccess(at: players.address).problems()
      }
    }
    if let gateway, report.isServed {
      report.gatewayProblems = tried.problems(of: .gatewayBroker, at: uptime) {
        GatewayAccess(at: gateway.address).problems()
      }
    }
    let page = settings.gateway?.publicAddress.flatMap(secureEndpoint(ofOrigin:))
    report.lookAtCertificates(
      broker: account?.address.secureEndpoints ?? [], management: administration?.secureEndpoint,
      page: page)
    if let gateway = settings.gateway, report.isServed {
      report.lookAtGateway(gateway.listen, clock: clock)
    }
    var recovers = false
    for look in 0..<looksForRecovery {
      let isUnsettled = look < looks && report.isUnsettled
      // Those that come back do not at the same time.
      recovers = recovers || report.seemsToRecover
      let missesRole =
        look < looksForRoles && report.missesRole || recovers && !report.silent.isEmpty
      guard isUnsettled || missesRole else { break }
      clock.sleep(.seconds(1))
      if report.awaitsLock || missesRole
        || !report.strange(report.queueRows(), Names()).isEmpty
      {
        try? report.readDatabase(settings)
        if report.queues != nil {
          let queues = try? administration?.queues(in: account?.virtualHost ?? "/")
          report.queues = queues ?? report.queues
        }
      }
      // A login that was refused is not tried again here.
      if let account, !report.counts.isEmpty { try? report.count(at: account.address) }
    }
    report.tryLogins(settings, at: uptime, &tried)
    return report
  }

  /// Whether a second look may tell more: queues look wrong for a moment while a role begins.
  private var isUnsettled: Bool {
    awaitsLock
      || !counts.isEmpty
        && !(unconsumed(Names()).isEmpty && strange(queueRows(), Names()).isEmpty)
  }

  /// Whether there is no trace of a role. One that died has left its last sign of life.
  private var missesRole: Bool {
    guard let status, status.knows(.roles) else { return false }
    let absent = roleFindings(Names()).map(\.name)
    return RoleName.signing.contains { role in
      absent.contains("\(role.rawValue)Absent")
        && !status.roles.contains { $0.sign.role == role.rawValue }
    }
  }

  /// The last sign of life of each kind of role that seems dead.
  private var silent: [ServiceStatus.Role] {
    guard let status, status.knows(.roles), !isReadOnly, !servesAnother, !isStarting else {
      return []
    }
    return RoleName.signing.filter { !status.isThere($0) }.compactMap { role in
      status.roles.filter { $0.sign.role == role.rawValue }
        .max { $0.heartbeatAt < $1.heartbeatAt }
    }
  }

  /// Whether roles seem dead since the database was away: its server has begun a moment ago, several
  /// processes fell silent at the same time, or the process of a role lives. One that comes back
  /// gives its next sign of life within seconds.
  var seemsToRecover: Bool {
    let silent = silent
    guard let status, let first = silent.map(\.heartbeatAt).min(),
      let last = silent.map(\.heartbeatAt).max()
    else { return false }
    if let began = status.serverStartedAt, age(began) < StatusReport.recoverySeconds { return true }
    let living = Set(status.roles.filter(isLiving).map(\.sign.process))
    let processes = Set(silent.map(\.sign.process))
    let isTogether = last.microseconds(since: first) / 1_000_000 <= StatusReport.togetherSeconds
    return !processes.isDisjoint(with: living)
      || isTogether && (processes.count > 1 || silent.count > 1 && living.isEmpty)
  }

  /// Tries the logins of the roles that give no sign of life, as far as the settings name users of
  /// theirs: one whose password is wrong cannot say so.
  private mutating func tryLogins(
    _ settings: ServiceSettings, at uptime: UInt64, _ tried: inout TriedLogins
  ) {
    guard let status, status.knows(.roles), isServed else { return }
    frozen = FrozenProcess.processes()
    let users = (try? settings.databaseUserSettings()) ?? [:]
    for role in RoleName.signing where !status.isThere(role) {
      for user in role.databaseUsers {
        guard var login = users[user] else { continue }
        login.targetSessionAttributes = .any
        do throws(OperatorFailure) {
          try tried.asking(as: SettingName(of: user), at: uptime) { () throws(OperatorFailure) in
            try Wiring.open(login, as: "cubistd status").close()
          }
        } catch {
          if case .databaseRefuses(let text) = error { refusedLogins[role] = text }
        }
      }
    }
  }

  /// Whether a role waits for a lock while nobody was seen to wait for it: between two attempts
  /// nobody does.
  private var awaitsLock: Bool {
    status?.locks.isEmpty == true
      && RoleName.signing.flatMap(living).contains {
        $0.sign.problem?.contains("lock timeout") == true
      }
  }

  private mutating func readDatabase(_ settings: ServiceSettings) throws(OperatorFailure) {
    let connection = try open(settings)
    defer { connection.close() }
    if let end = connection.certificateEnd {
      note(
        ServerCertificate(
          server: "PostgreSQL", endpoint: connection.endpoint, startsWith: "postgres",
          end: Instant(seconds: end)))
    }
    do throws(StoreError) { try Schema.check(connection) } catch {
      // Of an empty database there is nothing to show.
      guard case .unusable(let text) = error,
        try onStore(try Schema.version(of: connection)) != nil
      else { throw .store(error) }
      schemaProblem = text
    }
    claim = try? BrokerClaims.stored(connection)
    // A setting that names no user is told by its role and by setup.
    let users = (try? settings.databaseUserSettings())?.values.compactMap(\.user) ?? []
    userSettings = try onStore(try SessionParameters.settings(of: users, connection))
      .filter(\.isRelied)
    userTraces = try onStore(try DatabaseRights.traces(of: users, connection))
    status = try onStore(try OperatorStore.live(connection).status())
  }

  /// A connection. A database that takes no writes is a failure, and is read all the same.
  private mutating func open(
    _ settings: ServiceSettings
  ) throws(OperatorFailure) -> PostgreSQLConnection {
    func connect(reads: Bool) throws(OperatorFailure) -> PostgreSQLConnection {
      try OperatorConnection.openAnySchema(settings, as: "status", reads: reads) {
        ($0.lockTimeout, $0.statementTimeout) = (.milliseconds(500), .seconds(10))
      }
    }
    do throws(OperatorFailure) { return try connect(reads: false) } catch {
      guard case .databaseReadOnly = error else { throw error }
      if !failures.contains(error) { failures.append(error) }
      return try connect(reads: true)
    }
  }

  private mutating func ask(
    _ question: (inout StatusReport) throws(OperatorFailure) -> Void
  ) {
    do throws(OperatorFailure) { try question(&self) } catch { failures.append(error) }
  }

  /// Asks the broker itself for all queues that there have to be.
  private mutating func count(at address: BrokerAddress) throws(OperatorFailure) {
    let names = Topology(layout: servedLayout).queueNames
    counts = try onBroker(try QueueCount.of(names, at: address))
    let found = Set(counts.map(\.name))
    missingQueues = names.filter { !found.contains($0) }
    missingExchanges = try onBroker(
      try Topology(layout: servedLayout).missingExchanges(at: address, within: .seconds(3)))
  }
}

extension StatusReport.KeyFile {
  /// The key file that settings name.
  /// - Parameter owner: The service that the database belongs to; nil where it does not say.
  init(of settings: ServiceSettings, owner: ServiceRow? = nil) {
    let path = settings.serviceKeys
    guard !path.isEmpty else {
      self = .unnamed
      return
    }
    guard Files.exists(path) else {
      self = .lost(path: path)
      return
    }
    do throws(ServiceKeyError) {
      let identity = try ServiceKeyFile.load(path).identity()
      if let (cause, remedy) = owner?.difference(from: identity, of: path) {
        self = .foreign(cause: cause, remedy: remedy)
      } else {
        self = .read(identity.term)
      }
    } catch {
      if case .file(_, let reason) = error {
        self = .unreadable(path: path, reason: reason)
      } else {
        self = .unreadable(path: path, reason: "\(error)")
      }
    }
  }
}
