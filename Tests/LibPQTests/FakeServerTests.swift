import LibPQ
import Testing

@Suite("Servers that speak nonsense")
struct FakeServerTests {
  private static let http = Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8)

  private func connect(
    _ answers: [[UInt8]], sslMode: PostgreSQLSettings.SSLMode = .disable
  ) throws -> PostgreSQLConnection {
    let server = try FakeServer(answers: answers)
    var settings = server.settings
    settings.sslMode = sslMode
    settings.statementTimeout = .milliseconds(200)
    settings.responseMargin = .milliseconds(200)
    return try PostgreSQLConnection(settings, waitHook: server.hook)
  }

  @Test(
    "Any answer of a server to the first message ends connecting with an error",
    arguments: PostgreSQLSettings.SSLMode.allCases)
  func garbage(sslMode: PostgreSQLSettings.SSLMode) throws {
    let answers: [[[UInt8]]] = [
      [], [Self.http], [[0]], [[UInt8](repeating: 0xFF, count: 9000)], [Array("N".utf8)],
      [Array("S".utf8), Self.http], [Array("R".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]],
      [Array("E".utf8) + [0, 0, 0, 5, 0]],
    ]
    for answer in answers {
      let error = try failure { try connect(answer, sslMode: sslMode) }
      #expect(error.code == .connectFailed)
      #expect(error.category == .disconnected)
      #expect(!error.description.contains("hunter2"))
    }
  }

  @Test("A server that accepts and stays silent is given up after the connect timeout")
  func stalled() throws {
    let server = try FakeServer(answers: [])
    let error = try failure { try PostgreSQLConnection(server.settings) }
    #expect(error.code == .connectFailed)
    #expect(error.message.contains("400 ms"))
  }

  @Test("PgBouncer, which knows no options of a session, is told from a server that is away")
  func pooler() throws {
    for text in ["unsupported startup parameter: options", "no such user"] {
      let fields = "SFATAL\0VFATAL\0C08P01\0M\(text)\0\0"
      let error = try failure { try connect([FakeServer.message("E", Array(fields.utf8))]) }
      #expect(error.code == .connectFailed && error.isOfPooler == text.hasSuffix("options"))
      #expect(error.message.hasSuffix(text))
    }
  }

  @Test("A server before PostgreSQL 14 is refused")
  func oldServer() throws {
    #expect(try failure { try connect([FakeServer.welcome(version: "13.9")]) }.code == .wrongServer)
  }

  @Test("An answer lost after the batch was sent leaves the outcome unknown")
  func lostAnswer() throws {
    let connection = try connect([FakeServer.welcome()])
    let error = try failure { try connection.run([.insertItem(1)]) }
    #expect(error.code == .connectionLost)
    #expect(error.sqlState == nil)
    #expect(error.isOutcomeUnknown)
    #expect(!connection.isOpen)
  }

  @Test("A statement that failed before the connection went silent is known to have failed")
  func errorBeforeSilence() throws {
    let fields = "VERROR\0SERROR\0C23505\0Mduplicate\0\0"
    let answer = FakeServer.message("E", Array(fields.utf8))
    let connection = try connect([FakeServer.welcome(), answer])
    let error = try failure { try connection.run([.insertItem(1), .insertItem(2)]) }
    #expect(error.sqlState == .uniqueViolation)
    #expect(error.statementIndex == 0)
    #expect(!error.isOutcomeUnknown)
    #expect(!connection.isOpen)
  }

  @Test("An answer out of place ends the connection", arguments: ["I", "T"])
  func answerOutOfPlace(transactionState: String) throws {
    let answer = FakeServer.message("Z", Array(transactionState.utf8))
    let connection = try connect([FakeServer.welcome(), answer])
    let error = try failure { try connection.run([.insertItem(1), .insertItem(2)]) }
    #expect(error.code == .connectionLost)
    #expect(error.isOutcomeUnknown)
    #expect(!connection.isOpen)
  }

  @Test(
    "Nonsense in place of an answer ends the connection with an error",
    arguments: [
      http, [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64), [0x44],
    ])
  func nonsense(answer: [UInt8]) throws {
    let connection = try connect([FakeServer.welcome(), answer])
    let error = try failure { try connection.run([.insertItem(1)]) }
    #expect(error.category == .disconnected)
    #expect(error.isOutcomeUnknown)
    #expect(!connection.isOpen)
  }
}
