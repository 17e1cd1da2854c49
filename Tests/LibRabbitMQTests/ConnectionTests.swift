import CustomDump
import Glibc
import LibRabbitMQ
import Testing

@Suite("Connection to a broker")
struct ConnectionTests {
  @Test("Messages are confirmed, delivered in order and acknowledged")
  func inOrder() throws {
    try Broker.withQueue { connection, queue in
      try connection.enableConfirms()
      let properties = MessageProperties(
        contentType: "text/plain", correlationID: "c", replyTo: "r", messageID: "m",
        timestamp: 1_700_000_000, type: "t", userID: connection.settings.user, appID: "a")
      for number in UInt8(1)...100 {
        let sequence = try connection.publish(
          exchange: "", routingKey: queue, properties: properties, body: [number, 0, 255],
          mandatory: true)
        #expect(sequence == UInt64(number))
      }
      let confirmations = try connection.awaitConfirmations(100)
      #expect(confirmations.allSatisfy { $0.outcome == .confirmed })
      #expect(Set(confirmations.map(\.sequence)) == Set(1...100))
      #expect(connection.unconfirmedCount == 0)

      try connection.setPrefetch(30)
      let tag = try connection.consume(queue, tag: "mine")
      #expect(tag == "mine")
      var numbers: [UInt8] = []
      while numbers.count < 100 {
        let batch = try connection.receive(min(10, 100 - numbers.count))
        try #require(!batch.isEmpty)
        for delivery in batch {
          numbers.append(delivery.body[0])
          #expect(delivery.body.dropFirst() == [0, 255])
          #expect(delivery.consumerTag == "mine" && delivery.routingKey == queue)
          #expect(delivery.exchange == "" && !delivery.isRedelivered)
        }
        expectNoDifference(batch[0].properties, properties)
        try connection.acknowledge(batch[batch.count - 1].tag, multiple: true)
      }
      #expect(numbers == Array(1...100))
      #expect(connection.statistics.delivered == 100)
      #expect(connection.statistics.published == 100)
      #expect(connection.statistics.confirmed == 100)
      #expect(connection.statistics.deliveredBytes == 300)
    }
  }

  @Test("Bodies of 0 bytes, 100 KB and of slices arrive as they were sent")
  func sizes() throws {
    try Broker.withQueue { connection, queue in
      try connection.enableConfirms()
      let large = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let bodies: [[UInt8]] = [[], large, [1], large, [], Array(large[50_000...])]
      for body in bodies.dropLast() {
        try connection.publish(
          exchange: "", routingKey: queue, properties: .init(), body: body, mandatory: true)
      }
      try connection.publish(
        exchange: "", routingKey: queue, properties: .init(),
        body: large[50_000...].lazy.map { $0 },
        mandatory: true)
      try connection.consume(queue)
      let received = try connection.receive(bodies.count)
      #expect(received.map(\.body) == bodies)
    }
  }

  @Test("Headers of every kind come back, and dead-lettering adds its nested history")
  func headers() throws {
    let dead = Broker.uniqueName("dead")
    let arguments: [String: Argument] = [
      "x-queue-type": "quorum", "x-dead-letter-exchange": "",
      "x-dead-letter-routing-key": .string(dead),
    ]
    try Broker.withQueue(arguments) { connection, queue in
      try connection.declareQueue(dead, durable: false, exclusive: true)
      try connection.publish(
        exchange: "", routingKey: queue,
        properties: .init(headers: TableSamples.everything), body: [1], mandatory: false)
      try connection.consume(queue)
      let first = try #require(try connection.receive(1).first)
      expectNoDifference(first.properties.headers, TableSamples.everything)
      try connection.reject(first.tag)
      try connection.consume(dead, noAck: true)
      let second = try #require(try connection.receive(1).first)
      guard case .array(let deaths)? = second.properties.headers["x-death"],
        case .table(let death)? = deaths.first
      else {
        Issue.record("no x-death in \(second.properties.headers)")
        return
      }
      #expect(death["queue"]?.string == queue)
      #expect(death["reason"]?.string == "rejected")
      #expect(death["count"]?.integer == 1)
    }
  }

  @Test("One message is fetched by get, between deliveries, and nothing from an empty queue")
  func get() throws {
    try Broker.withQueue { connection, queue in
      let other = try connection.declareQueue("", durable: false, exclusive: true).name
      #expect(other.hasPrefix("amq.gen"))
      #expect(try connection.get(other) == nil)
      try connection.fill(queue, 1...50)
      try connection.fill(other, 1...2)
      try connection.consume(queue)
      let gotten = try #require(try connection.get(other))
      #expect(gotten.body == [1] && gotten.consumerTag == "")
      try connection.acknowledge(gotten.tag)
      #expect(try connection.receive(50).map { $0.body[0] } == Array(1...50))
      #expect(try connection.get(other, noAck: true)?.body == [2])
      #expect(try connection.get(other) == nil)
    }
  }

  @Test("Closing gives unacknowledged messages back in order, counted, with later ones behind")
  func givenBack() throws {
    try Broker.withQueue(["x-queue-type": "quorum", "x-delivery-limit": 20]) { connection, queue in
      try connection.fill(queue, 1...50)
      let first = try Broker.connect()
      try first.setPrefetch(50)
      try first.consume(queue)
      let held = try first.receive(50)
      #expect(held.map { $0.body[0] } == Array(1...50))
      try first.acknowledge(held[4].tag, multiple: true)
      first.close()
      #expect(first.descriptor == -1)
      #expect(rabbitMQError { try first.acknowledge(1) }?.code == .closed)

      try connection.fill(queue, 51...60)
      try connection.consume(queue)
      let again = try connection.receive(55)
      #expect(again.map { $0.body[0] } == Array(6...60))
      #expect(again.map(\.isRedelivered) == (6...60).map { $0 <= 50 })
      #expect(again.map(\.timesDelivered) == (6...60).map { $0 <= 50 ? 2 : 1 })
    }
  }

  @Test("poll keeps to its bounds and leaves the rest for the next call")
  func bounds() throws {
    try Broker.withQueue { connection, queue in
      try connection.enableConfirms()
      for _ in 0..<10 {
        try connection.publish(
          exchange: "", routingKey: queue, properties: .init(),
          body: [UInt8](repeating: 7, count: 1000), mandatory: true)
      }
      _ = try connection.awaitConfirmations(10)
      try connection.consume(queue)
      // All ten are in the inbox before the first is taken.
      while connection.statistics.delivered < 10 { try connection.serveHeartbeats() }
      #expect(try connection.poll(maxBytes: 2500).count == 2)
      #expect(try connection.poll(maxBytes: 1).count == 1)
      #expect(try connection.poll(maxCount: 3).count == 3)
      #expect(try connection.poll().map(\.tag) == [7, 8, 9, 10])
      #expect(try connection.poll().isEmpty)
    }
  }

  @Test("A readable descriptor interrupts the wait")
  func interrupt() throws {
    let connection = try Broker.connect()
    defer { connection.close() }
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(write(ends[1], "x", 1) == 1)
    let start = ContinuousClock.now
    #expect(try connection.poll(wait: .seconds(50), interrupt: ends[0]).isEmpty)
    #expect(ContinuousClock.now - start < .seconds(40))
  }

  @Test("Topology can be declared, inspected, bound, purged and deleted")
  func topology() throws {
    try Broker.withQueue { connection, queue in
      let exchange = Broker.uniqueName("exchange")
      try connection.declareExchange(exchange, kind: .direct, durable: false)
      try connection.bindQueue(queue, exchange: exchange, routingKey: "k")
      try connection.enableConfirms()
      for key in ["k", "other"] {
        try connection.publish(
          exchange: exchange, routingKey: key, properties: .init(), body: [1], mandatory: true)
      }
      let outcomes = try connection.awaitConfirmations(2).sorted { $0.sequence < $1.sequence }
      expectNoDifference(
        outcomes.map(\.outcome), [.confirmed, .returned(code: 312, text: "NO_ROUTE")])
      #expect(try connection.inspectQueue(queue).messageCount == 1)
      #expect(
        try connection.declareQueue(queue, arguments: ["x-queue-type": "quorum"]).name == queue)
      #expect(try connection.purgeQueue(queue) == 1)
      try connection.unbindQueue(queue, exchange: exchange, routingKey: "k")
      try connection.deleteExchange(exchange)
      #expect(try connection.deleteQueue(queue) == 0)
      let missing = rabbitMQError { _ = try connection.inspectQueue(queue) }
      #expect(missing?.code == .channelClosed && missing?.replyCode == 404)
    }
  }

  @Test("Two connections work in two threads")
  func twoThreads() async throws {
    @Sendable func work() throws -> [UInt8] {
      var numbers: [UInt8] = []
      try Broker.withQueue { connection, queue in
        try connection.fill(queue, 1...200)
        try connection.consume(queue)
        while numbers.count < 200 {
          for delivery in try connection.receive(1) {
            numbers.append(delivery.body[0])
            try connection.acknowledge(delivery.tag)
          }
        }
      }
      return numbers
    }
    async let one = onThread(work)
    async let other = onThread(work)
    #expect(try await one == Array(1...200))
    #expect(try await other == Array(1...200))
  }
}

enum TableSamples {
  /// All values that RabbitMQ passes on unchanged; it has no unsigned 16-bit type.
  static let everything: [String: Argument] = [
    "boolean": true, "int8": .int8(-8), "uint8": .uint8(200), "int16": .int16(-1600),
    "int32": .int32(-320_000), "uint32": .uint32(4_000_000_000), "int64": .int64(.min),
    "float": .float(1.5), "double": .double(-2.25), "decimal": .decimal(scale: 2, value: 314),
    "string": "tïtle", "empty": "", "bytes": .bytes([0, 255, 1]),
    "timestamp": .timestamp(1_700_000_000), "void": .void, "array": [1, "two", [3]],
    "table": ["x": ["y": [:]]], "no values": [],
  ]
}
