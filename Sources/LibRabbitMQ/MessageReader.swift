import CRabbitMQ

/// Puts messages together from frames: METHOD, HEADER, then BODY frames up to the announced size.
struct MessageReader {
  /// The delivery data in a message's method.
  enum Head {
    case delivery(
      consumerTag: String, tag: UInt64, isRedelivered: Bool, exchange: String, routingKey: String)
    case returned(code: Int, text: String, exchange: String, routingKey: String)
  }

  /// A complete message.
  enum Message {
    case delivery(Delivery)
    case returned(code: Int, text: String, ConfirmLedger.Likeness)
  }

  struct Violation: Error {
    let reason: String
  }

  private var head: Head?
  private var properties: MessageProperties?
  private var remaining = 0
  private var body: [UInt8] = []
  /// The head of a `basic.get`.
  ///
  /// Its method is consumed by the call, before frames that were queued meanwhile: the header that
  /// comes without a method belongs to it.
  private var gotten: Head?
  private var consumerTags = RecentText()
  private var exchanges = RecentText()
  private var routingKeys = RecentText()

  mutating func begin(_ deliver: amqp_basic_deliver_t) throws(Violation) {
    try begin(
      .delivery(
        consumerTag: consumerTags.text(of: deliver.consumer_tag), tag: deliver.delivery_tag,
        isRedelivered: deliver.redelivered != 0, exchange: exchanges.text(of: deliver.exchange),
        routingKey: routingKeys.text(of: deliver.routing_key)))
  }

  mutating func begin(_ returned: amqp_basic_return_t) throws(Violation) {
    try begin(
      .returned(
        code: Int(returned.reply_code), text: returned.reply_text.text,
        exchange: returned.exchange.text, routingKey: returned.routing_key.text))
  }

  private mutating func begin(_ newHead: Head) throws(Violation) {
    guard head == nil else { throw Violation(reason: "a message begins within another") }
    head = newHead
    properties = nil
  }

  mutating func expect(_ got: amqp_basic_get_ok_t) {
    gotten = .delivery(
      consumerTag: "", tag: got.delivery_tag, isRedelivered: got.redelivered != 0,
      exchange: got.exchange.text, routingKey: got.routing_key.text)
  }

  /// Takes a header; gives the message if it has no body.
  mutating func append(
    _ source: amqp_basic_properties_t, bodySize: UInt64, sizeLimit: Int, limits: TableLimits
  ) throws(Violation) -> Message? {
    if head == nil {
      head = gotten
      gotten = nil
    }
    guard head != nil, properties == nil else {
      throw Violation(reason: "a header without a message")
    }
    guard bodySize <= UInt64(sizeLimit) else {
      throw Violation(reason: "a message of \(bodySize) bytes exceeds \(sizeLimit)")
    }
    properties = MessageProperties(source, limits: limits)
    remaining = Int(bodySize)
    body = []
    return remaining == 0 ? finish() : nil
  }

  /// Takes a piece of the body; gives the message if it is the last.
  mutating func append(_ piece: UnsafeRawBufferPointer) throws(Violation) -> Message? {
    guard properties != nil, piece.count <= remaining else {
      throw Violation(reason: "a body that was not announced")
    }
    if body.isEmpty {
      if piece.count < remaining { body.reserveCapacity(remaining) }
      body.append(contentsOf: piece)
    } else {
      body.append(contentsOf: piece)
    }
    remaining -= piece.count
    return remaining == 0 ? finish() : nil
  }

  private mutating func finish() -> Message? {
    guard let head, let properties else { return nil }
    defer {
      self.head = nil
      self.properties = nil
      body = []
    }
    switch head {
    case .delivery(let consumerTag, let tag, let isRedelivered, let exchange, let routingKey):
      return .delivery(
        Delivery(
          consumerTag: consumerTag, tag: tag, isRedelivered: isRedelivered, exchange: exchange,
          routingKey: routingKey, properties: properties, body: body))
    case .returned(let code, let text, let exchange, let routingKey):
      return .returned(
        code: code, text: text,
        ConfirmLedger.Likeness(
          exchange: exchange, routingKey: routingKey, messageID: properties.messageID,
          correlationID: properties.correlationID))
    }
  }
}

/// The last text made from bytes: consumer tags, exchanges and routing keys repeat.
private struct RecentText {
  private var last = ""

  mutating func text(of bytes: amqp_bytes_t) -> String {
    let source = bytes.buffer
    let isSame = last.utf8.withContiguousStorageIfAvailable {
      $0.count == source.count && UnsafeRawBufferPointer($0).elementsEqual(source)
    }
    if isSame != true { last = bytes.text }
    return last
  }
}

/// Complete deliveries that wait for their consumer.
struct Inbox {
  private var deliveries: [Delivery] = []
  private var start = 0
  private(set) var byteCount = 0

  var count: Int { deliveries.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ delivery: Delivery) {
    deliveries.append(delivery)
    byteCount += delivery.body.count
  }

  mutating func removeAll() { self = Inbox() }

  /// Takes the first deliveries: at least one if there is one, no more than asked for.
  mutating func take(maxCount: Int, maxBytes: Int) -> [Delivery] {
    var end = start
    var bytes = 0
    while end < deliveries.count, end - start < maxCount {
      bytes += deliveries[end].body.count
      if bytes > maxBytes, end > start {
        bytes -= deliveries[end].body.count
        break
      }
      end += 1
    }
    byteCount -= bytes
    if start == 0, end == deliveries.count {
      defer { deliveries = [] }
      return deliveries
    }
    let taken = Array(deliveries[start..<end])
    start = end
    if start == deliveries.count || start >= 1024 {
      deliveries.removeFirst(start)
      start = 0
    }
    return taken
  }
}
