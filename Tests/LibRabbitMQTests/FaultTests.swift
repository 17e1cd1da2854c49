import Glibc
import LibRabbitMQ
import RealServers
import Testing

@Suite("Failing connections")
struct FaultTests {
  // Failure: RabbitMQError: Carries the broker's code.
  @Test("A closed port, a wrong password and a wrong virtual host are told apart")
  func refused() throws {
    let good = try Broker.settings()
    var bad = good
    let proxy = try TCPProxy(port: good.port)
    bad.host = "127.0.0.1"
    bad.port = proxy.port
    proxy.refuse()
    let closed = rabbitMQError { _ = try RabbitMQConnection(bad) }
    proxy.close()
    #expect(closed?.code == .connectFailed)
    #expect(closed?.isRetryable == true)
    #expect(closed?.reason == "connection refused: nothing listens there")
    #expect(closed?.description.contains("`systemctl status rabbitmq-server`") == true)
    #expect(closed?.description.contains("127.0.0.1:\(bad.port)") == true)

    bad = good
    bad.password = "not-the-pass"
    let password = rabbitMQError { _ = try RabbitMQConnection(bad) }
    #expect(password?.code == .authenticationRefused && password?.isRetryable == false)
    #expect(password?.description.contains("not-the-pass") == false)

    bad = good
    bad.virtualHost = "no-such-host"
    let virtualHost = rabbitMQError { _ = try RabbitMQConnection(bad) }
    #expect(virtualHost?.code == .virtualHostRefused && virtualHost?.isRetryable == false)

    bad = good
    bad.host = "no-such-host.invalid"
    let unknown = rabbitMQError { _ = try RabbitMQConnection(bad) }
    #expect(unknown?.code == .connectFailed)
    #expect(unknown?.reason.hasPrefix("the host no-such-host.invalid is unknown") == true)
    bad.host = "nul\0"
    #expect(rabbitMQError { _ = try RabbitMQConnection(bad) }?.code == .invalidArgument)
  }

  @Test(
    "Nodes that cannot be reached, hang up or say nothing are passed over, a refusal is final",
    arguments: Broker.Transport.allCases)
  func nextNode(by transport: Broker.Transport) throws {
    let good = try Broker.settings(transport)
    let closed = try TCPProxy(port: good.port)
    defer { closed.close() }
    closed.refuse()
    let (mute, several) = try Broker.proxied(transport)
    defer { mute.close() }
    let hangingUp = try TCPProxy(port: closed.port)
    defer { hangingUp.close() }
    var unreachable = several
    unreachable.port = hangingUp.port
    unreachable.alternates = [
      .init(host: "127.0.0.1", port: closed.port), .init(host: good.host, port: good.port),
    ]
    let connection = try RabbitMQConnection(unreachable)
    #expect(connection.settings.endpoint == good.endpoint)
    #expect(connection.failure == nil)
    _ = try connection.declareQueue("", durable: false, exclusive: true)
    connection.close()

    // Silence takes all of the time; a port that refuses needs none of it.
    mute.stall()
    var silent = several
    silent.alternates = [.init(host: "127.0.0.1", port: closed.port)]
    silent.connectTimeout = .milliseconds(300)
    let none = rabbitMQError { _ = try RabbitMQConnection(silent) }
    #expect(none?.code == .connectFailed && none?.endpoint == "127.0.0.1:\(closed.port)")

    var wrong = good
    wrong.password = "not-the-pass"
    wrong.alternates = [.init(host: "127.0.0.1", port: closed.port)]
    let refused = rabbitMQError { _ = try RabbitMQConnection(wrong) }
    #expect(refused?.code == .authenticationRefused && refused?.endpoint == good.endpoint)
  }

  @Test("A server that accepts and says nothing is a timeout", arguments: Broker.Transport.allCases)
  func silentServer(by transport: Broker.Transport) throws {
    let (proxy, proxied) = try Broker.proxied(transport)
    var settings = proxied
    defer { proxy.close() }
    proxy.stall()
    settings.connectTimeout = .milliseconds(300)
    #expect(rabbitMQError { _ = try RabbitMQConnection(settings) }?.code == .timedOut)
  }

  // Failure: MessageReader.Violation: The frames make no sense. The connection ends.
  @Test(
    "A cut connection is an error once and for all, and a new one works",
    arguments: Broker.Transport.allCases)
  func cut(by transport: Broker.Transport) throws {
    try Broker.withQueue { producer, queue in
      let (proxy, settings) = try Broker.proxied(transport)
      defer { proxy.close() }
      let consumer = try RabbitMQConnection(settings)
      try consumer.consume(queue)
      try producer.fill(queue, 1...3)
      #expect(try consumer.receive(3).count == 3)
      proxy.cut()
      let error = rabbitMQError { _ = try consumer.poll(wait: .seconds(20)) }
      #expect(error?.code == .socket && error?.isRetryable == true)
      #expect(rabbitMQError { try consumer.acknowledge(1) } == error)
      let again = try RabbitMQConnection(settings)
      try again.consume(queue)
      #expect(try again.receive(3).map { $0.body[0] } == [1, 2, 3])
      again.close()
    }
  }

  @Test(
    "A broker that falls silent is noticed by its heartbeat", arguments: Broker.Transport.allCases)
  func silentBroker(by transport: Broker.Transport) throws {
    let (proxy, proxied) = try Broker.proxied(transport)
    var settings = proxied
    defer { proxy.close() }
    settings.heartbeatSeconds = 1
    let connection = try RabbitMQConnection(settings)
    proxy.stall()
    let error = rabbitMQError { _ = try connection.poll(wait: .seconds(50)) }
    #expect(error?.code == .heartbeatMissed && error?.isRetryable == true)
  }

  @Test(
    "Publishing after a long silence fails instead of waiting for a frame",
    arguments: Broker.Transport.allCases)
  func publishAfterSilence(by transport: Broker.Transport) throws {
    let (proxy, proxied) = try Broker.proxied(transport)
    defer { proxy.close() }
    var settings = proxied
    settings.heartbeatSeconds = 1
    let connection = try RabbitMQConnection(settings)
    proxy.stall(.toClient)
    // Nothing is read meanwhile, and nothing could signal the end of two heartbeats.
    Patience.pause(2.5)
    let error = rabbitMQError {
      try connection.publish(
        exchange: "", routingKey: "x", properties: .init(), body: [], mandatory: false)
    }
    #expect(error?.code == .heartbeatMissed)
  }

  @Test("An idle connection lives on while only heartbeats are served")
  func heartbeats() throws {
    var settings = try Broker.settings()
    settings.heartbeatSeconds = 1
    let connection = try RabbitMQConnection(settings)
    defer { connection.close() }
    // Four times the interval: the broker drops a client that is silent for three.
    #expect(try connection.poll(wait: .seconds(4)).isEmpty)
    #expect(try connection.declareQueue("", exclusive: true).messageCount == 0)
  }

  @Test("An answer that never comes is a timeout", arguments: Broker.Transport.allCases)
  func silentAnswer(by transport: Broker.Transport) throws {
    let (proxy, proxied) = try Broker.proxied(transport)
    defer { proxy.close() }
    var settings = proxied
    // It does not count for connecting.
    settings.replyTimeout = .milliseconds(300)
    let connection = try RabbitMQConnection(settings)
    proxy.stall()
    let error = rabbitMQError { try connection.declareQueue("x", durable: false) }
    #expect(error?.code == .timedOut)
    #expect(connection.failure == error)
  }

  @Test(
    "The watchdog frees a publish that hangs on a full socket", arguments: Broker.Transport.allCases
  )
  func watchdog(by transport: Broker.Transport) throws {
    let (proxy, proxied) = try Broker.proxied(transport)
    var settings = proxied
    defer { proxy.close() }
    settings.heartbeatSeconds = 1
    let connection = try RabbitMQConnection(settings)
    try connection.enableConfirms()
    proxy.stall()
    let body = [UInt8](repeating: 0, count: 4_000_000)
    let error = rabbitMQError {
      for _ in 0..<100 {
        try connection.publish(
          exchange: "", routingKey: "x", properties: .init(), body: body, mandatory: true)
      }
    }
    #expect(error?.code == .watchdogFired && error?.isRetryable == true)
  }

  @Test("Fifty connections and fifty failures leave no descriptor behind")
  func descriptors() async throws {
    // In a process of its own, where nobody else opens descriptors.
    await #expect(processExitsWith: .success) {
      func count() -> Int {
        (0..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 }
      }
      let settings = try Broker.settings()
      var wrong = settings
      wrong.virtualHost = "no-such-host"
      let first = try RabbitMQConnection(settings)
      first.close()
      let before = count()
      for index in 0..<50 {
        let connection = try RabbitMQConnection(settings)
        if index % 2 == 0 { connection.close() }
        #expect(rabbitMQError { _ = try RabbitMQConnection(wrong) }?.code == .virtualHostRefused)
      }
      #expect(count() == before)
    }
  }
}
