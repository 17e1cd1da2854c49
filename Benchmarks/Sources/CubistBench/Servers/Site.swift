import EventBusLive
import Foundation
import LibPQ
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// A deployment of the service: a virtual host, a database and keys of its own.
final class Site {
  let name: String
  let servers: Servers
  let folder: String
  /// The environment for `cubistd`.
  let environment: [String: String]
  let identity: ServiceIdentity
  let layout: QueueLayout
  private let cubistd: String
  /// The broker's address for players.
  let playerBroker: String
  private(set) var running: [Child] = []

  /// Sets a site up, anew unless `isKept`; `cubistd setup` brings a kept one to today's schema.
  init(
    _ name: String, on servers: Servers, cubistd: String, layout: QueueLayout = .standard,
    isKept: Bool = false
  ) throws {
    self.name = name
    self.layout = layout
    self.servers = servers
    self.cubistd = cubistd
    folder = "\(servers.folder)/\(name)"
    let database = "bench_\(name)"
    if try !isKept || !servers.hasDatabase(database) {
      let administration = try servers.connect()
      defer { administration.close() }
      try administration.script("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
      try administration.script("CREATE DATABASE \(database) TEMPLATE template0")
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let host = "bench-\(name)-\(UInt32.random(in: 0...UInt32.max))"
    playerBroker = try Site.url(servers.amqp, user: "\(name)-player", host: host)
    environment = [
      "CUBIST_LIMIT_REGISTRATIONS": "0",
      "PATH": "/usr/local/bin:/usr/bin:/bin",
      "CUBIST_DATABASE": "\(servers.postgres) dbname=\(database)",
      "CUBIST_BROKER": try Site.url(servers.amqp, user: "\(name)-service", host: host),
      "CUBIST_PLAYER_BROKER": playerBroker, "CUBIST_BROKER_MANAGEMENT": servers.management,
      "CUBIST_GATEWAY_BROKER": try Site.url(servers.amqp, user: "\(name)-gateway", host: host),
      "CUBIST_SERVICE_KEYS": "\(folder)/keys.json", "CUBIST_PUSH_LOG": "\(folder)/push.jsonl",
      "CUBIST_LOG_LEVEL": "warning", "CUBIST_QUEUES": "\(layout.queueCount)",
    ]
    _ = try Child.run([cubistd, "setup"], environment: environment, log: "\(folder)/setup.log")
    identity = try ServiceKeyFile.load("\(folder)/keys.json").identity()
  }

  /// The same URL for another user, whose password is the user's name: the servers listen on
  /// 127.0.0.1 only, and go when the benchmark ends.
  private static func url(_ url: String, user: String, host: String) throws -> String {
    guard let scheme = url.range(of: "://"), let at = url.lastIndex(of: "@"),
      let slash = url.lastIndex(of: "/")
    else { throw BenchFailure("the servers do not say where RabbitMQ is") }
    return "\(url[..<scheme.upperBound])\(user):\(user)\(url[at..<slash])/\(host)"
  }

  // MARK: Processes

  /// Starts roles of the shipped program, or of another, a process each.
  func start(_ roles: String..., of program: String? = nil) throws {
    for role in roles {
      _ = try start(role, [program ?? cubistd, "run", role])
    }
  }

  /// Starts another program in this place.
  func start(
    _ name: String, _ command: [String], _ more: [String: String] = [:], isAsked: Bool = false
  ) throws -> Child {
    let child = try Child(
      name, command, environment: environment.merging(more) { $1 }, log: "\(folder)/\(name).log",
      isAsked: isAsked)
    running.append(child)
    return child
  }

  /// Ends the processes of these names, or all.
  func end(_ names: String...) {
    let leaving = running.filter { names.isEmpty || names.contains($0.name) }
    running.removeAll { one in leaving.contains { $0 === one } }
    for child in leaving { child.end() }
  }

  /// Processor time of every process, this one and the servers included.
  var cpu: CPUTimes {
    var times = servers.cpu
    times.seconds["generator"] = CPUTimes.of(getpid())
    for child in running { times.seconds[child.name] = CPUTimes.of(child.id, children: true) }
    return times
  }

  // MARK: Connections

  func connectToDatabase() throws -> PostgreSQLConnection { try servers.connect("bench_\(name)") }

  func connectAsPlayer() throws -> RabbitMQConnection {
    try RabbitMQConnection(RabbitMQSettings(url: playerBroker))
  }

  func connectAsService() throws -> RabbitMQConnection {
    try RabbitMQConnection(RabbitMQSettings(url: environment["CUBIST_BROKER"] ?? ""))
  }

  /// Waits until every queue of events has a consumer.
  func awaitConsumers() throws {
    let connection = try connectAsService()
    defer { connection.close() }
    let names = Names()
    let began = monotonic()
    for queue in 0..<layout.queueCount {
      while try connection.inspectQueue(names.events(queue: queue)).consumerCount == 0 {
        try Interruption.check()
        guard running.allSatisfy(\.isRunning), seconds(from: began, to: monotonic()) < 180 else {
          throw BenchFailure("nobody consumes queue \(queue): \(running.map(\.said))")
        }
        usleep(20_000)
      }
    }
  }

  /// Waits until no push job waits in the queue; gives how many there were.
  @discardableResult
  func drainPushes() throws -> Int {
    let connection = try connectAsService()
    defer { connection.close() }
    let first = try connection.inspectQueue(Names().push).messageCount
    while try connection.inspectQueue(Names().push).messageCount > 0 {
      try Interruption.check()
      usleep(2_000)
    }
    return first
  }
}
