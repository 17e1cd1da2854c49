import Foundation

/// The order in which rows are measured: in rounds, so that other load of the machine meets all of
/// them alike.
struct Plan {
  let rows: Set<RunProgram.Row>
  let celery: String?
  let field: Field
  let isQuick: Bool

  func run(_ report: inout Report) throws {
    var samples: [String: [Sample]] = [:]
    var latencies: [Double: [Latencies]] = [:]
    var unloaded: [Latencies] = []
    let concurrencies = isQuick ? [4] : [2, 4, 8]
    for round in 1...field.durations.rounds {
      func measure(_ name: String, _ body: () throws -> Sample) throws {
        Progress.say("round \(round): \(name)")
        let sample = try body()
        samples[name, default: []].append(sample)
        Progress.say("round \(round): \(name): \(Int(sample.turnsPerSecond)) turns a second")
      }
      if rows.contains(.cubist) || rows.contains(.gateway) {
        try field.startCubist()
        for lanes in rows.contains(.cubist) ? [256, 1, 16, 64, 1024] : [256, 16] {
          try measure("cubist \(lanes)") {
            try field.saturateCubist(lanes: lanes, expected: min(3_000, Double(lanes) * 300))
          }
        }
        if rows.contains(.gateway) {
          for lanes in [256, 16] {
            try measure("connected \(lanes)") {
              try field.saturateConnected(
                lanes: lanes, expected: min(3_000, Double(lanes) * 300))
            }
          }
          let gateway = try field.startGateway()
          for lanes in [256, 16] {
            try measure("gateway \(lanes)") {
              try field.saturate(
                gateway, lanes: lanes, expected: min(3_000, Double(lanes) * 300))
            }
          }
        }
        field.cubist.end()
      }
      if rows.contains(.ceiling) { try measure("ceiling") { try field.ceiling() } }
      if rows.contains(.cubist) {
        try field.startCubist(withoutSignatures: true)
        try measure("cubist 256 without signatures") {
          try field.saturateCubist(lanes: 256, expected: 4_000)
        }
        field.cubist.end()
      }
      if rows.contains(.floor) {
        for clients in [64, 16] {
          try measure("floor \(clients)") { try field.floor(clients: clients) }
        }
      }
      if rows.contains(.celery), let celery {
        for concurrency in concurrencies {
          try measure("celery \(concurrency)") {
            try field.celery(celery, concurrency: concurrency)
          }
        }
      }
    }
    for (name, samples) in samples { report.turnsPerSecond[name] = Report.Rate(samples) }
    if rows.contains(.latency) { try measureLatencies(&unloaded, &latencies) }
    report.unloadedRoundTripMs = Latencies.middle(unloaded)
    for (rate, runs) in latencies { report.latencyMs["\(Int(rate))"] = Latencies.middle(runs) }
    if rows.contains(.gateway) {
      Progress.say("a gateway's own")
      report.gatewaysOwnPerTurn = try field.gatewaysOwn(isQuick: isQuick)
    }
    if rows.contains(.streams) {
      report.streams = try field.streams(isQuick ? 1_000 : 10_000, changes: isQuick ? 20 : 100)
    }
    if rows.contains(.garbage) { report.garbage = try field.garbage(isQuick ? 2_000 : 10_000) }
    if rows.contains(.counts) {
      Progress.say("counts at 1,024 matches")
      report.countsPerTurn = try field.counts(lanes: 1_024, turns: 6_000)
      Progress.say("counts at 1 match")
      report.countsPerTurnAtOneMatch = try field.counts(lanes: 1, turns: 600)
      report.workersOwnPerTurn = try field.workersOwn()
      // Takes about twenty seconds.
      if !isQuick { report.instructionsPerTurn = try instructions() }
    }
  }

  /// Valgrind does not know every processor. Then this one figure is missing, and the others count.
  private func instructions() throws -> Double? {
    Progress.say("instructions")
    do {
      return try field.instructions()
    } catch let failure as BenchFailure {
      try Interruption.check()
      Progress.say("instructions are not counted: \(failure)")
      return nil
    }
  }

  private func measureLatencies(
    _ unloaded: inout [Latencies], _ latencies: inout [Double: [Latencies]]
  ) throws {
    try field.startCubist()
    defer { field.cubist.end() }
    let rounds = isQuick ? 1 : 5
    for round in 1...rounds {
      Progress.say("latencies, round \(round) of \(rounds)")
      unloaded.append(try field.latencies(rate: 5))
      for rate in [50.0, 200, 1_000, 2_000] {
        latencies[rate, default: []].append(try field.latencies(rate: rate))
      }
    }
  }

  /// The measurements of the program beside this one.
  func rules(beside bench: String) throws -> [String: Double] {
    let program =
      URL(fileURLWithPath: bench).deletingLastPathComponent().path
      + "/cubist-bench-rules"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw BenchFailure("\(program) is not built")
    }
    Progress.say("rules and words")
    let said = try Child.run(
      [program, "\(field.root)"], environment: ["PATH": "/usr/bin:/bin"],
      log: "\(field.cubist.folder)/rules.json")
    return try JSONDecoder().decode([String: Double].self, from: Data(said.utf8))
  }
}
