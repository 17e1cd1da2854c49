import Testing

@testable import LibRabbitMQ

enum HostileHeaders {
  /// Sends headers nested `depth` levels deep and receives them twice.
  ///
  /// - Parameter timesDelivered: The expected count of the second delivery.
  static func send(
    depth: Int, stackSize: Int, arguments: [String: Argument], timesDelivered: Int
  ) async throws {
    let queue = Broker.uniqueName("hostile")
    // Building, sending and freeing such a table takes more stack than reading it.
    try await onThread(stackSize: 256 << 20) {
      let connection = try Broker.connect()
      defer { connection.close() }
      try connection.declareQueue(queue, arguments: arguments)
      connection.tableLimits = TableLimits(depth: depth, byteCount: 1 << 20)
      var table: [String: Argument] = [:]
      for _ in 1..<depth { table = ["": .table(table)] }
      for headers in [table, ["fine": 1]] {
        try connection.publish(
          exchange: "", routingKey: queue, properties: .init(headers: headers), body: [1],
          mandatory: false)
      }
    }
    try await onThread(stackSize: stackSize) {
      let first = try Broker.connect()
      try first.consume(queue)
      let received = try first.receive(2)
      #expect(received.map(\.properties.hasExcessiveHeaders) == [true, false])
      #expect(received.map(\.properties.headers) == [[:], ["fine": 1]])
      first.close()
      let connection = try Broker.connect()
      defer { connection.close() }
      try connection.consume(queue)
      let again = try connection.receive(2)
      #expect(again.map(\.properties.hasExcessiveHeaders) == [true, false])
      #expect(again.map(\.timesDelivered) == [timesDelivered, timesDelivered])
      try connection.deleteQueue(queue)
    }
  }
}
