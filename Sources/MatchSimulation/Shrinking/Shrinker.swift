/// Finds a shorter run that fails, too: with fewer kinds of faults first, then with fewer events,
/// then with single strikes left out.
///
/// What is left out changes what comes after it, so that the shorter run may fail otherwise than
/// the first one did. Strikes are left out by delta debugging (Zeller, Hildebrandt, "Simplifying
/// and isolating failure-inducing input", 2002).
public struct Shrinker {
  /// What was found.
  public struct Result: Sendable {
    /// The shortest run that fails; the first one where there is none shorter.
    public var report: SimulationReport
    /// Runs that were tried.
    public var runs: Int
    /// Whether nothing more was left to try; else the time or the number of runs was used up.
    public var isComplete: Bool
  }

  private var best: SimulationReport
  private var runs = 0
  private let runLimit: Int
  private let isOver: () -> Bool

  /// Begins with a run that fails.
  /// - Parameters:
  ///   - failure: The run.
  ///   - runLimit: Runs to try at most.
  ///   - isOver: Asked before each run whether the time is up.
  public init(_ failure: SimulationReport, runLimit: Int = 500, isOver: @escaping () -> Bool) {
    best = failure
    self.runLimit = runLimit
    self.isOver = isOver
  }

  /// Shrinks until nothing more can be left out, or the time or the runs are used up.
  public mutating func run() -> Result {
    let failure = best
    do throws(Exhausted) {
      var size: Int
      repeat {
        size = best.size
        try shrinkFaults()
        try shrinkEvents()
        try shrinkStrikes()
        try renumberStrikes()
      } while best.size < size
      return result(isComplete: true, from: failure)
    } catch {
      return result(isComplete: false, from: failure)
    }
  }

  private struct Exhausted: Error {}

  private func result(isComplete: Bool, from failure: SimulationReport) -> Result {
    // Once more as it will be repeated, with a trace that is worth reading.
    var report = best
    if best.options != failure.options {
      report = Simulation.run(seed: best.seed, best.options)
    }
    return Result(report: report, runs: runs, isComplete: isComplete)
  }

  /// Tries a run with other options; it becomes the best one if it fails and is no longer.
  private mutating func fails(
    _ change: (inout Simulation.Options) -> Void
  ) throws(Exhausted) -> Bool {
    guard runs < runLimit, !isOver() else { throw Exhausted() }
    runs += 1
    var options = best.options
    change(&options)
    let report = Simulation.run(seed: best.seed, options)
    guard !report.violations.isEmpty else { return false }
    best = report
    return true
  }

  // MARK: Events

  /// Looks for the first number of events with which it fails: a run begins the same however long
  /// it is.
  private mutating func shrinkEvents() throws(Exhausted) {
    let count = min(best.options.eventCount, max(1, best.events))
    if best.options.matchCount != nil || count < best.options.eventCount {
      _ = try fails {
        $0.matchCount = nil
        $0.eventCount = count
      }
    }
    try findFirst(from: 1, below: best.options.eventCount) { $0.eventCount = $1 }
  }

  /// Looks for the first of some numbers with which it fails, the small ones first; that it fails
  /// with all that are greater is likely and no more.
  private mutating func findFirst(
    from first: Int, below limit: Int, _ change: (inout Simulation.Options, Int) -> Void
  ) throws(Exhausted) {
    var (passing, step, failing) = (first - 1, 1, limit)
    while passing + step < failing {
      let next = passing + step
      if try fails({ change(&$0, next) }) {
        failing = next
        break
      }
      passing = next
      step *= 2
    }
    while failing - passing > 1 {
      let middle = (passing + failing) / 2
      if try fails({ change(&$0, middle) }) { failing = middle } else { passing = middle }
    }
  }

  // MARK: Faults

  /// Leaves out kinds of faults, all at once if that will do, else one after another.
  private mutating func shrinkFaults() throws(Exhausted) {
    let faults = best.options.faults
    // Once strikes have been chosen, faults are left out with them.
    guard !faults.isEmpty, best.options.onlyStrikes == nil else { return }
    if try fails({ $0.faults = [] }) { return }
    for fault in Fault.allCases where best.faults[fault] != nil && faults.count > 1 {
      if try fails({ $0.faults = [fault] }) { return }
    }
    let idle = faults.filter { best.faults[$0, default: 0] == 0 }
    if !idle.isEmpty { _ = try fails { $0.faults.subtract(idle) } }
    for fault in Fault.allCases where best.options.faults.contains(fault) {
      _ = try fails { $0.faults.remove(fault) }
    }
  }

  // MARK: Strikes

  private mutating func shrinkStrikes() throws(Exhausted) {
    guard !best.strikes.isEmpty else { return }
    if try fails({ $0.onlyStrikes = [] }) { return }
    // Up to the first strike that is left out a run is the same.
    let all = best.strikes.map(\.ordinal)
    try findFirst(from: 1, below: all.count) { $0.onlyStrikes = Set(all.prefix($1)) }
    var pieceCount = 2
    while best.strikes.count > 1 {
      let strikes = best.strikes.map(\.ordinal)
      pieceCount = min(pieceCount, strikes.count)
      if try leavesOutOne(of: pieces(strikes, pieceCount), of: strikes) {
        pieceCount = max(2, pieceCount - 1)
      } else if pieceCount < strikes.count {
        pieceCount *= 2
      } else {
        return
      }
    }
  }

  /// Leaves out the faults of which no strike is left, and counts the strikes without them.
  private mutating func renumberStrikes() throws(Exhausted) {
    guard best.options.onlyStrikes != nil else { return }
    let (strikes, begun) = (best.strikes, best.begun)
    var needed = Set(strikes.map(\.fault))
    // Notifications are refused without a strike of the plan.
    if best.faults[.pushRefused] != nil { needed.insert(.pushRefused) }
    // One fault by itself strikes more often than among others: a second one keeps it company.
    let idle = Fault.allCases.first { best.options.faults.contains($0) && !needed.contains($0) }
    for faults in [needed, needed.union([idle].compactMap { $0 })]
    where faults.count < best.options.faults.count || strikes.isEmpty {
      let renumbered = strikes.map { strike in
        begun.prefix(strike.ordinal).count { faults.contains($0) }
      }
      let isReached = try fails {
        $0.faults = faults
        $0.onlyStrikes = faults.isEmpty ? nil : Set(renumbered)
      }
      if isReached { return }
    }
  }

  private mutating func leavesOutOne(
    of pieces: [ArraySlice<Int>], of strikes: [Int]
  ) throws(Exhausted) -> Bool {
    for piece in pieces {
      let rest = Set(strikes).subtracting(piece)
      if try fails({ $0.onlyStrikes = rest }) { return true }
    }
    return false
  }

  private func pieces(_ strikes: [Int], _ count: Int) -> [ArraySlice<Int>] {
    (0..<count).map { index in
      strikes[strikes.count * index / count..<strikes.count * (index + 1) / count]
    }
  }
}

extension SimulationReport {
  /// What a person has to read to understand the run, roughly.
  fileprivate var size: Int { events + strikes.count + options.faults.count }
}
