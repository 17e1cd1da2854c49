import Foundation
import Glibc
import LibPQ
import LibRabbitMQ
import MatchCore
import MatchLoad
import MatchService
import MatchWire

/// The measured systems, and the sites they run in.
final class Field {
  let root: String
  let cubistd: String
  let bench: String
  let durations: Durations
  let cubist: Site
  let peers: Site
  let stock: Stock
  /// Matches that are played without a judge.
  private(set) var unjudged: [PreparedMatch] = []
  private var seed: UInt64 = 1

  static let lanes = 256
  static let pushRoles = ["relay", "push"]

  init(
    root: String, cubistd: String, bench: String, servers: Servers, durations: Durations,
    layout: QueueLayout = .standard
  ) throws {
    self.root = root
    self.cubistd = cubistd
    self.bench = bench
    self.durations = durations
    cubist = try Site("cubist", on: servers, cubistd: cubistd, layout: layout)
    peers = try Site("peers", on: servers, cubistd: cubistd, layout: layout)
    stock = Stock(cubist, seed: 42)
    // The peers' matches are made by the service as well; then it leaves the place to them.
    defer { peers.end() }
    try peers.start("worker", "push")
    try peers.awaitConsumers()
    let unjudged = Stock(peers, seed: 43)
    try unjudged.fill(to: 2 * Field.lanes)
    self.unjudged = try unjudged.take(2 * Field.lanes)
    try peers.drainPushes()
    try prepareFloor()
  }

  func end() {
    cubist.end()
    peers.end()
  }

  func nextSeed() -> UInt64 {
    seed += 1
    return seed
  }

  // MARK: Row 1

  /// The shipped service, every role a process of its own; `withoutSignatures` a worker of the same
  /// parts that believes every signature.
  ///
  /// Matches of a worker before it are left alone: a worker has those at hand that it has made.
  func startCubist(withoutSignatures: Bool = false) throws {
    stock.leave()
    guard withoutSignatures else { return try cubist.startService() }
    _ = try cubist.start("worker", [bench, "worker", "--without-signatures"], isAsked: true)
    try cubist.start("scheduler", "relay", "push")
    try cubist.awaitConsumers()
  }

  /// Turns a second of so many matches, push jobs consumed.
  func saturateCubist(lanes: Int, expected: Double) throws -> Sample {
    try cubist.saturate(
      stock, lanes: lanes, expected: expected, durations, seed: nextSeed())
  }

  // MARK: Row 3

  private static let floorMatches = 1_024

  private func prepareFloor() throws {
    let connection = try peers.connectToDatabase()
    defer { connection.close() }
    try connection.script(
      """
      INSERT INTO matches (id, version, turn, deadline, due, state)
      SELECT md5('floor' || n)::uuid, 1, 1, now(), 1,
        (SELECT state FROM matches LIMIT 1)
      FROM generate_series(1, \(Field.floorMatches)) AS n
      """)
    try connection.script("VACUUM ANALYZE")
  }

  /// One transaction a turn by pgbench: no broker, no rules, no signatures.
  func floor(clients: Int) throws -> Sample {
    let payload = String(repeating: "7b", count: 330)
    let seconds = Int(durations.warmUp + durations.saturated)
    let command = [
      try Field.pgbench(), "-n", "-M", "prepared", "-c", "\(clients)", "-j", "2",
      "-T", "\(seconds)",
      "-f", "\(root)/Benchmarks/Floor/turn.sql", "-D", "payload=\(payload)",
      "-D", "key=\(String(repeating: "07", count: 32))",
      "-D", "signature=\(String(repeating: "07", count: 64))",
      "-D", "job=00000000-0000-0000-0000-000000000000",
      "\(peers.servers.postgres) dbname=bench_peers",
    ]
    let before = peers.cpu
    let child = try peers.start("pgbench", command)
    _ = try child.wait()
    let used = peers.cpu.since(before)
    peers.end("pgbench")
    guard let line = child.said.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
      let number = line.dropFirst(6).split(separator: " ").first.flatMap({ Double($0) })
    else { throw BenchFailure("pgbench says: \(child.said.suffix(2_000))") }
    let turns = number * Double(seconds)
    return Sample(
      turnsPerSecond: number, cpu: used.seconds.mapValues { $0 * 1_000_000 / turns })
  }

  private static func pgbench() throws -> String {
    let versions = (13...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
    guard let program = Programs.find("pgbench", also: versions) else {
      throw BenchFailure("pgbench is missing: install postgresql-contrib")
    }
    return program
  }

  // MARK: Row 4

  /// Celery, with so many processes.
  func celery(_ celery: String, concurrency: Int) throws -> Sample {
    let matches = Array(unjudged.suffix(Field.lanes))
    let connection = try peers.connectToDatabase()
    defer { connection.close() }
    var numbers: [Int] = []
    for match in matches {
      let row = try connection.query(
        "SELECT turn FROM matches WHERE id = $1", [.uuid(match.id.rawValue)])
      numbers.append(Int(try row.only[0].int32))
    }
    guard let host = peers.environment["CUBIST_BROKER"]?.split(separator: "/").last else {
      throw BenchFailure("no virtual host")
    }
    let broker = "\(peers.servers.amqp.dropLast())/\(host)"
    let worker = try peers.start(
      "celery",
      [
        celery, "-A", "turns", "worker", "--concurrency", "\(concurrency)", "--loglevel", "error",
        "--without-gossip", "--without-mingle", "--without-heartbeat",
      ],
      [
        "BENCH_BROKER": broker, "PYTHONPATH": "\(root)/Benchmarks/Celery",
        "PYTHONDONTWRITEBYTECODE": "1", "HOME": peers.folder, "C_FORCE_ROOT": "1",
      ])
    try peers.start("relay", "push")
    defer { peers.end() }
    try awaitCelery(worker, broker)
    let traffic = CeleryTraffic(
      matches, numbers: numbers, service: peers.identity.service, seed: nextSeed())
    return try peers.saturate(traffic, lanes: Field.lanes, durations) {
      try RabbitMQConnection(RabbitMQSettings(url: broker))
    }
  }

  /// Waits until Celery consumes its queue, which it makes itself.
  private func awaitCelery(_ worker: Child, _ broker: String) throws {
    let began = monotonic()
    while true {
      // Asking for a queue that is not there ends the connection.
      let connection = try RabbitMQConnection(RabbitMQSettings(url: broker))
      defer { connection.close() }
      if let queue = try? connection.inspectQueue(CeleryTraffic.queue), queue.consumerCount > 0 {
        return
      }
      try Interruption.check()
      guard worker.isRunning, seconds(from: began, to: monotonic()) < 60 else {
        throw BenchFailure("Celery does not work: \(worker.said.suffix(2_000))")
      }
      usleep(200_000)
    }
  }

  // MARK: Row 5

  /// The loop that only moves bytes.
  func ceiling() throws -> Sample {
    _ = try peers.start("ceiling", [bench, "ceiling"])
    try peers.start("relay", "push")
    defer { peers.end() }
    try peers.awaitConsumers()
    let traffic = TurnTraffic(
      unjudged: Array(unjudged.prefix(Field.lanes)), service: peers.identity.service,
      seed: nextSeed())
    return try peers.saturate(traffic, lanes: Field.lanes, durations)
  }

  // MARK: Row 2

  /// Latencies in microseconds at an offered rate.
  func latencies(rate: Double) throws -> Latencies {
    let lanes = Field.lanes
    try stock.fill(to: lanes + Int(rate * durations.offered / 12))
    let traffic = try TurnTraffic(
      stock, service: cubist.identity.service, lanes: lanes, seed: nextSeed())
    let generator = Generator(connect: cubist.connectAsPlayer, traffic: traffic)
    let microseconds = try generator.offer(rate, lanes: lanes, seconds: durations.offered)
    try cubist.drainPushes()
    return Latencies(microseconds: microseconds)
  }
}
