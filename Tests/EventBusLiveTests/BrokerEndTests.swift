import BrokerManagement
import LibRabbitMQ
import RealServers
import Testing

extension LiveBusTests {
  @Suite("The account that can end a broker")
  struct BrokerEndTests {
    @Test(
      "A made-up reply address ends a RabbitMQ below 4.1.5, and no later one, whatever an account may do"
    )
    func declaration() async throws {
      try await PrivateServers.with { servers in
        try await onThreads {
          let administration = try BrokerAdministration(url: servers.environment.managementURL)
          let version = try #require(try administration.version())
          let flagIsOn = try administration.isOn(flag: BrokerVersion.flag) ?? false
          // The rights of programs that speak AMQP; a declaration is none of them.
          try administration.createUser("program", password: "secret")
          try administration.permit("program", .player(), in: "/")
          var settings = try RabbitMQSettings(
            url: ServerEnvironment.url(servers.environment.amqp, user: "program:secret"))
          settings.heartbeatSeconds = 0
          let process = try #require(servers.brokerProcess)
          // It is the process of `logger_server`. 4.0.5 outlives its first death.
          for _ in 0..<5 where servers.brokerProcess != nil {
            guard let address = try? servers.replyAddress(ofProcess: "logger"),
              let connection = try? RabbitMQConnection(settings)
            else { continue }
            #expect(throws: RabbitMQError.self) { try connection.inspectQueue(address) }
            connection.close()
          }
          guard version.isEndedByAnyAccount(flagIsOn: flagIsOn) else {
            #expect(servers.brokerProcess == process, "RabbitMQ \(version)")
            #expect(try administration.version() == version)
            return
          }
          try Patience.wait(for: "RabbitMQ \(version) has ended") { servers.brokerProcess == nil }
        }
      }
    }

    @Test("Versions are read and compared by their three numbers, and 4.2 also by its feature flag")
    func versions() throws {
      let ended = ["3.10.8", "3.13.7", "4.0.5", "4.0.9", "4.1.4", "4.1.0-rc.1", "3.10.8+1"]
      let flagged = ["4.2.0", "4.2.0-beta.4", "4.2.9"]
      let standing = ["4.1.5", "4.1.10", "4.3.0-beta.2", "5.0.0"]
      for flagIsOn in [true, false] {
        func isEnded(_ text: String) throws -> Bool {
          try #require(BrokerVersion(text)).isEndedByAnyAccount(flagIsOn: flagIsOn)
        }
        for text in ended { #expect(try isEnded(text), "\(text)") }
        for text in flagged { #expect(try isEnded(text) != flagIsOn, "\(text)") }
        for text in standing { #expect(try !isEnded(text), "\(text)") }
      }
      for text in ["", "4", "4.1", "4.1.x", "4.1.5.1", "-4.1.5", "4.-1.5", "Alpha"] {
        #expect(BrokerVersion(text) == nil, "\(text)")
      }
    }

    @Test("What an account can do is said for the broker's version and its feature flag")
    func sentences() {
      func sentence(_ version: String, flagIsOn: Bool = false) -> String? {
        BrokerVersion.peril(of: "player", version: BrokerVersion(version), flagIsOn: flagIsOn)
      }
      #expect(sentence("4.1.5") == nil)
      #expect(
        sentence("3.10.8")?.contains("player can end this broker: it is RabbitMQ 3.10.8") == true)
      #expect(sentence("of nobody's")?.contains("below 4.1.5") == true)
      #expect(sentence("4.2.3", flagIsOn: true) == nil)
      let off = sentence("4.2.3", flagIsOn: false)
      #expect(off?.contains("player can end this broker: it is RabbitMQ 4.2.3") == true)
      #expect(off?.hasSuffix("rabbitmqctl enable_feature_flag rabbitmq_4.2.0") == true)
    }
  }
}
