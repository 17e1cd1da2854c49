package import MatchCore

/// The result of one run.
package struct SimulationReport: Sendable, CustomStringConvertible {
  /// One time that a fault struck.
  package struct Strike: Hashable, Sendable {
    /// Its place among all strikes of the run, including those left out; 1 for the first.
    package var ordinal: Int
    package var fault: Fault
  }

  /// The changes of the keys of players with several devices.
  package struct DeviceCounts: Hashable, Sendable {
    /// Keys that came in by an invitation.
    package var added = 0
    /// Keys that another key removed, or their own.
    package var removed = 0
    /// Two devices that showed one code, and turns sent just before the removal of their key.
    package var races = 0
    /// Devices whose key a thief had.
    package var thefts = 0
    /// Recoveries that a device objected to.
    package var objections = 0
    /// Recoveries that took effect.
    package var recoveries = 0

    package init() {}

    /// The numbers with their names.
    package var rows: [(name: String, count: Int)] {
      [
        ("added", added), ("removed", removed), ("races", races), ("thefts", thefts),
        ("objections", objections), ("recoveries", recoveries),
      ]
    }

    package static func + (left: DeviceCounts, right: DeviceCounts) -> DeviceCounts {
      var sum = left
      sum.added += right.added
      sum.removed += right.removed
      sum.races += right.races
      sum.thefts += right.thefts
      sum.objections += right.objections
      sum.recoveries += right.recoveries
      return sum
    }
  }

  package var seed: UInt64
  package var options: Simulation.Options
  /// The violations found. Empty if every check passed.
  package var violations: [String]
  /// Events that players made.
  package var events = 0
  /// Matches that were dealt.
  package var matches = 0
  /// Entries of all records.
  package var entries = 0
  /// Turns that were accepted.
  package var turns = 0
  /// The number of matches by the reason of their end.
  package var endings: [Outcome.Reason: Int] = [:]
  package var devices = DeviceCounts()
  /// The number of strikes of each fault.
  package var faults: [Fault: Int] = [:]
  /// The strikes of faults, without those left out.
  package var strikes: [Strike] = []
  /// The fault of every strike, including those left out.
  var begun: [Fault] = []
  /// The time that everything took to settle after the faults had stopped, in seconds of the
  /// simulated clock.
  package var settlingSeconds: Double = 0
  /// A hash over everything that happened.
  package var traceHash: UInt64 = 0
  /// The number of things that happened.
  package var traceCount = 0
  /// The last things that happened, the oldest first. Empty if every check passed, unless
  /// requested.
  package var trace: [String] = []

  /// The command that repeats the run.
  package var command: String {
    let usual = Simulation.Options()
    var parts = ["cubist-simulate --seed \(seed)"]
    if options.faults != usual.faults {
      let names = options.faults.map(\.rawValue).sorted().joined(separator: ",")
      parts.append("--faults \(names.isEmpty ? "none" : names)")
    }
    if let matches = options.matchCount { parts.append("--matches \(matches)") }
    if options.eventCount != usual.eventCount || options.matchCount != nil {
      parts.append("--events \(options.eventCount)")
    }
    if let strikes = options.onlyStrikes {
      let numbers = strikes.sorted().map(String.init).joined(separator: ",")
      parts.append("--only-strikes \(numbers.isEmpty ? "none" : numbers)")
    }
    if let bug = options.bug { parts.append("--bug \(bug.rawValue)") }
    if options.hasDevices { parts.append("--devices") }
    if options.passesWeeks { parts.append("--weeks") }
    if options.usesEd25519 { parts.append("--ed25519") }
    return parts.joined(separator: " ")
  }

  /// The result of the run in one line.
  package var summary: String {
    let struck = Fault.allCases.compactMap { fault in
      faults[fault].map { "\(fault.rawValue) \($0)" }
    }
    return "seed \(seed): \(events) events, \(matches) matches, \(entries) entries; "
      + (struck.isEmpty ? "no faults" : struck.joined(separator: ", "))
  }

  /// One line if every check passed. Otherwise the violations, the last of the trace, and the
  /// command that repeats the run.
  package var description: String {
    guard !violations.isEmpty else { return summary }
    return
      ([summary, "violations:"] + violations.map { "  \($0)" } + ["the last of the trace:"]
      + trace.map { "  \($0)" } + ["to repeat it: \(command)"]).joined(separator: "\n")
  }
}
