import MatchCore

/// The whole service in one process, on one thread, one clock and one seed: players, broker,
/// workers, store, scheduler, relay and push. Workers, scheduler, relay, push worker and judge are
/// the shipped code; broker, store, clock and chance are simulated. The same seed and options give
/// the same run.
public enum Simulation {
  /// What a run is made of, besides its seed.
  public struct Options: Sendable {
    /// The faults that may strike.
    public var faults: Set<Fault> = Set(Fault.allCases)
    /// Events that the players make.
    public var eventCount = 100
    /// A mistake that is built in on purpose.
    public var bug: PlantedBug?
    /// Whether signatures are real ones; else a keyed hash stands in, which is faster.
    public var usesEd25519 = false
    /// Lines of the trace that are kept.
    public var traceLength = 200

    /// All faults, no planted bug.
    public init() {}
  }

  /// How long everything may take to settle once the faults have stopped, in seconds of the
  /// simulated clock: a worker's heartbeat has to run out, a push job may wait a minute to be tried
  /// again.
  public static let settlingSeconds: Int64 = 180

  /// Runs one seed.
  public static func run(seed: UInt64, _ options: Options = Options()) -> SimulationReport {
    guard let world = World(seed: seed, options: options) else {
      return SimulationReport(seed: seed, options: options, violations: ["no world to run in"])
    }
    return world.run(seed: seed)
  }
}

extension World {
  /// Runs to the end and checks what is left.
  func run(seed: UInt64) -> SimulationReport {
    // Players who wait for answers make no events: what ends a run then is its length.
    var turns = 0
    while eventsLeft > 0, turns < options.eventCount * 200 {
      turn()
      turns += 1
    }
    eventsLeft = 0
    faults.isCalm = true
    provider.calm()
    trace.note("faults", "stop")
    let calmSince = clock.now
    let limit = calmSince.adding(seconds: Simulation.settlingSeconds)
    while !isSettled, clock.now < limit { turn() }
    let settledAt = clock.now
    if !isSettled {
      violations.append(
        "not settled \(Simulation.settlingSeconds) s after the faults stopped: \(unsettled)")
    }
    let found = RunCheck(self).violations() + RefusalCheck(self).violations()
    violations += found
    var counts = faults.counts
    if provider.refusals > 0 { counts[.pushRefused] = provider.refusals }
    return SimulationReport(
      seed: seed, options: options, violations: violations, events: senders.sent.count,
      matches: store.matches.count, entries: store.entries.values.reduce(0) { $0 + $1.count },
      faults: counts,
      settlingSeconds: Double(settledAt.microseconds(since: calmSince)) / 1_000_000,
      traceHash: trace.hash, trace: violations.isEmpty ? [] : trace.tail)
  }

  /// Whether all senders are answered and nothing is on its way. Ticks come every second, so queues
  /// of events are empty only now and then.
  private var isSettled: Bool {
    players.allSatisfy(\.isSettled) && store.outbox.isEmpty && broker.isEmpty
      && store.dailies.values.allSatisfy(\.isDone)
  }

  private var unsettled: String {
    let waiting = senders.sent.count(where: \.isWaiting)
    return "\(waiting) senders wait, \(store.outbox.count) jobs in the outbox, "
      + "\(broker.eventMessages.count) events and \(broker.pushMessages.count) jobs in queues"
  }
}
