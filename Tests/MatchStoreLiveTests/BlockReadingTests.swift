import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchStoreLive

@Suite("Blocks among many players")
struct BlockReadingTests {
  @Test("The blocks of each of a thousand players are read once, not each pair's")
  func thousand() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        INSERT INTO blocks (player, blocked, since)
        SELECT md5(n::text)::uuid, md5(m::text)::uuid, now()
        FROM generate_series(1, 200) AS n, generate_series(1, 100) AS m WHERE n <> m;
        ANALYZE blocks
        """)
      let ids = try connection.query(
        "SELECT md5(n::text)::uuid FROM generate_series(1, 1000) AS n")
      let players = try ids.map { row throws(PostgreSQLError) in try row[0].id(PlayerID.self) }
      let own = try stores.connect()
      let store = WorkerStore.live(own)
      func scans() throws -> Int64 {
        try own.query("SELECT pg_stat_force_next_flush()")
        return try own.query(
          "SELECT sum(idx_scan)::bigint FROM pg_stat_user_indexes WHERE relname = 'blocks'"
        ).only[0].int64
      }
      let before = try scans()
      var lookup = Lookup()
      lookup.meeting = Set(players)
      let found = try store.lookUp(lookup).blocks
      store.abandon()
      #expect(found.count == 200 * 100 - 100)
      #expect(try scans() - before <= 1_100)
    }
  }
}
