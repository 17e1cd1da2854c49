import LibPQ
import Testing

@Suite("Waiting")
struct WaitingTests {
  @Test("A batch larger than all buffers in both directions does not deadlock")
  func largeBatch() throws {
    let connection = try TestServer.connection()
    // Each answer is as large as its question, so that both sides have to write at once.
    let block = [UInt8](repeating: 0xA5, count: 256 * 1024)
    let statements = (0..<24).map { SQLStatement("SELECT $1, $2", [.int64($0), .bytes(block)]) }
    let results = try connection.run(statements)
    #expect(connection.statistics.byteCount > 6_000_000)
    for (index, rows) in results.enumerated() {
      #expect(try rows.only[0].int64 == Int64(index))
      #expect(try rows.only[1].bytes == block)
    }
  }

  @Test("One statement takes and returns thousands of rows as arrays")
  func largeArrays() throws {
    let connection = try TestServer.connection()
    let count = 5000
    let blob = [UInt8](repeating: 7, count: 1000)
    let rows = try connection.query(
      "SELECT * FROM UNNEST($1, $2) AS batch (id, state)",
      [
        .int64Array((0..<count).map { Int64($0) }),
        .bytesArray(Array(repeating: blob, count: count)),
      ])
    #expect(rows.count == count)
    let ids = try rows.map { row in try row[0].int64 }
    #expect(ids == (0..<count).map { Int64($0) })
    #expect(try rows.allSatisfy { row in try row[1].withUnsafeBytes { $0.count == 1000 } })
  }

  @Test("The wait hook is called again and again while a statement runs")
  func hook() throws {
    let connection = try TestServer.connection()
    let other = try TestServer.connection()
    var callCount = 0
    // The statement ends only after the hook was called ten times.
    try other.query("SELECT pg_advisory_lock($1)", [.int64(7_301_001)])
    connection.waitHook = WaitHook(every: .milliseconds(1)) {
      callCount += 1
      guard callCount == 10 else { return }
      #expect(throws: Never.self) {
        try other.query("SELECT pg_advisory_unlock($1)", [.int64(7_301_001)])
      }
    }
    try connection.query("SELECT pg_advisory_lock($1)", [.int64(7_301_001)])
    #expect(callCount >= 10)
  }

  @Test("A wait hook with work is called again at once while it has more, and then now and then")
  func workingHook() throws {
    let connection = try TestServer.connection()
    let other = try TestServer.connection()
    let key = Value.int64(7_301_003)
    try other.query("SELECT pg_advisory_lock($1)", [key])
    var callCount = 0
    // A minute between two calls, were there no work.
    connection.waitHook = .working(every: .seconds(60)) {
      callCount += 1
      guard callCount == 100 else { return true }
      #expect(throws: Never.self) { try other.query("SELECT pg_advisory_unlock($1)", [key]) }
      return false
    }
    try connection.query("SELECT pg_advisory_lock($1)", [key])
    #expect(callCount == 100)
  }

  @Test("An answer that has come is taken, with any amount of work")
  func endlessWork() throws {
    let connection = try TestServer.connection()
    var callCount = 0
    connection.waitHook = .working(every: .milliseconds(1)) {
      callCount += 1
      return true
    }
    #expect(try connection.query("SELECT 5 FROM pg_sleep(0.02)").only[0].int32 == 5)
    #expect(callCount > 1)
  }

  @Test("The wait hook is called while the server does not take the data yet")
  func hookWhileSending() throws {
    let connection = try TestServer.connection()
    let other = try TestServer.connection()
    let key = Value.int64(7_301_002)
    try other.query("SELECT pg_advisory_lock($1)", [key])
    var callCount = 0
    connection.waitHook = WaitHook(every: .milliseconds(1)) {
      callCount += 1
      guard callCount == 10 else { return }
      #expect(throws: Never.self) { try other.query("SELECT pg_advisory_unlock($1)", [key]) }
    }
    // More than the system buffers for a server that waits for the lock.
    let block = [UInt8](repeating: 1, count: 1_048_576)
    let lock = SQLStatement("SELECT pg_advisory_lock($1)", [key])
    let rest = Array(repeating: SQLStatement("SELECT length($1)", [.bytes(block)]), count: 24)
    let results = try connection.run([lock] + rest)
    #expect(callCount >= 10)
    #expect(try results.last?.only[0].int32 == 1_048_576)
  }

  @Test("The wait hook is called while connecting")
  func hookWhileConnecting() throws {
    let server = try FakeServer(answers: [])
    var callCount = 0
    let hook = WaitHook(every: .milliseconds(1)) { callCount += 1 }
    _ = try failure { try PostgreSQLConnection(server.settings, waitHook: hook) }
    #expect(callCount > 1)
  }

  @Test("A wait hook that uses the waiting connection gets an error and does no harm")
  func reentrance() throws {
    let connection = try TestServer.connection()
    var errors: [PostgreSQLError] = []
    connection.waitHook = WaitHook(every: .milliseconds(1)) { [unowned connection] in
      do throws(PostgreSQLError) {
        try connection.query("SELECT 1")
      } catch {
        errors.append(error)
      }
    }
    #expect(try connection.query("SELECT 5 FROM pg_sleep(0.02)").only[0].int32 == 5)
    #expect(!errors.isEmpty)
    #expect(errors.allSatisfy { $0.code == .misuse })
    #expect(connection.isOpen)
  }

  @Test("A notification reaches the listener, and nothing comes in silence")
  func notifications() throws {
    let listener = try TestServer.connection()
    let sender = try TestServer.connection()
    let channel = "odd \"channel\" \(sender.serverProcessID)"
    try listener.listen(channel)
    #expect(try listener.notifications(waiting: .milliseconds(1)).isEmpty)
    for payload in ["one", "two"] {
      try sender.query("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
    }
    var received: [Notification] = []
    while received.count < 2 {
      received += try listener.notifications(waiting: .seconds(120))
    }
    #expect(received.map(\.payload) == ["one", "two"])
    #expect(received.allSatisfy { $0.channel == channel })
    #expect(received.allSatisfy { $0.processID == sender.serverProcessID })
    #expect(try listener.query("SELECT 1").only[0].int32 == 1)
  }

  @Test("Losing the connection while waiting for notifications is an error")
  func lostListener() throws {
    let listener = try TestServer.connection()
    try listener.listen("anything")
    try TestServer.connection().query(
      "SELECT pg_terminate_backend($1, 10000)", [.int32(listener.serverProcessID)])
    let error = try failure { try listener.notifications(waiting: .seconds(120)) }
    #expect(error.code == .connectionLost)
    #expect(!listener.isOpen)
    #expect(try failure { try listener.notifications(waiting: .zero) }.code == .closed)
  }
}
