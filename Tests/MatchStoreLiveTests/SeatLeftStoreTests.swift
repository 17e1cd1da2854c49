import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchStoreLive

@Suite("Seats that are left, in PostgreSQL")
struct SeatLeftStoreTests {
  @Test("No seat is left while a role of a former build gives signs of life")
  func formerRoles() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let worker = WorkerStore.live(try stores.connect())
      func maySeatsBeLeft() throws -> Bool {
        var lookup = Lookup()
        lookup.leavesSeat = true
        defer { worker.abandon() }
        return try worker.lookUp(lookup).maySeatsBeLeft
      }
      #expect(try maySeatsBeLeft())
      try RoleStore.live(connection).beat(
        RoleSign(id: RoleID(rawValue: 1), role: "reader", process: "host:1"))
      #expect(try maySeatsBeLeft())
      try connection.script(
        """
        INSERT INTO roles (id, started_at, heartbeat_at, role, process)
        VALUES (gen_random_uuid(), now(), now(), 'worker', 'host:2')
        """)
      #expect(try !maySeatsBeLeft())
      try connection.script(
        "UPDATE roles SET heartbeat_at = now() - interval '16 seconds' WHERE schema IS NULL")
      #expect(try maySeatsBeLeft())
    }
  }

  @Test("Who left six seats within a day is named with the number, and forgotten after the day")
  func named() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let connection = try stores.connect()
      try connection.script(
        """
        INSERT INTO seats_left (player, at, match)
        SELECT p.id, now() - n * interval '1 minute', gen_random_uuid()
        FROM players AS p, generate_series(1, CASE p.name WHEN 'Ann' THEN 7 ELSE 5 END) AS n;
        INSERT INTO seats_left (player, at, match)
        SELECT id, now() - interval '25 hours', gen_random_uuid() FROM players;
        """)
      let operators = OperatorStore.live(try stores.connect(), by: "olga")
      #expect(
        try operators.status().leavers == [
          .init(player: TestPlayer.ann.id, name: "Ann", count: 7)
        ])
      var lookup = Lookup()
      lookup.leaving = [TestPlayer.ann.id, TestPlayer.bob.id]
      let found = try lab.store.lookUp(lookup).leavings
      lab.store.abandon()
      #expect(found.mapValues(\.count) == [TestPlayer.ann.id: 6, TestPlayer.bob.id: 5])
      let scheduler = SchedulerStore.live(try stores.connect(), keeping: .standard)
      try scheduler.rotatePartitions(try scheduler.now(), .seconds(3_600))
      #expect(try connection.query("SELECT count(*) FROM seats_left").only[0].int64 == 12)
    }
  }
}
