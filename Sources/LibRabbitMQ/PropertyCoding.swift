import CRabbitMQ

extension MessageProperties {
  /// Reads properties that the C library has decoded.
  init(_ source: amqp_basic_properties_t, limits: TableLimits) {
    func text(_ flag: amqp_flags_t, _ bytes: amqp_bytes_t) -> String? {
      source._flags & flag != 0 ? bytes.text : nil
    }
    self.init(isPersistent: false)
    // Most messages carry few properties: look at the flags of the rare ones only once.
    contentType = text(CRABBITMQ_HAS_CONTENT_TYPE, source.content_type)
    contentEncoding = text(CRABBITMQ_HAS_CONTENT_ENCODING, source.content_encoding)
    isPersistent = source._flags & CRABBITMQ_HAS_DELIVERY_MODE != 0 && source.delivery_mode == 2
    if source._flags & CRABBITMQ_HAS_PRIORITY != 0 { priority = source.priority }
    correlationID = text(CRABBITMQ_HAS_CORRELATION_ID, source.correlation_id)
    replyTo = text(CRABBITMQ_HAS_REPLY_TO, source.reply_to)
    expiration = text(CRABBITMQ_HAS_EXPIRATION, source.expiration)
    messageID = text(CRABBITMQ_HAS_MESSAGE_ID, source.message_id)
    if source._flags & CRABBITMQ_HAS_TIMESTAMP != 0 { timestamp = source.timestamp }
    type = text(CRABBITMQ_HAS_TYPE, source.type)
    userID = text(CRABBITMQ_HAS_USER_ID, source.user_id)
    appID = text(CRABBITMQ_HAS_APP_ID, source.app_id)
    guard source._flags & CRABBITMQ_HAS_HEADERS != 0 else { return }
    var decoder = TableDecoder(limits: limits)
    if let table = decoder.table(source.headers) {
      headers = table
    } else {
      hasExcessiveHeaders = true
      headers = TableDecoder.scalar(Self.deliveryCountHeader, of: source.headers)
    }
  }

  /// Lays the properties out in `arena` for a C call.
  ///
  /// - Returns: The properties and their encoded size in bytes.
  func encoded(
    in arena: Arena, limits: TableLimits
  ) throws(TableEncoder.Excess) -> (amqp_basic_properties_t, byteCount: Int) {
    var target = amqp_basic_properties_t()
    var byteCount = 32
    func set(
      _ flag: amqp_flags_t, _ field: WritableKeyPath<amqp_basic_properties_t, amqp_bytes_t>,
      _ text: String?
    ) throws(TableEncoder.Excess) {
      guard let text else { return }
      let bytes = arena.bytes(text)
      guard bytes.len <= 255 else {
        throw TableEncoder.Excess(reason: "a property is longer than 255 bytes")
      }
      target._flags |= flag
      target[keyPath: field] = bytes
      byteCount += 1 + bytes.len
    }
    try set(CRABBITMQ_HAS_CONTENT_TYPE, \.content_type, contentType)
    try set(CRABBITMQ_HAS_CONTENT_ENCODING, \.content_encoding, contentEncoding)
    try set(CRABBITMQ_HAS_CORRELATION_ID, \.correlation_id, correlationID)
    try set(CRABBITMQ_HAS_REPLY_TO, \.reply_to, replyTo)
    try set(CRABBITMQ_HAS_EXPIRATION, \.expiration, expiration)
    try set(CRABBITMQ_HAS_MESSAGE_ID, \.message_id, messageID)
    try set(CRABBITMQ_HAS_TYPE, \.type, type)
    try set(CRABBITMQ_HAS_USER_ID, \.user_id, userID)
    try set(CRABBITMQ_HAS_APP_ID, \.app_id, appID)
    target._flags |= CRABBITMQ_HAS_DELIVERY_MODE
    target.delivery_mode = isPersistent ? 2 : 1
    if let priority {
      target._flags |= CRABBITMQ_HAS_PRIORITY
      target.priority = priority
    }
    if let timestamp {
      target._flags |= CRABBITMQ_HAS_TIMESTAMP
      target.timestamp = timestamp
    }
    if !headers.isEmpty {
      var encoder = TableEncoder(arena: arena, limits: limits)
      target._flags |= CRABBITMQ_HAS_HEADERS
      target.headers = try encoder.table(headers)
      byteCount += encoder.byteCount
    }
    return (target, byteCount)
  }
}
