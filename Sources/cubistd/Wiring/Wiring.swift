import CubeRules
import CubistBasics
import EventBusLive
import LibCurl
import LibPQ
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

/// The live world that the roles of one process share, and how each role is put together from it.
///
/// Every role connects anew whenever it is made, on its own thread, the store first: each opening
/// of a bus counts all its prefetched messages as delivered once more.
struct Wiring: Sendable {
  /// The version of this build, as players are told it.

  var database: PostgreSQLSettings
  /// The users of the database that have the rights of one role; the others are `database`'s.
  var databaseUsers: [DatabaseUser: PostgreSQLSettings] = [:]
  /// Reads anew how both servers are reached; nil: it is as it was.
  var readAccounts: @Sendable () -> ServerAccounts? = { nil }
  var bus: BusContext
  var layout: QueueLayout
  var keys: KeyRing
  /// The path of the key file; nil: the keys are of no file.
  var keyFile: String?
  /// The ways to players' devices.
  var pushProviders: [PushProvider]
  var pushGate = PushGate()
  /// When a notification is sent.
  var pushPlan: PushWorker.Plan = Wiring.policy()
  var timeZones = TimeZones.files()
  var rules = Rulebook.standard
  var lexicons = Lexicons.standard
  var verifier = SignatureVerifier.live
  var workerSettings = TurnWorkerSettings()
  var pushSettings = PushWorkerSettings()
  var retention = Retention.standard
  var capacity = QueueCapacity.standard
  /// For tests without a reader; no setting of an operator's turns it off.
  var schedulerSettings = SchedulerSettings()
  /// What the management API tells of bindings and rights; nothing where there is none to ask.
  var managedFaults: @Sendable (QueueLayout) -> [String] = { _ in [] }
  /// For tests: told of what the roles do.
  var signal: @Sendable (RoleSignal) -> Void = { _ in }

  /// Makes a role that gives signs of life. A role that waits for the broker, or for a key that may
  /// sign, gives them too, with the reason.
  func make(_ presence: RolePresence) throws(Interruption) -> any Role {
    let connection = try connect(presence)
    let store = RoleStore.live(connection)
    let process = ThisProcess.name
    let watch = BrokerWatch(connection, bus, renews: presence.role == .steward)
    let role: any Role
    do throws(Interruption) {
      if presence.role.usesKeys { try checkKeys(connection) }
      // A rater has nothing to do with the broker.
      if presence.role != .rater { try watch.look() }
      role = try make(presence, connection)
    } catch {
      presence.remember(error, at: clock.uptimeNanoseconds())
      // The role is made anew, with a sign of life or without one.
      try? store.beat(presence.sign(from: process, problem: "\(error)"))
      throw error
    }
    return BeatingRole(
      role, as: presence, in: process, store: store, clock: clock, log: log,
      watch: { () throws(Interruption) in
        if presence.role != .rater { try watch.lookIfDue() }
      })
  }

  private func make(
    _ presence: RolePresence, _ connection: PostgreSQLConnection
  ) throws(Interruption) -> any Role {
    switch presence.role {
    case .worker: try worker(presence, connection)
    case .scheduler: try scheduler(presence, connection)
    case .steward: try steward(connection)
    case .relay: try relay(connection)
    case .reader: try reader(connection)
    case .push: try pushWorker(connection)
    case .rater: Rater(store: .live(connection), clock: clock, log: log)
    case .gateway: throw .bus(.notPermitted("a gateway has no database"))
    }
  }

  /// A worker. Its id stays the same when it is made anew, so that it does not compete with itself
  /// for queues.
  private func worker(
    _ presence: RolePresence, _ connection: PostgreSQLConnection
  ) throws(Interruption) -> TurnWorker {
    let identity = try signingIdentity(connection)
    let context = bus
    let bus = try interruptingBus(try WorkerBus.live(context, layout: layout))
    return TurnWorker(
      id: WorkerID(rawValue: presence.id.rawValue), identity: identity, layout: layout,
      rules: rules, lexicons: lexicons, store: .live(connection, rules: rules), bus: bus,
      clock: clock, verifier: verifier,
      settings: workerSettings, proof: presence.proof, log: log)
  }

  private func scheduler(
    _ presence: RolePresence, _ connection: PostgreSQLConnection
  ) throws(Interruption) -> Scheduler {
    let identity = try signingIdentity(connection)
    return Scheduler(
      identity: identity, layout: layout, store: .live(connection, rules: rules),
      bus: try interruptingBus(try SchedulerBus.live(bus)), clock: clock,
      randomness: bus.randomness, settings: schedulerSettings, memory: presence.clockMemory,
      log: log)
  }

  private func steward(_ connection: PostgreSQLConnection) throws(Interruption) -> Steward {
    var settings = StewardSettings()
    settings.samplePause = .seconds(15)
    settings.capacity = capacity
    var bus = try interruptingBus(try SchedulerBus.live(bus))
    let (askBroker, managed) = (bus.topologyFaults, managedFaults)
    bus.topologyFaults.answer { layout throws(BusError) in
      try askBroker(layout) + managed(layout)
    }
    return Steward(
      identity: try signingIdentity(connection), layout: layout, lexicons: lexicons,
      zones: timeZones, store: .live(connection, leading: .steward, rules: rules),
      bus: bus, clock: clock,
      randomness: self.bus.randomness, settings: settings, log: log)
  }

  func housekeeper() throws(Interruption) -> Housekeeper {
    Housekeeper(
      store: .live(
        try connect(as: "cubistd housekeeper") { $0.settings(of: .housekeeper) },
        keeping: retention),
      clock: clock, log: log)
  }

  private func relay(_ connection: PostgreSQLConnection) throws(Interruption) -> OutboxRelay {
    OutboxRelay(
      store: .live(connection),
      bus: try interruptingBus(try RelayBus.live(bus)), clock: clock,
      log: log)
  }

  private func reader(_ connection: PostgreSQLConnection) throws(Interruption) -> Reader {
    var settings = ReaderSettings()
    settings.limits = workerSettings.limits
    settings.retention = retention
    return Reader(
      identity: keys.identity, layout: layout, rules: rules, version: Release.number,
      store: .live(connection, rules: rules),
      bus: try interruptingBus(try ReaderBus.live(bus)), clock: clock,
      verifier: verifier, settings: settings, log: log)
  }

  /// The policy, by the machine's time zones.
  static func policy(
    bundleSeconds: Int64 = PushStore.Details.bundleSeconds
  ) -> PushWorker.Plan {
    let zones = TimeZones.files()
    return { PushPolicy.plan($0, $1, zones: zones, bundleSeconds: bundleSeconds) }
  }

  /// A push worker's bus. It hands out as many messages as the worker may have jobs in hand, since
  /// each may hold only one.
  func pushBus() throws(BusError) -> PushBus {
    try .live(bus, prefetch: UInt16(clamping: pushSettings.lineLimit))
  }

  private func pushWorker(_ connection: PostgreSQLConnection) throws(Interruption) -> PushWorker {
    let exchange: PushExchange
    do throws(CurlError) {
      exchange = try .live(gate: pushGate, settings: pushSettings)
    } catch {
      throw .receiver("notifications cannot be sent: \(error)")
    }
    return PushWorker(
      store: .live(connection), bus: try interruptingBus(try pushBus()),
      providers: pushProviders, exchange: exchange,
      plan: pushPlan,
      source: NoticeSource(rawValue: bus.randomness.next128()),
      clock: clock, settings: pushSettings, log: log)
  }

  /// Why roles cannot work with their number of queues, those keys or that broker; nil where they
  /// can, or where a server does not answer: then each role asks again.
  func problem() -> String? {
    guard let connection = try? Wiring.connect(database, as: "cubistd run") else { return nil }
    defer { connection.close() }
    if let problem = (try? Layouts.stored(connection))?.problem(with: layout) { return problem }
    if let problem = try? keyProblem(connection) { return problem }
    let watch = BrokerWatch(connection, bus, renews: false)
    return watch.isForeign ? BrokerWatch.complaint(bus.address) : nil
  }

  /// How a role's user reaches the database.
  func settings(of user: DatabaseUser) -> PostgreSQLSettings { databaseUsers[user] ?? database }

  /// The same world with the passwords of now: one that was changed is known at the next connection.
  func withAccountsOfNow() -> Wiring {
    guard let accounts = readAccounts() else { return self }
    var own = self
    (own.database, own.databaseUsers) = (accounts.database, accounts.databaseUsers)
    own.bus.address = accounts.broker
    return own
  }

  private var clock: WallClock { bus.clock }
  private var log: Logger { bus.log }

  /// A connection to a database that has the schema. The end of the role's id stands in its name.
  /// By it `cubistd status` tells the role from one of a build whose roles give no sign of life.
  private func connect(_ presence: RolePresence) throws(Interruption) -> PostgreSQLConnection {
    let mayLead = [.scheduler, .steward].contains(presence.role)
    return try connect(
      as: "cubistd \(presence.role.rawValue) \("\(presence.id)".suffix(8))"
    ) { wiring in
      let database =
        presence.role.databaseUsers.first.map(wiring.settings(of:)) ?? wiring.database
      return mayLead ? database.forLeading() : database
    }
  }

  /// - Parameter settings: Those of the connection; asked again when it is lost.
  private func connect(
    as name: String, _ settings: @escaping (Wiring) -> PostgreSQLSettings
  ) throws(Interruption) -> PostgreSQLConnection {
    try interruptingStore { () throws(StoreError) in
      let connection = try Wiring.connect(
        settings(self), as: name, settingsOfNow: { settings(withAccountsOfNow()) })
      try Schema.check(connection)
      try Layouts.check(layout, connection)
      return connection
    }
  }

  /// A role with another service's keys would refuse every player, and sign what nobody verifies.
  private func checkKeys(_ connection: PostgreSQLConnection) throws(Interruption) {
    if let problem = try interruptingStore(try keyProblem(connection)) {
      throw .store(.unusable(problem))
    }
  }

  /// Why the keys are not those of the database's service. Nil: they are, or it has none yet.
  private func keyProblem(_ connection: PostgreSQLConnection) throws(StoreError) -> String? {
    try OperatorStore.live(connection).service()?.problem(with: keys.identity, of: keyFile)
  }

  /// The service's keys for a role that signs, if it may sign now. Otherwise it takes no queue and
  /// no lead from a role that may.
  private func signingIdentity(
    _ connection: PostgreSQLConnection
  ) throws(Interruption) -> ServiceIdentity {
    let now = try interruptingStore(try SchedulerStore.live(connection).now())
    let identity = keys.identity
    do throws(ServiceKeyError) { _ = try identity.speaker(at: now) } catch { throw .keys(error) }
    return identity
  }

  /// A connection for stores, under the name that the server's activity shows.
  static func connect(
    _ settings: PostgreSQLSettings, as name: String,
    settingsOfNow: @escaping () -> PostgreSQLSettings? = { nil }
  ) throws(StoreError) -> PostgreSQLConnection {
    do throws(PostgreSQLError) {
      return try connection(settings, as: name, settingsOfNow: settingsOfNow)
    } catch {
      let text = "\(settings): \(error)"
      if error.isRefusal {
        throw .unusable(
          "\(text); correct the user and the password in CUBIST_DATABASE, or in the setting of that "
            + "user's role")
      }
      if error.isOfPooler { throw .unusable("\(text); \(Schema.poolerHelp)") }
      if error.sqlState == .invalidCatalogName {
        throw .unusable("\(text); make the database, or correct its name in CUBIST_DATABASE")
      }
      throw .unavailable(text)
    }
  }

  /// The same for a command.
  static func open(
    _ settings: PostgreSQLSettings, as name: String
  ) throws(OperatorFailure) -> PostgreSQLConnection {
    let opened: PostgreSQLConnection
    do throws(PostgreSQLError) { opened = try connection(settings, as: name) } catch {
      throw failure(of: error, settings)
    }
    do throws(StoreError) { try Schema.checkSession(opened) } catch {
      guard case .unusable(let text) = error else { throw .store(error) }
      throw .databasePooled("\(settings): \(text)")
    }
    return opened
  }

  /// Why a command could not connect.
  static func failure(of error: PostgreSQLError, _ settings: PostgreSQLSettings) -> OperatorFailure
  {
    let text = "\(settings): \(error)"
    if error.isOfPooler { return .databasePooled("\(text); \(Schema.poolerHelp)") }
    if error.sqlState == .invalidCatalogName { return .databaseMissing(text) }
    if error.isReadOnly { return .databaseReadOnly(text) }
    return error.isRefusal ? .databaseRefuses(text) : .store(.unavailable(text))
  }

  private static func connection(
    _ settings: PostgreSQLSettings, as name: String,
    settingsOfNow: @escaping () -> PostgreSQLSettings? = { nil }
  ) throws(PostgreSQLError) -> PostgreSQLConnection {
    func named(_ settings: PostgreSQLSettings) -> PostgreSQLSettings {
      var settings = settings.forMatchStore()
      settings.applicationName = name
      return settings
    }
    return try PostgreSQLConnection(
      named(settings), settingsOfNow: { settingsOfNow().map(named) })
  }
}

extension PostgreSQLError {
  /// Whether the server runs and does not let that user in.
  fileprivate var isRefusal: Bool { sqlState?.class == .invalidAuthorization }

  /// Whether the server runs and takes no writes.
  fileprivate var isReadOnly: Bool {
    let wanted = PostgreSQLSettings.TargetSessionAttributes.readWrite.rawValue
    return code == .wrongServer && message.hasSuffix("not \(wanted)")
  }
}

/// Calls the store; its error interrupts a role.
func interruptingStore<Result>(
  _ body: @autoclosure () throws(StoreError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.store, body)
}

/// The same for several statements.
func interruptingStore<Result>(
  _ body: () throws(StoreError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.store, body)
}

/// Calls the bus; its error interrupts a role.
func interruptingBus<Result>(
  _ body: @autoclosure () throws(BusError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.bus, body)
}
