import Testing

@testable import MatchSimulation

extension World {
  /// A world after a run in which nothing went wrong.
  static func undisturbed() throws -> World {
    var options = Simulation.Options()
    options.faults = []
    let world = try #require(World(seed: 3, options: options))
    #expect(world.run(seed: 3).violations.isEmpty)
    return world
  }
}
