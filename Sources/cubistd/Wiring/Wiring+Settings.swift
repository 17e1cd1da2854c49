import BrokerManagement
import CubistBasics
import EventBusLive
import Foundation
import LibCurl
import LibPQ
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

extension ServiceSettings {
  /// The settings' file of a service that was installed from its package.
  static let installedFile = "/etc/cubist/cubistd.env"

  /// An environment, with the installed service's file where it names no setting and no file.
  static func completed(
    _ environment: [String: String], exists: (String) -> Bool = Files.exists
  ) -> [String: String] {
    let isGiven = environment.keys.contains { name in
      name == "CUBIST_CONFIG" || SettingName.isKnown(name)
    }
    guard !isGiven, exists(installedFile) else { return environment }
    return environment.merging(["CUBIST_CONFIG": installedFile]) { given, _ in given }
  }

  /// The settings of this process's environment, or else those of the installed service.
  /// - Throws: `settings` with everything that is missing or wrong, all at once.
  static func load(
    needing names: Set<SettingName>,
    environment: [String: String] = completed(ProcessInfo.processInfo.environment)
  ) throws(OperatorFailure) -> ServiceSettings {
    switch read(environment: environment, needing: names) {
    case .success(let settings): return settings
    case .failure(let problems):
      throw .settings([problems.description, "docs/operating.md lists all settings."])
    }
  }

  /// Where PostgreSQL is, read from the connection string.
  func databaseSettings() throws(OperatorFailure) -> PostgreSQLSettings {
    do throws(PostgreSQLError) { return try PostgreSQLSettings(connectionString: database) } catch {
      throw .settings(["\(SettingName.database.rawValue): \(error.message)"])
    }
  }

  /// How the users with the rights of one role reach PostgreSQL.
  func databaseUserSettings() throws(OperatorFailure) -> [DatabaseUser: PostgreSQLSettings] {
    var users: [DatabaseUser: PostgreSQLSettings] = [:]
    for (user, text) in databaseUsers {
      do throws(PostgreSQLError) {
        users[user] = try PostgreSQLSettings(connectionString: text)
      } catch {
        throw .settings(["\(SettingName(of: user).rawValue): \(error.message)"])
      }
    }
    return users
  }

  /// How roles reach both servers.
  func serverAccounts() throws(OperatorFailure) -> ServerAccounts {
    let users = try databaseUserSettings()
    let first = roles.flatMap(\.databaseUsers).compactMap { users[$0] }.first
    let owner: PostgreSQLSettings
    // A process whose roles all have users of their own need not know the owner.
    if database.isEmpty, let first { owner = first } else { owner = try databaseSettings() }
    return ServerAccounts(
      database: owner, databaseUsers: users, broker: try brokerAccount().address)
  }

  /// The service's user of the broker.
  func brokerAccount() throws(OperatorFailure) -> BrokerAccount {
    try BrokerAccount(url: broker, setting: SettingName.broker.rawValue)
  }

  /// The players' user of the broker; nil where the settings name none.
  func playerAccount() throws(OperatorFailure) -> BrokerAccount? {
    try playerBroker.map { url throws(OperatorFailure) in
      try BrokerAccount(url: url, setting: SettingName.playerBroker.rawValue)
    }
  }

  /// The gateways' user of the broker; nil where the settings name none.
  func gatewayAccount() throws(OperatorFailure) -> BrokerAccount? {
    try gatewayBroker.map { url throws(OperatorFailure) in
      try BrokerAccount(url: url, setting: SettingName.gatewayBroker.rawValue)
    }
  }

  /// The broker's management API; nil where the settings name none.
  func administration(
    timeoutSeconds: Int = BrokerAdministration.standardTimeoutSeconds
  ) throws(OperatorFailure) -> BrokerAdministration? {
    guard let brokerManagement else { return nil }
    return try onManagement(
      try BrokerAdministration(url: brokerManagement, timeoutSeconds: timeoutSeconds))
  }

  /// The virtual host to look at by the management API; the standard one where no broker is named.
  func virtualHost() throws(OperatorFailure) -> String {
    broker.isEmpty ? "/" : try brokerAccount().virtualHost
  }

  /// The addresses that clients may lead the service to, once it is known that requests can be sent.
  func pushGate() throws(OperatorFailure) -> PushGate {
    let gate = PushGate(allowed: pushAllow)
    do throws(CurlError) { _ = try PushExchange.live(gate: gate) } catch {
      throw .wrong("notifications cannot be sent: \(error)")
    }
    return gate
  }

  /// The key file as running roles see it.
  func keyRing(clock: WallClock, log: Logger) throws(OperatorFailure) -> KeyRing {
    let path = serviceKeys
    return try onKeys(at: path) { () throws(ServiceKeyError) in
      try KeyRing(clock: clock, log: log) { () throws(ServiceKeyError) in
        try ServiceKeyFile.load(path)
      }
    }
  }

  /// The identity that the key file gives.
  func identity() throws(OperatorFailure) -> ServiceIdentity {
    try onKeys(at: serviceKeys) { () throws(ServiceKeyError) in
      try ServiceKeyFile.load(serviceKeys).identity()
    }
  }
}

/// Reads keys, and makes an operator's failure of the error.
func onKeys<Result>(
  _ body: @autoclosure () throws(ServiceKeyError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors({ OperatorFailure(ofKeys: $0) }, body)
}

/// The same for several statements.
/// - Parameter path: The key file of the settings, if it is that one.
func onKeys<Result>(
  at path: String? = nil, _ body: () throws(ServiceKeyError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors({ OperatorFailure(ofKeys: $0, at: path) }, body)
}

extension OperatorFailure {
  fileprivate init(ofKeys error: ServiceKeyError, at known: String? = nil) {
    guard case .file(let path, let reason) = error else {
      let place = known.map { "\(SettingName.serviceKeys.rawValue) names \($0). " }
      self = .unreadable("\(place ?? "")\(error)")
      return
    }
    let isMissing = !Files.exists(path)
    let help = "; bring it back from where it was, or for a new service run `cubistd setup`"
    self = .file(path: path, reason: reason + (isMissing ? help : ""))
  }
}

/// How roles reach both servers.
struct ServerAccounts: Sendable {
  var database: PostgreSQLSettings
  var databaseUsers: [DatabaseUser: PostgreSQLSettings]
  var broker: BrokerAddress
}

extension Wiring {
  /// The live world that settings describe.
  init(
    _ settings: ServiceSettings, log: Logger, clock: WallClock = .live,
    randomness: Randomness = .live,
    readAgain: @escaping @Sendable () -> ServiceSettings? = { nil }
  ) throws(OperatorFailure) {
    let accounts = try settings.serverAccounts()
    var workerSettings = TurnWorkerSettings()
    workerSettings.batchLimit = settings.workerBatch
    workerSettings.limits = settings.limits
    workerSettings.reservedNames = settings.reservedNames
    var pushSettings = PushWorkerSettings()
    pushSettings.isBundling = settings.pushBundleSeconds > 0
    pushSettings.strangePerMinute = settings.pushStrangePerMinute
    self.init(
      database: accounts.database, databaseUsers: accounts.databaseUsers,
      readAccounts: { () -> ServerAccounts? in try? readAgain()?.serverAccounts() },
      bus: BusContext(
        address: accounts.broker, clock: clock, randomness: randomness,
        log: log),
      layout: settings.layout, keys: try settings.keyRing(clock: clock, log: log),
      keyFile: settings.serviceKeys,
      pushProviders: try settings.pushProviders(randomness: randomness),
      pushGate: try settings.pushGate(),
      pushPlan: Wiring.policy(bundleSeconds: Int64(settings.pushBundleSeconds)),
      workerSettings: workerSettings, pushSettings: pushSettings, retention: settings.retention,
      capacity: settings.capacity)
    managedFaults = { layout in Wiring.managedFaults(settings, layout) }
  }

  /// What differs in the broker's bindings and rights; empty where the settings name no management
  /// API, or it does not answer.
  private static func managedFaults(_ settings: ServiceSettings, _ layout: QueueLayout) -> [String]
  {
    do throws(OperatorFailure) {
      guard let administration = try settings.administration(timeoutSeconds: 2) else { return [] }
      let service = try settings.brokerAccount()
      let setup = BrokerSetup(
        service: service, players: try settings.playerAccount(),
        gateway: try settings.gatewayAccount(), administration: administration,
        topology: Topology(layout: layout, limits: TopologyLimits(settings.capacity)))
      let isAdministrator = try onManagement(try administration.isAdministrator())
      let queues = try onManagement(try administration.queues(in: service.virtualHost))
      return try setup.managedProblems(queues, seesRights: isAdministrator).faults
    } catch { return [] }
  }

  /// Runners of roles. If turn workers are among them, there are `workers` of those.
  func runners(of roles: [RoleName], workers: Int, stop: StopSignal) -> [RoleRunner] {
    roles.flatMap { role -> [RoleRunner] in
      let count = role == .worker ? workers : 1
      var runners = (0..<count).map { number in
        let id = RoleID(rawValue: bus.randomness.next128())
        let name = count > 1 ? "\(role.rawValue) \(number)" : role.rawValue
        return runner(name, RolePresence(id: id, role: role, stop: stop))
      }
      // Apart from the scheduler, so that slow work delays no tick.
      if role == .scheduler { runners += [steward(stop), housekeeper(stop)] }
      return runners
    }
  }

  /// Looks after slow statements, on a thread of its own, until the process is asked to stop.
  /// - Parameter roles: The roles of this process; the first one's user of the database looks.
  func watchStatements(of roles: [RoleName], stop: StopSignal) throws(OperatorFailure) {
    let (clock, log) = (bus.clock, bus.log)
    let user = roles.flatMap(\.databaseUsers).first
    do throws(ThreadFailure) {
      try WorkThread.start {
        let slow = SlowStatements(clock: clock, log: log) { () throws(StoreError) in
          let now = withAccountsOfNow()
          return try Wiring.connect(
            user.map(now.settings(of:)) ?? now.database, as: "cubistd statements")
        }
        while !stop.isAsked {
          slow.look()
          clock.sleep(.milliseconds(250))
        }
      }
    } catch { throw .servers("\(error)") }
  }

  /// A runner of one role. A role that signs with the service's keys or shows them is made anew
  /// when the keys change.
  func runner(_ name: String, _ presence: RolePresence) -> RoleRunner {
    var own = self
    own.bus.log = bus.log.of(presence.role.rawValue, id: presence.id)
    return RoleRunner(
      name: name, stop: presence.stop, clock: bus.clock, randomness: bus.randomness,
      log: own.bus.log, generation: { presence.role.usesKeys ? keys.generation() : 0 },
      signal: signal,
      make: { [own] () throws(Interruption) in try own.withAccountsOfNow().make(presence) })
  }

  /// A runner of the steward that belongs to a scheduler.
  func steward(_ stop: StopSignal) -> RoleRunner {
    let id = RoleID(rawValue: bus.randomness.next128())
    return runner("steward", RolePresence(id: id, role: .steward, stop: stop))
  }

  private func housekeeper(_ stop: StopSignal) -> RoleRunner {
    var own = self
    own.bus.log = bus.log.of("housekeeper")
    return RoleRunner(
      name: "housekeeper", stop: stop, clock: bus.clock, randomness: bus.randomness,
      log: own.bus.log,
      make: { [own] () throws(Interruption) in
        try own.withAccountsOfNow().housekeeper()
      })
  }

  /// The roles of one process.
  func process(
    of roles: [RoleName], workers: Int, stop: StopSignal
  ) -> ServiceProcess {
    ServiceProcess(
      runners: runners(of: roles, workers: workers, stop: stop), stop: stop, clock: bus.clock,
      log: bus.log)
  }
}
