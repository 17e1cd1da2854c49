import Conformance
import CustomDump
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchStoreLive

@Suite("Costs of a batch")
struct CostTests {
  @Test("Looking up, resolving and writing take one round trip each, for any batch")
  func roundTrips() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(connection))
      func cost(_ body: () throws -> Void) rethrows -> Int {
        let before = connection.statistics.roundTripCount
        try body()
        return connection.statistics.roundTripCount - before
      }
      let crowd = (0..<20).map(TestPlayer.member)
      let registrations = try crowd.map {
        try lab.event(.playerRegistered(name: $0.name, code: nil), by: $0)
      }
      // Lookup, claims, commit.
      #expect(try cost { try lab.send(registrations) } == 3)
      let asked = try crowd.map {
        try lab.event(
          .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), by: $0)
      }
      // Lookup, commit.
      #expect(try cost { try lab.send(asked) } == 2)
      let turns = try zip(asked, crowd).map { sent, player in
        let match = try #require(try lab.match(sent.newMatch))
        return try lab.event(lab.turn(in: match), by: player)
      }
      #expect(try cost { try lab.send(turns) } == 2)
      #expect(try cost { _ = try lab.store.heartbeat(WorkerID(rawValue: 1)) } == 1)
    }
  }

  @Test("A plain turn writes match, entry, reply and push job, and nothing else")
  func statements() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let match = try #require(try lab.match(id))
      let (write, _) = try lab.judge([lab.event(lab.turn(in: match), by: .ann)])
      #expect(
        write.calls.map(\.sql.name) == [
          "guardVersions", "updateMatches", "insertEntries", "insertReplies", "insertJobs",
        ])
    }
  }

  @Test("Turns move a deadline without touching an index of the match")
  func hotUpdates() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(connection))
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      var deadlines: Set<Instant?> = []
      var units: Set<Int?> = []
      var turnCount = 0
      while let match = try lab.match(id), match.outcome == nil {
        deadlines.insert(match.deadline?.at)
        units.insert(match.deadline?.at.tenMinutes)
        try lab.act(lab.turn(in: match), by: [.ann, .bob][match.seatToPlay])
        turnCount += 1
      }
      // The last read left its transaction open, and statistics count only after its end.
      try connection.rollback()
      try connection.query("SELECT pg_stat_force_next_flush()")
      let row = try connection.query(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'matches'")
      let (updates, hot) = (try row.only[0].int64, try row.only[1].int64)
      #expect(turnCount > 10)
      #expect(deadlines.count > 10)
      // Every turn and the acceptance are updates. All are HOT but the ones that move to another
      // unit of time, and the end.
      #expect(updates == Int64(turnCount + 1))
      #expect(hot >= updates - Int64(units.count) - 1)
    }
  }

  @Test("Marking any number of notifications as seen changes one row")
  func seenAll() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let (worker, reader) = (WorkerStore.live(connection), ReaderStore.live(connection))
      try StoreLab(worker).register(.ann)
      let ann = TestPlayer.ann.id
      try connection.query(
        """
        INSERT INTO deliveries (job, player, recorded_at, kind, fate)
        SELECT md5(n::text)::uuid, $1, now() - n * interval '1 millisecond', 'matchEnded', 'delivered'
        FROM generate_series(1, 20000) AS n
        """, [.id(ann)])
      #expect(try reader.inbox(ann, 100).count == 100)
      func updates(_ table: String) throws -> Int64 {
        try connection.query("SELECT pg_stat_force_next_flush()")
        return try connection.query(
          """
          SELECT n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE relname = $1
          """, [.text(table)]
        ).only[0].int64
      }
      let before = (try updates("deliveries"), try updates("player_settings"))
      var write = BatchWrite(now: try worker.lookUp(Lookup()).now)
      write.playerChanges = [.init(player: ann, change: .allSeen(until: write.now))]
      try worker.commit(write)
      #expect(try updates("deliveries") == before.0)
      #expect(try updates("player_settings") == before.1 + 1)
      #expect(try reader.inbox(ann, 100).isEmpty)
    }
  }

  /// Statements with the types of those parameters that SQL cannot tell by itself.
  private static let probes: [(sql: SQL, types: String)] = [
    (.repliesByEvent, "(uuid[], uuid[])"), (.ownersByKey, ""), (.playersByID, ""),
    (.matchesByID, ""),
    (
      .updateMatches,
      """
      (uuid[], bigint[], int[], timestamptz[], int[], uuid[], smallint[], timestamptz[],
        timestamptz[], int[], bytea[], bigint[])
      """
    ),
    (.insertJobs, "(uuid[], uuid[], uuid[], int[], int[], text[], boolean[])"), (.owedPage, ""),
    (.deleteJobs, ""), (.waitingSeats, "(text[], bigint[], uuid[], int[], boolean[])"),
    (.movers, "(timestamptz, uuid, bigint)"), (.claimJobs, ""),
    (.overdue, ""), (.pastGames, ""), (.pastGamesWith, ""), (.currentMatches, ""),
    (.currentMatchCount, ""), (.inboxes, "(uuid[], uuid[], int[], bigint)"),
    (.botLoads, ""), (.takenNames, "(text[])"),
    (.lateRegistrations, ""),
    (.replyPage, ""), (.entriesOfMatches, ""), (.tallies, "(uuid, timestamptz, text[], text[])"),
    (
      .judgedJobs,
      "(uuid[], uuid[], int[], boolean[], boolean[], uuid[], int[], int[], text[])"
    ),
    (.toldPlayers, "(uuid[])"), (.releaseJobs, ""),
    (
      .holdJobs, "(uuid[], text[], uuid[], uuid[], int[], int[], text[], timestamptz[])"
    ),
    (.finishJobs, ""), (.finishHeldJobs, ""),
    (.lateEndings, ""), (.pushStories, ""), (.devicesReached, ""),
    (.takeDevices, "(uuid[], text[], text[], bytea[], bytea[])"),
    (.removeDevicesOfKeys, "(uuid[], bytea[])"), (.removeDevicesOfKey, ""),
    (.devicesOfPlayers, ""), (.calledNames, ""), (.pointsOfPlayers, "(int)"),
    (.matchesToRemind, ""), (.dailyPlayers, "(int)"), (.inbox, ""), (.overviews, "(uuid[])"),
    (.countStrangers, "(uuid[], uuid[], int[], int)"), (.deleteOldStrangers, ""),
    (.reportsOfDay, "(uuid[])"), (.reportsAbout, ""), (.lateReports, ""), (.reportCounts, ""),
    (.invitationsByHash, ""), (.keysOfPlayers, ""), (.openInvitations, ""),
    (.deleteOldInvitations, "(timestamptz)"), (.originsOfKeys, "(bytea[])"),
    (.recoveryKeysOfPlayers, ""), (.recoveriesOfPlayers, ""), (.recoveriesDue, ""),
    (.speakingKeys, ""), (.usableInvitations, ""), (.invitersByHash, ""),
    (.playersByNames, ""), (.recoveriesByNames, ""),
    (.recoveryPage, ""), (.keyPage, ""), (.oldGames, ""), (.matchPage, ""),
    (.deleteEntries, ""), (.deletePastGames, ""), (.deleteMatches, ""),
  ]

  @Test("Statements look into indexes, also of small and empty tables")
  func plans() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      try scheduler.rotatePartitions(scheduler.now(), .seconds(3_600))
      try connection.query("ANALYZE")
      // A player's places are looked up board by board: all boards are read.
      let exports = AccountSection.allCases.filter { $0 != .boardPlaces }
        .map { (SQL.export($0, isWhole: false), "") }
      for (sql, types) in Self.probes + exports {
        try connection.script("PREPARE \"\(sql.name)\" \(types) AS \(sql.text)")
        let count = try connection.query(
          "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = $1",
          [.text(sql.name)]
        ).only[0].int64
        let nulls = Array(repeating: "NULL", count: Int(count)).joined(separator: ", ")
        let values = count == 0 ? "" : " (\(nulls))"
        let plan = try connection.query("EXPLAIN EXECUTE \"\(sql.name)\"\(values)").map { row in
          try row[0].text
        }
        #expect(plan.contains { $0.contains("Index") }, "\(sql.name): \(plan)")
        #expect(!plan.contains { $0.contains("Seq Scan") }, "\(sql.name): \(plan)")
      }
    }
  }

  @Test("The best hundred of a great many are named without reading all players")
  func bestOfMany() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        CREATE TEMPORARY TABLE many AS
          SELECT n, md5(n::text)::uuid AS player FROM generate_series(1, 10000) AS n;
        INSERT INTO players (id, registered_at, name, name_key)
          SELECT player, now(), 'player-' || n, 'player-' || n FROM many;
        INSERT INTO ratings (player, rating_no, rated_at, rating, deviation, volatility, match_count)
          SELECT player, n, now(), n % 2000 * 1000000, 60000000, 60000000, 30 FROM many;
        INSERT INTO board_places (board, player, points)
          SELECT cubist_made_board('solo', 'timed', 'en', 'points', 'all', NULL), player, n
          FROM many;
        INSERT INTO daily_scores (day, mode, language, player, points)
          SELECT current_date, 'timed', 'en', player, n FROM many;
        ANALYZE
        """)
      let probes: [(sql: SQL, types: String)] = [
        (.ladder, ""), (.bestOfBoard, ""), (.placeOnBoard, ""), (.bestOfDaily, "(int)"),
        (.placeInDaily, "(int)"),
      ]
      for (sql, types) in probes {
        try connection.script("PREPARE \"\(sql.name)\" \(types) AS \(sql.text)")
        let count = try connection.query(
          "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = $1",
          [.text(sql.name)]
        ).only[0].int64
        let nulls = Array(repeating: "NULL", count: Int(count)).joined(separator: ", ")
        let values = count == 0 ? "" : " (\(nulls))"
        let plan = try connection.query("EXPLAIN EXECUTE \"\(sql.name)\"\(values)").map { row in
          try row[0].text
        }
        let joins = plan.filter { $0.contains("Hash Join") || $0.contains("Merge Join") }
        #expect(joins == [], "\(sql.name): \(plan)")
        #expect(plan.contains { $0.contains("players_pkey") }, "\(sql.name): \(plan)")
      }
    }
  }

  @Test("A deadline's unit of ten minutes is rounded down, before 1970 too")
  func tenMinutes() {
    let unit: Int64 = 600_000_000
    let cases: [(Int64, Int)] = [
      (0, 0), (unit - 1, 0), (unit, 1), (-1, -1), (-unit, -1), (-unit - 1, -2),
    ]
    for (microseconds, expected) in cases {
      #expect(Instant(microseconds: microseconds).tenMinutes == expected)
    }
  }
}
