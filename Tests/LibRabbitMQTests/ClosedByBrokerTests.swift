import LibRabbitMQ
import Testing

@Suite("Objections of the broker")
struct ClosedByBrokerTests {
  @Test("An unknown delivery tag closes the channel with 406, and every later call says so")
  func unknownTag() throws {
    let connection = try Broker.connect()
    try connection.acknowledge(99)
    let first = rabbitMQError { _ = try connection.poll(wait: .seconds(120)) }
    #expect(first?.code == .channelClosed && first?.replyCode == 406)
    #expect(first?.reason.contains("unknown delivery tag 99") == true)
    #expect(first?.isRetryable == false)
    for call: (RabbitMQConnection) throws -> Void in [
      { _ = try $0.poll() }, { try $0.acknowledge(1) }, { try $0.setPrefetch(1) },
      { try $0.serveHeartbeats() }, { _ = try $0.get("x") }, { try $0.enableConfirms() },
      {
        try $0.publish(
          exchange: "", routingKey: "x", properties: .init(), body: [], mandatory: false)
      },
    ] {
      #expect(rabbitMQError { try call(connection) } == first)
    }
    #expect(connection.failure == first)
  }

  @Test("Declaring a queue again with other arguments names the 406")
  func otherArguments() throws {
    try Broker.withQueue { connection, queue in
      let error = rabbitMQError { try connection.declareQueue(queue, durable: false) }
      #expect(error?.code == .channelClosed && error?.replyCode == 406)
      #expect(error?.operation == "declare queue \(queue)")
      #expect(error?.reason.contains("inequivalent arg") == true)
    }
  }

  @Test("A message over the broker's limit closes the channel with 406")
  func oversized() throws {
    let connection = try Broker.connect()
    try connection.enableConfirms()
    try connection.publish(
      exchange: "", routingKey: "nowhere", properties: .init(),
      body: [UInt8](repeating: 0, count: 131_073), mandatory: true)
    let error = rabbitMQError { _ = try connection.awaitConfirmations(1) }
    #expect(error?.code == .channelClosed && error?.replyCode == 406)
    #expect(error?.reason.contains("larger than configured max size") == true)
  }

  @Test("A user id that is not the user's closes the channel with 406")
  func forgedUser() throws {
    let connection = try Broker.connect()
    try connection.publish(
      exchange: "", routingKey: "nowhere", properties: .init(userID: "somebody"), body: [],
      mandatory: false)
    let error = rabbitMQError { _ = try connection.poll(wait: .seconds(120)) }
    #expect(error?.code == .channelClosed && error?.replyCode == 406)
  }

  @Test("Deleting a consumer's queue ends the connection by name")
  func consumerCancelled() throws {
    try Broker.withQueue { connection, queue in
      let consumer = try Broker.connect()
      try consumer.consume(queue, tag: "victim")
      try connection.deleteQueue(queue)
      let error = rabbitMQError { _ = try consumer.poll(wait: .seconds(120)) }
      #expect(error?.code == .consumerCancelled)
      #expect(error?.reason.contains("victim") == true)
      #expect(error?.isRetryable == true)
    }
  }

  @Test("Arguments that can't be sent are refused and leave the connection usable")
  func invalidArguments() throws {
    let connection = try Broker.connect()
    defer { connection.close() }
    let long = String(repeating: "x", count: 256)
    func publish(
      _ key: String = "k", _ properties: MessageProperties = .init(), mandatory: Bool = false
    ) throws {
      try connection.publish(
        exchange: "", routingKey: key, properties: properties, body: [], mandatory: mandatory)
    }
    for call: () throws -> Void in [
      { try publish(long) }, { try publish("k", .init(messageID: long)) },
      { try publish("k", .init(headers: [long: 1])) }, { try publish(mandatory: true) },
      { try connection.declareQueue(long) }, { _ = try connection.get(long) },
      { try connection.declareQueue("q", arguments: [long: 1]) },
    ] {
      #expect(rabbitMQError(call)?.code == .invalidArgument)
    }
    #expect(try connection.declareQueue("", exclusive: true).messageCount == 0)
  }

  @Test("Header tables nested as deep as a frame can hold do no harm")
  func deepestHeaders() async throws {
    // In a process of its own, because the failure would be a crash; on the stack a pthread has by
    // default. Our broker's frames hold 16 KB, so that none can nest deep enough to stall a queue.
    await #expect(processExitsWith: .success) {
      try await HostileHeaders.send(
        depth: 2_500, stackSize: 8 << 20,
        arguments: ["x-queue-type": "quorum", "x-delivery-limit": 20], timesDelivered: 2)
    }
  }

  @Test("Excessive headers do not hide how often a message came")
  func excessiveHeaders() async throws {
    try await HostileHeaders.send(
      depth: 100, stackSize: 8 << 20,
      arguments: ["x-queue-type": "quorum", "x-delivery-limit": 20], timesDelivered: 2)
  }
}
