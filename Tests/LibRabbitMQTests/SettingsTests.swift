import CustomDump
import LibRabbitMQ
import Testing

@Suite("RabbitMQ settings")
struct SettingsTests {
  @Test("A URL gives every part, percent-decoded")
  func everyPart() throws {
    let settings = try RabbitMQSettings(
      url:
        "amqp://al%40ice:p%3Ass:w@broker.example:1234/my%2Fhost?heartbeat=7&connection_timeout=1500"
    )
    #expect(settings.user == "al@ice")
    #expect(settings.password == "p:ss:w")
    #expect(settings.host == "broker.example")
    #expect(settings.port == 1234)
    #expect(settings.virtualHost == "my/host")
    #expect(settings.heartbeatSeconds == 7)
    #expect(settings.connectTimeout == .milliseconds(1500))
    #expect(settings.tls == nil)
  }

  @Test("A URL may name several nodes of a cluster, each with its port")
  func severalNodes() throws {
    let plain = try RabbitMQSettings(url: "amqp://u:p@one:1,[::1]:2,three/host")
    #expect(plain.endpoint == "one:1")
    #expect(plain.alternates == [.init(host: "::1", port: 2), .init(host: "three", port: 5672)])
    #expect(plain.virtualHost == "host")
    #expect(plain.description == "amqp://u@one:1,[::1]:2,three:5672 vhost host")
    let tls = try RabbitMQSettings(url: "amqps://one:1,two")
    #expect(tls.alternates == [.init(host: "two", port: 5671)])
  }

  @Test("Parts that a URL leaves out have the customary values")
  func defaults() throws {
    let plain = try RabbitMQSettings(url: "amqp://")
    #expect(plain.endpoint == "127.0.0.1:5672")
    #expect(plain.virtualHost == "/")
    let tls = try RabbitMQSettings(url: "amqps://[::1]/?cacertfile=/tmp/ca.pem")
    #expect(tls.endpoint == "[::1]:5671")
    #expect(tls.tls == .init(caCertificate: "/tmp/ca.pem"))
    #expect(tls.virtualHost == "/")
  }

  @Test(
    "A bad URL is refused without repeating the password",
    arguments: [
      "http://u:secret@h", "amqp://u:secret@h:0", "amqp://u:secret@h:65536",
      "amqp://u:secret@h:x", "amqp://u:secret%zz@h", "amqp://u:secret%0@h", "amqp://u:secret%00@h",
      "amqp://u:secret%ff@h", "amqp://u:secret@h/?colour=1", "amqp://u:secret@h?heartbeat=-1",
      "amqp://u:secret@h?cacertfile=x", "amqps://u:secret@h?verify=verify_none",
      "amqp://u:secret@[::1", "amqp://u:secret@[::1]x", "amqp://u:secret@::1:5672",
      "amqp://u:secret@h/#x", "", "amqp:/", "amqp://u:secret@h,", "amqp://u:secret@,h",
      "amqp://u:secret@h,,h", "amqp://u:secret@h,h:0",
    ])
  func badURL(url: String) throws {
    let error = rabbitMQError { _ = try RabbitMQSettings(url: url) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.isRetryable == false)
    #expect(error?.description.contains("secret") == false)
  }

  @Test("No way of printing settings shows the password")
  func noPassword() {
    let settings = RabbitMQSettings(user: "alice", password: "s3cr3t")
    var dumped = ""
    dump(settings, to: &dumped)
    for text in [
      "\(settings)", String(reflecting: settings), dumped, String(customDumping: settings),
    ] {
      #expect(text.contains("alice"))
      #expect(!text.contains("s3cr3t"))
    }
  }
}
