import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Past games among very many")
struct PastGamesTests {
  @Test("A page of one opponent's rare games, or of a stranger's, reads a few rows of 60,000")
  func rareKind() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // All but five games of the player are of one kind and against one opponent. Statistics of a
      // sample miss these five once in thirty times, and choose another index.
      try connection.script(
        """
        INSERT INTO past_games (player, ended_at, match, opponent, points, opponent_points, kind,
          language, result, reason)
        SELECT lpad('1', 32, '0')::uuid, now() - n * interval '1 second',
          lpad(to_hex(n), 32, '0')::uuid, lpad('2', 32, '0')::uuid, 1, 2,
          CASE WHEN n > 59995 THEN 'rematch' ELSE 'invitation' END, 'en', 'lost', 'forfeited'
        FROM generate_series(1, 60000) AS n;
        SET default_statistics_target = 10000;
        ANALYZE past_games
        """)
      let reader = ReaderStore.live(connection)
      func page(of opponent: UInt128, _ kind: MatchKind?) throws -> Int {
        try reader.pastGames(
          .init(
            player: PlayerID(rawValue: 1), opponent: PlayerID(rawValue: opponent),
            filter: .init(kind: kind), before: nil, limit: 20)
        ).count
      }
      for (opponent, kind, count) in [
        (2, .rematch, 5), (2, .invitation, 20), (2, nil, 20), (3, .invitation, 0), (3, nil, 0),
      ] as [(UInt128, MatchKind?, Int)] {
        let read = try connection.rowsRead(of: "past_games") {
          let found = try page(of: opponent, kind)
          #expect(found == count)
        }
        #expect(read <= 100, "\(opponent) \(String(describing: kind)): \(read)")
      }
      // The games that sum two players up. No more of a kind and result is read than is asked for,
      // each game once from the index and once from the table.
      let limit = HeadToHead.matchLimit + 1
      let read = try connection.rowsRead(of: "past_games") {
        let games = try reader.pastGames(
          .init(
            player: PlayerID(rawValue: 1), opponent: PlayerID(rawValue: 2), before: nil,
            limit: limit))
        #expect(games.count == limit)
      }
      #expect(read <= 2 * limit + 100, "\(read)")
    }
  }
}
