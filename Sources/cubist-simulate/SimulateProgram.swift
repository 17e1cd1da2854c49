import ArgumentParser
import Glibc
import MatchInterfaces
import MatchService
import MatchSimulation
import SystemCalls

/// The whole service on a seeded clock, for developers; no package has it.
@main
struct SimulateProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cubist-simulate",
    abstract: "Run the whole service in this process on a seeded clock, with faults.",
    discussion: """
      Examples:
        cubist-simulate --seed 42 --trace
        cubist-simulate --seed 42 --faults worker-crash,duplicate
        cubist-simulate --seeds 1000
        cubist-simulate --seeds 100 --devices
        cubist-simulate --seeds 100 --weeks
        cubist-simulate --seeds 200 --bug no-version-guard   a bug is found

      Needs no server. The same seed and options give the same run. A seed that fails is shrunk to \
      the shortest run that also fails. Exits with 1 if an \
      invariant does not hold, 64 if an argument cannot be read, 130 by Ctrl-C.

      Faults: \(Fault.allCases.map(\.rawValue).joined(separator: ", ")).
      Bugs: \(PlantedBug.allCases.map(\.rawValue).joined(separator: ", ")).
      """)

  @Option(help: "The seed, or the first one.")
  var seed: UInt64 = 1
  @Option(help: "How many seeds to run.")
  var seeds = 1
  @Option(help: "Faults that may strike, with commas between them, or all, or none.")
  var faults = "all"
  @Option(help: "How many events players make in a run. (default: 100, or enough for --matches)")
  var events: Int?
  @Option(help: "How many matches begin in a run.")
  var matches: Int?
  @Option(help: "Only these strikes of faults, by number, or none.")
  var onlyStrikes: String?
  @Option(help: "The name of a bug to build in. objection-forgotten needs --devices.")
  var bug: String?
  @Flag(help: "Give some players several devices. Some are robbed of one, and days pass.")
  var devices = false
  @Flag(help: "Let weeks pass between the acts, and keep rows as short as settings allow.")
  var weeks = false
  @Flag(help: "Sign with Ed25519 instead of a faster keyed hash.")
  var ed25519 = false
  @Flag(inversion: .prefixedNo, help: "Look for the shortest run of a seed that fails.")
  var shrink = true
  @Flag(help: "Print everything that happens in the run of one seed.")
  var trace = false
  @Flag(help: "Print one JSON object.")
  var json = false

  /// How many seconds one failing seed may be shrunk, and how many seeds are.
  private static let shrinkingSeconds: UInt64 = 60
  private static let shrunkLimit = 3

  func validate() throws {
    guard 1...1_000_000 ~= seeds else {
      throw ValidationError("--seeds is \(seeds), not 1 to 1000000.")
    }
    guard seeds == 1 || !trace else { throw ValidationError("--trace is for one seed.") }
    _ = try options()
  }

  static func main() {
    StandardStreams.keepPlaces()
    ProgramOutput.checkAtExit(of: configuration.commandName ?? "")
    main(nil)
  }

  func run() throws {
    Signals.listen(leavingAtOnceAfter: 2)
    let options = try options()
    let table: SimulationTable
    do {
      table = try self.table(options)
      if json {
        ProgramOutput.out(try table.json(isInterrupted: Signals.stop.isAsked))
      } else {
        if let trace = table.trace { ProgramOutput.out(trace.joined(separator: "\n")) }
        ProgramOutput.out(table.text)
      }
    } catch {
      throw Self.failure("\(error)", status: 1)
    }
    guard !Signals.stop.isAsked else {
      throw Self.failure("Interrupted.", status: Signals.exitStatus)
    }
    guard table.failures.isEmpty else {
      throw Self.failure("\(table.failures.count) of \(table.runs) seeds failed", status: 1)
    }
  }

  /// Writes why the program fails to standard error.
  private static func failure(_ text: String, status: Int32) -> ExitCode {
    ProgramOutput.note("cubist-simulate: \(text)")
    return ExitCode(status)
  }

  private func table(_ options: Simulation.Options) throws(ThreadFailure) -> SimulationTable {
    let runner = SeedRunner(first: seed, count: seeds, options: options, stop: Signals.stop)
    try runner.start(threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    var table = SimulationTable(first: seed, count: seeds, faults: options.faults)
    var bar = ProgressBar(
      isShown: seeds > 1 || isatty(STDERR_FILENO) != 1, linesEvery: 60_000_000_000)
    while let report = runner.next() {
      let isShrunk = shrink && !report.violations.isEmpty && table.failures.count < Self.shrunkLimit
      table.add(report, shrunk: isShrunk ? shrunk(report) : nil)
      if trace { table.trace = report.trace }
      if !report.violations.isEmpty, !json, let failure = table.failures.last {
        bar.clear()
        ProgramOutput.out(failure.text + "\n\n")
      }
      bar.draw(
        table.runs, of: seeds, "\(table.runs) of \(seeds) seeds, \(table.failures.count) failed")
    }
    bar.clear()
    return table
  }

  private func shrunk(_ failure: SimulationReport) -> Shrinker.Result {
    let clock = WallClock.live
    let end = clock.uptimeNanoseconds() &+ Self.shrinkingSeconds * 1_000_000_000
    var shrinker = Shrinker(failure, runLimit: 10_000) {
      Signals.stop.isAsked || clock.uptimeNanoseconds() >= end
    }
    return shrinker.run()
  }

  // MARK: The options

  /// The options as a run takes them.
  func options() throws -> Simulation.Options {
    var options = Simulation.Options()
    options.faults = try Self.faults(faults)
    options.matchCount = matches
    // A match takes its players far fewer events than this.
    options.eventCount = events ?? matches.map { min($0, 10_000) * 100 } ?? options.eventCount
    options.onlyStrikes = try onlyStrikes.map(Self.strikes)
    options.bug = try bug.map(Self.bug)
    options.hasDevices = devices
    options.passesWeeks = weeks
    options.usesEd25519 = ed25519
    options.keepsTrace = trace
    if trace { options.traceLength = .max }
    for (name, value) in [("--events", events), ("--matches", matches)] {
      guard let value, !(1...1_000_000 ~= value) else { continue }
      throw ValidationError("\(name) is \(value), not 1 to 1000000.")
    }
    return options
  }

  static func faults(_ text: String) throws -> Set<Fault> {
    switch text {
    case "all": return Set(Fault.allCases)
    case "none": return []
    default:
      return Set(
        try text.split(separator: ",").map { name in
          if let fault = Fault(rawValue: String(name)) { return fault }
          throw ValidationError("\"\(name)\" is no fault; `cubist-simulate --help` lists them.")
        })
    }
  }

  private static func strikes(_ text: String) throws -> Set<Int> {
    guard text != "none" else { return [] }
    return Set(
      try text.split(separator: ",").map { number in
        if let ordinal = Int(number), ordinal > 0 { return ordinal }
        throw ValidationError("\"\(number)\" is no strike: they are numbered from 1.")
      })
  }

  private static func bug(_ name: String) throws -> PlantedBug {
    if let bug = PlantedBug(rawValue: name) { return bug }
    throw ValidationError("\"\(name)\" is no bug; `cubist-simulate --help` lists them.")
  }
}
