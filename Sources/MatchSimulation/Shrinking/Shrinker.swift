/// Finds a shorter run that also fails: first with fewer kinds of faults, then with fewer events,
/// then with single strikes left out.
///
/// An omission changes everything after it, so the shorter run may fail in another way than the
/// first one. Strikes are left out by delta debugging (Zeller, Hildebrandt, "Simplifying and
/// isolating failure-inducing input", 2002).
package struct Shrinker {
  /// The result of shrinking.
  package struct Result: Sendable {
    /// The shortest run that fails. The first one if none is shorter.
    package var report: SimulationReport
    /// Runs that were tried.
    package var runs: Int
    /// Whether nothing was left to try. Otherwise the time or the number of runs was used up.
    package var isComplete: Bool
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
  package init(_ failure: SimulationReport, runLimit: Int = 500, isOver: @escaping () -> Bool) {
    best = failure
    self.runLimit = runLimit
    self.isOver = isOver
  }

  /// Shrinks until nothing more can be left out, or the time or the runs are used up.
  package mutating func run() -> Result {
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
    // One more run for the report, with a useful trace.
    var report = best
    if best.options != failure.options {
      report = Simulation.run(seed: best.seed, best.options)
    }
    return Result(report: report, runs: runs, isComplete: isComplete)
  }

  /// Tries a run with other options. It becomes the best one if it fails and is no longer.
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

  /// Looks for the smallest number of events with which it fails. A run begins the same regardless
  /// of its length.
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

  /// Looks for the smallest of some numbers with which it fails, the small ones first. It is
  /// likely, but not certain, that it fails with all greater ones.
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

  /// Leaves out kinds of faults, all at once if possible, otherwise one after another.
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
    // Up to the first omitted strike a run is the same.
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

  /// Leaves out the faults without a remaining strike, and renumbers the strikes.
  private mutating func renumberStrikes() throws(Exhausted) {
    guard best.options.onlyStrikes != nil else { return }
    let (strikes, begun) = (best.strikes, best.begun)
    var needed = Set(strikes.map(\.fault))
    // Notifications are refused without a strike of the plan.
    if best.faults[.pushRefused] != nil { needed.insert(.pushRefused) }
    // A single fault strikes more often than one among others. So a second one is kept with it.
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
  /// The rough amount that a person must read to understand the run.
  fileprivate var size: Int { events + strikes.count + options.faults.count }
}
