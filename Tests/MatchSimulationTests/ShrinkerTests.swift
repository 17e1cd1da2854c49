import Testing

@testable import MatchSimulation

@Suite("Shrinking a run that fails")
struct ShrinkerTests {
  /// The first seed with which a bug is found when some faults may strike.
  private func failure(_ bug: PlantedBug, _ faults: Set<Fault>) throws -> SimulationReport {
    var options = Simulation.Options()
    options.bug = bug
    options.faults = faults
    let reports = (UInt64(1)...200).lazy.map { Simulation.run(seed: $0, options) }
    return try #require(reports.first { !$0.violations.isEmpty })
  }

  @Test("A shrunk run still fails, is much shorter, and its options repeat it exactly")
  func shrinks() throws {
    let failure = try failure(.acknowledgeBeforeCommit, Set(Fault.allCases))
    var shrinker = Shrinker(failure, runLimit: 600) { false }
    let result = shrinker.run()
    let report = result.report
    #expect(!report.violations.isEmpty)
    #expect(report.events < failure.events)
    #expect(report.strikes.count * 4 < failure.strikes.count)
    #expect(report.options.faults.count * 4 < failure.options.faults.count)
    let again = Simulation.run(seed: report.seed, report.options)
    #expect(again.traceHash == report.traceHash)
    #expect(again.violations == report.violations)
    #expect(report.description.hasSuffix("to repeat it: \(report.command)"))
  }

  @Test("A failure without any fault shrinks to no faults and a few events")
  func faultless() throws {
    let failure = try failure(.replyNotStored, Set(Fault.allCases))
    var shrinker = Shrinker(failure) { false }
    let result = shrinker.run()
    #expect(result.isComplete)
    #expect(result.report.options.faults.isEmpty)
    #expect(result.report.events <= 3)
  }

  @Test("Shrinking ends when its time or its runs are used up, with the shortest run so far")
  func limits() throws {
    let failure = try failure(.replyNotStored, [.duplicate])
    var none = Shrinker(failure) { true }
    #expect(none.run().runs == 0)
    #expect(none.run().report.options == failure.options)
    var few = Shrinker(failure, runLimit: 1) { false }
    let result = few.run()
    #expect(result.runs == 1)
    #expect(!result.isComplete)
    #expect(!result.report.violations.isEmpty)
  }

  @Test("Strikes that are left out draw their chance all the same")
  func leavingOut() {
    var options = Simulation.Options()
    options.faults = [.duplicate]
    let all = Simulation.run(seed: 3, options)
    #expect(all.strikes.map(\.ordinal) == Array(1...all.strikes.count))
    options.onlyStrikes = Set(1...all.strikes.count)
    #expect(Simulation.run(seed: 3, options).traceHash == all.traceHash)
    options.onlyStrikes = [1]
    #expect(Simulation.run(seed: 3, options).strikes.map(\.ordinal) == [1])
    #expect(Simulation.run(seed: 3, options).begun.count > 1)
  }
}
