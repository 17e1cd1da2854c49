import LibPQ
import Testing

@Suite("Transactions")
struct TransactionTests {
  @Test("A transaction of two batches is two round trips and invisible before its end")
  func twoRoundTrips() throws {
    try TestServer.withItems { connection, settings in
      let other = try PostgreSQLConnection(settings)
      let before = connection.statistics
      let rows = try connection.run(
        [.insertItem(1), SQLStatement("SELECT count(*) FROM item")], .begins())
      #expect(rows.count == 2)
      #expect(try rows[1].only[0].int64 == 1)
      #expect(connection.isInTransaction)
      #expect(try other.itemIDs() == [])
      #expect(try connection.run([.insertItem(2)], .ends).count == 1)
      #expect(!connection.isInTransaction)
      #expect(try other.itemIDs() == [1, 2])
      #expect(connection.statistics.roundTripCount == before.roundTripCount + 2)
      #expect(connection.statistics.statementCount == before.statementCount + 5)
      #expect(connection.statistics.commitCount == before.commitCount + 1)
    }
  }

  @Test("A transaction is rolled back after an error, and the connection can be used")
  func error() throws {
    try TestServer.withItems { connection, _ in
      for failing: [SQLStatement] in [[.insertItem(1)], [SQLStatement("SELECT 1/0")]] {
        for span in [TransactionSpan.continues, .ends] {
          try connection.run([.insertItem(1)], .begins())
          try connection.run([.insertItem(2)], .continues)
          let error = try failure { try connection.run(failing + [.insertItem(9)], span) }
          #expect(error.statementIndex == 0)
          #expect(!error.isOutcomeUnknown)
          #expect(!connection.isInTransaction)
          #expect(try connection.itemIDs() == [])
        }
      }
    }
  }

  @Test("An error found on this side rolls an open transaction back too")
  func localError() throws {
    try TestServer.withItems { connection, _ in
      try connection.run([.insertItem(1)], .begins())
      _ = try failure { try connection.run([SQLStatement(prepared: "unknown")], .ends) }
      #expect(!connection.isInTransaction)
      #expect(try connection.itemIDs() == [])
    }
  }

  @Test("A span that does not fit the state of the connection is refused")
  func spans() throws {
    try TestServer.withItems { connection, _ in
      for span in [TransactionSpan.continues, .ends] {
        #expect(try failure { try connection.run([.insertItem(1)], span) }.code == .misuse)
      }
      for span in [TransactionSpan.whole, .begins()] {
        try connection.run([.insertItem(1)], .begins())
        #expect(try failure { try connection.run([.insertItem(2)], span) }.code == .misuse)
        #expect(!connection.isInTransaction)
      }
      #expect(try connection.itemIDs() == [])
    }
  }

  @Test("A query joins the open transaction, and a rollback undoes it")
  func rollback() throws {
    try TestServer.withItems { connection, _ in
      try connection.rollback()
      try connection.run([], .begins())
      try connection.query("INSERT INTO item VALUES (1)")
      #expect(try connection.itemIDs() == [1])
      try connection.rollback()
      #expect(try connection.itemIDs() == [])
    }
  }

  @Test("A deferred constraint that fails at the COMMIT commits nothing")
  func deferredConstraint() throws {
    try TestServer.withItems { connection, _ in
      try connection.query(
        "ALTER TABLE item ADD UNIQUE (note) DEFERRABLE INITIALLY DEFERRED")
      try connection.run([.insertItem(1, "same")], .begins())
      let error = try failure { try connection.run([.insertItem(2, "same")], .ends) }
      #expect(error.category == .uniqueViolation)
      #expect(error.statementIndex == nil)
      #expect(!error.isOutcomeUnknown)
      #expect(!connection.isInTransaction)
      let implicit = try failure {
        try connection.run([.insertItem(3, "same"), .insertItem(4, "same")])
      }
      #expect(implicit.category == .uniqueViolation)
      #expect(!implicit.isOutcomeUnknown)
      #expect(try connection.itemIDs() == [])
    }
  }

  @Test(
    "The server reports each isolation level that is asked for", arguments: IsolationLevel.allCases)
  func isolation(level: IsolationLevel) throws {
    let connection = try TestServer.connection()
    let rows = try connection.run([SQLStatement("SHOW transaction_isolation")], .begins(level))
    #expect(try rows[0].only[0].text == level.rawValue.lowercased())
    try connection.run([], .ends)
    #expect(!connection.isInTransaction)
  }

  @Test("A script is one transaction, and the connection goes on in batches after it")
  func script() throws {
    try TestServer.withItems { connection, _ in
      try connection.script(
        "CREATE TABLE a (id int); INSERT INTO a VALUES (1), (2); SELECT * FROM a;")
      try connection.script("")
      #expect(try connection.query("SELECT count(*) FROM a").only[0].int64 == 2)
      let error = try failure {
        try connection.script("INSERT INTO a VALUES (3); INSERT INTO item VALUES (1), (1);")
      }
      #expect(error.category == .uniqueViolation)
      let inTransaction = try failure {
        try connection.script("BEGIN; INSERT INTO a VALUES (4); SELECT 1/0;")
      }
      #expect(inTransaction.category == .badData)
      #expect(!connection.isInTransaction)
      #expect(try connection.query("SELECT count(*) FROM a").only[0].int64 == 2)
    }
  }
}
