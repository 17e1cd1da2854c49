import CRabbitMQ
import Glibc

extension RabbitMQConnection {
  /// Makes the broker confirm every message published from now on.
  package func enableConfirms() throws(RabbitMQError) {
    guard ledger == nil else { return }
    try call("enable confirms") { raw in
      amqp_confirm_select(raw, Self.channel)
      return amqp_get_rpc_reply(raw)
    }
    ledger = ConfirmLedger()
  }

  /// Sends a message.
  ///
  /// A return says nothing about the message's fate. Only its confirmation does, by
  /// ``takeConfirmations()`` after ``poll(maxCount:maxBytes:wait:interrupt:)``. An unroutable
  /// message that is not mandatory is confirmed, and lost.
  ///
  /// - Parameters:
  ///   - exchange: Empty for the default exchange, which routes to the queue named by the key.
  ///   - mandatory: Whether the broker says so if no queue is bound; needs ``enableConfirms()``.
  /// - Returns: The number by which the message is confirmed; 0 without confirms.
  /// - Throws: `blocked` if an alarm is on and `invalidArgument`, both of which leave the
  ///   connection as it is and the message unsent; else the error that ended the connection, and
  ///   then the message may have been stored or not.
  @discardableResult
  package func publish(
    exchange: String, routingKey: String, properties: MessageProperties,
    body: some Collection<UInt8>, mandatory: Bool
  ) throws(RabbitMQError) -> UInt64 {
    // Without a recent read the library could wait here without limit; see Watchdog.
    if isReadDue { try serveHeartbeats() }
    _ = try live()
    if let blockedReason {
      throw RabbitMQError(
        .blocked, endpoint: settings.endpoint, operation: "publish", reason: blockedReason)
    }
    guard !mandatory || ledger != nil else {
      throw invalid("publish", "a mandatory message needs confirms")
    }
    guard exchange.utf8.count <= 255, routingKey.utf8.count <= 255 else {
      throw invalid("publish", "exchange or routing key is longer than 255 bytes")
    }
    arena.reset()
    let encoded: (amqp_basic_properties_t, byteCount: Int)
    do { encoded = try properties.encoded(in: arena, limits: tableLimits) } catch {
      throw invalid("publish", error.reason)
    }
    guard encoded.byteCount <= frameSizeLimit else {
      throw invalid("publish", "the headers exceed the frame size of \(frameSizeLimit) bytes")
    }
    let sequence = note(exchange, routingKey, properties, mandatory: mandatory)
    let names = (arena.bytes(exchange), arena.bytes(routingKey))
    try withContiguousBytes(of: body) { bytes throws(RabbitMQError) in
      let content = amqp_bytes_t(
        len: bytes.count, bytes: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      try write("publish") { raw in
        withUnsafePointer(to: encoded.0) { properties in
          amqp_basic_publish(
            raw, Self.channel, names.0, names.1, mandatory ? 1 : 0, 0, properties, content)
        }
      }
    }
    statistics.published += 1
    statistics.publishedBytes += body.count
    return sequence
  }

  /// Holds back published messages until segments are full or the gathering ends, so that a burst
  /// of small messages travels, and wakes the broker, seldom. Linux holds nothing back for more
  /// than 200 ms (tcp(7), TCP_CORK).
  package func gather(_ isGathering: Bool) {
    var value: Int32 = isGathering ? 1 : 0
    // Without it everything arrives as well, in more packets.
    _ = setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout.size(ofValue: value))
    )
  }

  /// Takes the broker's confirmations and returns since the last time, also after the connection
  /// has ended.
  package func takeConfirmations() -> [PublishConfirmation] {
    defer { confirmations = [] }
    return confirmations
  }

  /// The number the next message will get.
  var nextSequence: UInt64 { ledger?.nextSequence ?? 0 }

  private func note(
    _ exchange: String, _ routingKey: String, _ properties: MessageProperties, mandatory: Bool
  ) -> UInt64 {
    let likeness =
      mandatory
      ? ConfirmLedger.Likeness(
        exchange: exchange, routingKey: routingKey, messageID: properties.messageID,
        correlationID: properties.correlationID)
      : nil
    return ledger?.append(mandatory: likeness) ?? 0
  }

  func settle(_ sequence: UInt64, multiple: Bool, accepted: Bool) throws(RabbitMQError) {
    let isKnown = ledger?.settle(sequence, multiple: multiple, accepted: accepted) {
      confirmations.append($0)
      switch $0.outcome {
      case .confirmed: statistics.confirmed += 1
      case .refused: statistics.refused += 1
      case .returned, .unknown: break
      }
    }
    guard isKnown == true else {
      throw fail(
        .protocolViolation, operation: "read",
        reason: "a confirmation of message \(sequence), which does not wait for one")
    }
  }
}

/// Lends `bytes` in one piece, copying only where they are not.
private func withContiguousBytes(
  of bytes: some Collection<UInt8>,
  _ body: (UnsafeBufferPointer<UInt8>) throws(RabbitMQError) -> Void
) throws(RabbitMQError) {
  let result = bytes.withContiguousStorageIfAvailable { buffer in
    Result { () throws(RabbitMQError) in try body(buffer) }
  }
  if let result { return try result.get() }
  let copied = [UInt8](bytes).withUnsafeBufferPointer { buffer in
    Result { () throws(RabbitMQError) in try body(buffer) }
  }
  try copied.get()
}
