import Foundation

extension Report {
  /// The table that a person reads.
  var table: String {
    // Growth is measured alone.
    let lines = growth.map { growthLines($0) } ?? rowLines
    return ([heading, ""] + lines).joined(separator: "\n")
  }

  private var heading: String {
    "\(machine.model), \(machine.processors) processors, load \(Self.number(machine.load, 1)) "
      + "when it began, \(machine.date)"
  }

  private var rowLines: [String] {
    var lines = [Self.row("turns a second", ["median", "lowest", "highest", "pushes behind"])]
    let order = turnsPerSecond.keys.sorted { Self.rank($0) < Self.rank($1) }
    for name in order {
      guard let rate = turnsPerSecond[name] else { continue }
      lines.append(
        Self.row(
          name,
          [
            Self.number(rate.median, 0), Self.number(rate.rounds.min(), 0),
            Self.number(rate.rounds.max(), 0), "\(rate.waitingPushes)",
          ]))
    }
    lines += ["", Self.row("processor µs a turn", [])]
    for name in order {
      guard let cpu = turnsPerSecond[name]?.cpuMicrosecondsPerTurn else { continue }
      let parts = cpu.filter { $0.value >= 0.5 }.sorted { $0.value > $1.value }
        .map { "\($0.key) \(Self.number($0.value, 0))" }
      let sum = Self.number(cpu.values.reduce(0, +), 0)
      lines.append("  \(Self.pad(name, 30)) \(sum): \(parts.joined(separator: ", "))")
    }
    lines += ["", Self.row("at 256 matches, times", ["ratio"])]
    lines += [
      Self.row("one transaction a turn", [Self.number(ratios.onePerTransaction, 2)]),
      Self.row("Celery", [Self.number(ratios.celery, 2)]),
      Self.row("ceiling", [Self.number(ratios.ceiling, 2)]),
      Self.row(
        "ceiling, without signatures", [Self.number(ratios.ceilingWithoutSignatures, 2)]),
      Self.row("by HTTP over the direct path", [Self.number(ratios.gateway, 2)]),
      Self.row("the same, 16 matches", [Self.number(ratios.gateway16, 2)]),
      Self.row("over a connection each", [Self.number(ratios.gatewayConnected, 2)]),
      Self.row("the same, 16 matches", [Self.number(ratios.gatewayConnected16, 2)]),
    ]
    for matches in ["64", "1024"] {
      lines.append(
        Self.row(
          "one transaction, \(matches) matches",
          [Self.number(ratios.onePerTransactionByMatches[matches], 2)]))
    }
    lines += ["", Self.row("ms from publish to reply", ["p50", "p95", "p99", "max"])]
    lines.append(Self.latencyRow("unloaded", unloadedRoundTripMs))
    for rate in ["50", "200", "1000", "2000"] {
      lines.append(Self.latencyRow("\(rate) offered a second", latencyMs[rate]))
    }
    lines += ["", Self.row("a turn costs", ["1,024 matches", "1 match"])] + countLines
    lines += ["", Self.row("a turn costs the worker's own", [])]
    lines += Self.dictionaryLines(workersOwnPerTurn)
    lines += ["", Self.row("a turn costs a gateway", [])]
    lines += Self.dictionaryLines(gatewaysOwnPerTurn)
    lines += ["", Self.row("streams that wait", [])] + Self.dictionaryLines(streams)
    lines += ["", Self.row("garbage at a gateway", [])] + Self.dictionaryLines(garbage)
    lines += ["", Self.row("rules and words", [])] + Self.dictionaryLines(rules)
    return lines + ["", Self.row("growth", ["not measured"])]
  }

  /// Figures by their names in the report; those with a target come first.
  static let growthFigures: [(name: String, label: String, digits: Int)] = [
    ("ratio", "full over empty, turns a second of 64 matches", 2),
    ("turnsPerSecondEmpty", "turns a second, empty database", 0),
    ("turnsPerSecondGrown", "turns a second, full database", 0),
    ("processorMicrosecondsEmpty", "processor µs a turn, empty database", 0),
    ("processorMicrosecondsGrown", "processor µs a turn, full database", 0),
    ("postgresMicrosecondsEmpty", "of it PostgreSQL, empty database", 0),
    ("postgresMicrosecondsGrown", "of it PostgreSQL, full database", 0),
    ("matchesTouched", "matches shown to one worker", 0),
    ("workerMegabytes", "MB of that worker, at most", 1),
    ("workerMegabytesAtStart", "at its start", 1),
    ("workerMegabytesAfterwards", "afterwards", 1),
    ("workerPeakMegabytes", "peak, with what lasts a moment only, and files", 1),
    ("cubistGamesMs", "ms of cubist games", 1),
    ("cubistPastGamesMs", "ms of cubist games --past", 1),
    ("matches", "matches in the full database", 0),
    ("turns", "turns in the full database", 0),
    ("databaseGigabytes", "GB of the full database", 1),
  ]

  private func growthLines(_ growth: [String: Double]) -> [String] {
    func line(_ label: String, _ value: Double?, _ digits: Int) -> String {
      "  " + Self.pad(label, 64) + Self.number(value, digits)
    }
    let known = Self.growthFigures
    let questions = growth.filter { figure in !known.contains { $0.name == figure.key } }
    return known.map { line($0.label, growth[$0.name], $0.digits) } + [""]
      + questions.sorted { $0.key < $1.key }.map { line($0.key, $0.value, 2) }
  }

  private var countLines: [String] {
    let rows: [(String, KeyPath<Counts, Double>, Int)] = [
      ("commits", \.commits, 4), ("WAL bytes", \.walBytes, 0), ("fsyncs", \.fsyncs, 4),
      ("statements", \.statements, 3), ("round trips", \.roundTrips, 3),
      ("broker messages", \.messages, 2), ("bytes sent", \.bytesSent, 0),
      ("bytes received", \.bytesReceived, 0), ("allocations, own", \.allocations, 1),
      ("allocations, libpq", \.allocationsLibPQ, 1),
      ("allocations, librabbitmq", \.allocationsLibRabbitMQ, 1),
      ("worker µs, no signatures", \.workerMicroseconds, 1),
      ("turns a batch", \.turnsPerBatch, 1),
    ]
    return rows.map { name, path, digits in
      Self.row(
        name,
        [
          Self.number(countsPerTurn?[keyPath: path], digits),
          Self.number(countsPerTurnAtOneMatch?[keyPath: path], digits),
        ])
    } + [Self.row("instructions", [Self.number(instructionsPerTurn, 0)])]
  }

  private static func dictionaryLines(_ values: [String: Double]?) -> [String] {
    guard let values, !values.isEmpty else { return ["  not measured"] }
    return values.sorted { $0.key < $1.key }.map {
      row($0.key, [number($0.value, abs($0.value) < 100 ? 3 : 0)])
    }
  }

  private static func latencyRow(_ name: String, _ latencies: Latencies?) -> String {
    row(
      name,
      [latencies?.p50, latencies?.p95, latencies?.p99, latencies?.max].map { number($0, 2) })
  }

  private static func rank(_ name: String) -> String {
    let groups = ["cubist", "connected", "gateway", "floor", "celery", "ceiling"]
    let group = groups.firstIndex { name.hasPrefix($0) } ?? groups.count
    let digits = name.split(separator: " ").compactMap { Int($0) }.first ?? 0
    return "\(group) \(String(digits + 100_000)) \(name)"
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    "  " + pad(name, 30)
      + cells.map { String(repeating: " ", count: max(1, 15 - $0.count)) + $0 }.joined()
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func number(_ value: Double?, _ digits: Int) -> String {
    guard let value else { return "not measured" }
    return String(format: "%.\(digits)f", value)
  }
}
