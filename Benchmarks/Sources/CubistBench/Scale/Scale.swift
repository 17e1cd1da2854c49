import Foundation
import Glibc
import LibPQ
import MatchService

/// The service in namespaces, with a share of a processor for each process that could be a limit.
final class Scale {
  private let servers: Servers
  private let site: Site
  private let stock: Stock
  private let cubistd: String
  private let options: ScaleProgram
  private let network: SmallNetwork
  private let places: (workers: [SmallNetwork.Place], gateways: [SmallNetwork.Place])
  private var shares: [String: CPUShare] = [:]
  private var seed: UInt64 = 0

  /// An added worker gets its queues after ten seconds.
  private static let sharing = 12.0
  /// How long turns are played under the shares before they count.
  private static let warmUp = 5.0

  init(servers: Servers, cubistd: String, options: ScaleProgram) throws {
    self.servers = servers
    self.cubistd = cubistd
    self.options = options
    site = try Site("scale", on: servers, cubistd: cubistd)
    stock = Stock(site, seed: 42)
    let network = try SmallNetwork(
      delayMilliseconds: options.delay, log: "\(site.folder)/network.log")
    self.network = network
    let most = options.workers.split(separator: ",").compactMap { Int($0) }.max() ?? 1
    places = try (
      (0..<most).map { _ in try network.place() },
      (0..<options.gateways).map { _ in try network.place() }
    )
    do {
      try servers.admit(SmallNetwork.range)
      for (name, percent) in [("PostgreSQL", options.postgres), ("RabbitMQ", options.rabbitmq)] {
        try share(name, percent, of: servers.processes(of: name))
      }
      // This process, and the roles that are no limit: they are its children.
      try share("others", options.others, of: [getpid()])
    } catch {
      end()
      throw error
    }
  }

  func end() {
    site.end()
    for share in shares.values { share.remove() }
    shares = [:]
  }

  /// Measures, and gives the text to print.
  func run(_ numbers: [Int]) throws -> String {
    var runs: [Int: [ScaleRun]] = [:]
    var rate = 200.0 * Double(numbers[0])
    for round in 1...options.rounds {
      for count in numbers {
        let run = try measure(workers: count, expected: rate * 2)
        rate = max(rate, run.turnsPerSecond)
        Progress.say("round \(round): \(count) workers: \(Int(run.turnsPerSecond)) turns a second")
        runs[count, default: []].append(run)
      }
    }
    return ScaleTable(runs: runs, options: options).text
  }

  private func measure(workers: Int, expected: Double) throws -> ScaleRun {
    // Matches are made without a limit.
    try site.start("worker", "relay", "push", "reader")
    try site.awaitConsumers()
    let turns = expected * (Scale.warmUp + options.seconds)
    try stock.fill(to: options.matches + Int(turns / 12) + 2 * options.matches / 12)
    try site.drainPushes()
    site.end("worker")

    let service = try (0..<workers).map { index in
      try start(
        "worker", index, at: places.workers[index], percent: options.worker, [:])
    }
    let gateways = try places.gateways.indices.map { index in
      try startGateway(index, at: places.gateways[index])
    }
    defer { stop() }
    try site.awaitConsumers()
    seed += 1
    let traffic = try TurnTraffic(
      stock, service: site.identity.service, lanes: options.matches, seed: seed)
    try wait(Scale.sharing)
    // The workers learn the matches without a limit, too.
    let generator = LinesGenerator(
      connect: { try HTTPLines(gateways: gateways, count: $0) }, traffic: traffic)
    _ = try generator.play(2 * options.matches, lanes: options.matches)
    for share in shares.values { try share.limit() }
    defer { for share in shares.values { try? share.lift() } }
    let observer = try site.connectToDatabase()
    defer { observer.close() }
    var before = try reading(observer)
    let result = try generator.saturate(
      lanes: options.matches, warmUp: Scale.warmUp, seconds: options.seconds
    ) { before = try self.reading(observer) }
    let after = try reading(observer)
    // The readings take a second, and the last turns are answered before the second one.
    guard service.allSatisfy(\.isRunning) else {
      throw BenchFailure("a worker has ended: \(service.map { $0.said.suffix(1_000) })")
    }
    return ScaleRun(
      turns: Double(result.turns), seconds: result.seconds, before: before, after: after,
      shares: shares.mapValues(\.percent))
  }

  private func wait(_ duration: Double) throws {
    let began = monotonic()
    while seconds(from: began, to: monotonic()) < duration {
      try Interruption.check()
      // An interrupt is noticed so soon.
      usleep(50_000)
    }
  }

  private func start(
    _ role: String, _ index: Int, at place: SmallNetwork.Place, percent: Double,
    _ settings: [String: String]
  ) throws -> Child {
    let name = "\(role)-\(index + 1)"
    let child = try site.start(name, place.command([cubistd, "run", role]), settings)
    try share(name, percent, of: [child.id])
    return child
  }

  private func share(_ name: String, _ percent: Double, of processes: [pid_t]) throws {
    let share = try CPUShare(name, percent: percent)
    shares[name] = share
    for process in processes { try share.take(process) }
  }

  private func startGateway(_ index: Int, at place: SmallNetwork.Place) throws -> GatewayAddress {
    let address = GatewayAddress(host: place.address, port: 8_080)
    let name = "gateway-\(index + 1)"
    let gateway = try GatewayUnderTest(
      site, cubistd: cubistd, name: name, at: address, by: place.command)
    try share(name, options.gateway, of: [gateway.child.id])
    return address
  }

  /// Ends everything but the servers.
  private func stop() {
    site.end()
    for name in shares.keys where name.contains("-") { shares.removeValue(forKey: name)?.remove() }
  }

  private func reading(_ connection: PostgreSQLConnection) throws -> ScaleReading {
    let wal = try Field.wal(connection)
    let commits = try connection.query(
      "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    ).only[0].int64
    return ScaleReading(
      at: monotonic(), cpu: site.cpu, idle: ScaleReading.idleSeconds(),
      workerBytes: network.bytes(of: places.workers),
      gatewayBytes: network.bytes(of: places.gateways), walBytes: wal.bytes,
      commits: Double(commits), messages: try servers.publishedMessages())
  }
}
