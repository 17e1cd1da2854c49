import CustomDump
import LibPQ
import Testing

@Suite("Settings")
struct SettingsTests {
  @Test("A keyword string sets the parameters that it names and keeps the other defaults")
  func keywordString() throws {
    let settings = try PostgreSQLSettings(
      connectionString: """
        host=127.0.0.1 port=5433 user=worker password='a b\\'c' dbname=matches \
        sslmode=verify-full sslrootcert=/etc/ca.pem connect_timeout=7 application_name=w1 \
        target_session_attrs=any tcp_user_timeout=1234 keepalives_idle=9
        """)
    var expected = PostgreSQLSettings()
    expected.endpoints = [.init(host: "127.0.0.1", port: 5433)]
    expected.user = "worker"
    expected.password = "a b'c"
    expected.database = "matches"
    expected.sslMode = .verifyFull
    expected.keywords = ["sslrootcert": "/etc/ca.pem"]
    expected.connectTimeout = .seconds(7)
    expected.applicationName = "w1"
    expected.targetSessionAttributes = .any
    expected.tcpUserTimeout = .milliseconds(1234)
    expected.keepalives.idle = .seconds(9)
    #expect(settings == expected)
    #expect(settings.statementTimeout == .seconds(5))
  }

  @Test("A URI may name several servers")
  func uri() throws {
    let settings = try PostgreSQLSettings(
      connectionString: "postgres://me:p%40ss@one:5001,two:5002/db?target_session_attrs=primary")
    #expect(
      settings.endpoints == [.init(host: "one", port: 5001), .init(host: "two", port: 5002)])
    #expect(settings.password == "p@ss")
    #expect(settings.targetSessionAttributes == .primary)
  }

  @Test("One port serves all hosts, and an empty string leaves libpq's defaults")
  func sharedPort() throws {
    let settings = try PostgreSQLSettings(connectionString: "host=a,b port=77")
    #expect(settings.endpoints == [.init(host: "a", port: 77), .init(host: "b", port: 77)])
    #expect(try PostgreSQLSettings(connectionString: "") == PostgreSQLSettings())
  }

  @Test(
    "A string that makes no sense is refused without being quoted",
    arguments: [
      "password=hunter2 secret-tail host=x", "host=a port=hunter2", "port=0", "port=65536",
      "host=a,b,c port=1,2", "sslmode=hunter2", "connect_timeout=hunter2", "nonsense=hunter2",
      "postgres://me:hunter2@[::1/db", "host=a\0hunter2", "target_session_attrs=hunter2",
    ])
  func nonsense(text: String) throws {
    let error = try failure {
      try PostgreSQLSettings(connectionString: text)
    }
    #expect(error.code == .invalidSettings)
    #expect(error.category == .programming)
    for secret in ["hunter2", "secret-tail"] {
      #expect(!error.message.contains(secret))
      #expect(!error.description.contains(secret))
    }
  }

  @Test("No description or dump shows the password")
  func passwordIsHidden() throws {
    let settings = try PostgreSQLSettings(connectionString: "host=h user=u password=hunter2")
    var dumped = ""
    dump(settings, to: &dumped)
    customDump(settings, to: &dumped)
    for text in [dumped, "\(settings)", String(reflecting: settings)] {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("PostgreSQL at h as u"))
    }
  }

  @Test("A time limit of zero, no server and a zero byte are refused before connecting")
  func unusable() throws {
    var noTime = PostgreSQLSettings()
    noTime.statementTimeout = .zero
    var noServer = PostgreSQLSettings()
    noServer.endpoints = []
    var zeroByte = PostgreSQLSettings()
    zeroByte.user = "a\0b"
    for settings in [noTime, noServer, zeroByte] {
      let error = try failure { try PostgreSQLConnection(settings) }
      #expect(error.code == .invalidSettings)
    }
  }

  @Test("The session has the limits, the search path and the parameters of the settings")
  func sessionParameters() throws {
    let connection = try TestServer.connection {
      $0.statementTimeout = .milliseconds(98_765)
      $0.lockTimeout = .milliseconds(321)
      $0.idleInTransactionTimeout = .milliseconds(9876)
      $0.searchPath = #""odd \ name", public"#
      $0.serverParameters = ["plan_cache_mode": "force_generic_plan"]
    }
    let expected = [
      "statement_timeout": "98765ms", "lock_timeout": "321ms",
      "idle_in_transaction_session_timeout": "9876ms", "plan_cache_mode": "force_generic_plan",
      "search_path": #""odd \ name", public"#, "application_name": "LibPQTests",
      "client_encoding": "UTF8",
    ]
    for (name, value) in expected {
      #expect(try connection.query("SHOW \(name)").only[0].text == value, "\(name)")
    }
  }
}
