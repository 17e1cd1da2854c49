import MatchCore
import Testing

@testable import MatchSimulation

extension World {
  /// A world after a run in which nothing went wrong, with a match that was `played`.
  static func undisturbed() throws -> World {
    var options = Simulation.Options()
    options.faults = []
    var found: World?
    for seed in UInt64(4)...20 where found == nil {
      let world = try #require(World(seed: seed, options: options))
      #expect(world.run(seed: seed).violations.isEmpty, "seed \(seed)")
      if world.played != nil { found = world }
    }
    return try #require(found)
  }

  /// A match that was played for some turns, is over, counts, and was not played again.
  var played: Match? {
    store.matches.values.filter { match in
      match.outcome?.wasPlayed == true && match.turnNumber > 2 && match.rated != nil
        && store.matches[MatchID(successorOf: match.id)] == nil
    }.min { $0.id < $1.id }
  }
}
