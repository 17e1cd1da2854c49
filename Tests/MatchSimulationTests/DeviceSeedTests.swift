import Testing

@testable import MatchSimulation

@Suite("Seeds with several devices a player")
struct DeviceSeedTests {
  /// Under a sanitizer fewer, but never too few for a theft of each kind.
  private static let count = max(15, SeedTests.count / 10)

  private static var options: Simulation.Options {
    var options = Simulation.Options()
    options.hasDevices = true
    options.eventCount = 30
    return options
  }

  @Test("Everything holds under all faults, and a robbed owner is back in the stated time")
  func devices() async {
    let reports = await withTaskGroup(of: SimulationReport.self) { group in
      for seed in 1...DeviceSeedTests.count {
        group.addTask { Simulation.run(seed: seed, DeviceSeedTests.options) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for report in reports { #expect(report.violations.isEmpty, "\(report)") }
    let total = reports.reduce(SimulationReport.DeviceCounts()) { $0 + $1.devices }
    // Nothing may hold because nothing happens.
    let (seeds, text) = (reports.count, "\(total)")
    #expect(total.added >= seeds && total.removed * 2 >= seeds, "\(text)")
    #expect(total.thefts * 5 >= seeds && total.races * 5 >= seeds, "\(text)")
    #expect(total.recoveries * 10 >= seeds && total.objections * 15 >= seeds, "\(text)")
  }

  @Test("A seed tells everything that happens, and leaves nothing in memory")
  func determinism() throws {
    weak var left: World?
    var hashes: Set<UInt64> = []
    for _ in 0..<2 {
      let world = try #require(World(seed: 7, options: Self.options))
      left = world
      hashes.insert(world.run(seed: 7).traceHash)
    }
    #expect(hashes.count == 1)
    #expect(left == nil, "the run is still in memory")
  }

  @Test("Some owners are gone at the end of their runs, and some have kept their accounts")
  func leavers() throws {
    var (gone, kept) = (0, 0)
    for seed in UInt64(1)...30 where gone == 0 || kept == 0 {
      let world = try #require(World(seed: seed, options: Self.options))
      let report = world.run(seed: seed)
      #expect(report.violations.isEmpty, "\(report)")
      gone += world.store.departures.values.count { $0.goneAt != nil }
      kept += world.store.departures.values.count { $0.goneAt == nil && $0.askedAt == nil }
    }
    #expect(gone > 0 && kept > 0)
  }

  @Test("A run that fails says that it had devices; one without has none")
  func option() {
    let report = SimulationReport(seed: 3, options: Self.options, violations: ["so"])
    #expect(report.command == "cubist-simulate --seed 3 --events 30 --devices")
    #expect(Simulation.run(seed: 3).devices == SimulationReport.DeviceCounts())
  }
}
