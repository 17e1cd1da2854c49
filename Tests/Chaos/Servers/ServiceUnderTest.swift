import BrokerManagement
import EventBusLive
import Foundation
import LibPQ
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PrivateServers
import RealServers
import Synchronization

/// A whole service on private servers: a virtual host and a database of its own, set up by the
/// shipped binary, and every role several times in processes of its own.
final class ServiceUnderTest: Sendable {
  /// How many processes of each role there are.
  static let roles = [
    ("worker", 3), ("relay", 2), ("scheduler", 2), ("reader", 2), ("push", 2), ("rater", 2),
    ("gateway", 2),
  ]
  /// How many groups the players' connections are cut and stalled in.
  static let playerGroupCount = 4

  /// A place in which one process after another runs.
  struct Place {
    var role: String
    var name: String
    var doors: Doors
    /// The port of a gateway.
    var port: UInt16?
    var process: RoleProcess?
    /// Whether the process is one of the former release.
    var isFormer = false
    /// Whether a fault keeps it from running.
    var isHeldDown = false
  }

  let host: VirtualHost
  let database: Database
  let layout: QueueLayout
  /// Every way to the servers.
  let doors: [Doors]
  /// A proxy of HTTP in front of each gateway.
  let proxies: [DoublingProxy]
  /// The folder for the roles' logs and pushes.
  let folder: String
  private let binary: String
  /// The `cubistd` of the former release; nil where only one build takes part.
  let former: String?
  private let group: ProcessGroup
  let environment: [String: String]
  let places: Mutex<[Place]>
  /// How many queues of events there are at present.
  let queueCount: Mutex<Int>

  init(
    _ addresses: ServerAddresses, layout: QueueLayout, folder: String, binary: String,
    group: ProcessGroup, limits: PlayerLimits = .none, former: String? = nil
  ) throws {
    let environment = try ServerEnvironment(addresses.variables)
    host = try VirtualHost.create(in: environment)
    let database = try Database.create(in: environment)
    self.database = database
    self.layout = layout
    queueCount = Mutex(layout.queueCount)
    self.folder = folder
    self.binary = binary
    self.former = former
    self.group = group
    let service = try ServiceUnderTest.url(host.url, user: "\(host.name)-service")
    let players = try ServiceUnderTest.url(host.url, user: "\(host.name)-player")
    let gateways = try ServiceUnderTest.url(host.url, user: "\(host.name)-gateway")
    self.environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "CUBIST_DATABASE": database.connectionString,
      "CUBIST_BROKER": service, "CUBIST_PLAYER_BROKER": players,
      "CUBIST_GATEWAY_BROKER": gateways,
      "CUBIST_BROKER_MANAGEMENT": environment.managementURL,
      "CUBIST_SERVICE_KEYS": "\(folder)/keys.json", "CUBIST_QUEUES": "\(layout.queueCount)",
      "CUBIST_LOG_LEVEL": "info",
      "CUBIST_LIMIT_EVENTS": "\(limits.eventsPerMinute ?? 0)",
      "CUBIST_LIMIT_REQUESTS": "\(limits.openRequests ?? 0)",
      "CUBIST_LIMIT_MATCHES": "\(limits.runningMatches ?? 0)",
      // All players come from one address.
      "CUBIST_GATEWAY_ADDRESS_CONNECTIONS": "0", "CUBIST_GATEWAY_ADDRESS_REQUESTS": "0",
      "CUBIST_GATEWAY_REGISTRATIONS": "0", "CUBIST_GATEWAY_ADDRESS_WAITS": "0",
    ].merging(ServiceUnderTest.databaseUsers(of: database.connectionString, in: database)) { $1 }
    // Each worker and each gateway has a way of its own; the other roles share one.
    let shared = try Doors(broker: service, database: database.connectionString)
    var places: [Place] = []
    for (role, count) in ServiceUnderTest.roles {
      for number in 1...count {
        let database = database.connectionString
        let doors =
          switch role {
          case "worker": try Doors(broker: service, database: database)
          case "gateway": try Doors(broker: gateways, database: database, users: .gateways)
          default: shared
          }
        let port = role == "gateway" ? try FreePort.take() : nil
        places.append(
          Place(
            role: role, name: "\(role)-\(number)", doors: doors, port: port,
            isFormer: former != nil))
      }
    }
    let playerDoors = try (0..<ServiceUnderTest.playerGroupCount).map { _ in
      try Doors(broker: players, database: database.connectionString, users: .players)
    }
    let own = places.filter { ["worker", "gateway"].contains($0.role) }.map { $0.doors }
    doors = own + [shared] + playerDoors
    proxies = try places.compactMap(\.port).map { try DoublingProxy(port: $0) }
    self.places = Mutex(places)
  }

  /// The setting of each role's own user of the database. Users belong to the whole server, so their
  /// names have the database's. `setup` makes them.
  private static func databaseUsers(
    of connection: String, in database: Database
  ) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: DatabaseUser.allCases.map { user in
        let name = "\(database.name)_\(user.rawValue)"
        // In a conninfo the later of two equal keys counts.
        return (SettingName(of: user).rawValue, "\(connection) user=\(name) password=chaos")
      })
  }

  private static func url(_ url: String, user: String) throws -> String {
    let password = String(UInt64.random(in: .min ... .max), radix: 36)
    return try ServerEnvironment.url(url, user: "\(user):\(password)")
  }

  /// The ways for players: to the broker, and by HTTP through each gateway and its proxy.
  var ways: [Agent.Way] {
    doors.filter { $0.users == .players }.map { .broker($0.broker) }
      + proxies.indices.map { .gateway($0, url: "http://127.0.0.1:\(proxies[$0].port)") }
  }

  // MARK: Processes

  /// Makes schema, queues and users, and starts every process.
  func start() throws {
    let (status, said) = try run(["setup"], by: former)
    guard status == 0 else { throw ChaosFailure("cubistd setup ended with \(status): \(said)") }
    try places.withLock { places in
      for index in places.indices { places[index].process = try process(places[index]) }
    }
  }

  func process(_ place: Place) throws -> RoleProcess {
    var environment = environment
    environment["CUBIST_QUEUES"] = "\(queueCount.withLock { $0 })"
    environment["CUBIST_DATABASE"] = place.doors.database
    // The former release may lack rights that this one's roles have.
    let users = ServiceUnderTest.databaseUsers(of: place.doors.database, in: database)
    for (name, user) in users { environment[name] = place.isFormer ? nil : user }
    if let port = place.port {
      environment["CUBIST_GATEWAY_BROKER"] = place.doors.broker
      environment["CUBIST_GATEWAY_LISTEN"] = "127.0.0.1:\(port)"
    } else {
      environment["CUBIST_BROKER"] = place.doors.broker
    }
    // A line of the log is a job.
    environment["CUBIST_PUSH_BUNDLE"] = "0"
    environment["CUBIST_PUSH_LOG"] = "\(folder)/\(place.name).jsonl"
    return try RoleProcess(
      place.role, binary: place.isFormer ? former ?? binary : binary, environment: environment,
      log: "\(folder)/\(place.name).log",
      in: group)
  }

  /// The processes of a role.
  func processes(_ role: String) -> [RoleProcess] {
    places.withLock { $0.filter { $0.role == role }.compactMap(\.process) }
  }

  /// One process of a role.
  func process(_ role: String, _ random: UInt64) -> RoleProcess {
    let processes = processes(role)
    return processes[Int(random % UInt64(processes.count))]
  }

  /// Kills one of a role by `kill -9`, and starts another one in its place; gives its name, or nil
  /// where it had ended before.
  func replace(_ role: String, _ random: UInt64) throws -> String? {
    try places.withLock { places in
      let indices = places.indices.filter { places[$0].role == role }
      let index = indices[Int(random % UInt64(indices.count))]
      let wasKilled = places[index].process?.kill() ?? false
      places[index].process = try process(places[index])
      return wasKilled ? places[index].name : nil
    }
  }

  /// Kills all processes of a role by `kill -9`, and starts others in their places afterwards.
  func withoutProcesses(
    _ role: String, _ killed: (String) -> Void, _ body: () -> Void
  ) throws {
    places.withLock { places in
      for index in places.indices where places[index].role == role {
        places[index].isHeldDown = true
        if places[index].process?.kill() == true { killed(places[index].name) }
      }
    }
    body()
    try places.withLock { places in
      for index in places.indices where places[index].role == role {
        places[index].process = try process(places[index])
        places[index].isHeldDown = false
      }
    }
  }

  /// Starts one more process of a role; the caller has to end it.
  func startGuest(_ role: String, number: Int) throws -> RoleProcess {
    let doors = places.withLock {
      $0.first { $0.doors.users == .roles && $0.role != "worker" }?.doors
    }
    guard let doors else { throw ChaosFailure("there is no way to the servers for a guest") }
    return try process(Place(role: role, name: "\(role)-guest-\(number)", doors: doors))
  }

  /// The processes that ended although nobody killed them.
  func deadProcesses() -> [String] {
    places.withLock { places in
      places.filter { !$0.isHeldDown && $0.process?.isRunning != true }.map(\.name)
    }
  }

  /// Lets the workers leave, and waits until the push jobs they came to owe are handed over; gives
  /// those that did not leave well. From then on nothing happens in any match.
  func leaveWorkers() -> [String] {
    let left = leave { $0.role == "worker" }
    // Jobs that are still owed are found one by one later.
    try? waitUntilPushed(atMost: .seconds(60)) {}
    return left
  }

  /// Lets every other role leave; gives the processes that did not leave well.
  func leaveOthers() -> [String] { leave { $0.role != "worker" } }

  private func leave(_ isMeant: (Place) -> Bool) -> [String] {
    let processes = places.withLock { $0.filter(isMeant).map { ($0.name, $0.process) } }
    for (_, process) in processes { process?.askToLeave() }
    return processes.compactMap { name, process in
      let status = process?.wait() ?? 0
      return status == 0 ? nil : "\(name) left with \(status)"
    }
  }

  /// Ends all connections.
  func close() {
    for proxy in proxies { proxy.close() }
    for doors in doors { doors.close() }
  }

  // MARK: Looking

  /// Runs a command of the operator's to its end.
  ///
  /// - Parameter program: The `cubistd`, unless it is the one under test.
  func run(
    _ arguments: [String], by program: String? = nil
  ) throws -> (status: Int32, said: String) {
    let log = "\(folder)/\(arguments[0])-\(UInt64.random(in: .min ... .max)).said"
    defer { try? FileManager.default.removeItem(atPath: log) }
    var environment = environment
    environment["CUBIST_QUEUES"] = "\(queueCount.withLock { $0 })"
    let process = try group.start(
      [program ?? binary] + arguments, environment: environment, log: log)
    let status = process.wait()
    let said = FileManager.default.contents(atPath: log) ?? Data()
    return (status, String(decoding: said, as: UTF8.self))
  }

  /// A connection to the database past all proxies.
  func connectDirectly() throws -> PostgreSQLConnection {
    var settings = try PostgreSQLSettings(connectionString: database.connectionString)
      .forMatchStore()
    settings.applicationName = "chaos"
    settings.statementTimeout = .seconds(60)
    return try PostgreSQLConnection(settings)
  }

  /// Whether no table can grow.
  var diskIsFull: Bool {
    get throws {
      let connection = try connectDirectly()
      defer { connection.close() }
      do {
        _ = try connection.query("BEGIN")
        _ = try connection.query("CREATE TABLE growing AS SELECT generate_series(1, 10000)")
        _ = try connection.query("ROLLBACK")
        return false
      } catch {
        return error.sqlState == .diskFull
      }
    }
  }

  /// A player's way to the broker past all proxies.
  var playerURL: String { environment["CUBIST_PLAYER_BROKER"] ?? "" }

  /// Whether the broker takes connections.
  var brokerListens: Bool {
    guard let settings = try? RabbitMQSettings(url: playerURL),
      let connection = try? RabbitMQConnection(settings)
    else { return false }
    connection.close()
    return true
  }

  /// A bus of a player past all proxies.
  func directPlayerBus() throws -> PlayerBus {
    .live(try BrokerAddress(url: playerURL), clock: .live, log: Agent.log)
  }

  /// Messages in the queues of push jobs, which are to run dry.
  func queuedJobCount() throws -> Int {
    let administration = try BrokerAdministration(
      url: environment["CUBIST_BROKER_MANAGEMENT"] ?? "")
    let (names, queues) = (Names(), try administration.queues(in: host.name))
    return queues.filter { $0.name.hasPrefix(names.push) }
      .reduce(0) { $0 + $1.ready + $1.unacknowledged }
  }
}

extension PlayerLimits {
  /// The players' limits in runs with hostile players: a few agents do as much there as a crowd
  /// does elsewhere.
  static let attacked = PlayerLimits(eventsPerMinute: 2_400, openRequests: 20, runningMatches: 100)
}
