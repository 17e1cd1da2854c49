import MatchCore
import MatchInterfaces
import Testing

@testable import MatchSimulation

@Suite("Seeds in which weeks pass and old rows are dropped")
struct WeekSeedTests {
  private static let seeds = 1...UInt64(2)

  private static var options: Simulation.Options {
    var options = Simulation.Options()
    options.passesWeeks = true
    options.eventCount = 40
    return options
  }

  @Test("Everything holds while games, replies and jobs are dropped and players play on")
  func weeks() throws {
    var (matches, replies, jobs) = (0, 0, 0)
    for seed in Self.seeds {
      let world = try #require(World(seed: seed, options: Self.options))
      let report = world.run(seed: seed)
      #expect(report.violations.isEmpty, "\(report)")
      matches += world.store.dropped.matches.count
      replies += world.store.dropped.replies.count
      jobs += world.store.dropped.deliveries.count
    }
    #expect(matches > 0 && replies > 0 && jobs > 0)
  }

  @Test("A run that fails says that weeks passed in it")
  func option() {
    let report = SimulationReport(seed: 3, options: Self.options, violations: ["so"])
    #expect(report.command == "cubist-simulate --seed 3 --events 40 --weeks")
  }

  @Test("The shortest retention is one that the settings allow")
  func shortest() {
    let retention = Retention.shortest
    #expect(Retention.replyRange.contains(retention.replies))
    #expect(Retention.jobRange.contains(retention.jobs))
    #expect(Retention.reportRange.contains(retention.reports))
    #expect(retention.games == retention.leastGames)
  }
}
