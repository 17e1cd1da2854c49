import LibRabbitMQ
import RealServers
import Testing

@Suite("Requester")
struct RequesterTests {
  /// Answers each request in the queue with its own body reversed, in the given order.
  private func answer(
    _ count: Int, on server: RabbitMQConnection, _ order: ([Delivery]) -> [Delivery] = { $0 }
  ) throws {
    for delivery in order(try server.receive(count)) {
      let replyTo = try #require(delivery.properties.replyTo)
      #expect(replyTo.hasPrefix("amq.rabbitmq.reply-to."))
      try server.publish(
        exchange: "", routingKey: replyTo,
        properties: .init(
          isPersistent: false, correlationID: delivery.properties.correlationID),
        body: delivery.body.reversed(), mandatory: false)
      try server.acknowledge(delivery.tag)
    }
  }

  @Test("A request gets its reply")
  func reply() async throws {
    let queue = Broker.uniqueName("requests")
    let connection = try Broker.connect()
    defer { connection.close() }
    try connection.declareQueue(queue, durable: false, autoDelete: true)
    async let served: Void = onThread {
      let server = try Broker.connect()
      try server.consume(queue)
      for _ in 1...3 { try answer(1, on: server) }
      server.close()
    }
    async let asked: Void = onThread {
      let requester = try Requester(Broker.connect())
      for number in UInt8(1)...3 {
        let reply = try requester.request(
          exchange: "", routingKey: queue, body: [number, 7], timeout: .seconds(120))
        #expect(reply.body == [7, number])
      }
      #expect(requester.openCount == 0 && requester.lateReplyCount == 0)
      requester.close()
    }
    try await served
    try await asked
  }

  @Test("Many requests are open at once and answered in any order")
  func manyOpen() throws {
    try Broker.withQueue { server, queue in
      let requester = try Requester(Broker.connect())
      defer { requester.close() }
      var ids: [Requester.RequestID: UInt8] = [:]
      for number in UInt8(1)...20 {
        ids[try requester.submit(exchange: "", routingKey: queue, body: [number, 0])] = number
      }
      #expect(requester.openCount == 20)
      try server.consume(queue)
      try answer(20, on: server) { $0.reversed() }
      var replies = 0
      while replies < 20 {
        for update in try requester.poll(wait: .seconds(10)) {
          guard case .reply(let id, let delivery) = update else { continue }
          #expect(delivery.body == [0, try #require(ids[id])])
          replies += 1
        }
      }
      #expect(requester.openCount == 0)
    }
  }

  // Failure: RequestError.timedOut: No confirm or no reply came in time.
  // Failure: RequestError.unroutable: The broker returned the request.
  // Failure: RequestError.refused: The broker did not confirm the request.
  @Test("An unroutable request, a refused one and a late one are told apart")
  func failures() throws {
    // Time stands still until the broker has confirmed more than this.
    var confirmed = Int.max
    let connection = try Broker.connect()
    let requester = try Requester(connection) {
      connection.statistics.confirmed > confirmed ? 200_000_000_000 : 0
    }
    defer { requester.close() }
    #expect(throws: RequestError.unroutable(code: 312, text: "NO_ROUTE")) {
      try requester.request(
        exchange: "", routingKey: Broker.uniqueName("none"), body: [], timeout: .seconds(120))
    }
    let full: [String: Argument] = ["x-max-length": 0, "x-overflow": "reject-publish"]
    try Broker.withQueue(full) { _, queue in
      #expect(throws: RequestError.refused) {
        try requester.request(exchange: "", routingKey: queue, body: [], timeout: .seconds(120))
      }
    }
    try Broker.withQueue { server, queue in
      confirmed = connection.statistics.confirmed
      #expect(throws: RequestError.timedOut(isConfirmed: true)) {
        try requester.request(
          exchange: "", routingKey: queue, body: [1, 2], timeout: .seconds(120))
      }
      // The reply that comes too late is dropped and disturbs nobody.
      try server.consume(queue)
      try answer(1, on: server)
      let id = try requester.submit(exchange: "", routingKey: queue, body: [3, 4])
      try answer(1, on: server)
      var body: [UInt8]?
      while body == nil {
        for case .reply(id, let delivery) in try requester.poll(wait: .seconds(10)) {
          body = delivery.body
        }
      }
      #expect(body == [4, 3])
      #expect(requester.lateReplyCount == 1)
    }
  }

  // Failure: RequestError.connection: The connection is lost. The fate of the request is unknown.
  @Test("A timeout before the confirm and a lost connection say that the fate is unknown")
  func unconfirmed() throws {
    try Broker.withQueue { _, queue in
      let (proxy, settings) = try Broker.proxied()
      defer { proxy.close() }
      let requester = try Requester(RabbitMQConnection(settings))
      proxy.stall()
      #expect(throws: RequestError.timedOut(isConfirmed: false)) {
        try requester.request(
          exchange: "", routingKey: queue, body: [], timeout: .milliseconds(300))
      }
      proxy.close()
      do throws(RequestError) {
        _ = try requester.request(exchange: "", routingKey: queue, body: [], timeout: .seconds(120))
        Issue.record("a reply came over a dead connection")
      } catch {
        guard case .connection(let cause, isConfirmed: false) = error else {
          Issue.record("unexpected \(error)")
          return
        }
        #expect(cause.isRetryable)
      }
    }
  }
}
