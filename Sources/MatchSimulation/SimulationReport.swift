/// What one run came to.
public struct SimulationReport: Sendable, CustomStringConvertible {
  /// The seed.
  public var seed: UInt64
  /// What the run was made of.
  public var options: Simulation.Options
  /// What must not be; empty in a run where everything held.
  public var violations: [String]
  /// Events that players made.
  public var events = 0
  /// Matches that came to be.
  public var matches = 0
  /// Entries of all records.
  public var entries = 0
  /// How often each fault struck.
  public var faults: [Fault: Int] = [:]
  /// How long everything took to settle once the faults had stopped, seconds of the simulated
  /// clock.
  public var settlingSeconds: Double = 0
  /// A hash over everything that happened.
  public var traceHash: UInt64 = 0
  /// The last things that happened, the oldest first; empty where everything held.
  public var trace: [String] = []

  /// The command that repeats the run.
  public var command: String {
    var command = "cubistd simulate --seed \(seed)"
    if options.faults != Set(Fault.allCases) {
      let names = options.faults.map(\.rawValue).sorted().joined(separator: ",")
      command += " --faults \(names.isEmpty ? "none" : names)"
    }
    if options.eventCount != Simulation.Options().eventCount {
      command += " --events \(options.eventCount)"
    }
    return command
  }

  /// One line where everything held; else what did not, the last of the trace, and the command that
  /// repeats it.
  public var description: String {
    let struck = Fault.allCases.compactMap { fault in
      faults[fault].map { "\(fault.rawValue) \($0)" }
    }
    let summary =
      "seed \(seed): \(events) events, \(matches) matches, \(entries) entries; "
      + (struck.isEmpty ? "no faults" : struck.joined(separator: ", "))
    guard !violations.isEmpty else { return summary }
    return
      ([summary, "violations:"] + violations.map { "  \($0)" } + ["the last of the trace:"]
      + trace.map { "  \($0)" } + ["to repeat it: \(command)"]).joined(separator: "\n")
  }
}
