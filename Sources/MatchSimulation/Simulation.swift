import MatchCore
import MatchInterfaces

/// The whole service in one process, on one thread, one clock and one seed: players, broker,
/// workers, store, scheduler, relay and push. Workers, scheduler, relay, push worker and judge are
/// the shipped code; broker, store, clock and chance are simulated. The same seed and options give
/// the same run.
package enum Simulation {
  /// The options of a run, besides its seed.
  package struct Options: Hashable, Sendable {
    /// The faults that may strike.
    package var faults: Set<Fault> = Set(Fault.allCases)
    /// The most events that the players make.
    package var eventCount = 100
    /// Matches after which the players make no more events. Nil: only events are counted.
    package var matchCount: Int?
    /// The strikes of faults that are kept, by their place among all strikes of the run, 1 for the
    /// first. Nil: all. An omitted strike still draws its random number.
    package var onlyStrikes: Set<Int>?
    /// A mistake that is built in on purpose.
    package var bug: PlantedBug?
    /// Whether some players have several devices. Some of them are robbed of one, and days pass.
    package var hasDevices = false
    /// Whether weeks pass between the acts of players, and rows are kept as short as settings allow.
    package var passesWeeks = false
    /// Whether signatures are real ones. If not, a faster keyed hash replaces them.
    package var usesEd25519 = false
    /// Lines of the trace that are kept.
    package var traceLength = 200
    /// Whether the trace is kept even if no check failed.
    package var keepsTrace = false

    /// All faults, no planted bug.
    package init() {}
  }

  /// The time that everything may take to settle after the faults have stopped, in seconds of the
  /// simulated clock. The time for messages waiting in queues by then comes on top. A worker's
  /// heartbeat must run out, and a push job may wait a minute for its retry.
  package static let settlingSeconds: Int64 = 180

  package static func run(seed: UInt64, _ options: Options = Options()) -> SimulationReport {
    guard let world = World(seed: seed, options: options) else {
      return SimulationReport(seed: seed, options: options, violations: ["no world to run in"])
    }
    return world.run(seed: seed)
  }
}

extension World {
  /// Runs to the end and checks the result.
  func run(seed: UInt64) -> SimulationReport {
    // Players who wait for answers make no events. A run then ends by its length.
    let matchLimit = options.matchCount ?? .max
    let laterEvents = options.passesWeeks ? eventsLeft / 2 : 0
    eventsLeft -= laterEvents
    while eventsLeft > 0, store.matches.count < matchLimit, turnCount < options.eventCount * 300 {
      turn()
    }
    eventsLeft = 0
    if options.passesWeeks { passWeeks(playing: laterEvents) }
    if options.hasDevices { passDays() }
    faults.isCalm = true
    receiver.calm()
    trace.note("faults", "stop")
    let calmSince = clock.now
    let patience = patience
    settle(until: calmSince.adding(seconds: patience))
    let settledAt = clock.now
    if isSettled, random.happens(0.05) { letAnHourPass() }
    if !isSettled {
      violations.append(
        "not settled \(patience) s after the faults stopped: \(unsettled)")
    }
    hostile.listen()
    for player in players { player.leave() }
    violations += RunCheck(self).violations() + RefusalCheck(self).violations()
    violations += devices.violations(self) + receiver.check.violations
    if isSettled { violations += devices.untold(self) }
    var counts = faults.counts
    if receiver.refusals > 0 { counts[.pushRefused] = receiver.refusals }
    return SimulationReport(
      seed: seed, options: options, violations: violations, events: senders.sent.count,
      matches: store.matches.count, entries: store.entries.values.reduce(0) { $0 + $1.count },
      turns: store.matches.values.reduce(0) { $0 + $1.turnNumber - 1 },
      endings: store.matches.values.reduce(into: [:]) { endings, match in
        if let reason = match.outcome?.reason { endings[reason, default: 0] += 1 }
      }, devices: devices.counts, faults: counts,
      strikes: faults.strikes, begun: faults.begun,
      settlingSeconds: Double(settledAt.microseconds(since: calmSince)) / 1_000_000,
      traceHash: trace.hash, traceCount: trace.count,
      trace: violations.isEmpty && !options.keepsTrace ? [] : trace.tail)
  }

  /// Lets an hour pass in which nobody begins anything. Reminders come, and deadlines pass.
  private func letAnHourPass() {
    trace.note("players", "rest for an hour")
    let end = clock.now.adding(seconds: 3_660)
    pace = World.restingPace
    while clock.now < end { turn() }
    pace = 1
    settle(until: clock.now.adding(seconds: patience))
  }

  /// Lets the time pass until everything has settled. While only jobs wait for their hour, it
  /// passes faster.
  private func settle(until limit: Instant) {
    while !isSettled, clock.now < limit {
      let isIdle =
        !store.held.isEmpty && store.outbox.isEmpty && broker.pushMessages.isEmpty
        && players.allSatisfy(\.isSettled)
      pace = isIdle ? World.daysPace : 1
      turn()
    }
    pace = 1
  }

  /// The seconds that everything may take to settle. A single worker with one message at a time
  /// needs about 0.1 s for each. Ticks and resent events come on top of those that wait by now.
  /// Held jobs have their time, and news wait to be told of together, perhaps more than once. Quiet
  /// hours of a run last for minutes.
  var patience: Int64 {
    let holds = store.held.values.map { $0.held.until.microseconds(since: clock.now) / 1_000_000 }
    let longest = max(PushStore.Details.bundleSeconds, holds.max() ?? 0)
    // A job may wait for the end of quiet hours, and then for others.
    return Simulation.settlingSeconds + Int64(broker.eventMessages.count)
      + 2 * (longest + PushStore.Details.bundleSeconds)
  }

  /// Whether all senders are answered and nothing is on its way. Ticks come every second, so queues
  /// of events are empty only now and then.
  var isSettled: Bool {
    players.allSatisfy(\.isSettled) && store.outbox.isEmpty && store.held.isEmpty
      && broker.isEmpty
      && store.dailies.values.allSatisfy { $0.isDone || !$0.challenge.key.isAnnounced }
      && store.ratings.queue.isEmpty && !store.hasMergers
      && ReminderCheck(self).late.isEmpty && !owners.contains(where: \.isWaiting)
  }

  private var unsettled: String {
    let waiting = players.reduce(0) { $0 + $1.pendingCount }
    let mergers = store.hasMergers ? "two wait who fit, " : ""
    return "\(mergers)\(waiting) events pending, \(store.outbox.count) jobs in the outbox, "
      + "\(store.held.count) jobs held, "
      + "\(broker.eventMessages.count) events and \(broker.pushMessages.count) jobs in queues, "
      + "\(store.ratings.queue.count) matches to be rated, "
      + "\(ReminderCheck(self).late.count) reminders late"
  }
}
