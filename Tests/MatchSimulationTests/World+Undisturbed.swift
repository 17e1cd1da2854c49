import MatchCore
import Testing

@testable import MatchSimulation

extension World {
  /// A world after a run in which nothing went wrong, and a match of which `isPlayed` holds.
  static func undisturbed() throws -> World {
    var options = Simulation.Options()
    options.faults = []
    var found: World?
    for seed in UInt64(4)...20 where found == nil {
      let world = try #require(World(seed: seed, options: options))
      #expect(world.run(seed: seed).violations.isEmpty, "seed \(seed)")
      if world.store.matches.values.contains(where: isPlayed) { found = world }
    }
    return try #require(found)
  }

  /// Whether a match was played for some turns, is over and counts.
  static func isPlayed(_ match: Match) -> Bool {
    match.outcome?.wasPlayed == true && match.turnNumber > 2 && match.rated != nil
  }
}
