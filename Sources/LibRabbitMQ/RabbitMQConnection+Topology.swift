import CRabbitMQ

/// How an exchange routes.
package enum ExchangeKind: String, Hashable, Sendable {
  /// To queues bound with exactly the routing key.
  case direct
  /// To all bound queues.
  case fanout
  /// To queues bound with a pattern that fits the routing key.
  case topic
  /// To queues bound with headers that fit.
  case headers
}

extension RabbitMQConnection {
  // A declaration that contradicts an existing one, and a name that does not exist, make the broker
  // close the channel (406, 404), which ends this connection.

  package func declareExchange(
    _ name: String, kind: ExchangeKind, durable: Bool = true, autoDelete: Bool = false,
    internal isInternal: Bool = false, arguments: [String: Argument] = [:]
  ) throws(RabbitMQError) {
    let operation = "declare exchange \(name)"
    try request(operation, names: [name], arguments) { raw, names, table in
      amqp_exchange_declare(
        raw, Self.channel, names[0], self.arena.bytes(kind.rawValue), 0, durable ? 1 : 0,
        autoDelete ? 1 : 0, isInternal ? 1 : 0, table)
    }
  }

  /// Looks for an exchange without creating it; one that does not exist ends the connection with
  /// 404.
  package func inspectExchange(_ name: String) throws(RabbitMQError) {
    try request("inspect exchange \(name)", names: [name]) { raw, names, table in
      // The broker ignores the kind of a passive declaration.
      amqp_exchange_declare(
        raw, Self.channel, names[0], self.arena.bytes("direct"), 1, 0, 0, 0, table)
    }
  }

  /// Deletes an exchange, if it exists.
  package func deleteExchange(_ name: String) throws(RabbitMQError) {
    try request("delete exchange \(name)", names: [name]) { raw, names, _ in
      amqp_exchange_delete(raw, Self.channel, names[0], 0)
    }
  }

  /// Declares a queue; an empty name lets the broker choose one.
  @discardableResult
  package func declareQueue(
    _ name: String, durable: Bool = true, exclusive: Bool = false, autoDelete: Bool = false,
    arguments: [String: Argument] = [:]
  ) throws(RabbitMQError) -> QueueStatus {
    var status: QueueStatus?
    try request("declare queue \(name)", names: [name], arguments) { raw, names, table in
      status = Self.status(
        amqp_queue_declare(
          raw, Self.channel, names[0], 0, durable ? 1 : 0, exclusive ? 1 : 0, autoDelete ? 1 : 0,
          table))
    }
    return try present(status, operation: "declare queue \(name)")
  }

  /// Looks at a queue without creating it; one that does not exist ends the connection with 404.
  package func inspectQueue(_ name: String) throws(RabbitMQError) -> QueueStatus {
    var status: QueueStatus?
    try request("inspect queue \(name)", names: [name]) { raw, names, table in
      status = Self.status(
        amqp_queue_declare(raw, Self.channel, names[0], 1, 0, 0, 0, table))
    }
    return try present(status, operation: "inspect queue \(name)")
  }

  /// Binds a queue to an exchange.
  package func bindQueue(
    _ queue: String, exchange: String, routingKey: String, arguments: [String: Argument] = [:]
  ) throws(RabbitMQError) {
    let operation = "bind queue \(queue) to exchange \(exchange)"
    try request(operation, names: [queue, exchange, routingKey], arguments) { raw, names, table in
      amqp_queue_bind(raw, Self.channel, names[0], names[1], names[2], table)
    }
  }

  /// Removes a binding, if it exists.
  package func unbindQueue(
    _ queue: String, exchange: String, routingKey: String, arguments: [String: Argument] = [:]
  ) throws(RabbitMQError) {
    let operation = "unbind queue \(queue) from exchange \(exchange)"
    try request(operation, names: [queue, exchange, routingKey], arguments) { raw, names, table in
      amqp_queue_unbind(raw, Self.channel, names[0], names[1], names[2], table)
    }
  }

  /// Deletes a queue, if it exists, with its messages.
  ///
  /// - Returns: How many messages went with it.
  @discardableResult
  package func deleteQueue(_ name: String) throws(RabbitMQError) -> Int {
    var count: Int?
    try request("delete queue \(name)", names: [name]) { raw, names, _ in
      count = amqp_queue_delete(raw, Self.channel, names[0], 0, 0).map {
        Int($0.pointee.message_count)
      }
    }
    return try present(count, operation: "delete queue \(name)")
  }

  /// Deletes all ready messages of a queue.
  ///
  /// - Returns: How many they were.
  @discardableResult
  package func purgeQueue(_ name: String) throws(RabbitMQError) -> Int {
    var count: Int?
    try request("purge queue \(name)", names: [name]) { raw, names, _ in
      count = amqp_queue_purge(raw, Self.channel, names[0]).map { Int($0.pointee.message_count) }
    }
    return try present(count, operation: "purge queue \(name)")
  }

  /// Lays out names and arguments, makes the call and checks the reply.
  func request<Answer>(
    _ operation: String, names: [String], _ arguments: [String: Argument] = [:],
    _ body: (amqp_connection_state_t, [amqp_bytes_t], amqp_table_t) -> Answer
  ) throws(RabbitMQError) {
    if let long = names.first(where: { $0.utf8.count > 255 }) {
      throw invalid(operation, "the name \(long.prefix(32))… is longer than 255 bytes")
    }
    arena.reset()
    let table = try encodedTable(arguments, operation: operation)
    let bytes = names.map { arena.bytes($0) }
    try call(operation) { raw in
      _ = body(raw, bytes, table)
      return amqp_get_rpc_reply(raw)
    }
    releaseBuffers()
  }

  func present<Value>(_ value: Value?, operation: String) throws(RabbitMQError) -> Value {
    guard let value else {
      throw fail(.protocolViolation, operation: operation, reason: "an empty answer")
    }
    return value
  }

  private static func status(
    _ answer: UnsafeMutablePointer<amqp_queue_declare_ok_t>?
  ) -> QueueStatus? {
    answer.map {
      QueueStatus(
        name: $0.pointee.queue.text, messageCount: Int($0.pointee.message_count),
        consumerCount: Int($0.pointee.consumer_count))
    }
  }
}
