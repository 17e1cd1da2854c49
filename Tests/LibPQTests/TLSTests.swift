import LibPQ
import Testing

@Suite("TLS")
struct TLSTests {
  private func isEncrypted(_ connection: PostgreSQLConnection) throws -> Bool {
    let rows = try connection.query(
      "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    return try rows.only[0].bool
  }

  @Test("A session with the right authority and name is encrypted, large batches too")
  func verified() throws {
    #expect(try TestServer.settings().sslMode == .verifyFull)
    let connection = try TestServer.connection()
    defer { connection.close() }
    #expect(try isEncrypted(connection))
    let text = String(repeating: "0123456789", count: 50_000)
    for _ in 0..<5 {
      let echoed = try connection.query("SELECT $1::text", [.text(text)])
      #expect(try echoed.only[0].text == text)
    }
  }

  @Test("A plain session is not encrypted, so the test above shows something")
  func plain() throws {
    let connection = try TestServer.connection { $0.sslMode = .disable }
    defer { connection.close() }
    #expect(try !isEncrypted(connection))
    #expect(connection.certificateEnd == nil)
  }

  @Test("The end of the server's certificate is told until the connection is closed")
  func certificateEnd() throws {
    let connection = try TestServer.connection()
    let end = try #require(connection.certificateEnd)
    let now = try connection.query("SELECT extract(epoch FROM now())::bigint").only[0].int64
    #expect(end > now)
    #expect(connection.endpoint.contains(":"))
    connection.close()
    #expect(connection.certificateEnd == nil && connection.endpoint == "")
  }

  @Test("Another name than the certificate's is refused, and the error says which")
  func wrongName() throws {
    let error = try failure {
      try TestServer.connection { settings in
        for index in settings.endpoints.indices { settings.endpoints[index].host = "db.example" }
      }
    }
    #expect(error.code == .connectFailed && error.category == .disconnected)
    #expect(error.message.contains("\"localhost\"") && error.message.contains("\"db.example\""))
    #expect(error.message.contains("does not match host name"))
  }

  @Test("An unknown authority is refused, and a missing file is named")
  func wrongAuthority() throws {
    let unknown = try failure {
      try TestServer.connection {
        $0.keywords["sslrootcert"] = "/etc/ssl/certs/ca-certificates.crt"
      }
    }
    #expect(unknown.code == .connectFailed)
    #expect(unknown.message.contains("certificate verify failed"))
    let missing = try failure {
      try TestServer.connection { $0.keywords["sslrootcert"] = "/nowhere/ca.pem" }
    }
    #expect(missing.code == .connectFailed)
    #expect(missing.message.contains("/nowhere/ca.pem"))
  }
}
