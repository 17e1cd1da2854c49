import CubistBasics
import MatchCore
import MatchSimulation
import MatchWire

/// The totals of many runs.
struct SimulationTable {
  /// A seed that failed.
  struct Failure {
    var report: SimulationReport
    /// The shortest failing run that was found.
    var shrunk: Shrinker.Result?
  }

  let first: UInt64
  let count: Int
  let faults: Set<Fault>
  private(set) var runs = 0
  private(set) var events = 0
  private(set) var matches = 0
  private(set) var turns = 0
  private(set) var violations = 0
  private(set) var endings: [Outcome.Reason: Int] = [:]
  private(set) var strikes: [Fault: Int] = [:]
  /// Nil: no run had devices.
  private(set) var devices: SimulationReport.DeviceCounts?
  private(set) var failures: [Failure] = []
  /// The whole trace, where one seed was run for it.
  var trace: [String]?

  init(first: UInt64, count: Int, faults: Set<Fault>) {
    self.first = first
    self.count = count
    self.faults = faults
  }

  /// Adds a run.
  mutating func add(_ report: SimulationReport, shrunk: Shrinker.Result? = nil) {
    runs += 1
    events += report.events
    matches += report.matches
    turns += report.turns
    violations += report.violations.count
    endings.merge(report.endings) { $0 + $1 }
    strikes.merge(report.faults) { $0 + $1 }
    if report.options.hasDevices { devices = (devices ?? .init()) + report.devices }
    if !report.violations.isEmpty { failures.append(Failure(report: report, shrunk: shrunk)) }
  }

  /// The table for a person.
  var text: String {
    let totals = TextTable(
      header: ["runs", "events", "matches", "turns", "violations"],
      rows: [[runs, events, matches, turns, violations].map(String.init)],
      rightAligned: [0, 1, 2, 3, 4])
    let injected = TextTable(
      header: ["fault", "injected"],
      rows: Fault.allCases.filter { faults.contains($0) }.map {
        [$0.rawValue, "\(strikes[$0, default: 0])"]
      },
      rightAligned: [1])
    let ended = TextTable(
      header: ["ended", "matches"],
      rows: Outcome.Reason.allCases.map { [$0.rawValue, "\(endings[$0, default: 0])"] },
      rightAligned: [1])
    let changed = devices.map { counts in
      TextTable(
        header: ["devices", "times"], rows: counts.rows.map { [$0.name, "\($0.count)"] },
        rightAligned: [1])
    }
    let lines =
      totals.lines + [""] + ended.lines + (changed.map { [""] + $0.lines } ?? [])
      + (faults.isEmpty ? [] : [""] + injected.lines)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The same for a program.
  func json(isInterrupted: Bool) throws -> String {
    struct Document: Encodable {
      struct Failure: Encodable {
        var command: String
        var seed: UInt64
        var shortest: Shortest?
        var violations: [String]
      }
      struct Shortest: Encodable {
        var command: String
        var isComplete: Bool
        var tries: Int
        var trace, violations: [String]
      }
      /// As `cubistd simulate` wrote it.
      var schema = "cubistd.simulate/1"
      var events, matches, runs, seeds, turns, violations: Int
      var devices: [String: Int]?
      var endings: [String: Int]
      var failures: [Failure]
      var faults: [String: Int]
      var interrupted: Bool
      var seed: UInt64
      var trace: [String]?
    }
    let injected = faults.map { ($0.rawValue, strikes[$0, default: 0]) }
    let line = try SortedJSON.line(
      Document(
        events: events, matches: matches, runs: runs, seeds: count, turns: turns,
        violations: violations,
        devices: devices.map { counts in
          Dictionary(uniqueKeysWithValues: counts.rows.map { ($0.name, $0.count) })
        },
        endings: Dictionary(
          uniqueKeysWithValues: Outcome.Reason.allCases.map {
            ($0.rawValue, endings[$0, default: 0])
          }),
        failures: failures.map { failure in
          Document.Failure(
            command: failure.report.command, seed: failure.report.seed,
            shortest: failure.shrunk.map {
              Document.Shortest(
                command: $0.report.command, isComplete: $0.isComplete, tries: $0.runs,
                trace: $0.report.trace, violations: $0.report.violations)
            },
            violations: failure.report.violations)
        },
        faults: Dictionary(uniqueKeysWithValues: injected), interrupted: isInterrupted,
        seed: first, trace: trace))
    return String(decoding: line, as: UTF8.self)
  }
}

extension SimulationTable.Failure {
  /// The failure, for a person: how to repeat it, and the shortest run with its trace.
  var text: String {
    guard let shrunk, shrunk.report.options != report.options else { return report.description }
    let note =
      shrunk.isComplete
      ? "the shortest run found, in \(shrunk.runs) tries"
      : "the shortest run found in \(shrunk.runs) tries; the time was up, there may be a shorter one"
    return
      ([report.summary, "violations:"] + report.violations.map { "  \($0)" }
      + ["to repeat it: \(report.command)", "", "\(note):", shrunk.report.description])
      .joined(separator: "\n")
  }
}
