import CubeLexicon
import MatchCore
import MatchWire
import Testing

@testable import MatchSimulation

@Suite("Summaries of two players")
struct SummaryTests {
  @Test("A summary of two players' games agrees with their records")
  func records() throws {
    var words = 0
    for seed in UInt64(1)...15 {
      let world = try #require(World(seed: seed, options: Simulation.Options()))
      _ = world.run(seed: seed)
      let games = world.store.matches.values.flatMap { match in
        Listing(of: match).pastGames.map { (match: match, row: $0) }
      }.sorted { ($0.row.endedAt, $0.match.id) > ($1.row.endedAt, $1.match.id) }
      for player in Set(games.map(\.row.player)) {
        let own = games.filter { $0.row.player == player }
        for opponent in Set(own.compactMap(\.row.opponent)) {
          let both = own.filter { $0.row.opponent == opponent }
          let summary = HeadToHead(
            against: opponent, named: try #require(world.store.players[opponent]?.name),
            games: both.map { ($0.match.id, $0.row.result) }, matches: both.map(\.match))
          #expect(summary.score.matches + summary.notCounted == both.count)
          let best = try Self.best(in: both.filter { $0.row.result != .none }.map(\.match), world)
          #expect(summary.bestWord?.points ?? 0 == best[player] ?? 0, "seed \(seed)")
          #expect(summary.opponentBestWord?.points ?? 0 == best[opponent] ?? 0, "seed \(seed)")
          if summary.bestWord != nil { words += 1 }
        }
      }
    }
    #expect(words > 4, "\(words)")
  }

  /// The points of each player's best word, by the records.
  private static func best(in matches: [Match], _ world: World) throws -> [PlayerID: Int] {
    var best: [PlayerID: Int] = [:]
    for match in matches {
      var replay = Replay(id: match.id)
      for entry in world.store.entries[match.id] ?? [] {
        let content = try PayloadCodec.decodeContent(entry.signed.payload)
        try replay.take(entry, content.replayed, words: Lexicon.everyWord)
      }
      for turn in replay.turns {
        let player = try #require(match.seats[turn.seat].player)
        best[player] = max(best[player] ?? 0, turn.scores.max() ?? 0)
      }
    }
    return best
  }
}
