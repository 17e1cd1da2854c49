import CubistBasics
import MatchLoad
import MatchService

extension LoadPlayer {
  /// Registers so many players under names that nobody has.
  static func register(
    _ count: Int, _ site: Site, _ exchange: Exchange, _ random: inout SplitMix64
  ) throws -> [LoadPlayer] {
    let players = try (0..<count).map { number in
      // A site that is kept knows the players of earlier runs.
      let suffix = String(random.next() % 2_821_109_907_456, radix: 36)
      return try LoadPlayer(name: "l\(number)-\(suffix)", &random)
    }
    try exchange.run(count: count) { index in
      players[index].registration(with: site.identity.service, &random)
    } then: { _, _ in
      nil
    }
    return players
  }
}
