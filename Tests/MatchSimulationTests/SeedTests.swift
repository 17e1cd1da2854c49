import Foundation
import MatchCore
import Testing

@testable import MatchSimulation

@Suite("Seeds")
struct SeedTests {
  /// 100 unless the environment says how many: under a sanitizer a seed takes many times as long.
  /// `deploy/nightly` runs thousands of others.
  static let count =
    ProcessInfo.processInfo.environment["CUBIST_TEST_SEEDS"].flatMap { UInt64($0) } ?? 100

  @Test("Everything holds under all faults", arguments: 1...max(count, 1))
  func mixed(seed: UInt64) throws {
    var options = Simulation.Options()
    // Shorter than a run by hand, so that all of them take seconds.
    options.eventCount = 60
    weak var left: World?
    do {
      let world = try #require(World(seed: seed, options: options))
      left = world
      let report = world.run(seed: seed)
      #expect(report.violations.isEmpty, "\(report)")
    }
    #expect(left == nil, "the run is still in memory")
  }

  @Test("Seeds bring about every way in which a match can end")
  func endings() {
    var missing = Set(Outcome.Reason.allCases)
    // The first seeds bring about all of them, to save looking; the others may be any. A request
    // expires after days, and matches of players who have met lately are merged late: weeks pass.
    let seeds: [(number: UInt64, passesWeeks: Bool)] =
      [(2_034, false), (2_193, false), (2_012, true)] + (2_000..<2_100).map { ($0, true) }
    for seed in seeds where !missing.isEmpty {
      var options = Simulation.Options()
      options.passesWeeks = seed.passesWeeks
      missing.subtract(Simulation.run(seed: seed.number, options).endings.keys)
    }
    #expect(missing.isEmpty)
  }

  @Test("Seeds that failed once hold", arguments: FailedSeed.all)
  func onceFailing(failed: FailedSeed) {
    let report = Simulation.run(seed: failed.seed)
    #expect(report.violations.isEmpty, "\(report)")
  }

  @Test("Everything holds under each fault by itself", arguments: Fault.allCases)
  func alone(fault: Fault) {
    var strikes = 0
    for seed in UInt64(1_000)..<1_003 {
      var options = Simulation.Options()
      options.faults = [fault]
      let report = Simulation.run(seed: seed, options)
      #expect(report.violations.isEmpty, "\(report)")
      strikes += report.faults[fault, default: 0]
    }
    #expect(strikes > 0, "\(fault.rawValue) never struck")
  }

  @Test("Everything holds with real signatures", arguments: 501...UInt64(504))
  func signatures(seed: UInt64) {
    var options = Simulation.Options()
    options.usesEd25519 = true
    let report = Simulation.run(seed: seed, options)
    #expect(report.violations.isEmpty, "\(report)")
  }

  @Test("A run that fails says how to repeat it")
  func report() {
    var options = Simulation.Options()
    options.bug = .replyNotStored
    options.faults = [.workerCrash, .duplicate]
    options.eventCount = 30
    let report = Simulation.run(seed: 1, options)
    #expect(!report.violations.isEmpty)
    #expect(!report.trace.isEmpty)
    #expect(
      report.description.hasSuffix(
        "to repeat it: cubist-simulate --seed 1 --faults duplicate,worker-crash --events 30 "
          + "--bug reply-not-stored"))
  }

  @Test("A seed tells everything that happens")
  func determinism() {
    let (first, second) = (Simulation.run(seed: 7), Simulation.run(seed: 7))
    #expect(first.traceHash == second.traceHash)
    #expect(first.events == second.events)
    #expect(first.traceHash != Simulation.run(seed: 8).traceHash)
  }
}
