import CustomDump
import LibRabbitMQ
import RealServers
import Testing

@Suite("Publisher")
struct PublisherTests {
  @Test("Every message gets its result, and no more than a window waits")
  func window() throws {
    try Broker.withQueue { connection, queue in
      let publisher = try Publisher<Int>(Broker.connect(), window: 16)
      defer { publisher.close() }
      var results: [PublishResult<Int>] = []
      for id in 0..<500 {
        try publisher.publish(
          id: id, exchange: "", routingKey: queue, properties: .init(messageID: "\(id)"),
          body: [UInt8(truncatingIfNeeded: id)])
        #expect(publisher.waitingCount <= 16)
        results += publisher.takeResults()
      }
      try publisher.flush(timeout: .seconds(120))
      results += publisher.takeResults()
      #expect(publisher.waitingCount == 0)
      #expect(Set(results.map(\.id)) == Set(0..<500) && results.count == 500)
      #expect(results.allSatisfy { $0.outcome == .confirmed })
      #expect(try connection.inspectQueue(queue).messageCount == 500)
    }
  }

  @Test("An unroutable message is returned, also between others")
  func unroutable() throws {
    try Broker.withQueue { _, queue in
      let publisher = try Publisher<Int>(Broker.connect())
      defer { publisher.close() }
      for id in 0..<100 {
        try publisher.publish(
          id: id, exchange: "", routingKey: id % 10 == 3 ? queue + ".missing" : queue,
          properties: .init(messageID: id % 2 == 0 ? "\(id)" : nil), body: [])
      }
      try publisher.flush(timeout: .seconds(120))
      for result in publisher.takeResults() {
        let expected: PublishOutcome =
          result.id % 10 == 3 ? .returned(code: 312, text: "NO_ROUTE") : .confirmed
        #expect(result.outcome == expected, "message \(result.id)")
      }
      #expect(publisher.connection.statistics.returned == 10)
    }
  }

  @Test("A full queue that rejects refuses")
  func refused() throws {
    let arguments: [String: Argument] = ["x-max-length": 5, "x-overflow": "reject-publish"]
    try Broker.withQueue(arguments) { connection, queue in
      let publisher = try Publisher<Int>(Broker.connect(), window: 1)
      defer { publisher.close() }
      for id in 0..<12 {
        try publisher.publish(
          id: id, exchange: "", routingKey: queue, properties: .init(), body: [])
      }
      try publisher.flush(timeout: .seconds(120))
      let results = publisher.takeResults()
      let stored = try connection.inspectQueue(queue).messageCount
      #expect(results.count(where: { $0.outcome == .confirmed }) == stored)
      #expect(results.count(where: { $0.outcome == .refused }) == 12 - stored)
      #expect(stored < 12)
    }
  }

  @Test("A cut connection leaves unconfirmed messages unknown, and a new connection works")
  func cut() throws {
    try Broker.withQueue { connection, queue in
      let (proxy, settings) = try Broker.proxied()
      defer { proxy.close() }
      let publisher = try Publisher<Int>(RabbitMQConnection(settings))
      try publisher.publish(
        id: 1, exchange: "", routingKey: queue, properties: .init(), body: [1])
      try publisher.flush(timeout: .seconds(120))
      // The messages arrive, their confirms do not.
      proxy.stall(.toClient)
      for id in 2...4 {
        try publisher.publish(
          id: id, exchange: "", routingKey: queue, properties: .init(), body: [UInt8(id)])
      }
      let late = rabbitMQError { try publisher.flush(timeout: .milliseconds(200)) }
      #expect(late?.code == .timedOut)
      #expect(publisher.waitingCount == 3)
      proxy.cut()
      let lost = rabbitMQError { try publisher.flush(timeout: .seconds(120)) }
      #expect(lost?.code == .socket && lost?.isRetryable == true)
      let results = publisher.takeResults()
      #expect(results.map(\.id) == [1, 2, 3, 4])
      #expect(results.map(\.outcome) == [.confirmed, .unknown, .unknown, .unknown])
      #expect(
        rabbitMQError {
          try publisher.publish(
            id: 5, exchange: "", routingKey: queue, properties: .init(), body: [])
        } == lost)
      try proxy.resume()
      let again = try Publisher<Int>(RabbitMQConnection(settings))
      for id in 2...4 {
        try again.publish(
          id: id, exchange: "", routingKey: queue, properties: .init(), body: [UInt8(id)])
      }
      try again.flush(timeout: .seconds(120))
      #expect(again.takeResults().allSatisfy { $0.outcome == .confirmed })
      again.close()
      let stored = try connection.inspectQueue(queue).messageCount
      #expect((4...7).contains(stored))
    }
  }

  @Test("Closing the publisher leaves no message without a result")
  func closed() throws {
    try Broker.withQueue { _, queue in
      let publisher = try Publisher<String>(Broker.connect())
      for id in ["a", "b"] {
        try publisher.publish(
          id: id, exchange: "", routingKey: queue, properties: .init(), body: [])
      }
      publisher.close()
      expectNoDifference(Set(publisher.takeResults().map(\.id)), ["a", "b"])
      #expect(publisher.takeResults().isEmpty)
    }
  }
}
