import Conformance
import CustomDump
import Dispatch
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("The schema")
struct SchemaTests {
  private func connect(
    _ database: Database, lockTimeout: Duration = .seconds(2)
  ) throws -> PostgreSQLConnection {
    var settings = try PostgreSQLSettings(connectionString: database.connectionString)
    // A busy machine is slow.
    (settings.statementTimeout, settings.idleInTransactionTimeout) = (.seconds(60), .seconds(120))
    settings.lockTimeout = lockTimeout
    return try PostgreSQLConnection(settings)
  }

  @Test("A session that PostgreSQL holds itself is told from one that a pooler lends")
  func pooler() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      try Schema.checkSession(connection)
      let process = connection.serverProcessID
      #expect(process > 0)
      try Schema.checkSession(process: Int(process), told: process)
      #expect {
        try Schema.checkSession(process: Int(process), told: process - 1)
      } throws: { error in
        guard case StoreError.unusable(let text) = error else { return false }
        return text.contains("pooler") && text.contains("CUBIST_DATABASE")
      }
    }
  }

  /// All parts of a schema, one line each.
  private func description(_ connection: PostgreSQLConnection) throws -> [String] {
    let queries = [
      """
      SELECT concat_ws(' ', 'column', table_name,
        row_number() OVER (PARTITION BY table_name ORDER BY ordinal_position), column_name,
        data_type, udt_name, is_nullable, column_default, is_identity, is_generated)
      FROM information_schema.columns WHERE table_schema = 'public'
      """,
      "SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'",
      """
      SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      """,
      """
      SELECT concat_ws(' ', 'table', relname, relkind, reloptions::text,
        pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), obj_description(oid))
      FROM pg_class WHERE relnamespace = 'public'::regnamespace
      """,
      """
      SELECT concat_ws(' ', 'storage', attrelid::regclass, attname, attstorage::text,
        col_description(attrelid, attnum))
      FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
      """,
      """
      SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace
      """,
      "SELECT 'version ' || version FROM schema_version",
      "SELECT 'registration ' || mode FROM registration",
      """
      SELECT concat_ws(' ', 'view', viewname, definition) FROM pg_views WHERE schemaname = 'public'
      """,
      "SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
      """
      SELECT concat_ws(' ', 'comment', oid::regprocedure, obj_description(oid)) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace
      """,
    ]
    var lines: [String] = []
    for query in queries {
      lines += try connection.query(query).map { row in try row[0].text }.sorted()
    }
    return lines
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("schema.sql is written by deploy/make-schema from all migrations, and leaves nothing out")
  func equality() throws {
    try RealServers.withDatabase { migrated in
      try RealServers.withDatabase { shown in
        let (one, other) = (try connect(migrated), try connect(shown))
        #expect(try Schema.install(one) == nil)
        try one.script(Self.text("deploy/schema-text.sql"))
        let made = try one.query("SELECT pg_temp.schema_text()").only[0].text
        let schema = try Self.text("schema.sql")
        expectNoDifference(
          schema.split(separator: "\n"), made.split(separator: "\n"),
          "run deploy/make-schema")
        try other.script(schema)
        let description = try description(one)
        #expect(description.count > 200)
        try expectNoDifference(self.description(other), description)
      }
    }
  }

  @Test("Devices get their player's only key, and an address stays with the last one who has it")
  func devices() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      try Schema.migrate(connection, to: 21)
      try connection.script(
        """
        INSERT INTO player_keys (key, player, added_at)
        SELECT decode(repeat('0' || key, 32), 'hex'), lpad(player, 32, '0')::uuid, now()
        FROM (VALUES ('1', '1'), ('2', '2'), ('3', '2')) AS k (key, player);
        INSERT INTO devices (player, name, registered_at, token, permission)
        SELECT lpad(player, 32, '0')::uuid, name, now() - age * interval '1 hour', token, 'authorized'
        FROM (VALUES ('1', 'phone', 2, 't'), ('2', 'pad', 1, 't'), ('2', 'twice', 3, 't'),
          ('1', 'watch', 1, NULL), ('2', 'watch', 2, NULL)) AS d (player, name, age, token);
        """)
      #expect(try Schema.install(connection) == 21)
      let rows = try connection.query(
        """
        SELECT concat_ws(' ', right(player::text, 1), name, encode(substr(key, 1, 1), 'hex'))
        FROM devices ORDER BY player, name
        """
      ).map { row in try row[0].text }
      expectNoDifference(rows, ["1 watch 01", "2 pad", "2 twice", "2 watch"])
    }
  }

  @Test("Players whose names look alike keep them, and nobody else gets such a name")
  func lookalikes() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      try Schema.migrate(connection, to: 21)
      try connection.script(
        """
        INSERT INTO players (id, registered_at, name, name_key)
        SELECT lpad(n::text, 32, '0')::uuid, now(), name, lower(name)
        FROM (VALUES (1, 'Bill'), (2, 'BiII'), (3, 'Mom')) AS p (n, name);
        """)
      #expect(try Schema.install(connection) == 21)
      let rows = try connection.query("SELECT name FROM players ORDER BY id").map { row in
        try row[0].text
      }
      #expect(rows == ["Bill", "BiII", "Mom"])
      let reader = ReaderStore.live(try connect(database))
      #expect(try reader.player(#require(PlayerName("bill")))?.id == PlayerID(rawValue: 1))
      #expect(try reader.player(#require(PlayerName("BIII")))?.id == PlayerID(rawValue: 2))
      // The database's skeletons are those of names, character by character.
      let characters = "abcdefghijklmnopqrstuvwxyz0123456789_-"
      let names = characters.map { "x\($0)m" } + ["bill", "biii", "mom", "10ili"]
      let list = names.map { "'\($0)'" }.joined(separator: ",")
      let found = try connection.query(
        """
        SELECT \(SQL.skeleton(of: "name_key")) FROM unnest(ARRAY[\(list)])
          WITH ORDINALITY AS u (name_key, place) ORDER BY place
        """
      ).map { row in try row[0].text }
      #expect(try found == names.map { try #require(PlayerName($0)).skeleton })
      let taken = try connection.query(
        "SELECT count(*) FROM players WHERE \(SQL.skeleton(of: "name_key")) = 'blll'"
      ).only[0].int64
      #expect(taken == 2)
      #expect(
        try connection.query(
          "SELECT indexdef FROM pg_indexes WHERE indexname = 'players_skeleton'"
        ).count == 1)
    }
  }

  @Test("Boards get columns, and a process of the build before reads them by their names as before")
  func boards() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      try Schema.migrate(connection, to: 16)
      try connection.script(
        """
        INSERT INTO players (id, registered_at, name, name_key)
        SELECT lpad(n::text, 32, '0')::uuid, now(), 'p' || n, 'p' || n FROM generate_series(1, 9) AS n;
        INSERT INTO ranked (board, player, points, ended_at, expires_at, match, word)
        SELECT board, id, 100 * length(board) + 7, now(), now() + interval '1 day', id, 'WORD'
        FROM players, unnest('{solo/timed/en/words/week,daily/timed/en/points/all}'::text[]) AS board;
        INSERT INTO ranked (board, player, points)
        SELECT 'daily/unlimited/en/2026-05-01', id, right(id::text, 1)::int FROM players;
        SELECT cubist_recount(board) FROM (SELECT DISTINCT board FROM ranked) AS b;
        PREPARE best (text) AS SELECT concat_ws(' ', r.player, r.points, r.word, o.rank)
          FROM ranked AS r CROSS JOIN LATERAL cubist_place(r.board, r.points) AS o
          WHERE r.board = $1 ORDER BY r.points DESC, r.player LIMIT 100;
        """)
      let former = [
        "SELECT r::text FROM ranked AS r ORDER BY 1",
        "SELECT b::text FROM ranked_buckets AS b ORDER BY 1",
        """
        SELECT concat_ws(' ', board, player, o.rank, o.out_of) FROM ranked AS r
        CROSS JOIN LATERAL cubist_place(r.board, r.points) AS o ORDER BY 1
        """,
        "EXECUTE best ('solo/timed/en/words/week')",
        "SELECT concat('counted', cubist_recount('solo/timed/en/words/week'))",
      ]
      func read() throws -> [String] {
        try former.flatMap { try connection.query($0).map { row in try row[0].text } }
      }
      let before = try read()
      #expect(try Schema.install(connection) == 16)
      try expectNoDifference(read(), before)
      let boards = try connection.query(
        """
        SELECT concat_ws(' ', b.kind, b.mode, b.language, b.measure, b.time_window, b.day, count(*))
        FROM boards AS b JOIN board_places AS p ON p.board = b.id GROUP BY b.id ORDER BY 1
        """
      ).map { row in try row[0].text }
      #expect(
        boards == [
          "daily timed en points all 9", "daily unlimited en 2026-05-01 9",
          "solo timed en words week 9",
        ])
      #expect(
        try connection.query(
          "SELECT rank FROM cubist_place(cubist_board('daily', 'unlimited', 'en', NULL, NULL, "
            + "'2026-05-01'), 4)"
        ).only[0].int64 == 6)
    }
  }

  @Test("While schema 17 copies leaderboards, readers of the build before answer serviceInfo")
  func copying() throws {
    try RealServers.withDatabase { database in
      let (owner, reader) = (try connect(database), try connect(database))
      try Schema.migrate(owner, to: 16)
      let sql = try #require(Schema.migrations.first { $0.version == 17 }).sql
      let copied = try #require(sql.range(of: "DROP TABLE ranked,")).lowerBound
      try owner.query("BEGIN")
      try owner.script(String(sql[..<copied]))
      try reader.query("SET lock_timeout = '200ms'")
      let store = ReaderStore.live(reader)
      // Whoever asks, and what is asked about.
      try reader.query("SELECT count(*) FROM player_keys")
      try reader.query("SELECT count(*) FROM matches")
      #expect(try store.registrationNeedsCode() == false)
      // The number of players of a daily challenge, and a player's place.
      let day = "'daily/unlimited/en/2026-05-01'"
      try reader.query(
        "SELECT coalesce(sum(players), 0)::bigint FROM ranked_buckets WHERE board = \(day)")
      try reader.query("SELECT rank FROM cubist_place(\(day), 7)")
      try reader.query("SELECT count(*) FROM ranked")
      try owner.query("ROLLBACK")
    }
  }

  @Test("Installing again changes nothing; an older database gets its missing parts")
  func install() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      #expect(try Schema.install(connection) == nil)
      let before = try description(connection)
      #expect(try Schema.install(connection) == Schema.requiredVersion)
      try expectNoDifference(description(connection), before)
    }
  }

  @Test("Two that install at once do not get into each other's way")
  func together() throws {
    try RealServers.withDatabase { database in
      let found = OnThreads.run(2) { _ in
        let connection = try connect(database)
        return try Schema.install(connection)
      }
      let versions = try found.map { result in try result.get() }
      #expect(Set(versions) == [nil, Schema.requiredVersion])
    }
  }

  @Test("A migration that somebody's transaction keeps waiting holds up nobody else")
  func patience() throws {
    try RealServers.withDatabase { database in
      try Schema.migrate(connect(database), to: 9)
      let isHeld = DispatchSemaphore(value: 0)
      let found = OnThreads.run(2) { number -> Int? in
        guard number > 0 else {
          isHeld.wait()
          // It has a limit of its own: by the session's the player would wait too long.
          return try Schema.install(connect(database, lockTimeout: .seconds(50)))
        }
        defer { isHeld.signal() }
        let holder = try connect(database)
        let player = try connect(database, lockTimeout: .seconds(20))
        try holder.query("BEGIN")
        try holder.query("SELECT count(*) FROM seats")
        isHeld.signal()
        _ = try Patience.holds(for: .seconds(3)) {
          try player.query("SELECT count(*) FROM seats")
          return true
        }
        try holder.query("ROLLBACK")
        return nil
      }
      let versions = try found.map { result in try result.get() }
      #expect(versions == [9, nil])
    }
  }

  @Test("A migration that cannot have its tables says so and has changed nothing")
  func impatience() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      try Schema.migrate(connection, to: 9)
      let before = try description(connection)
      let holder = try connect(database)
      try holder.query("BEGIN")
      try holder.query("SELECT count(*) FROM seats")
      let error = try storeError { try Schema.install(connection, attempts: 1) }
      #expect(error.isUnusable && "\(error)".contains("pg_stat_activity"))
      try expectNoDifference(description(connection), before)
      try holder.query("ROLLBACK")
      #expect(try Schema.install(connection) == 9)
    }
  }

  @Test("A schema that is missing, too old or too new is unusable; the next one is tolerated")
  func check() throws {
    try RealServers.withDatabase { database in
      let connection = try connect(database)
      let message = "\(try storeError { try Schema.check(connection) })"
      #expect(message.contains("cubistd setup"))
      try Schema.install(connection)
      try Schema.check(connection)
      for (version, isTolerated) in [(1, true), (2, false)] {
        try connection.query(
          "INSERT INTO schema_version VALUES ($1)",
          [.int32(Int32(Schema.requiredVersion + version))])
        if isTolerated {
          try Schema.check(connection)
        } else {
          #expect(try storeError { try Schema.check(connection) }.isUnusable)
        }
      }
      try connection.query("DELETE FROM schema_version")
      #expect(try storeError { try Schema.check(connection) }.isUnusable)
    }
  }

  @Test("The binary carries every migration as it is on disk")
  func embedded() throws {
    let folder = Self.root.appending(path: "deploy/migrations")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    let migrations = try names.map { try Self.text("deploy/migrations/\($0)") }
    #expect(Schema.migrations.map(\.sql) == migrations)
    #expect(names.map { Int($0.prefix(4)) } == Schema.migrations.map(\.version))
  }

  @Test("Migrations are numbered from 1 without a gap")
  func numbers() {
    #expect(Schema.migrations.map(\.version) == Array(1...Schema.requiredVersion))
  }
}
