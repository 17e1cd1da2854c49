import Glibc
import LibPQ
import Testing

@Suite("Broken connections")
struct DisconnectionTests {
  /// Makes the server end the session of `connection` once it runs a statement with `pg_sleep`.
  private func terminateWhileAsleep(_ connection: PostgreSQLConnection) throws {
    let killer = try TestServer.connection()
    let process = connection.serverProcessID
    connection.waitHook = WaitHook(every: .milliseconds(2)) {
      do throws(PostgreSQLError) {
        try killer.query(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid = $1 AND wait_event = 'PgSleep'
          """, [.int32(process)])
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test(
    "A session ended in mid-query: the outcome is unknown if the batch could have committed",
    arguments: [
      (TransactionSpan.whole, true), (.begins(), false), (.continues, false), (.ends, true),
    ])
  func terminated(span: TransactionSpan, isOutcomeUnknown: Bool) throws {
    try TestServer.withItems { keeper, settings in
      let connection = try PostgreSQLConnection(settings)
      if span == .continues || span == .ends { try connection.run([.insertItem(1)], .begins()) }
      try terminateWhileAsleep(connection)
      let error = try failure {
        try connection.run(
          [.insertItem(2), SQLStatement("SELECT pg_sleep(30)"), .insertItem(3)], span)
      }
      #expect(error.code == .connectionLost)
      #expect(error.sqlState == .adminShutdown)
      #expect(error.category == .disconnected)
      #expect(error.isRetryable)
      #expect(error.isOutcomeUnknown == isOutcomeUnknown)
      #expect(!connection.isOpen)
      #expect(connection.socket == -1)
      #expect(try keeper.itemIDs() == [])

      let next = try failure { try connection.query("SELECT 1") }
      #expect(next.code == .closed)
      #expect(next.category == .disconnected)
      #expect(!next.isOutcomeUnknown)
      connection.waitHook = nil
      try connection.reconnect()
      #expect(try connection.query("SELECT 1").only[0].int32 == 1)
    }
  }

  @Test("A session ended in a script")
  func terminatedScript() throws {
    let connection = try TestServer.connection()
    try terminateWhileAsleep(connection)
    let error = try failure { try connection.script("SELECT pg_sleep(30); SELECT 1") }
    #expect(error.code == .connectionLost)
    #expect(error.isOutcomeUnknown)
    #expect(!connection.isOpen)
  }

  @Test("A session ended while idle is noticed at the next batch")
  func terminatedIdle() throws {
    let connection = try TestServer.connection()
    try TestServer.connection().query(
      "SELECT pg_terminate_backend($1, 10000)", [.int32(connection.serverProcessID)])
    let error = try failure { try connection.query("SELECT 1") }
    #expect(error.code == .connectionLost)
    #expect(error.category == .disconnected)
    #expect(!connection.isOpen)
  }

  @Test("A server that stays silent is given up")
  func silentServer() throws {
    let patient = try TestServer.settings()
    var settings = patient
    (settings.statementTimeout, settings.responseMargin) = (.milliseconds(30), .milliseconds(30))
    // The server itself has no limit.
    settings.keywords["options"] = "-c statement_timeout=0"
    let connection = try PostgreSQLConnection(settings, settingsOfNow: { patient })
    let error = try failure { try connection.query("SELECT pg_sleep(30)") }
    #expect(error.code == .timedOut)
    #expect(error.category == .disconnected)
    #expect(error.isOutcomeUnknown)
    #expect(!connection.isOpen)
    try connection.reconnect()
    #expect(try connection.query("SELECT 1").only[0].int32 == 1)
  }

  @Test("A port where nothing listens is an error at once")
  func closedPort() throws {
    let port = try FakeServer(answers: []).port
    let error = try failure {
      try TestServer.connection { $0.endpoints = [.init(host: "127.0.0.1", port: port)] }
    }
    #expect(error.code == .connectFailed)
    #expect(error.category == .disconnected)
    #expect(error.isRetryable)
    #expect(error.message.contains("refused"))
  }

  @Test("The next endpoint serves when the first refuses or is silent")
  func nextEndpoint() throws {
    let silent = try FakeServer(answers: [])
    let closedPort = try FakeServer(answers: []).port
    // It answers on the thread that waits for the answer, so no busy machine makes it late.
    let good = try FakeServer(answers: [FakeServer.welcome()])
    var settings = good.settings
    settings.endpoints.insert(.init(host: "127.0.0.1", port: closedPort), at: 0)
    settings.endpoints.insert(.init(host: "127.0.0.1", port: silent.port), at: 0)
    let connection = try PostgreSQLConnection(settings, waitHook: good.hook)
    #expect(connection.isOpen)
    #expect(connection.statistics.connectCount == 1)
  }

  @Test("A wrong password is an error that does not show it")
  func wrongPassword() throws {
    let error = try failure { try TestServer.connection { $0.password = "hunter2hunter2" } }
    #expect(error.code == .connectFailed)
    #expect(error.message.contains("authentication"))
    var dumped = ""
    dump(error, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(!error.description.contains("hunter2"))
  }

  @Test("A read-only server is refused unless it is wanted")
  func readOnlyServer() throws {
    let refuse = { (wanted: PostgreSQLSettings.TargetSessionAttributes, isReadOnly: Bool) in
      try TestServer.connection {
        $0.targetSessionAttributes = wanted
        $0.serverParameters["default_transaction_read_only"] = isReadOnly ? "on" : "off"
      }
    }
    let error = try failure { try refuse(.readWrite, true) }
    #expect(error.code == .wrongServer)
    #expect(error.category == .readOnly)
    #expect(error.isRetryable)
    #expect(try failure { try refuse(.readOnly, false) }.code == .wrongServer)
    #expect(try failure { try refuse(.standby, true) }.code == .wrongServer)
    #expect(try refuse(.readOnly, true).isOpen)
    #expect(try refuse(.any, true).isOpen)
    #expect(try refuse(.primary, true).isOpen)
  }

  @Test("A hundred reconnections leak no file descriptor")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let connection = try TestServer.connection()
      let closedPort = try FakeServer(answers: []).port
      let before = descriptorCount()
      for attempt in 0..<100 {
        if attempt % 3 == 0 {
          _ = try? connection.query("SELECT pg_terminate_backend(pg_backend_pid())")
        }
        try connection.reconnect()
        _ = try? TestServer.connection {
          $0.endpoints = [.init(host: "127.0.0.1", port: closedPort)]
        }
      }
      #expect(descriptorCount() == before)
      connection.close()
      #expect(descriptorCount() == before - 1)
    }
  }

  @Test("Notices are not printed")
  func notices() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let connection = try TestServer.connection()
      try connection.query("DO $$ BEGIN RAISE WARNING 'loud notice'; END $$")
      try connection.script("DROP TABLE IF EXISTS no_such_table")
    }
    for content in [result?.standardErrorContent, result?.standardOutputContent] {
      let text = String(decoding: try #require(content), as: UTF8.self)
      #expect(!text.contains("loud notice"))
      #expect(!text.contains("no_such_table"))
    }
  }
}

/// The number of open file descriptors of this process.
private func descriptorCount() -> Int {
  (0..<1024).count { fcntl($0, F_GETFD) >= 0 }
}
