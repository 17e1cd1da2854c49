import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import MatchWire
import Testing

@Suite("Rows that nobody can ask for any more")
struct PurgeTests {
  private func count(_ query: String, _ connection: PostgreSQLConnection) throws -> Int64 {
    try connection.query("SELECT count(*) FROM \(query)").only[0].int64
  }

  /// Puts the house in order at the store's time, as after all the rounds until then.
  private func rotate(_ scheduler: SchedulerStore, _ connection: PostgreSQLConnection) throws {
    try connection.script("UPDATE housekeeping SET horizon = now()")
    try scheduler.rotatePartitions(try scheduler.now(), .seconds(3_600))
  }

  /// So many players with points in the challenge of a day, and on its board.
  private func fill(_ key: DailyKey, _ players: Int, _ connection: PostgreSQLConnection) throws {
    let (day, mode, language) = (key.day.description, key.mode.rawValue, key.language.rawValue)
    try connection.script(
      """
      INSERT INTO daily_challenges (day, mode, language, lexicon, letters)
      VALUES ('\(day)', '\(mode)', '\(language)', 'x', 'y');
      INSERT INTO daily_scores (day, mode, language, player, points)
      SELECT '\(day)', '\(mode)', '\(language)', lpad(to_hex(n), 32, '0')::uuid, n
      FROM generate_series(1, \(players)) AS n;
      INSERT INTO board_places (board, player, points)
      SELECT b.id, s.player, s.points FROM daily_scores AS s CROSS JOIN (
        SELECT cubist_made_board('daily', '\(mode)', '\(language)', NULL, NULL, '\(day)') AS id) AS b
      WHERE s.day = '\(day)' AND s.mode = '\(mode)';
      SELECT cubist_recount(cubist_board('daily', '\(mode)', '\(language)', NULL, NULL, '\(day)'));
      """)
  }

  @Test("Scores and boards of days without standings are deleted in portions, no others")
  func boards() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      let now = try scheduler.now()
      let first = Standings.firstDay(now)
      let keys = SoloMode.allCases.flatMap { mode in
        [first, first.previous, first.previous.previous].map { DailyKey(day: $0, mode: mode) }
      }
      // More rows than one portion has.
      for key in keys { try fill(key, key.day < first.previous ? 5_100 : 2, connection) }
      // A leaderboard of challenges is no day's board.
      try connection.script(
        """
        INSERT INTO board_places (board, player, points) VALUES (
          cubist_made_board('daily', 'timed', 'en', 'points', 'week', NULL), gen_random_uuid(), 5);
        SELECT cubist_recount(cubist_board('daily', 'timed', 'en', 'points', 'week', NULL));
        """)
      try rotate(scheduler, connection)
      let kept = keys.filter { $0.day >= first.previous }
      for table in ["board_places", "board_counts", "board_buckets"] {
        let boards = try connection.query(
          """
          SELECT DISTINCT b.mode, b.day::text FROM \(table) AS t JOIN boards AS b ON b.id = t.board
          WHERE b.kind = 'daily' ORDER BY 1, 2
          """
        ).map { row in [try row[0].text, try row[1].ifPresent?.text] }
        #expect(
          Set(boards) == Set(kept.map { [$0.mode.rawValue, "\($0.day)"] } + [["timed", nil]]),
          "\(table)")
      }
      #expect(try count("boards", connection) == Int64(kept.count) + 1)
      #expect(try count("daily_scores", connection) == 8)
      #expect(try count("board_places", connection) == 9)
      let counts =
        "board_counts WHERE board = cubist_board('daily', 'timed', 'en', NULL, NULL, '\(first)')"
      #expect(try count(counts, connection) == 2)
      // The existence of the challenge stays known.
      #expect(try count("daily_challenges", connection) == 6)
    }
  }

  @Test("Strangers' invitations are counted for today and yesterday, and forgotten then")
  func strangers() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      try connection.script(
        """
        INSERT INTO stranger_invitations (day, player, sender, sent)
        SELECT (now() AT TIME ZONE 'UTC')::date - n, gen_random_uuid(), gen_random_uuid(), 5
        FROM generate_series(0, 4) AS n, generate_series(1, 2500)
        """)
      try rotate(scheduler, connection)
      let days = try connection.query(
        """
        SELECT (now() AT TIME ZONE 'UTC')::date - day, count(*) FROM stranger_invitations
        GROUP BY 1 ORDER BY 1
        """
      ).map { row in [Int64(try row[0].int32), try row[1].int64] }
      #expect(days == [[0, 2_500], [1, 2_500]])
    }
  }

  @Test("Reports go after 180 days; of the others the newest are found, or one about each")
  func reports() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      try connection.script(
        """
        INSERT INTO reports (player, match, other, reason, text, at)
        SELECT lpad(n::text, 32, '0')::uuid, gen_random_uuid(),
          lpad((n % 2)::text, 32, '0')::uuid, 'name', CASE WHEN n = 3 THEN 'words of ' || n END,
          now() - n * interval '1 day' + interval '1 hour'
        FROM generate_series(1, 200) AS n
        """)
      try rotate(scheduler, connection)
      #expect(try count("reports", connection) == 180)
      let store = OperatorStore.live(try stores.connect())
      let (zero, one) = (PlayerID(rawValue: 0), PlayerID(rawValue: 1))
      func days(_ found: [KeptReport]) -> [String] {
        found.map { String("\($0.report.player)".suffix(3)) }
      }
      #expect(days(try store.reports(one, 3)) == ["001", "003", "005"])
      #expect(days(try store.reports(nil, 3)) == ["001", "002"])
      #expect(try store.reports(one, 3).map(\.report.text?.text) == [nil, "words of 3", nil])
      #expect(try store.reports(zero, 1_000).count == 90)
      let account = try store.account(zero)
      #expect((account.reportCount, account.lateReportCount) == (90, 15))
      // A player reports the same one in four more matches: that is still one player.
      try connection.script(
        """
        INSERT INTO reports (player, match, other, reason, text, at)
        SELECT lpad('2', 32, '0')::uuid, gen_random_uuid(), lpad('0', 32, '0')::uuid, 'name', NULL,
          now() - n * interval '1 minute'
        FROM generate_series(1, 4) AS n
        """)
      let found = try store.reports(zero, 1_000)
      #expect(days(Array(found.prefix(4))) == ["002", "002", "002", "004"])
      #expect(found.count == 92 && found.allSatisfy { $0.reporterCount == 90 })
      let counts = try store.account(zero)
      #expect((counts.reportCount, counts.lateReportCount) == (94, 19))
      #expect((counts.reporterCount, counts.lateReporterCount) == (90, 15))
    }
  }

  @Test("An offer of a rematch goes a day after it ran out, one that a worker has locked later")
  func offers() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect { $0.lockTimeout = .seconds(1) })
      try connection.script(
        """
        INSERT INTO rematch_offers
        SELECT lpad(n::text, 32, '0')::uuid, gen_random_uuid(), gen_random_uuid(),
          now() - n * interval '1 day', 0, decode(repeat('00', 32), 'hex'), '', ''
        FROM generate_series(1, 10) AS n
        """)
      let worker = try stores.connect()
      try worker.script(
        "BEGIN; SELECT FROM rematch_offers WHERE at < now() - interval '9.5 days' FOR UPDATE")
      try rotate(scheduler, connection)
      #expect(try count("rematch_offers", connection) == 8)
      try worker.script("COMMIT")
      try rotate(scheduler, connection)
      #expect(try count("rematch_offers", connection) == 7)
    }
  }

  @Test("An invitation of a device is deleted a day after its end, used or not")
  func invitations() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      try connection.script(
        """
        INSERT INTO device_invitations (hash, player, until, envelope, used_by)
        SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), gen_random_uuid(),
          now() - (n / 2) * interval '13 hours', '', CASE WHEN n % 2 = 0 THEN ''::bytea END
        FROM generate_series(0, 7) AS n
        """)
      try rotate(scheduler, connection)
      #expect(try count("device_invitations", connection) == 4)
      #expect(
        try count("device_invitations WHERE until > now() - interval '1 day'", connection) == 4)
    }
  }
}
