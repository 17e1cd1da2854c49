import ArgumentParser
import MatchSimulation

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run the whole service in this process on a seeded clock, and let it fail.",
    discussion: """
      Examples:
        cubistd simulate --seed 42
        cubistd simulate --seed 42 --faults worker-crash,duplicate
        cubistd simulate --seed 1 --seeds 500

      Needs no server. The same seed gives the same run. Exits with 1 if an invariant does not hold.
      Faults: \(Fault.allCases.map(\.rawValue).joined(separator: ", ")).
      """)

  @Option(help: "The seed, or the first one.")
  var seed: UInt64 = 1
  @Option(help: "How many seeds are run, one after another.")
  var seeds = 1
  @Option(help: "Faults that may strike, with commas between them, or all, or none.")
  var faults = "all"
  @Option(help: "How many events players make in a run.")
  var events = 100

  func validate() throws {
    guard 1...1_000_000 ~= seeds else {
      throw ValidationError("--seeds is \(seeds), not 1 to 1000000.")
    }
    guard 1...1_000_000 ~= events else {
      throw ValidationError("--events is \(events), not 1 to 1000000.")
    }
    _ = try SimulateCommand.faults(faults)
  }

  func run() throws {
    Signals.listen(leavingAtOnceAfter: 1)
    var options = Simulation.Options()
    options.faults = try SimulateCommand.faults(faults)
    options.eventCount = events
    var failures = 0
    for offset in 0..<seeds {
      let report = Simulation.run(seed: seed &+ UInt64(offset), options)
      Output.out(report.description)
      if !report.violations.isEmpty { failures += 1 }
    }
    try Output.reporting { () throws(OperatorFailure) in
      guard failures == 0 else { throw .wrong("\(failures) of \(seeds) seeds failed") }
    }
  }

  static func faults(_ text: String) throws -> Set<Fault> {
    switch text {
    case "all": return Set(Fault.allCases)
    case "none": return []
    default:
      return Set(
        try text.split(separator: ",").map { name in
          if let fault = Fault(rawValue: String(name)) { return fault }
          throw ValidationError("\"\(name)\" is no fault; `cubistd simulate --help` lists them.")
        })
    }
  }
}
