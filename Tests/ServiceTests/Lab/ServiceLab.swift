import BrokerManagement
import Chaos
import CubeLexicon
import EventBusLive
import Foundation
import LibPQ
import LibRabbitMQ
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import RealServers
import Synchronization
import TestedService

@testable import cubistd

/// A whole service of a test's own: a virtual host with the topology, users with exactly the rights
/// they need, a database with the schema, and the shipped roles on threads.
final class ServiceLab: Sendable {
  struct Options: Sendable {
    var queueCount = 4
    var workers = 1
    var roles: [RoleName] = [.reader, .relay, .push]
    /// Any letters that touch are a word: dealing and judging take no time.
    var lexicons = Lexicons(.everyWord)
    /// Whether the broker was set up by a build before schema 10, and is so still.
    var isFormer = false
    /// The limits of one player.
    var limits = PlayerLimits.none
    /// Whether the virtual host is a new one, for tests that read the broker's statistics, which
    /// are some seconds old, or that depend on an empty one otherwise.
    var hasNewHost = false
    /// The servers, unless they are those of all tests.
    var servers: ServerEnvironment?
  }

  let host: VirtualHost
  let database: Database
  let layout: QueueLayout
  let keys: ServiceKeyFile
  let rootKey: RootKeyFile
  let identity: ServiceIdentity
  let lexicons: Lexicons
  let limits: PlayerLimits
  /// Whether the lab begins with a reader: in one without any, time passes all the same.
  let hasReader: Bool
  let pushes = PushRecorder()
  /// The URL that the service's roles connect with.
  let serviceURL: String
  /// The URL that players connect with.
  let playersURL: String
  /// For looking at the database.
  let idle = Mutex<[IdleConnection]>([])
  /// How many players were called by each name.
  let names = Mutex<[String: Int]>([:])
  /// What the roles do, for whoever waits for it.
  let signals = SignalBoard()
  /// Wakes roles that rest, so that they notice a stop.
  private let alarm = SignalBoard()
  private let running = Mutex<[RunningRole]>([])

  /// The service of the test that runs.
  @TaskLocal static var current: ServiceLab?

  private static let places = Places()

  /// Runs a body, on a thread of its own, with a service that nobody else uses; all of it is gone
  /// afterwards. Waits for a place first.
  static func run(
    _ options: Options = Options(), _ body: @Sendable (ServiceLab) async throws -> Void
  ) async throws {
    try await places.run { try await serve(options, body) }
  }

  /// The same for all tests of a suite: each has its own limit, see ``shared(workers:_:)``.
  static func runShared(
    _ options: Options, _ body: @Sendable (ServiceLab) async throws -> Void
  ) async throws {
    try await places.hold { try await serve(options, body) }
  }

  private static func serve(
    _ options: Options, _ body: @Sendable (ServiceLab) async throws -> Void
  ) async throws {
    let time = LabTime()
    defer { time.tell() }
    try await withHost(options) { host in
      let template = options.servers == nil ? ServiceLab.template : nil
      try await RealServers.withDatabase(of: options.servers, like: template) { database in
        if template == nil { try installSchema(in: database) }
        let lab = try ServiceLab(host, database, options)
        defer { lab.stopAll() }
        try await $current.withValue(lab) {
          for _ in 0..<options.workers { try lab.start(.worker) }
          for role in options.roles { try lab.start(role) }
          // A relay rests before it has done its first step, and nothing needs it so early.
          try lab.waitUntilWorking(besides: [.relay])
          time.isWorking()
          defer { time.isOver() }
          try await body(lab)
        }
      }
    }
  }

  /// Runs a body with a virtual host that has the topology.
  private static func withHost(
    _ options: Options, _ body: (VirtualHost) async throws -> Void
  ) async throws {
    guard let layout = QueueLayout(queueCount: options.queueCount) else {
      throw LabFailure("\(options.queueCount) queues cannot be")
    }
    guard options.hasNewHost || options.isFormer || options.servers != nil else {
      return try await ReadyHosts.shared.with(layout, body)
    }
    try await RealServers.withVirtualHost(of: options.servers) { host in
      if options.isFormer {
        let broker = try RabbitMQConnection(RabbitMQSettings(url: addService(to: host)))
        defer { broker.close() }
        try FormerTopology.declare(on: broker, queueCount: options.queueCount)
      } else {
        try declare(in: host, Topology(layout: layout))
      }
      try await body(host)
    }
  }

  private static let template = DatabaseTemplate(installSchema(in:))

  private static func installSchema(in database: Database) throws {
    let connection = try PostgreSQLConnection(
      database.patientSettings())
    defer { connection.close() }
    try Schema.install(connection)
    try LabUsers.grant(connection)
  }

  /// Declares the topology with the rights of the service.
  static func declare(in host: VirtualHost, _ topology: Topology) throws {
    try topology.declare(at: BrokerAddress(url: addService(to: host)))
  }

  /// Adds the service's user, or gives it another password; the URL to connect with.
  private static func addService(to host: VirtualHost) throws -> String {
    try host.addUser("service", .service())
  }

  private init(_ host: VirtualHost, _ database: Database, _ options: Options) throws {
    self.host = host
    self.database = database
    lexicons = options.lexicons
    limits = options.limits
    hasReader = options.roles.contains(.reader)
    guard let layout = QueueLayout(queueCount: options.queueCount) else {
      throw LabFailure("\(options.queueCount) queues cannot be")
    }
    self.layout = layout
    let now = WallClock.live.now()
    (keys, rootKey) = try ServiceKeyFile.create(now: now, randomness: .live)
    identity = try keys.identity()
    serviceURL = try ServiceLab.addService(to: host)
    playersURL = try host.addUser("players", .player())
  }

  // MARK: Roles

  /// The live world of the roles; a test may put a proxy in front of either server.
  func wiring(
    broker: String? = nil, database: String? = nil, queueCount: Int? = nil
  ) throws -> Wiring {
    var settings = TurnWorkerSettings()
    // Two workers find each other at once.
    settings.limits = limits
    settings.heartbeatSeconds = 0.25
    settings.proofSeconds = 0
    settings.idleWait = .milliseconds(50)
    var schedulerSettings = SchedulerSettings()
    schedulerSettings.awaitsReaders = hasReader
    let owner = database ?? self.database.connectionString
    var wiring = Wiring(
      database: try PostgreSQLSettings(connectionString: owner),
      databaseUsers: try LabUsers.connectionStrings(owner).mapValues {
        try PostgreSQLSettings(connectionString: $0)
      },
      bus: try context(broker),
      layout: queueCount.flatMap { QueueLayout(queueCount: $0) } ?? layout,
      keys: KeyRing(identity, clock: .live, log: ServiceLab.log),
      pushProviders: pushes.providers,
      lexicons: lexicons, workerSettings: settings, schedulerSettings: schedulerSettings)
    wiring.signal = { [signals] _ in signals.signal() }
    wiring.pushSettings.idleWait = .milliseconds(50)
    // No turn waits for another one to come with it.
    wiring.pushPlan = { _, _ in .now(silently: false) }
    return wiring
  }

  func context(_ url: String? = nil) throws -> BusContext {
    BusContext(
      address: try BrokerAddress(url: url ?? serviceURL), clock: rolesClock, randomness: .live,
      log: ServiceLab.log)
  }

  /// The clock of roles. Their rests end when one of them is stopped.
  private var rolesClock: WallClock {
    var clock = WallClock.live
    clock.sleep = { [alarm] duration in
      alarm.wait(after: alarm.seen, atMost: duration / .seconds(1))
    }
    return clock
  }

  /// Starts a role on a thread of its own, and with a scheduler its steward.
  @discardableResult
  func start(_ role: RoleName, _ wiring: Wiring? = nil) throws -> RunningRole {
    let wiring = try wiring ?? self.wiring()
    let stop = StopSignal()
    let id = RoleID(rawValue: Randomness.live.next128())
    let runner = wiring.runner(role.rawValue, RolePresence(id: id, role: role, stop: stop))
    let started = RunningRole(role: role, runner: runner, stop: stop)
    let steward = RunningRole(role: role, runner: wiring.steward(stop), stop: stop)
    for role in role == .scheduler ? [started, steward] : [started] {
      try role.runner.start()
      running.withLock { $0.append(role) }
    }
    return started
  }

  /// Waits until every role that was started works.
  func waitUntilWorking(besides others: Set<RoleName> = []) throws {
    for role in running.withLock({ $0 }) where !others.contains(role.role) {
      try waitUntil("\(role.role) works") { role.runner.state == .working }
    }
  }

  /// Stops the workers, so that messages sent now are judged as one batch once there is one again.
  func stopWorkers() throws { try stop(.worker) }

  /// Stops all of a role.
  func stop(_ role: RoleName) throws {
    let stopped = running.withLock { running in
      let stopped = running.filter { $0.role == role }
      running.removeAll { $0.role == role }
      return stopped
    }
    try stopAndWait(stopped)
  }

  private func stopAndWait(_ roles: [RunningRole]) throws {
    for role in roles { role.stop.ask() }
    alarm.signal()
    for role in roles { try role.stopAndWait() }
  }

  func startWorker() throws {
    try start(.worker)
    try waitUntilWorking()
  }

  /// Has so many workers run, whatever another test of the suite has left.
  func keepWorkers(_ count: Int) throws {
    let surplus = running.withLock { running in
      let workers = running.filter { $0.role == .worker }
      let surplus = Array(workers.dropFirst(count))
      running.removeAll { role in surplus.contains { $0.runner === role.runner } }
      return (stopped: surplus, missing: count - workers.count)
    }
    try stopAndWait(surplus.stopped)
    if surplus.missing > 0 {
      for _ in 0..<surplus.missing { try start(.worker) }
    }
    try waitUntilWorking()
  }

  private func stopAll() {
    // A role that does not leave loses its connections with virtual host and database.
    try? stopAndWait(running.withLock { $0 })
  }

  static let log = Logger(label: "ServiceTests") { _ in SwiftLogNoOpLogHandler() }
}

/// A role that runs.
struct RunningRole: Sendable {
  let role: RoleName
  let runner: RoleRunner
  let stop: StopSignal

  func stopAndWait() throws {
    stop.ask()
    try waitUntil("\(role) has left") { runner.state == .stopped }
  }
}

extension VirtualHost {
  /// Makes a user with exactly these rights, or gives it another password.
  ///
  /// - Returns: The URL to connect with.
  func addUser(_ suffix: String, _ rights: BrokerRights) throws -> String {
    let user = try addUser(
      suffix, configure: rights.configure, write: rights.write, read: rights.read)
    if let topic = rights.topic {
      try limit(user, toTopicsOf: topic.exchange, write: topic.write, read: topic.read)
    }
    if let connections = rights.limits?.connections {
      try bound(user, "max-connections", connections)
    }
    if let channels = rights.limits?.channels { try bound(user, "max-channels", channels) }
    return user.url
  }
}
