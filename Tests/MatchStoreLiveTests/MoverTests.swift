import LibPQ
import MatchCore
import MatchInterfaces
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Who waits among very many")
struct MoverTests {
  @Test(
    "Behind 20,000 requests of odd terms two who fit are found within five rounds",
    .timeLimit(.minutes(2)))
  func oddTerms() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      // A thousand players with twenty requests each, no two of them on the same terms, who have
      // waited for longer; and two who came last.
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
}
