import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Sent notifications among very many that are over")
struct InboxTests {
  @Test(
    "The waiting invitation is found behind 60,000 withdrawn ones, and only a part of them is read")
  func withdrawn() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let ann = TestPlayer.ann.id
      let asked = try lab.event(
        .matchRequested(MatchRequest(opponent: .player(ann), turnLimitSeconds: 60)), by: .bob)
      try lab.send([asked])
      try connection.query(
        """
        INSERT INTO deliveries (job, player, recorded_at, kind, fate, match)
        SELECT job, player, now() - interval '1 day', kind, 'delivered', match
        FROM outbox WHERE player = $1 AND kind = 'invited'
        """, [.id(ann)])
      try connection.query(
        """
        INSERT INTO deliveries (job, player, recorded_at, kind, fate, match)
        SELECT md5(n::text)::uuid, $1, now() - n * interval '1 millisecond', 'invited', 'delivered',
          md5('match' || n::text)::uuid
        FROM generate_series(1, 60000) AS n
        """, [.id(ann)])
      for isAnalyzed in [false, true] {
        if isAnalyzed { try connection.script("ANALYZE") }
        // A connection of its own, so that it is planned now.
        let own = try stores.connect()
        let read = try own.rowsRead(of: "deliveries") {
          let matches = try ReaderStore.live(own).inbox(ann, 100).map(\.job.match)
          #expect(matches == [asked.newMatch])
        }
        #expect(read <= 11_000, "analyzed: \(isAnalyzed): \(read)")
      }
    }
  }
}
