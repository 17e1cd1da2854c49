import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import RealServers
import Testing

@testable import cubistd

@Suite("What a thief with a user's password leaves in the database")
struct DatabaseLeftoverTests {
  /// Another value for each parameter that sessions state.
  private static let harmful: [String: String] = [
    "DateStyle": "SQL, DMY", "IntervalStyle": "sql_standard", "TimeZone": "Asia/Tokyo",
    "array_nulls": "off", "bytea_output": "escape", "client_min_messages": "debug5",
    "default_transaction_deferrable": "on",
    "default_transaction_isolation": "serializable", "default_transaction_read_only": "on",
    "enable_bitmapscan": "off", "enable_indexonlyscan": "off", "enable_indexscan": "off",
    "enable_nestloop": "off", "enable_partition_pruning": "off", "enable_seqscan": "on",
    "exit_on_error": "on", "extra_float_digits": "0", "gin_fuzzy_search_limit": "1",
    "idle_session_timeout": "1min",
    "jit": "on", "local_preload_libraries": "nothing", "max_parallel_workers_per_gather": "2",
    "plan_cache_mode": "auto", "quote_all_identifiers": "on", "row_security": "off",
    "search_path": "pg_temp", "standard_conforming_strings": "off", "synchronous_commit": "off",
    "transform_null_equals": "on",
  ]

  @Test(
    "No setting that a thief has left changes a session of the service, or keeps its user out",
    arguments: ["", " IN DATABASE "])
  func sessions(place: String) throws {
    #expect(Set(Self.harmful.keys) == Set(SessionParameters.stated.keys))
    try DatabaseRightsTests.withScene { scene in
      let thief = try scene.connect(.worker)
      defer { thief.close() }
      let role = "CURRENT_USER" + (place.isEmpty ? "" : "\(place)\"\(scene.database.name)\"")
      try thief.script(
        Self.harmful.sorted { $0.key < $1.key }
          .map { "ALTER ROLE \(role) SET \"\($0)\" = '\($1)'" }.joined(separator: ";\n"))
      // A session that states nothing has no library to begin with.
      #expect(throws: PostgreSQLError.self) { try scene.connect(.worker).close() }

      let settings = try PostgreSQLSettings(connectionString: scene.connectionString(.worker))
      let session = try Wiring.open(settings, as: "test")
      defer { session.close() }
      for (name, value) in SessionParameters.stated {
        let found = try session.query("SELECT current_setting($1)", [.text(name)]).only[0].text
        #expect(found == value, "\(name)")
      }
      // The end of a lead that stands still stays as it is.
      let leader = try Wiring.open(settings.forLeading(), as: "test")
      defer { leader.close() }
      let limit = try leader.query("SELECT current_setting('idle_session_timeout')").only[0].text
      #expect(limit == "20s")
    }
  }

  @Test("Setup takes settings away that the service does not bear, and names the others")
  func settings() throws {
    try DatabaseRightsTests.withScene { scene in
      let setup = try scene.setup()
      #expect(try setup.problems() == [])
      #expect(try setup.advice() == [])
      let thief = try scene.connect(.reader)
      defer { thief.close() }
      try thief.script(
        """
        ALTER ROLE CURRENT_USER SET default_transaction_read_only = on;
        ALTER ROLE CURRENT_USER IN DATABASE "\(scene.database.name)" SET search_path = 'pg_temp';
        ALTER ROLE CURRENT_USER SET work_mem = '64kB'
        """)
      let name = scene.names[.reader] ?? ""
      let relied = [
        "default_transaction_read_only = on of its own",
        "search_path = pg_temp of its own in this database",
      ]
      // The check itself changes nothing.
      for _ in 1...2 {
        let problems = try setup.problems()
        #expect(
          problems
            == relied.map {
              "the database's user \(name) has the setting \($0): run cubistd setup, which takes "
                + "it away"
            })
      }
      let removal = "ALTER ROLE \"\(name)\" RESET \"work_mem\""
      let advice = try setup.advice()
      #expect(advice.count == 1 && advice[0].contains("\(name) has the setting work_mem = 64kB"))
      #expect(advice[0].hasSuffix(removal))
      #expect(
        try setupLines(setup.run(report:))
          == relied.map { "changed: the database's user \(name) has no longer the setting \($0)" }
          + advice)
      #expect(try setup.problems() == [])
      #expect(try setupLines(setup.run(report:)) == advice)
      try scene.owner.script(removal)
      #expect(try setupLines(setup.run(report:)) == [])
    }
  }

  @Test("Large objects and members of a user outlive its password: setup and the check name them")
  func traces() throws {
    try DatabaseRightsTests.withScene { scene in
      let setup = try scene.setup()
      let (reader, worker) = (scene.names[.reader] ?? "", scene.names[.worker] ?? "")
      // As in a database that setup has not seen.
      try scene.owner.script("GRANT EXECUTE ON FUNCTION lo_from_bytea(oid, bytea) TO PUBLIC")
      let thief = try scene.connect(.reader)
      defer { thief.close() }
      try thief.script("SELECT lo_from_bytea(0, 'x')")
      try scene.owner.script("GRANT \"\(worker)\" TO \"\(reader)\"")
      let advice = try setup.advice()
      let deletion =
        "SELECT lo_unlink(oid) FROM (SELECT oid FROM pg_largeobject_metadata WHERE lomowner = "
        + "'\"\(reader)\"'::regrole LIMIT 1000) AS o"
      let revocation = "REVOKE \"\(worker)\" FROM \"\(reader)\""
      #expect(advice.count == 3, "\(advice)")
      #expect(advice[0].contains("\(reader) has 1 large object,") && advice[0].contains(deletion))
      #expect(advice[1].hasSuffix(revocation))
      #expect(advice[2].contains("REVOKE EXECUTE ON FUNCTION lo_from_bytea(oid,bytea) FROM PUBLIC"))
      #expect(
        try setupLines(setup.run(report:))
          == ["changed: not every user may make large objects any more"] + advice.prefix(2))
      #expect(throws: PostgreSQLError.self) { try thief.script("SELECT lo_from_bytea(0, 'x')") }
      try scene.owner.script("\(deletion); \(revocation)")
      #expect(try setup.advice() == [])
    }
  }

  /// A database that belongs to a user without a superuser's rights, who may make others.
  private struct OwnedDatabase {
    let administrator: PostgreSQLConnection
    let owner: String
    let reader: String
    /// Those of an installation by the owner alone.
    let settings: ServiceSettings
    private let connectionString: String

    /// Gives one to a test, with its schema.
    static func with(_ body: (OwnedDatabase) throws -> Void) throws {
      try RealServers.withDatabase { database in
        let own = try OwnedDatabase(database.name, database.connectionString)
        defer { own.administrator.close() }
        try own.administrator.script(
          """
          CREATE ROLE \(own.owner) LOGIN CREATEROLE PASSWORD 'secret';
          ALTER DATABASE \(database.name) OWNER TO \(own.owner)
          """)
        defer {
          try? own.administrator.script("REASSIGN OWNED BY \(own.owner) TO CURRENT_USER")
          for user in [own.reader, own.owner] {
            try? own.administrator.script("DROP OWNED BY \(user); DROP ROLE \(user)")
          }
        }
        let connection = try own.connect(own.owner)
        defer { connection.close() }
        try Schema.install(connection)
        try body(own)
      }
    }

    private init(_ name: String, _ connectionString: String) throws {
      (owner, reader) = ("\(name)_owner", "\(name)_reader")
      self.connectionString = connectionString
      administrator = try PostgreSQLConnection(
        PostgreSQLSettings(connectionString: connectionString))
      settings = ServiceSettings(
        database: "\(connectionString) user=\(owner) password=secret", broker: "", serviceKeys: "")
    }

    /// The connection string of a user.
    func text(_ user: String) -> String { "\(connectionString) user=\(user) password=secret" }

    func connect(_ user: String) throws -> PostgreSQLConnection {
      try PostgreSQLConnection(PostgreSQLSettings(connectionString: text(user)))
    }
  }

  @Test(
    "Without users of roles, setup resets the owner's settings; its large objects are named"
  )
  func ownerAlone() throws {
    try OwnedDatabase.with { own in
      let setup = try DatabaseUserSetup(own.settings)
      #expect(try setup.problems() == [] && setup.advice() == [])
      #expect(try setupLines(setup.run(report:)) == [])
      let thief = try own.connect(own.owner)
      defer { thief.close() }
      try thief.script(
        """
        ALTER ROLE CURRENT_USER SET synchronous_commit = off;
        ALTER ROLE CURRENT_USER SET work_mem = '64kB';
        SELECT lo_from_bytea(0, 'x')
        """)
      let said = "the database's user \(own.owner)"
      let relied = "the setting synchronous_commit = off of its own"
      #expect(
        try setup.problems() == ["\(said) has \(relied): run cubistd setup, which takes it away"])
      let names = try StatusReport.gather(own.settings).findings().map(\.name)
      #expect(names.filter { $0.hasPrefix("user") }.sorted() == ["userObjects", "userSettings"])
      let advice = try setup.advice()
      #expect(advice.count == 2, "\(advice)")
      #expect(advice[0].hasPrefix("\(said) has the setting work_mem = 64kB of its own"))
      #expect(advice[1].hasPrefix("\(said) has 1 large object,"))
      #expect(
        try setupLines(setup.run(report:)) == ["changed: \(said) has no longer \(relied)"] + advice)
      #expect(try setup.problems() == [])
    }
  }

  @Test("An owner who is no superuser names the statement that takes large objects from everybody")
  func plainOwner() throws {
    try OwnedDatabase.with { own in
      var settings = own.settings
      settings.databaseUsers = [.reader: own.text(own.reader)]
      let setup = try DatabaseUserSetup(settings)
      let statement =
        "REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid,bytea) "
        + "FROM PUBLIC"
      for _ in 1...2 {
        let lines = try setupLines(setup.run(report:))
        #expect(lines.last?.contains("a superuser of PostgreSQL runs \(statement)") == true)
      }
      #expect(try setup.problems() == [])
      #expect(try setup.advice().count == 1)
      // The owner takes settings away, since it has made the user.
      let thief = try own.connect(own.reader)
      defer { thief.close() }
      try thief.script("ALTER ROLE CURRENT_USER SET synchronous_commit = off")
      #expect(try setup.problems().count == 1)
      #expect(
        try setupChanges(setup.run(report:)) == [
          "the database's user \(own.reader) has no longer the setting synchronous_commit = off of "
            + "its own"
        ])
      try own.administrator.script(statement)
      // Without the right to revoke anything setup goes on.
      #expect(try setupLines(setup.run(report:)) == [])
      #expect(try setup.advice() == [])
    }
  }
}
