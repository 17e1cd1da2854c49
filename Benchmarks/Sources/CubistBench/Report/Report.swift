import Foundation

/// All measurements of one run. One that could not be made is nil, and never 0.
struct Report: Codable {
  struct Ratios: Codable {
    /// Turns a second at 256 matches over one transaction a turn at its best.
    var onePerTransaction: Double?
    /// The same at other numbers of matches.
    var onePerTransactionByMatches: [String: Double] = [:]
    var celery: Double?
    var ceiling: Double?
    var ceilingWithoutSignatures: Double?
    /// Turns a second by HTTP over those of the direct path, at 256 and at 16 matches.
    var gateway: Double?
    var gateway16: Double?
    /// The same over players who have a connection of AMQP each.
    var gatewayConnected: Double?
    var gatewayConnected16: Double?
  }

  /// Turns a second: the median of the rounds, and each of them.
  struct Rate: Codable {
    var median: Double
    var rounds: [Double]
    /// Microseconds of processor time a turn by process, medians.
    var cpuMicrosecondsPerTurn: [String: Double]
    /// Push jobs that waited when the turns were done, at most.
    var waitingPushes: Int

    init?(_ samples: [Sample]) {
      guard let median = samples.map(\.turnsPerSecond).median else { return nil }
      self.median = median
      rounds = samples.map(\.turnsPerSecond)
      var cpu: [String: Double] = [:]
      for name in Set(samples.flatMap(\.cpu.keys)) {
        cpu[name] = samples.compactMap { $0.cpu[name] }.median
      }
      cpuMicrosecondsPerTurn = cpu
      waitingPushes = samples.map(\.lag.jobs).max() ?? 0
    }
  }

  struct Machine: Codable {
    var processors: Int
    var model: String
    var load: Double
    var date: String
  }

  var machine: Machine
  var ratios = Ratios()
  var turnsPerSecond: [String: Rate] = [:]
  /// By offered turns a second.
  var latencyMs: [String: Latencies] = [:]
  /// One match, one turn at a time.
  var unloadedRoundTripMs: Latencies?
  var countsPerTurn: Counts?
  var countsPerTurnAtOneMatch: Counts?
  /// The turn worker over a store and a bus in memory, at 1,024 matches.
  var workersOwnPerTurn: [String: Double]?
  /// The same without signatures, at 64 matches, by callgrind.
  var instructionsPerTurn: Double?
  var rules: [String: Double]?
  /// A gateway alone, for a turn.
  var gatewaysOwnPerTurn: [String: Double]?
  /// Streams that wait, and one change.
  var streams: [String: Double]?
  /// A stranger's garbage at a gateway.
  var garbage: [String: Double]?
  /// A full database beside an empty one; the times of its queries by their names.
  var growth: [String: Double]?

  mutating func relate() {
    func rate(_ name: String) -> Double? { turnsPerSecond[name]?.median }
    func ratio(_ name: String, _ other: Double?) -> Double? {
      guard let mine = rate(name), let other, other > 0 else { return nil }
      return mine / other
    }
    let floor = ["floor 16", "floor 64"].compactMap(rate).max()
    ratios.onePerTransaction = ratio("cubist 256", floor)
    for matches in [1, 16, 64, 256, 1024] {
      ratios.onePerTransactionByMatches["\(matches)"] = ratio("cubist \(matches)", floor)
    }
    let celery = turnsPerSecond.filter { $0.key.hasPrefix("celery") }.map(\.value.median).max()
    ratios.celery = ratio("cubist 256", celery)
    ratios.ceiling = ratio("cubist 256", rate("ceiling"))
    ratios.gateway = ratio("gateway 256", rate("cubist 256"))
    ratios.gateway16 = ratio("gateway 16", rate("cubist 16"))
    ratios.gatewayConnected = ratio("gateway 256", rate("connected 256"))
    ratios.gatewayConnected16 = ratio("gateway 16", rate("connected 16"))
    ratios.ceilingWithoutSignatures = ratio("cubist 256 without signatures", rate("ceiling"))
  }

  /// One object, with null for missing measurements.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard
      var object = try JSONSerialization.jsonObject(with: encoder.encode(self)) as? [String: Any]
    else { throw BenchFailure("no report") }
    // The encoder leaves out optionals that are nil; readers of the report should see them.
    for name in [
      "countsPerTurn", "countsPerTurnAtOneMatch", "instructionsPerTurn", "rules", "growth",
      "workersOwnPerTurn", "gatewaysOwnPerTurn", "streams", "garbage", "unloadedRoundTripMs",
    ] where object[name] == nil { object[name] = NSNull() }
    if var growth = object["growth"] as? [String: Any] {
      for figure in Report.growthFigures where growth[figure.name] == nil {
        growth[figure.name] = NSNull()
      }
      object["growth"] = growth
    }
    var ratios = object["ratios"] as? [String: Any] ?? [:]
    for name in [
      "onePerTransaction", "celery", "ceiling", "ceilingWithoutSignatures", "gateway", "gateway16",
      "gatewayConnected", "gatewayConnected16",
    ] where ratios[name] == nil { ratios[name] = NSNull() }
    object["ratios"] = ratios
    let data = try JSONSerialization.data(
      withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    return String(decoding: data, as: UTF8.self)
  }

  static func machine() -> Machine {
    let info = String(
      decoding: FileManager.default.contents(atPath: "/proc/cpuinfo") ?? Data(), as: UTF8.self)
    let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    let load = String(
      decoding: FileManager.default.contents(atPath: "/proc/loadavg") ?? Data(), as: UTF8.self)
    let formatter = ISO8601DateFormatter()
    return Machine(
      processors: ProcessInfo.processInfo.activeProcessorCount, model: model ?? "unknown",
      load: load.split(separator: " ").first.flatMap { Double($0) } ?? 0,
      date: formatter.string(from: Date()))
  }
}
