import Foundation
import LibPQ

/// The effect of a grown database on turns, memory and queries.
struct GrowthPlan {
  let servers: Servers
  let cubistd: String
  /// The players' program; without it `cubist games` is not measured.
  let cubist: String?
  let size: GrownSize
  let durations: Durations

  private static let lanes = 64

  func run() throws -> [String: Double] {
    let store = GrownStore(servers: servers, cubistd: cubistd, size: size)
    let grown = try store.open()
    defer { grown.end() }
    try store.tidy(grown)
    let empty = try Site("empty", on: servers, cubistd: cubistd)
    defer { empty.end() }
    var figures = [
      "matches": Double(size.matches), "turns": Double(size.turns),
      "databaseGigabytes": try bytes(of: grown) / 1e9,
    ]
    figures.merge(try turns(empty, grown)) { $1 }
    // The memory of a worker does not depend on the other contents of the database, and here the
    // matches go with the site.
    figures.merge(try WorkerMemory(site: empty).figures(matches: size.touched)) { $1 }
    if let cubist {
      figures.merge(try GamesProgram(site: grown, cubist: cubist).figures()) { $1 }
    }
    figures.merge(try store.ask(grown)) { $1 }
    return figures
  }

  /// Row 1 on both, one after the other in rounds, so that other load of the machine meets both
  /// alike.
  private func turns(_ empty: Site, _ grown: Site) throws -> [String: Double] {
    // Players of earlier runs have taken the keys of a seed that stays the same.
    let seed = UInt64.random(in: 0...UInt64.max)
    let stocks = [Stock(empty, seed: seed), Stock(grown, seed: seed &+ 1)]
    var samples: [[Sample]] = [[], []]
    for round in 1...durations.rounds {
      for index in round.isMultiple(of: 2) ? [1, 0] : [0, 1] {
        let (site, name) = ([empty, grown][index], ["empty", "full"][index])
        try site.startService()
        defer { site.end() }
        let sample = try site.saturate(
          stocks[index], lanes: GrowthPlan.lanes, expected: 3_000, durations,
          seed: seed &+ UInt64(round))
        samples[index].append(sample)
        let used = sample.cpu.sorted { $0.value > $1.value }.map { "\($0.key) \(Int($0.value))" }
        Progress.say(
          "round \(round): \(name): \(Int(sample.turnsPerSecond)) turns a second; processor µs a "
            + "turn: \(used.joined(separator: ", "))")
      }
    }
    // Ratios of neighbours: the machine changes from one minute to the next.
    let ratios = zip(samples[0], samples[1]).map { $1.turnsPerSecond / $0.turnsPerSecond }
    guard let ratio = ratios.median else { throw BenchFailure("no round was measured") }
    var figures = ["ratio": ratio]
    for (name, samples) in zip(["Empty", "Grown"], samples) {
      figures["turnsPerSecond\(name)"] = samples.map(\.turnsPerSecond).median
      figures["postgresMicroseconds\(name)"] = samples.compactMap { $0.cpu["PostgreSQL"] }.median
      figures["processorMicroseconds\(name)"] = samples.map(\.total).median
    }
    return figures
  }

  private func bytes(of site: Site) throws -> Double {
    let connection = try site.connectToDatabase()
    defer { connection.close() }
    return Double(
      try connection.query("SELECT pg_database_size(current_database())").only[0].int64)
  }
}
