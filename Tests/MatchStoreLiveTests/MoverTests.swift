import LibPQ
import MatchCore
import MatchInterfaces
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Seekers among very many")
struct MoverTests {
  @Test("Two fitting players behind 20,000 requests of odd terms are found within five rounds")
  func oddTerms() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // A thousand players with twenty requests each, no two of them on the same terms. They have
      // waited longer than the two who come last.
      try connection.script(
        """
        INSERT INTO open_seats (match, player, since, turn_limit_seconds, language)
        SELECT gen_random_uuid(), lpad(to_hex(n % 1000 + 10), 32, '0')::uuid,
          now() - interval '2 hours' + n * interval '1 millisecond', 100000 + n, 'en'
        FROM generate_series(1, 20000) AS n;
        INSERT INTO open_seats (match, player, since, turn_limit_seconds, language)
        SELECT lpad(n::text, 32, '0')::uuid, lpad(n::text, 32, '0')::uuid,
          now() - interval '1 minute' + n * interval '1 second', 86400, 'en'
        FROM generate_series(1, 2) AS n;
        """)
      let scheduler = SchedulerStore.live(connection)
      var (rounds, mergers): (Int, [Merger]) = (0, [])
      var last: Pairing.Waiting?
      while mergers.isEmpty, rounds < 500 {
        rounds += 1
        let found = try scheduler.movers(last, 50)
        last = found.last?.own
        mergers = Pairing.mergers(found, at: try scheduler.now())
      }
      #expect(mergers.map(\.kept) == [MatchID(rawValue: 1)])
      #expect(mergers.map(\.merged) == [MatchID(rawValue: 2)])
      #expect(rounds <= 5)
    }
  }

  @Test("A claim and a round look at few of 2,000 seats if all players have blocked one another")
  func allBlocked() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // A hundred players with twenty requests each on the same terms; everybody has blocked
      // everybody, and Ann too.
      let ann = "lpad('aaaa', 32, '0')::uuid"
      try connection.script(
        """
        INSERT INTO open_seats (match, player, since, turn_limit_seconds, language)
        SELECT gen_random_uuid(), lpad(to_hex(n % 100 + 1), 32, '0')::uuid,
          now() - interval '2 hours' + n * interval '1 millisecond', 86400, 'en'
        FROM generate_series(1, 2000) AS n;
        INSERT INTO blocks (player, blocked, since)
        SELECT lpad(to_hex(a), 32, '0')::uuid, lpad(to_hex(b), 32, '0')::uuid, now()
        FROM generate_series(1, 100) AS a, generate_series(1, 100) AS b WHERE a <> b
        UNION ALL
        SELECT \(ann), lpad(to_hex(a), 32, '0')::uuid, now() FROM generate_series(1, 100) AS a
        """)
      let terms = Terms(
        kind: .random, turnLimitSeconds: 86_400, language: .english, isCasual: false)
      let player: PlayerID = PlayerID(rawValue: 0xaaaa)
      // The reads for one claim, and for a round that looks at fifty.
      let claimed = try looks(connection) {
        let facts = try WorkerStore.live(connection).resolve([.seat(terms, for: player)])
        guard case .waiting(let found) = try #require(facts.first) else {
          Issue.record("no word of who waits")
          return
        }
        #expect(found.waiting.isEmpty)
      }
      #expect((1...4_000).contains(claimed), "\(claimed)")
      let round = try looks(connection) {
        let found = try SchedulerStore.live(connection).movers(nil, 50)
        #expect(found.count == 50)
      }
      #expect((1...200_000).contains(round), "\(round)")
    }
  }

  @Test("Two strangers meet, though they are blocked by the players of 900 seats before them")
  func blockersFirst() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // 45 players with twenty requests each. They have blocked one another and both strangers.
      let strangers = "VALUES (lpad('aaaa', 32, '0')::uuid), (lpad('bbbb', 32, '0')::uuid)"
      try connection.script(
        """
        INSERT INTO open_seats (match, player, since, turn_limit_seconds, language)
        SELECT gen_random_uuid(), lpad(to_hex(n % 45 + 1), 32, '0')::uuid,
          now() - interval '2 hours' + n * interval '1 millisecond', 86400, 'en'
        FROM generate_series(1, 900) AS n;
        INSERT INTO open_seats (match, player, since, turn_limit_seconds, language)
        SELECT player, player, now() - interval '1 minute', 86400, 'en'
        FROM (\(strangers)) AS s (player);
        INSERT INTO blocks (player, blocked, since)
        SELECT lpad(to_hex(a), 32, '0')::uuid, lpad(to_hex(b), 32, '0')::uuid, now()
        FROM generate_series(1, 45) AS a, generate_series(1, 45) AS b WHERE a <> b
        UNION ALL
        SELECT lpad(to_hex(a), 32, '0')::uuid, s.player, now()
        FROM generate_series(1, 45) AS a, (\(strangers)) AS s (player)
        """)
      let scheduler = SchedulerStore.live(connection)
      var mergers: [Merger] = []
      var last: Pairing.Waiting?
      for _ in 0..<20 where mergers.isEmpty {
        let found = try scheduler.movers(last, 50)
        last = found.last?.own
        mergers = Pairing.mergers(found, at: try scheduler.now())
      }
      #expect(mergers.map(\.kept) == [MatchID(rawValue: 0xaaaa)])
      #expect(mergers.map(\.merged) == [MatchID(rawValue: 0xbbbb)])
    }
  }

  /// The number of index look-ups on blocks.
  private func looks(_ connection: PostgreSQLConnection, _ body: () throws -> Void) throws -> Int64
  {
    func scans() throws -> Int64 {
      try connection.query("SELECT pg_stat_force_next_flush()")
      return try connection.query(
        "SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'blocks'"
      ).only[0].int64
    }
    let before = try scans()
    try body()
    try connection.script("ROLLBACK")
    return try scans() - before
  }
}
