import CRabbitMQ
import CubistBasics
import Glibc
import SystemCalls

extension RabbitMQConnection {
  /// The most bytes of message bodies that are kept for a consumer that does not poll.
  static let inboxByteLimit = 64 * 1024 * 1024

  /// Limits the unacknowledged messages of each consumer that begins after this.
  ///
  /// Per consumer, never for the channel as a whole: quorum queues close the connection over that.
  ///
  /// - Parameter count: From 1; the broker reads 0 as "no limit".
  package func setPrefetch(_ count: UInt16) throws(RabbitMQError) {
    precondition(count > 0, "a prefetch count begins at 1")
    try call("set the prefetch count") { raw in
      amqp_basic_qos(raw, Self.channel, 0, count, 0)
      return amqp_get_rpc_reply(raw)
    }
    hasPrefetch = true
  }

  /// Begins to consume a queue; deliveries come by ``poll(maxCount:maxBytes:wait:interrupt:)``.
  ///
  /// A consumer that acknowledges gets a prefetch count of 100 if none was set.
  ///
  /// - Parameters:
  ///   - tag: Name of the consumer; empty lets the broker choose.
  ///   - noAck: Whether the broker forgets messages as soon as it has sent them.
  /// - Returns: The consumer's tag.
  @discardableResult
  package func consume(
    _ queue: String, tag: String = "", noAck: Bool = false, exclusive: Bool = false,
    arguments: [String: Argument] = [:]
  ) throws(RabbitMQError) -> String {
    if !noAck && !hasPrefetch { try setPrefetch(100) }
    var chosen: String?
    let operation = "consume queue \(queue)"
    try request(operation, names: [queue, tag], arguments) { raw, names, table in
      chosen = amqp_basic_consume(
        raw, Self.channel, names[0], names[1], 0, noAck ? 1 : 0, exclusive ? 1 : 0, table
      ).map { $0.pointee.consumer_tag.text }
    }
    return try present(chosen, operation: operation)
  }

  /// Ends a consumer.
  ///
  /// Call it only after all its deliveries are acknowledged: with a single active consumer on the
  /// queue, the next consumer would otherwise go on behind the unacknowledged ones.
  package func cancel(_ tag: String) throws(RabbitMQError) {
    try request("cancel consumer \(tag)", names: [tag]) { raw, names, _ in
      amqp_basic_cancel(raw, Self.channel, names[0])
    }
  }

  /// Gives the deliveries so far, waiting for the first one if there is none.
  ///
  /// Returns early, perhaps with nothing, when confirmations arrive, when the broker blocks or
  /// unblocks publishers, or when `interrupt` becomes readable.
  ///
  /// - Parameters:
  ///   - maxCount: Most deliveries to give.
  ///   - maxBytes: Bytes of bodies after which no further delivery is given.
  ///   - wait: Longest wait for the first delivery.
  ///   - interrupt: A descriptor, such as an eventfd, that ends the wait when it is readable.
  /// - Throws: The error that ended the connection. Deliveries not given yet are dropped; those to
  ///   be acknowledged come again.
  package func poll(
    maxCount: Int = 100, maxBytes: Int = 1024 * 1024, wait: Duration = .zero,
    interrupt: Int32? = nil
  ) throws(RabbitMQError) -> [Delivery] {
    do throws(RabbitMQError) {
      try pump(maxCount: maxCount, maxBytes: maxBytes, wait: wait, interrupt: interrupt)
    } catch {
      inbox.removeAll()
      throw error
    }
    return inbox.take(maxCount: maxCount, maxBytes: maxBytes)
  }

  /// Serves heartbeats and takes in everything that has arrived, without waiting.
  ///
  /// Cheap; to be called at least every half heartbeat while something else takes long.
  package func serveHeartbeats() throws(RabbitMQError) {
    try drain(maxCount: .max, maxBytes: Self.inboxByteLimit)
  }

  /// Acknowledges a delivery, or with `multiple` all deliveries of this connection up to it.
  ///
  /// `multiple` takes in every consumer of the connection. A tag that is not outstanding makes the
  /// broker close the channel with 406, which the next read reports.
  package func acknowledge(_ tag: UInt64, multiple: Bool = false) throws(RabbitMQError) {
    try write("acknowledge") { raw in
      amqp_basic_ack(raw, Self.channel, tag, multiple ? 1 : 0)
    }
    statistics.acknowledgements += 1
  }

  /// Refuses a delivery for good: the queue dead-letters it, or drops it.
  ///
  /// There is no way to put it back: a quorum queue returns requeued messages to its tail, or more
  /// than 32 in random order, which breaks the order of a match. To give messages back,
  /// ``close()``. Before an acknowledgement with `multiple`, send the rejections.
  package func reject(_ tag: UInt64) throws(RabbitMQError) {
    try write("reject") { raw in amqp_basic_reject(raw, Self.channel, tag, 0) }
    statistics.rejections += 1
  }

  /// Fetches one message without a consumer; nil if the queue is empty.
  ///
  /// Costs a round trip per message; for tools and tests.
  package func get(_ queue: String, noAck: Bool = false) throws(RabbitMQError) -> Delivery? {
    let operation = "get from queue \(queue)"
    guard queue.utf8.count <= 255 else { throw invalid(operation, "the name is too long") }
    arena.reset()
    let name = arena.bytes(queue)
    var isThere = false
    try call(operation) { raw in
      let reply = amqp_basic_get(raw, Self.channel, name, noAck ? 1 : 0)
      if reply.reply_type == AMQP_RESPONSE_NORMAL, reply.reply.id == CRABBITMQ_BASIC_GET_OK,
        let decoded = reply.reply.decoded
      {
        reader.expect(decoded.assumingMemoryBound(to: amqp_basic_get_ok_t.self).pointee)
        isThere = true
      }
      return reply
    }
    guard isThere else {
      releaseBuffers()
      return nil
    }
    let deadline = MonotonicClock.deadline(after: settings.replyTimeout)
    while true {
      try drain(maxCount: .max, maxBytes: .max)
      if let delivery = gotten {
        gotten = nil
        return delivery
      }
      guard awaitInput(until: deadline, interrupt: nil) else {
        throw fail(.timedOut, operation: operation, reason: "the message does not arrive")
      }
    }
  }
}

extension RabbitMQConnection {
  // MARK: Reading

  /// Takes in everything that is there, and waits if nothing of interest came.
  ///
  /// Deliveries and confirmations from before an error are kept.
  func pump(
    maxCount: Int, maxBytes: Int, wait: Duration, interrupt: Int32? = nil
  ) throws(RabbitMQError) {
    let deadline = wait > .zero ? MonotonicClock.deadline(after: wait) : 0
    let blockedBefore = blockedReason
    while true {
      try drain(maxCount: maxCount, maxBytes: maxBytes)
      let hasNews = !inbox.isEmpty || !confirmations.isEmpty || blockedReason != blockedBefore
      if hasNews || !awaitInput(until: deadline, interrupt: interrupt) { return }
    }
  }

  /// Handles frames until none is left or the inbox is full.
  ///
  /// The library's buffers may hold frames that `poll(2)` knows nothing of, so this ends only when
  /// a read finds nothing.
  func drain(maxCount: Int, maxBytes: Int) throws(RabbitMQError) {
    _ = try live()
    var frame = amqp_frame_t()
    repeat {
      guard try read(&frame) else { return }
      try handle(frame)
    } while inbox.count < maxCount && inbox.byteCount < maxBytes
  }

  /// Sleeps until there may be input or a heartbeat is due; false at the deadline or an interrupt.
  private func awaitInput(until deadline: UInt64, interrupt: Int32?) -> Bool {
    let now = MonotonicClock.now
    guard now < deadline else { return false }
    let half = max(heartbeat, .seconds(1)).nanoseconds / 2
    // Rounded up, so that the last wait does not become a busy loop.
    let milliseconds = (min(deadline - now, half) + 999_999) / 1_000_000
    var watched = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    _ = Glibc.poll(&watched, 2, Int32(milliseconds))
    return watched[1].revents == 0
  }

  private func handle(_ frame: amqp_frame_t) throws(RabbitMQError) {
    switch frame.frame_type {
    case CRABBITMQ_FRAME_METHOD:
      try handle(frame.payload.method)
    case CRABBITMQ_FRAME_HEADER:
      guard let decoded = frame.payload.properties.decoded else { return }
      let properties = decoded.assumingMemoryBound(to: amqp_basic_properties_t.self).pointee
      let bodySize = frame.payload.properties.body_size
      let message = try valid(
        try reader.append(
          properties, bodySize: bodySize, sizeLimit: settings.messageSizeLimit,
          limits: tableLimits))
      if let message { receive(message) }
    case CRABBITMQ_FRAME_BODY:
      let message = try valid(try reader.append(frame.payload.body_fragment.buffer))
      if let message { receive(message) }
    default: break
    }
  }

  private func valid<Value>(
    _ body: @autoclosure () throws(MessageReader.Violation) -> Value
  ) throws(RabbitMQError) -> Value {
    try mapErrors({ fail(.protocolViolation, operation: "read", reason: $0.reason) }, body)
  }

  private func handle(_ method: amqp_method_t) throws(RabbitMQError) {
    guard let decoded = method.decoded else { return }
    switch method.id {
    case CRABBITMQ_BASIC_DELIVER:
      let deliver = decoded.assumingMemoryBound(to: amqp_basic_deliver_t.self).pointee
      try valid(try reader.begin(deliver))
      return
    case CRABBITMQ_BASIC_RETURN:
      let returned = decoded.assumingMemoryBound(to: amqp_basic_return_t.self).pointee
      try valid(try reader.begin(returned))
      return
    case CRABBITMQ_BASIC_ACK:
      let ack = decoded.assumingMemoryBound(to: amqp_basic_ack_t.self).pointee
      try settle(ack.delivery_tag, multiple: ack.multiple != 0, accepted: true)
    case CRABBITMQ_BASIC_NACK:
      let nack = decoded.assumingMemoryBound(to: amqp_basic_nack_t.self).pointee
      try settle(nack.delivery_tag, multiple: nack.multiple != 0, accepted: false)
    case CRABBITMQ_BASIC_CANCEL:
      let cancel = decoded.assumingMemoryBound(to: amqp_basic_cancel_t.self).pointee
      throw fail(
        .consumerCancelled, operation: "consume",
        reason: "the broker cancelled consumer \(cancel.consumer_tag.text)")
    case CRABBITMQ_CONNECTION_BLOCKED:
      let blocked = decoded.assumingMemoryBound(to: amqp_connection_blocked_t.self).pointee
      blockedReason = blocked.reason.text
    case CRABBITMQ_CONNECTION_UNBLOCKED:
      blockedReason = nil
    case CRABBITMQ_CONNECTION_CLOSE, CRABBITMQ_CHANNEL_CLOSE:
      throw closed(by: method, operation: "read")
    default:
      throw fail(
        .protocolViolation, operation: "read", reason: "unexpected method \(method.id)")
    }
    releaseBuffers()
  }

  /// Files a complete message and frees the frames it came in.
  private func receive(_ message: MessageReader.Message) {
    releaseBuffers()
    switch message {
    case .delivery(let delivery):
      statistics.delivered += 1
      statistics.deliveredBytes += delivery.body.count
      if delivery.consumerTag.isEmpty {
        gotten = delivery
      } else {
        inbox.append(delivery)
      }
    case .returned(let code, let text, let likeness):
      statistics.returned += 1
      _ = ledger?.markReturned(likeness, code: code, text: text)
    }
  }
}
