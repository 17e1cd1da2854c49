import LibPQ
import Testing

@Suite("Batches")
struct BatchTests {
  @Test("A batch is one round trip, and its results come in order")
  func oneRoundTrip() throws {
    let connection = try TestServer.connection()
    let rows = try connection.run((0..<50).map { SQLStatement("SELECT $1", [.int64($0)]) })
    #expect(try rows.map { try $0.only[0].int64 } == Array(0..<50))
    #expect(connection.statistics.roundTripCount == 1)
    #expect(connection.statistics.statementCount == 50)
    #expect(connection.statistics.commitCount == 1)
    #expect(connection.statistics.connectCount == 1)
    #expect(connection.statistics.byteCount >= 50 * 8)
  }

  @Test("An empty batch does nothing and is no error")
  func empty() throws {
    let connection = try TestServer.connection()
    #expect(try connection.run([]).isEmpty)
    #expect(try connection.query("SELECT 1").only[0].int32 == 1)
  }

  @Test("Nothing of a batch has happened if the third statement fails")
  func implicitRollback() throws {
    try TestServer.withItems { connection, _ in
      let error = try failure {
        try connection.run([.insertItem(1), .insertItem(2), .insertItem(1), .insertItem(4)])
      }
      #expect(error.sqlState == .uniqueViolation)
      #expect(error.statementIndex == 2)
      #expect(!error.isOutcomeUnknown)
      #expect(!connection.isInTransaction)
      #expect(try connection.itemIDs() == [])
      #expect(connection.statistics.commitCount == 2)
    }
  }

  @Test("A RAISE in the middle of a transaction's last batch commits nothing")
  func raise() throws {
    try TestServer.withItems { connection, _ in
      try connection.run([.insertItem(1)], .begins())
      let guardStatement = SQLStatement(
        "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'CU001', MESSAGE = 'stale'; END $$")
      let error = try failure {
        try connection.run([.insertItem(2), guardStatement, .insertItem(3)], .ends)
      }
      #expect(error.sqlState == SQLState(rawValue: "CU001"))
      #expect(error.category == .raised)
      #expect(error.statementIndex == 1)
      #expect(!error.isOutcomeUnknown)
      #expect(!connection.isInTransaction)
      #expect(try connection.itemIDs() == [])
    }
  }

  @Test("A prepared statement is prepared once a session, in the batch of its first use")
  func prepared() throws {
    try TestServer.withItems { connection, _ in
      try connection.prepare("insert", "INSERT INTO item (id, note) VALUES ($1, $2)")
      try connection.prepare("never used", "SELECT no_such_column FROM item")
      let insert = { (id: Int64) in SQLStatement(prepared: "insert", [.int64(id), .text(nil)]) }
      let preparedCount = { () throws in
        try connection.query("SELECT count(*) FROM pg_prepared_statements").only[0].int64
      }
      #expect(try preparedCount() == 0)
      let before = connection.statistics.roundTripCount
      try connection.run([insert(1), insert(2)])
      try connection.run([insert(3)])
      #expect(connection.statistics.roundTripCount == before + 2)
      #expect(try preparedCount() == 1)
      try connection.reconnect()
      #expect(try preparedCount() == 0)
      try connection.run([insert(4)])
      #expect(try preparedCount() == 1)
      #expect(try connection.itemIDs() == [1, 2, 3, 4])
    }
  }

  @Test("A statement is prepared at its next use after a skipped or failed preparation")
  func preparationAfterFailure() throws {
    try TestServer.withItems { connection, _ in
      try connection.prepare("insert", "INSERT INTO item (id) VALUES ($1)")
      try connection.prepare("later", "SELECT id FROM later")
      let insert = SQLStatement(prepared: "insert", [.int64(1)])
      let skipped = try failure { try connection.run([SQLStatement("SELECT 1/0"), insert]) }
      #expect(skipped.statementIndex == 0)
      let failed = try failure { try connection.run([insert, SQLStatement(prepared: "later")]) }
      #expect(failed.sqlState == SQLState(rawValue: "42P01"))
      #expect(failed.category == .programming)
      #expect(failed.statementIndex == 1)
      try connection.query("CREATE TABLE later (id bigint)")
      try connection.run([insert, SQLStatement(prepared: "later")])
      #expect(try connection.itemIDs() == [1])
    }
  }

  @Test("A prepared statement keeps the types of its first use")
  func types() throws {
    let connection = try TestServer.connection()
    try connection.prepare("echo", "SELECT $1")
    #expect(try connection.run([SQLStatement(prepared: "echo", [.int64(nil)])])[0].only[0].isNull)
    for parameters: [Value] in [[.text("abcdefgh")], [], [.int64(1), .int64(2)]] {
      let error = try failure {
        try connection.run([SQLStatement("SELECT 1"), SQLStatement(prepared: "echo", parameters)])
      }
      #expect(error.code == .typeMismatch)
      #expect(error.statementIndex == 1)
    }
    #expect(try connection.run([SQLStatement(prepared: "echo", [.int64(5)])])[0].only[0].int64 == 5)
  }

  @Test("A first use that fails does not settle the types of a prepared statement")
  func typesAfterFailure() throws {
    let connection = try TestServer.connection()
    try connection.prepare("next", "SELECT $1 + 1")
    let error = try failure { try connection.run([SQLStatement(prepared: "next", [.bytes([])])]) }
    #expect(error.category == .programming)
    #expect(try connection.run([SQLStatement(prepared: "next", [.int32(1)])])[0].only[0].int32 == 2)
  }

  @Test("Impossible names and statements are refused before anything is sent")
  func misuse() throws {
    let connection = try TestServer.connection()
    try connection.prepare("one", "SELECT 1")
    try connection.prepare("one", "SELECT 1")
    let errors = [
      try failure { try connection.prepare("one", "SELECT 2") },
      try failure { try connection.prepare("", "SELECT 2") },
      try failure { try connection.prepare("zero", "SELECT\0 2") },
      try failure { try connection.run([SQLStatement(prepared: "two")]) },
      try failure { try connection.query("SELECT 1\0; DROP TABLE item") },
      try failure { try connection.script("SELECT 1\0; DROP TABLE item") },
      try failure {
        try connection.query("SELECT 1", Array(repeating: .bool(true), count: 65536))
      },
    ]
    for error in errors {
      #expect(error.code == .misuse)
      #expect(error.category == .programming)
      #expect(!error.isRetryable)
    }
    #expect(connection.statistics.roundTripCount == 0)
    #expect(try connection.query("SELECT 1").only[0].int32 == 1)
  }

  @Test("A wrong number of parameters is the caller's mistake, not a lost connection")
  func parameterCount() throws {
    let connection = try TestServer.connection()
    let error = try failure { try connection.query("SELECT $1 + $2", [.int64(1)]) }
    #expect(error.category == .programming)
    #expect(connection.isOpen)
  }

  @Test("A plan that a changed table made stale is prepared again at the next use")
  func stalePlan() throws {
    try TestServer.withItems { connection, settings in
      try connection.prepare("all", "SELECT * FROM item")
      try connection.run([SQLStatement(prepared: "all")])
      try PostgreSQLConnection(settings).query("ALTER TABLE item ADD COLUMN extra int")
      let error = try failure { try connection.run([SQLStatement(prepared: "all")]) }
      #expect(error.sqlState == .featureNotSupported)
      #expect(error.category == .stalePlan)
      #expect(error.isRetryable)
      #expect(try connection.run([SQLStatement(prepared: "all")])[0].columnCount == 3)
    }
  }

  @Test("A prepared statement that somebody deallocated is prepared again at the next use")
  func deallocated() throws {
    let connection = try TestServer.connection()
    try connection.prepare("one", "SELECT 1")
    try connection.run([SQLStatement(prepared: "one")])
    try connection.query("DEALLOCATE ALL")
    let error = try failure {
      try connection.run([SQLStatement(prepared: "one")], .begins())
    }
    #expect(error.sqlState == .invalidSQLStatementName)
    #expect(error.category == .stalePlan)
    #expect(!connection.isInTransaction)
    #expect(try connection.run([SQLStatement(prepared: "one")])[0].only[0].int32 == 1)
  }

  @Test("COPY is refused and closes the connection")
  func copy() throws {
    try TestServer.withItems { connection, _ in
      #expect(try failure { try connection.query("COPY item FROM STDIN") }.code == .misuse)
      #expect(!connection.isOpen)
      try connection.reconnect()
      #expect(try failure { try connection.script("COPY item FROM STDIN") }.code == .misuse)
      #expect(!connection.isOpen)
      try connection.reconnect()
      #expect(try connection.itemIDs() == [])
    }
  }
}
