import MatchCore
import Testing

@testable import MatchSimulation

extension World {
  /// A world after a run in which nothing went wrong, with a match that was `played`, with
  /// notifications of most kinds, and without a limit of events.
  static func undisturbed() throws -> World { try undisturbed(seed: playedSeed) }

  /// The world after such a run of a seed.
  static func undisturbed(seed: UInt64?) throws -> World { try world(after: #require(seed)) }

  private static let playedSeed = quietSeed { world in
    let kinds = Set(world.store.deliveries.values.map { $0.job.kind })
    return world.played != nil && !world.senders.countsEvents
      && kinds.isSuperset(of: [.yourTurn, .invited, .opponentJoined, .rematchStarted, .matchEnded])
  }

  /// The first seed after which a world is as wanted.
  static func quietSeed(where isWanted: (World) -> Bool) -> UInt64? {
    (4...200).first { seed in (try? world(after: seed)).map(isWanted) ?? false }
  }

  private static func world(after seed: UInt64) throws -> World {
    var options = Simulation.Options()
    options.faults = []
    let world = try #require(World(seed: seed, options: options))
    #expect(world.run(seed: seed).violations.isEmpty, "seed \(seed)")
    return world
  }

  /// A match that was played for some turns, is over, counts, and was not played again.
  var played: Match? {
    store.matches.values.filter { match in
      match.outcome?.wasPlayed == true && match.turnNumber > 2 && match.rated != nil
        && store.matches[MatchID(successorOf: match.id)] == nil
    }.min { $0.id < $1.id }
  }
}
