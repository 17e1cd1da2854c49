import MatchCore

/// Decides by the seed which faults strike, and how often.
final class FaultPlan {
  /// The number of times that each fault had an effect.
  private(set) var counts: [Fault: Int] = [:]
  /// The strikes so far, without those left out.
  private(set) var strikes: [SimulationReport.Strike] = []
  /// The fault of every strike so far, including those left out.
  private(set) var begun: [Fault] = []
  /// The times of strikes that may delay answers, by the simulation's own clock.
  private(set) var delays: [Instant] = []
  /// Whether faults have stopped.
  var isCalm = false
  private let only: Set<Int>?
  private let clock: VirtualClock?
  private var chances: [Fault: (probability: Double, random: SeededRandom)] = [:]

  /// Each fault that may strike gets one of a few probabilities, among them none. Runs are rough or
  /// gentle. Gentle ones are needed because a process that is killed all the time never gets far
  /// enough to be wrong. A single fault is not gentle.
  ///
  /// Each fault has its own random numbers, so that without it the others strike as before.
  ///
  /// - Parameter only: The ordinals of the strikes that are kept. Nil: all.
  init(
    _ faults: Set<Fault>, only: Set<Int>? = nil, clock: VirtualClock? = nil, random: SeededRandom
  ) {
    self.only = only
    self.clock = clock
    let roughness: Double = random.pick([0.1, 0.3, 1]) ?? 1
    for fault in Fault.allCases {
      let level: Double = random.pick([0.0, 0.002, 0.006, 0.015]) ?? 0
      let own = random.fork()
      guard faults.contains(fault) else { continue }
      let chance = faults.count == 1 ? 0.02 : level * roughness
      chances[fault] = (chance * fault.rarity, own)
    }
  }

  /// Whether a fault strikes here and now.
  func strikes(_ fault: Fault) -> Bool {
    guard begins(fault) else { return false }
    count(fault)
    return true
  }

  /// Whether a fault begins here and now. It counts when it has had an effect.
  func begins(_ fault: Fault) -> Bool {
    guard !isCalm, let chance = chances[fault], chance.random.happens(chance.probability) else {
      return false
    }
    begun.append(fault)
    guard only?.contains(begun.count) ?? true else { return false }
    strikes.append(SimulationReport.Strike(ordinal: begun.count, fault: fault))
    return true
  }

  /// Counts an effect of a fault.
  func count(_ fault: Fault) {
    counts[fault, default: 0] += 1
    if fault.delaysAnswers, let clock { delays.append(clock.now) }
  }
}
