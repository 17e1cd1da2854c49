import Foundation
import LibPQ
import MatchCore
import MatchLoad
import MatchService

/// The cost of a turn in units that no noise touches.
struct Counts: Codable {
  var commits: Double
  /// Without full-page images, and without autovacuum's own writes.
  var walBytes: Double
  var fsyncs: Double
  var statements: Double
  var roundTrips: Double
  /// In the worker's own code: without libpq, librabbitmq and signatures.
  var allocations: Double
  var allocationsLibPQ: Double
  var allocationsLibRabbitMQ: Double
  var messages: Double
  var bytesSent: Double
  var bytesReceived: Double
  var turnsPerBatch: Double
  /// Processor time of the worker without signatures, in microseconds, libraries included.
  var workerMicroseconds: Double
}

extension Field {
  /// Only a turn worker and players run, so that all of PostgreSQL's work is the worker's.
  func counts(lanes: Int, turns: Int) throws -> Counts {
    // Writes that PostgreSQL makes of its own accord are not the worker's.
    let ownAccord = ["full_page_writes", "autovacuum"]
    for setting in ownAccord { try cubist.servers.set(setting, "off") }
    defer { for setting in ownAccord { try? cubist.servers.set(setting, "on") } }
    let worker = try cubist.start(
      "worker", [bench, "worker", "--without-signatures"], ["LD_PRELOAD": countingLibrary],
      isAsked: true)
    defer { cubist.end() }
    try cubist.awaitConsumers()
    try stock.fill(to: lanes + turns / 12)
    let traffic = try TurnTraffic(
      stock, service: cubist.identity.service, lanes: lanes, seed: 7)
    let generator = Generator(connect: cubist.connectAsPlayer, traffic: traffic)
    let connection = try cubist.connectToDatabase()
    defer { connection.close() }
    var (before, walBefore) = (WorkerTotals(), (bytes: 0.0, syncs: 0.0))
    var cpuBefore = 0.0
    let result = try generator.saturate(
      lanes: lanes, warmUp: 1, seconds: max(2, Double(turns) / 1_000)
    ) {
      walBefore = try Self.wal(connection)
      before = try WorkerTotals(of: worker)
      cpuBefore = CPUTimes.of(worker.id)
    }
    let cpu = CPUTimes.of(worker.id) - cpuBefore
    let used = try WorkerTotals(of: worker).since(before)
    let wal = try Self.wal(connection)
    // Messages under way at either end count, too.
    let count = Double(used["messagesReceived"] ?? result.turns)
    func each(_ name: String) -> Double { Double(used[name] ?? 0) / count }
    return Counts(
      commits: each("commits"), walBytes: (wal.bytes - walBefore.bytes) / count,
      fsyncs: (wal.syncs - walBefore.syncs) / count, statements: each("statements"),
      roundTrips: each("roundTrips"), allocations: each("allocationsOther"),
      allocationsLibPQ: each("allocationsLibPQ"),
      allocationsLibRabbitMQ: each("allocationsLibRabbitMQ"),
      messages: each("messagesReceived") + each("messagesSent"), bytesSent: each("sentBytes"),
      bytesReceived: each("receivedBytes"),
      turnsPerBatch: count / Double(max(1, used["batches"] ?? 1)),
      workerMicroseconds: cpu * 1_000_000 / count)
  }

  /// The worker's loop without servers.
  func workersOwn() throws -> [String: Double] {
    let said = try Child.run(
      [bench, "own", "--runs", "3"],
      environment: ["PATH": "/usr/bin:/bin", "LD_PRELOAD": countingLibrary],
      log: "\(cubist.folder)/own.json")
    var figures = try JSONDecoder().decode([String: Double].self, from: Data(said.utf8))
    figures["turns"] = nil
    return figures
  }

  /// Instructions a turn of the worker's loop without servers and signatures, by callgrind. Nil
  /// where there is no valgrind.
  func instructions() throws -> Double? {
    guard let valgrind = Programs.find("valgrind") else { return nil }
    let profile = "\(cubist.folder)/callgrind.out"
    let said = try Child.run(
      Callgrind.command(
        valgrind, [bench, "own", "--without-signatures", "--matches", "64", "--turns", "12"],
        to: profile),
      environment: Callgrind.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 },
      log: "\(cubist.folder)/callgrind.log")
    let text = String(
      decoding: FileManager.default.contents(atPath: profile) ?? Data(), as: UTF8.self)
    guard let total = Callgrind.instructions(in: text), total > 0,
      let object = said.split(separator: "\n").last(where: { $0.hasPrefix("{") }),
      let turns = try JSONDecoder().decode([String: Double].self, from: Data(object.utf8))["turns"]
    else { throw BenchFailure("callgrind has counted nothing: \(said.suffix(2_000))") }
    return total / turns
  }

  var countingLibrary: String {
    URL(fileURLWithPath: bench).deletingLastPathComponent().path + "/libcounting.so"
  }

  static func wal(
    _ connection: PostgreSQLConnection
  ) throws -> (bytes: Double, syncs: Double) {
    // Backends report about once a second how much they have written.
    usleep(1_200_000)
    let row = try connection.query("SELECT wal_bytes::bigint, wal_sync FROM pg_stat_wal").only
    return (Double(try row[0].int64), Double(try row[1].int64))
  }
}
