import SystemCalls

/// The outcome of a message that a ``Publisher`` was given.
package struct PublishResult<ID: Sendable>: Sendable {
  /// The identifier the message was given with.
  package let id: ID
  package let outcome: PublishOutcome
}

/// Publishes mandatory messages with confirms, many at a time, on a connection of its own.
///
/// A connection of its own, because the broker stops reading a connection that publishes while an
/// alarm is on. Every message that was published without an error gets exactly one result.
///
/// Like its connection it is used from one thread at a time, and of no use after an error that
/// ended the connection: take the results (those still open are then `unknown`) and make a new one.
package final class Publisher<ID: Sendable> {
  /// The connection, for its statistics and descriptor.
  package let connection: RabbitMQConnection
  /// How many messages may wait for their confirmation.
  package let window: Int

  private var waiting: [UInt64: ID] = [:]
  private var results: [PublishResult<ID>] = []

  /// Takes over a connection that does nothing else.
  ///
  /// - Parameter window: 100 to 250 gives most of the throughput at a latency of milliseconds.
  package init(_ connection: RabbitMQConnection, window: Int = 256) throws(RabbitMQError) {
    precondition(window > 0, "a window holds at least one message")
    self.connection = connection
    self.window = window
    try connection.enableConfirms()
  }

  /// Messages that wait for their confirmation.
  package var waitingCount: Int { waiting.count }

  /// Sends a message, waiting while the window is full or the broker is blocked.
  ///
  /// - Parameters:
  ///   - id: Names the message among the results.
  ///   - timeout: Longest wait for room.
  /// - Throws: `timedOut` or `blocked` if no room came in time and `invalidArgument`, all of which
  ///   leave the message unsent and the publisher usable; else the error that ended the connection,
  ///   and then this message may be stored or not and is not among the results.
  package func publish(
    id: ID, exchange: String, routingKey: String, properties: MessageProperties,
    body: some Collection<UInt8>, mandatory: Bool = true, timeout: Duration = .seconds(10)
  ) throws(RabbitMQError) {
    let deadline = MonotonicClock.deadline(after: timeout)
    // A burst begins: hear of alarms and heartbeats first.
    if waiting.isEmpty || connection.isReadDue { try advance(wait: .zero) }
    while waiting.count >= window || connection.blockedReason != nil {
      try awaitProgress(until: deadline, operation: "publish")
    }
    let sequence = try ending { () throws(RabbitMQError) in
      try connection.publish(
        exchange: exchange, routingKey: routingKey, properties: properties, body: body,
        mandatory: mandatory)
    }
    waiting[sequence] = id
  }

  /// Waits until every message has its result.
  ///
  /// - Throws: `timedOut` or `blocked`, after which the caller may go on waiting, or the error that
  ///   ended the connection.
  package func flush(timeout: Duration) throws(RabbitMQError) {
    let deadline = MonotonicClock.deadline(after: timeout)
    while !waiting.isEmpty { try awaitProgress(until: deadline, operation: "await confirms") }
  }

  /// Reads everything that has arrived without waiting, which also serves heartbeats.
  package func serveHeartbeats() throws(RabbitMQError) { try advance(wait: .zero) }

  /// Waits until something arrives: a confirmation, or news of an alarm.
  package func advance(wait: Duration, interrupt: Int32? = nil) throws(RabbitMQError) {
    try ending { () throws(RabbitMQError) in
      try connection.pump(maxCount: .max, maxBytes: .max, wait: wait, interrupt: interrupt)
    }
    collect()
  }

  /// Takes the results since the last time, in the order the broker gave them.
  package func takeResults() -> [PublishResult<ID>] {
    defer { results = [] }
    return results
  }

  /// Closes the connection; messages without a result are then `unknown`.
  package func close() {
    connection.close()
    collect()
  }

  private func awaitProgress(until deadline: UInt64, operation: String) throws(RabbitMQError) {
    let now = MonotonicClock.now
    guard now < deadline else {
      throw RabbitMQError(
        connection.blockedReason == nil ? .timedOut : .blocked,
        endpoint: connection.settings.endpoint, operation: operation,
        reason: connection.blockedReason ?? "\(waiting.count) messages wait for their confirms")
    }
    try advance(wait: .nanoseconds(Int64(deadline - now)))
  }

  private func ending<Value>(
    _ body: () throws(RabbitMQError) -> Value
  ) throws(RabbitMQError) -> Value {
    do { return try body() } catch {
      collect()
      throw error
    }
  }

  private func collect() {
    for confirmation in connection.takeConfirmations() {
      guard let id = waiting.removeValue(forKey: confirmation.sequence) else { continue }
      results.append(PublishResult(id: id, outcome: confirmation.outcome))
    }
    guard connection.failure != nil, !waiting.isEmpty else { return }
    for (_, id) in waiting.sorted(by: { $0.key < $1.key }) {
      results.append(PublishResult(id: id, outcome: .unknown))
    }
    waiting = [:]
  }
}
