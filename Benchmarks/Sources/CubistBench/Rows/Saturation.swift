import LibRabbitMQ
import MatchService

/// The result of one run of a row.
struct Sample {
  var turnsPerSecond: Double
  /// Microseconds of processor time a turn, by process. It depends on the machine, and little on
  /// the machine's other load.
  var cpu: [String: Double] = [:]
  /// Push jobs that still waited when the turns were done, and the seconds they took.
  var lag: (jobs: Int, seconds: Double) = (0, 0)

  /// Microseconds of processor time a turn, of all processes.
  var total: Double { cpu.values.reduce(0, +) }
}

/// How long things are measured.
struct Durations {
  var warmUp: Double
  var saturated: Double
  var offered: Double
  var rounds: Int

  static let quick = Durations(warmUp: 1, saturated: 3, offered: 4, rounds: 2)
  static let full = Durations(warmUp: 1, saturated: 4, offered: 5, rounds: 3)
  static let growth = Durations(warmUp: 2, saturated: 6, offered: 0, rounds: 6)
  static let quickGrowth = Durations(warmUp: 1, saturated: 4, offered: 0, rounds: 4)
}

extension Site {
  /// Starts the whole service, every role a process of its own.
  /// - Parameter program: Another `cubistd` than the shipped one.
  func startService(of program: String? = nil) throws {
    try start("worker", "scheduler", "relay", "push", of: program)
    try awaitConsumers()
  }

  /// Turns a second of so many matches, push jobs consumed.
  /// - Parameter expected: Turns a second, at most: for so many there are matches.
  func saturate(
    _ stock: Stock, lanes: Int, expected: Double, _ durations: Durations, seed: UInt64
  ) throws -> Sample {
    let traffic = try turns(of: stock, lanes: lanes, expected: expected, durations, seed: seed)
    return try saturate(traffic, lanes: lanes, durations)
  }

  /// The same, with a connection for each match.
  func saturate(
    _ stock: Stock, by connect: @escaping (Int) throws -> any Lines, lanes: Int, expected: Double,
    _ durations: Durations, seed: UInt64
  ) throws -> Sample {
    let traffic = try turns(of: stock, lanes: lanes, expected: expected, durations, seed: seed)
    return try measure { before in
      try LinesGenerator(connect: connect, traffic: traffic).saturate(
        lanes: lanes, warmUp: durations.warmUp, seconds: durations.saturated, before: before)
    }
  }

  private func turns(
    of stock: Stock, lanes: Int, expected: Double, _ durations: Durations, seed: UInt64
  ) throws -> TurnTraffic {
    let turns = expected * (durations.warmUp + durations.saturated)
    // A match of two has some 25 turns.
    try stock.fill(to: lanes + Int(turns / 12))
    try drainPushes()
    return try TurnTraffic(stock, service: identity.service, lanes: lanes, seed: seed)
  }

  /// Measures, and waits for the push jobs: they are part of the turns.
  func saturate(
    _ traffic: any Traffic, lanes: Int, _ durations: Durations,
    connect: (() throws -> RabbitMQConnection)? = nil
  ) throws -> Sample {
    let generator = Generator(connect: connect ?? connectAsPlayer, traffic: traffic)
    return try measure { before in
      try generator.saturate(
        lanes: lanes, warmUp: durations.warmUp, seconds: durations.saturated, before: before)
    }
  }

  private func measure(
    _ saturate: (_ before: () throws -> Void) throws -> Generator.Saturated
  ) throws -> Sample {
    var before = CPUTimes()
    let result = try saturate { before = cpu }
    let ended = monotonic()
    let jobs = try drainPushes()
    let lag = jobs == 0 ? 0 : seconds(from: ended, to: monotonic())
    let used = cpu.since(before)
    return Sample(
      turnsPerSecond: Double(result.turns) / (result.seconds + lag),
      cpu: used.seconds.mapValues { $0 * 1_000_000 / Double(result.turns) }, lag: (jobs, lag))
  }
}
