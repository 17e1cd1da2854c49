import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Overviews of players with very much")
struct OverviewTests {
  @Test("Overviews are read by one round trip, and of thousands of rows only the newest")
  func large() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let ann = PlayerID(rawValue: 1)
      try fill(connection, ann)
      let others = (2...64).map { PlayerID(rawValue: UInt128($0)) }
      for isAnalyzed in [false, true] {
        if isAnalyzed { try connection.script("ANALYZE") }
        // A connection of its own, so that it is planned now.
        let own = try stores.connect()
        let before = own.statistics.roundTripCount
        let store = ReaderStore.live(own)
        _ = try store.overviews([ann] + others)
        #expect(own.statistics.roundTripCount - before == 1)
        let read = try own.rowsRead {
          let overview = try store.overviews([ann] + others)[ann]
          #expect(overview?.matches.count == Overview.matchLimit - Overview.endedLimit)
          #expect(overview?.inbox?.id == PushJobID(rawValue: 1))
        }
        // Each row is read in an index and in its table, and each match once more.
        #expect(read <= 4 * Int64(Overview.matchLimit), "analyzed: \(isAnalyzed): \(read)")
      }
      // Nothing older than 30 days is told of.
      try connection.query("UPDATE deliveries SET recorded_at = recorded_at - interval '31 days'")
      #expect(try ReaderStore.live(stores.connect()).overviews([ann])[ann]?.inbox == nil)
    }
  }

  /// Gives a player 5,000 matches, invitations and ended matches, and 20,000 notifications.
  private func fill(_ connection: PostgreSQLConnection, _ player: PlayerID) throws {
    try connection.query(
      """
      INSERT INTO matches (id, version, state)
      SELECT lpad(to_hex(n), 32, '0')::uuid, n, '' FROM generate_series(1, 15000) AS n
      """)
    try connection.query(
      """
      INSERT INTO seats (match, player, seat, is_invited)
      SELECT lpad(to_hex(n), 32, '0')::uuid, $1, 0, n > 5000 FROM generate_series(1, 10000) AS n
      """, [.id(player)])
    try connection.query(
      """
      INSERT INTO past_games (player, ended_at, match, points, kind, language, result, reason)
      SELECT $1, now() - n * interval '1 second', lpad(to_hex(n), 32, '0')::uuid, 0, 'random', 'en',
        'won', 'cleared' FROM generate_series(10001, 15000) AS n
      """, [.id(player)])
    try connection.query(
      """
      INSERT INTO deliveries (job, player, recorded_at, kind, fate, match)
      SELECT lpad(to_hex(n), 32, '0')::uuid, $1, now() - n * interval '1 millisecond', 'invited',
        'delivered', gen_random_uuid() FROM generate_series(1, 20000) AS n
      """, [.id(player)])
  }
}
