import Testing

@testable import MatchSimulation

@Suite("Planted bugs")
struct PlantedBugTests {
  @Test("A planted bug is found within two hundred seeds", arguments: PlantedBug.allCases)
  func isFound(bug: PlantedBug) {
    var options = Simulation.Options()
    options.bug = bug
    let found = (UInt64(1)...200).first { seed in
      !Simulation.run(seed: seed, options).violations.isEmpty
    }
    print("FOUND", bug.rawValue, found ?? 0)
    #expect(found != nil, "\(bug.rawValue) was not found")
  }
}
