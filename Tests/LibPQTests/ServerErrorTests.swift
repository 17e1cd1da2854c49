import LibPQ
import RealServers
import Testing

@Suite("Errors of the server")
struct ServerErrorTests {
  @Test("A unique violation names its table and constraint, and prints no row")
  func uniqueViolation() throws {
    try TestServer.withItems { connection, _ in
      try connection.run([.insertItem(424_242, "private")])
      let error = try failure { try connection.run([.insertItem(424_242, "private")]) }
      #expect(error.code == .server)
      #expect(error.sqlState == .uniqueViolation)
      #expect(error.category == .uniqueViolation)
      #expect(error.table == "item")
      #expect(error.constraint == "item_pkey")
      #expect(error.detail?.contains("424242") == true)
      #expect(!error.isRetryable)
      for text in [error.description, "\(error)"] {
        #expect(!text.contains("424242"))
        #expect(!text.contains("private"))
        #expect(text.contains("23505"))
      }
    }
  }

  @Test("A value that the schema refuses is bad data, and is not printed")
  func badData() throws {
    try TestServer.withItems { connection, _ in
      try connection.script(
        """
        CREATE TABLE checked (
          id bigint NOT NULL REFERENCES item, small varchar(3), positive int CHECK (positive > 0));
        INSERT INTO item VALUES (1);
        """)
      let cases: [(String, [Value], SQLState)] = [
        ("INSERT INTO checked (id) VALUES ($1)", [.int64(nil)], .notNullViolation),
        ("INSERT INTO checked (id) VALUES ($1)", [.int64(2)], .foreignKeyViolation),
        (
          "INSERT INTO checked (id, positive) VALUES (1, $1)", [.int32(-314_159)], .checkViolation
        ),
        (
          "INSERT INTO checked (id, small) VALUES (1, $1)", [.text("private")],
          SQLState(rawValue: "22001")
        ),
        ("SELECT $1::text::uuid", [.text("private")], SQLState(rawValue: "22P02")),
        ("SELECT $1::text", [.text("a\0private")], SQLState(rawValue: "22021")),
        ("SELECT $1", [.jsonb("{private")], SQLState(rawValue: "22P02")),
      ]
      for (sql, parameters, sqlState) in cases {
        let error = try failure { try connection.query(sql, parameters) }
        #expect(error.sqlState == sqlState)
        #expect(error.category == .badData)
        #expect(!error.isRetryable)
        #expect(!error.description.contains("private"))
        #expect(!error.description.contains("314159"))
      }
    }
  }

  @Test("A statement that is wrong is a programming error")
  func programming() throws {
    let connection = try TestServer.connection()
    let statements = [
      "SELEC 1", "SELECT no_such_column", "SELECT 1; SELECT 2", "SELECT $1::nonsense",
      "CREATE TEMPORARY TABLE t (a int, a int)",
    ]
    for sql in statements {
      let error = try failure { try connection.query(sql) }
      #expect(error.category == .programming, "\(sql)")
      #expect(error.sqlState?.class == .syntaxErrorOrAccessRuleViolation)
    }
  }

  @Test("A lock held by another transaction is a lock timeout")
  func lockTimeout() throws {
    try TestServer.withItems { holder, settings in
      try holder.run([.insertItem(1)])
      try holder.run([SQLStatement("SELECT id FROM item FOR UPDATE")], .begins())
      var settings = settings
      settings.lockTimeout = .milliseconds(30)
      let connection = try PostgreSQLConnection(settings)
      for sql in ["SELECT id FROM item FOR UPDATE", "SELECT id FROM item FOR UPDATE NOWAIT"] {
        let error = try failure { try connection.query(sql) }
        #expect(error.sqlState == .lockNotAvailable)
        #expect(error.category == .lockTimeout)
        #expect(error.isRetryable)
      }
    }
  }

  @Test("A statement beyond the statement timeout is canceled")
  func statementTimeout() throws {
    let connection = try TestServer.connection { $0.statementTimeout = .milliseconds(30) }
    let error = try failure { try connection.query("SELECT pg_sleep(30)") }
    #expect(error.sqlState == .queryCanceled)
    #expect(error.category == .lockTimeout)
    // A busy server may cancel others, too.
    try Patience.wait(for: "a statement in time") {
      #expect(connection.isOpen)
      return (try? connection.query("SELECT 1").only[0].int32) == 1
    }
  }

  @Test("Two transactions that overlap under repeatable read: the second may try again")
  func serialization() throws {
    try TestServer.withItems { first, settings in
      let second = try PostgreSQLConnection(settings)
      try first.run([.insertItem(1, "a")])
      try first.run([SQLStatement("SELECT * FROM item")], .begins(.repeatableRead))
      try second.query("UPDATE item SET note = 'b'")
      let error = try failure {
        try first.run([SQLStatement("UPDATE item SET note = 'c'")], .ends)
      }
      #expect(error.sqlState == .serializationFailure)
      #expect(error.category == .serialization)
      #expect(error.isRetryable)
      #expect(!error.isOutcomeUnknown)
    }
  }

  @Test("One of two transactions that wait for each other may try again")
  func deadlock() throws {
    try TestServer.withItems { _, settings in
      var settings = settings
      settings.serverParameters["deadlock_timeout"] = "50ms"
      let first = try PostgreSQLConnection(settings)
      let second = try PostgreSQLConnection(settings)
      try first.run([.insertItem(1), .insertItem(2)])
      let update = { (id: Int64) in
        SQLStatement("UPDATE item SET note = 'x' WHERE id = $1", [.int64(id)])
      }
      try first.run([update(1)], .begins())
      try second.run([update(2)], .begins())
      // The second asks for its lock while the first already waits.
      var failures: [PostgreSQLError] = []
      var hasAsked = false
      first.waitHook = WaitHook(every: .milliseconds(5)) {
        guard !hasAsked else { return }
        hasAsked = true
        do throws(PostgreSQLError) {
          try second.run([update(1)], .ends)
        } catch {
          failures.append(error)
        }
      }
      do throws(PostgreSQLError) {
        try first.run([update(2)], .ends)
      } catch {
        failures.append(error)
      }
      #expect(failures.map(\.sqlState) == [.deadlockDetected])
      #expect(failures.map(\.category) == [.serialization])
      #expect(!first.isInTransaction && !second.isInTransaction)
    }
  }

  @Test("A write in a read-only transaction says so")
  func readOnly() throws {
    try TestServer.withItems { connection, _ in
      let error = try failure {
        try connection.run([SQLStatement("SET TRANSACTION READ ONLY"), .insertItem(1)], .begins())
      }
      #expect(error.sqlState == .readOnlyTransaction)
      #expect(error.category == .readOnly)
      #expect(error.isRetryable)
    }
  }

  // Failure: PostgreSQLError: Carries the SQLSTATE and a category.
  @Test(
    "Each code has the category that tells the remedy",
    arguments: [
      ("40001", .serialization), ("40P01", .serialization), ("55P03", .lockTimeout),
      ("57014", .lockTimeout), ("57P01", .disconnected), ("57P03", .disconnected),
      ("25P03", .disconnected), ("08006", .disconnected), ("08P01", .programming),
      ("25006", .readOnly), ("25P02", .programming), ("53300", .resources), ("53100", .resources),
      ("58030", .resources), ("23505", .uniqueViolation), ("23514", .badData), ("22P02", .badData),
      ("42601", .programming), ("0A000", .programming), ("54000", .programming),
      ("P0001", .raised), ("CU001", .raised), ("XX000", .raised),
    ] as [(String, PostgreSQLError.Category)])
  func categories(sqlState: String, category: PostgreSQLError.Category) {
    let error = PostgreSQLError(.server, "message", sqlState: SQLState(rawValue: sqlState))
    #expect(error.category == category)
  }

  @Test("A family of codes matches in a switch")
  func families() {
    switch SQLState.checkViolation {
    case .integrityConstraintViolation: break
    default: Issue.record("23514 is not in family 23")
    }
    #expect(!(SQLState.Class.dataException ~= SQLState.checkViolation))
  }
}
