import CustomDump
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import RealServers
import Testing

@testable import cubistd

@Suite("Rights in the database")
struct DatabaseRightsTests {
  /// A database with the schema, and a user of its own for each role.
  struct Scene {
    let database: Database
    let owner: PostgreSQLConnection
    let names: [DatabaseUser: String]

    /// How one of them logs in.
    func connectionString(_ user: DatabaseUser, password: String = "secret") -> String {
      // In a conninfo the later of two equal keys counts.
      "\(database.connectionString) user=\(names[user] ?? "") password=\(password)"
    }

    func connect(
      _ user: DatabaseUser, password: String = "secret"
    ) throws -> PostgreSQLConnection {
      try PostgreSQLConnection(
        PostgreSQLSettings(connectionString: connectionString(user, password: password)))
    }

    /// The users to whom the database does not refuse a statement.
    func allowed(
      _ statement: String, of sessions: [DatabaseUser: PostgreSQLConnection]
    ) throws -> [DatabaseUser] {
      try DatabaseUser.allCases.filter { user in
        let session = try #require(sessions[user])
        defer { try? session.script("ROLLBACK") }
        do throws(PostgreSQLError) {
          try session.script("BEGIN; \(statement)")
          return true
        } catch {
          guard error.sqlState?.rawValue == "42501" else { throw error }
          return false
        }
      }
    }

    /// The setup of these users.
    func setup() throws -> DatabaseUserSetup {
      var settings = ServiceSettings(
        database: database.connectionString, broker: "", serviceKeys: "")
      settings.databaseUsers = Dictionary(
        uniqueKeysWithValues: DatabaseUser.allCases.map { ($0, connectionString($0)) })
      return try DatabaseUserSetup(settings)
    }

    /// Runs a body with a session of each user.
    func withSessions(_ body: ([DatabaseUser: PostgreSQLConnection]) throws -> Void) throws {
      let sessions = try Dictionary(
        uniqueKeysWithValues: DatabaseUser.allCases.map { ($0, try connect($0)) })
      defer { for session in sessions.values { session.close() } }
      try body(sessions)
    }
  }

  static func withScene(_ body: (Scene) throws -> Void) throws {
    try RealServers.withDatabase { database in
      let owner = try PostgreSQLConnection(
        database.patientSettings())
      defer { owner.close() }
      try Schema.install(owner)
      let names = Dictionary(
        uniqueKeysWithValues: DatabaseUser.allCases.map { ($0, "\(database.name)_\($0.rawValue)") })
      for name in names.values { try DatabaseRights.make(name, password: "secret", owner) }
      defer {
        for name in names.values {
          try? owner.script("DROP OWNED BY \"\(name)\"; DROP ROLE \"\(name)\"")
        }
      }
      // As in a database of PostgreSQL 14.
      try owner.script("GRANT CREATE ON SCHEMA public TO PUBLIC")
      #expect(try DatabaseRights.letsEverybodyCreate(owner))
      try DatabaseRights.grant(names, owner)
      try body(Scene(database: database, owner: owner, names: names))
    }
  }

  @Test("Each user of the database does its own work and no other's")
  func ownWork() throws {
    try Self.withScene { scene in
      // Doing it again changes nothing.
      try DatabaseRights.grant(scene.names, scene.owner)
      try scene.withSessions { sessions in
        #expect(try scene.allowed("SELECT FROM schema_version", of: sessions).count == 9)
        let keeper = try #require(sessions[.housekeeper])
        #expect(try Partitions.add(keeper))
        #expect(try Partitions.missing(keeper).isEmpty)
      }
    }
  }

  @Test("A housekeeper deletes records only where games are not kept for ever")
  func oldGames() throws {
    try Self.withScene { scene in
      var retention = Retention()
      retention.games = retention.leastGames
      let keeper = try scene.connect(.housekeeper)
      defer { keeper.close() }
      let scheduler = SchedulerStore.live(keeper, keeping: retention)
      let now = try scheduler.now()
      #expect(throws: StoreError.self) { try scheduler.rotatePartitions(now, .zero) }
      try DatabaseRights.grant(scene.names, dropsGames: true, scene.owner)
      let allowed = try scene.connect(.housekeeper)
      defer { allowed.close() }
      try SchedulerStore.live(allowed, keeping: retention).rotatePartitions(now, .zero)
      try scene.withSessions { sessions in
        let users = try scene.allowed("DELETE FROM entries WHERE false", of: sessions)
        #expect(users == [.housekeeper])
      }
    }
  }

  /// The wishes of somebody with the password of one user, and the users who may do each.
  ///
  /// PostgreSQL looks at rights before rows: no statement here has any.
  private static let wishes: [(statement: String, users: Set<DatabaseUser>)] = [
    // Records, matches and keys.
    ("INSERT INTO entries SELECT * FROM entries WHERE false", [.worker]),
    ("UPDATE entries SET payload = payload WHERE false", []),
    ("DELETE FROM entries WHERE false", []),
    ("TRUNCATE entries", []),
    ("INSERT INTO matches SELECT * FROM matches WHERE false", [.worker]),
    ("UPDATE matches SET state = state WHERE false", [.worker]),
    ("UPDATE matches SET deadline = deadline WHERE false", [.worker]),
    ("UPDATE matches SET remind_at = remind_at WHERE false", [.worker, .steward]),
    ("DELETE FROM matches WHERE false", []),
    ("INSERT INTO player_keys SELECT * FROM player_keys WHERE false", [.worker]),
    ("UPDATE player_keys SET revoked_at = NULL WHERE false", [.worker, .housekeeper]),
    ("UPDATE player_keys SET player = player WHERE false", []),
    ("UPDATE players SET name = name WHERE false", [.housekeeper]),
    ("UPDATE recoveries SET due_at = due_at WHERE false", [.worker]),
    ("UPDATE queue_clocks SET time = time WHERE false", [.worker]),
    // The service's answers, and what follows from records.
    ("INSERT INTO events SELECT * FROM events WHERE false", [.worker]),
    ("UPDATE events SET reply = reply WHERE false", []),
    ("SELECT cubist_drop_partitions('events', '2000-01-01')", [.housekeeper]),
    ("UPDATE ratings SET rating = rating WHERE false", [.rater]),
    ("UPDATE board_places SET points = points WHERE false", [.steward]),
    ("INSERT INTO outbox SELECT * FROM outbox WHERE false", [.worker, .steward]),
    ("DELETE FROM outbox WHERE false", [.worker, .relay]),
    ("DELETE FROM devices WHERE false", [.worker, .housekeeper, .push]),
    // The service itself.
    ("UPDATE service SET root_key = root_key WHERE false", []),
    ("UPDATE registration SET mode = mode WHERE false", []),
    ("UPDATE queue_layout SET queues = queues WHERE false", []),
    ("UPDATE broker_claim SET mark = mark WHERE false", [.steward]),
    ("UPDATE service_time SET jump_microseconds = 0 WHERE false", [.scheduler]),
    ("INSERT INTO operator_acts (act, detail) SELECT '', '' WHERE false", []),
    ("DELETE FROM operator_acts WHERE false", [.housekeeper]),
    // Holding up the roles.
    ("LOCK TABLE roles", Set(DatabaseUser.allCases).subtracting([.lookout])),
    ("SELECT pg_advisory_xact_lock(0)", Set(DatabaseUser.allCases)),
    ("CREATE TEMPORARY TABLE more (x integer)", Set(DatabaseUser.allCases)),
    // What stays on the disk.
    ("SELECT lo_creat(-1)", []),
    ("SELECT lo_create(0)", []),
    ("SELECT lo_from_bytea(0, 'x')", []),
    // Reading.
    ("SELECT FROM devices", [.worker, .steward, .housekeeper, .reader, .push, .lookout]),
    ("SELECT FROM blocks", [.worker, .steward, .housekeeper, .reader, .push, .lookout]),
    ("SELECT FROM registration_codes", [.worker, .lookout]),
    ("SELECT FROM reports", [.worker, .housekeeper, .reader, .lookout]),
    ("SELECT FROM events", [.worker, .lookout]),
    ("SELECT FROM operator_acts", [.housekeeper, .lookout]),
    ("SELECT FROM outbox", [.worker, .steward, .relay, .lookout]),
    ("SELECT FROM service_time", [.scheduler, .steward, .lookout]),
    ("SELECT now FROM service_clock", Set(DatabaseUser.allCases)),
  ]

  @Test("A stolen password does what its role does: the worker's alone writes turns")
  func stolenPassword() throws {
    try Self.withScene { scene in
      try scene.withSessions { sessions in
        for (statement, users) in Self.wishes {
          let found = Set(try scene.allowed(statement, of: sessions))
          #expect(found == users, "\(statement)")
        }
      }
    }
  }

  /// The tables that each user changes, besides signs of life and problems of roles.
  private static let changed: [DatabaseUser: [String]] = [
    .worker: [
      "blocks", "bots", "daily_scores", "dead_events", "deliveries", "departures",
      "device_invitations", "devices", "entries", "events", "invitation_codes", "key_revocations",
      "matches", "nudges", "open_seats", "outbox", "owed_jobs", "pairs", "past_games",
      "player_keys",
      "player_settings", "players", "queue_clocks", "ranking_queue", "rating_queue", "ratings",
      "recoveries", "registration_codes", "rematch_offers", "reports", "seats", "seats_left",
      "shared_games", "solo_scores", "stranger_invitations", "trials",
    ],
    .scheduler: ["service_time"],
    .steward: [
      "board_buckets", "board_counts", "board_places", "boards", "broker_claim",
      "daily_challenges", "matches", "outbox", "owed_jobs", "player_settings",
      "ranking_queue",
    ],
    .housekeeper: [
      "blocks", "board_buckets", "board_counts", "board_places", "boards", "bots",
      "daily_scores", "dead_events_default", "dead_jobs", "deliveries", "departures",
      "device_invitations", "devices", "events_default", "housekeeping", "key_revocations",
      "nudges", "operator_acts", "owed_jobs", "player_keys", "player_settings", "players",
      "push_answers", "ranking_queue", "recoveries", "rematch_offers", "reports", "reserved_names",
      "seats_left", "stranger_invitations", "trials",
    ],
    .relay: ["held_jobs", "outbox"],
    .reader: [],
    .push: ["dead_jobs", "deliveries", "devices", "held_jobs", "push_answers", "trials"],
    .rater: [
      "bots", "ladder_counts", "rating_clock", "rating_queue", "rating_results", "ratings",
    ],
    .lookout: [],
  ]

  @Test("Each user changes the tables of its role alone; the reader's changes none")
  func changedTables() throws {
    let signs = ["problems", "roles", "workers"]
    try Self.withScene { scene in
      for (user, tables) in Self.changed {
        let found = try scene.owner.query(
          """
          SELECT c.relname::text FROM pg_class AS c
          WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
            AND (has_table_privilege($1::name, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
              OR has_any_column_privilege($1::name, c.oid, 'INSERT, UPDATE'))
          """, [.text(scene.names[user] ?? "")]
        ).map { try $0[0].text }
        let all = tables + (user == .lookout ? [] : signs)
        expectNoDifference(found.sorted(), all.sorted(), "\(user)")
      }
    }
  }

  @Test("No user makes anything that the owner would run, or becomes another user")
  func noEscape() throws {
    try Self.withScene { scene in
      let owner = try scene.owner.query("SELECT current_user::text").only[0].text
      let other = try #require(scene.names[.worker])
      let statements = [
        "CREATE TABLE more (x integer)",
        "CREATE FUNCTION cubist_expect(text, text, bigint, bigint) RETURNS void "
          + "LANGUAGE sql AS ''",
        "CREATE SCHEMA more", "CREATE ROLE more", "ALTER TABLE entries DROP COLUMN payload",
        "DROP TABLE entries",
        "CREATE TRIGGER t BEFORE INSERT ON roles FOR EACH ROW "
          + "EXECUTE FUNCTION cubist_words_changed()",
        "ALTER ROLE \"\(owner)\" PASSWORD 'stolen'", "SET ROLE \"\(owner)\"",
        "SET SESSION AUTHORIZATION \"\(owner)\"", "SELECT FROM pg_authid",
        "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT pg_read_file('PG_VERSION')",
      ]
      try scene.withSessions { sessions in
        for statement in statements {
          #expect(try scene.allowed(statement, of: sessions) == [], "\(statement)")
        }
        let others = try scene.allowed("SET ROLE \"\(other)\"", of: sessions)
        #expect(others == [.worker])
      }
      #expect(try !DatabaseRights.letsEverybodyCreate(scene.owner))
    }
  }

  @Test("The check names rights that a user lacks or should not have, and setup mends them")
  func differingRights() throws {
    try Self.withScene { scene in
      let setup = try scene.setup()
      // Partitions that are made later need no rights of their own.
      _ = try Partitions.add(scene.owner)
      #expect(try setup.problems() == [])
      func name(_ user: DatabaseUser) -> String { DatabaseRights.quoted(scene.names[user] ?? "") }
      let faults: [(statement: String, user: DatabaseUser, said: String)] = [
        ("GRANT CREATE ON SCHEMA public TO", .scheduler, "should not have CREATE ON SCHEMA public"),
        ("GRANT DELETE ON entries TO", .relay, "should not have DELETE ON entries"),
        ("GRANT UPDATE (name) ON players TO", .rater, "should not have UPDATE (name) ON players"),
        ("REVOKE INSERT ON entries FROM", .worker, "lacks INSERT ON entries"),
        ("REVOKE SELECT ON past_games FROM", .reader, "lacks SELECT ON past_games"),
        (
          "REVOKE UPDATE (count) ON push_answers FROM", .push,
          "lacks UPDATE (count) ON push_answers"
        ),
        (
          "REVOKE ALL ON FUNCTION cubist_drop_partitions(text, date) FROM", .housekeeper,
          "lacks EXECUTE ON FUNCTION cubist_drop_partitions(text,date)"
        ),
        ("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM", .lookout, " more"),
      ]
      for fault in faults { try scene.owner.script("\(fault.statement) \(name(fault.user))") }
      try scene.owner.script(
        "ALTER FUNCTION cubist_add_partitions(timestamptz, integer) SECURITY INVOKER")
      // The check itself changes nothing.
      for _ in 1...2 {
        let problems = try setup.problems()
        #expect(problems.count == faults.count, "\(problems)")
        for fault in faults {
          let setting = "\(SettingName(of: fault.user).rawValue): "
          let problem = problems.first { $0.hasPrefix(setting) } ?? ""
          #expect(problem.contains(fault.said), "\(problem)")
          #expect(problem.contains("run cubistd setup"), "\(problem)")
        }
        #expect(problems.contains { $0.contains("the owner's rights in cubist_add_partitions") })
      }
      // Setup says whose rights it has changed, and nothing the second time.
      let said = Set(faults.map(\.user)).map {
        "the database's user \(scene.names[$0] ?? "") has exactly the rights of \($0.rawValue)"
      }
      #expect(try setupChanges(setup.run(report:)).sorted() == said.sorted())
      #expect(try setup.problems() == [])
      #expect(try setupLines(setup.run(report:)) == [])
    }
  }

  @Test("A thief may change the user's own password; setup sets that of the settings again")
  func ownPassword() throws {
    try Self.withScene { scene in
      let thief = try scene.connect(.reader)
      defer { thief.close() }
      try thief.script("ALTER ROLE CURRENT_USER PASSWORD 'stolen'")
      #expect(throws: PostgreSQLError.self) { try scene.connect(.reader).close() }
      let setup = try scene.setup()
      let problems = try setup.problems()
      #expect(problems.count == 1 && problems[0].hasPrefix("CUBIST_DATABASE_READER"))
      let name = scene.names[.reader] ?? ""
      #expect(
        try setupLines(setup.run(report:)) == [
          "changed: the database's user \(name) has the password of CUBIST_DATABASE_READER"
        ])
      #expect(try setup.problems() == [])
      try scene.connect(.reader).close()
      #expect(throws: PostgreSQLError.self) {
        try scene.connect(.reader, password: "stolen").close()
      }
      // The thief's session goes on until somebody ends it.
      try thief.script("SELECT FROM players")
      // A right that PostgreSQL 14 gives to everybody is named by the check.
      try scene.owner.script("GRANT CREATE ON SCHEMA public TO PUBLIC")
      #expect(try setup.problems().map { $0.contains("REVOKE CREATE") } == [true])
    }
  }
}
