import CRabbitMQ
import Glibc
import LibRabbitMQ

/// A client of RabbitMQ that publishes any properties on one channel and hears the outcome:
/// confirms, replies, and why its channel was closed. LibRabbitMQ would not send most of that.
package final class RawPublisher {
  /// A statement of the broker.
  package enum Word: Equatable, Sendable {
    /// Every queue has the message.
    case confirmed
    /// A queue refused it.
    case refused
    /// Channel or connection were closed.
    case closed(code: Int)
    /// Somebody answered.
    case reply(correlationID: [UInt8], body: [UInt8])
  }

  private let state: amqp_connection_state_t
  private var pool = amqp_pool_t()

  /// Connects, and listens for direct replies.
  package init(url: String) throws {
    let settings = try RabbitMQSettings(url: url)
    guard let state = amqp_new_connection() else { throw RealServersError("out of memory") }
    self.state = state
    init_amqp_pool(&pool, 4_096)
    guard connect(settings), logIn(settings) else {
      throw RealServersError("a raw publisher cannot log in")
    }
  }

  deinit {
    amqp_destroy_connection(state)
    empty_amqp_pool(&pool)
  }

  private func connect(_ settings: RabbitMQSettings) -> Bool {
    guard let socket = settings.tls == nil ? amqp_tcp_socket_new(state) : amqp_ssl_socket_new(state)
    else { return false }
    if let tls = settings.tls {
      amqp_ssl_socket_set_verify_peer(socket, 1)
      amqp_ssl_socket_set_verify_hostname(socket, 1)
      guard amqp_ssl_socket_set_cacert(socket, tls.caCertificate) == AMQP_STATUS_OK.rawValue
      else { return false }
    }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    return amqp_socket_open_noblock(socket, settings.host, Int32(settings.port), &limit)
      == AMQP_STATUS_OK.rawValue
  }

  private func logIn(_ settings: RabbitMQSettings) -> Bool {
    var none = amqp_table_t(num_entries: 0, entries: nil)
    let login = crabbitmq_login_plain(
      state, settings.virtualHost, 0, 131_072, 0, &none, settings.user, settings.password)
    return login.reply_type == AMQP_RESPONSE_NORMAL && amqp_channel_open(state, 1) != nil
      && amqp_confirm_select(state, 1) != nil
      && amqp_basic_consume(
        state, 1, bytes(Array("amq.rabbitmq.reply-to".utf8)), amqp_bytes_t(), 0, 1, 0, none) != nil
  }

  /// Publishes a mandatory message, and gives the broker's first statement on it.
  package func publish(
    exchange: String, routingKey: String, _ properties: RawProperties, body: [UInt8]
  ) throws -> Word {
    var encoded = self.encoded(properties)
    let status = amqp_basic_publish(
      state, 1, bytes(Array(exchange.utf8)), bytes(Array(routingKey.utf8)), 1, 0, &encoded,
      bytes(body))
    guard status == AMQP_STATUS_OK.rawValue else {
      throw RealServersError("publishing failed with \(status)")
    }
    guard let word = try next(within: 20) else { throw RealServersError("the broker is silent") }
    return word
  }

  /// The broker's next statement; nil if there is none for so many seconds.
  package func next(within seconds: Int) throws -> Word? {
    while let method = try frame(within: seconds) {
      guard method.frame_type == CRABBITMQ_FRAME_METHOD else { continue }
      switch method.payload.method.id {
      case CRABBITMQ_BASIC_ACK: return .confirmed
      case CRABBITMQ_BASIC_NACK: return .refused
      case CRABBITMQ_CHANNEL_CLOSE:
        let close = method.payload.method.decoded?.load(as: amqp_channel_close_t.self)
        return .closed(code: Int(close?.reply_code ?? 0))
      case CRABBITMQ_CONNECTION_CLOSE:
        let close = method.payload.method.decoded?.load(as: amqp_connection_close_t.self)
        return .closed(code: Int(close?.reply_code ?? 0))
      case CRABBITMQ_BASIC_DELIVER: return try reply()
      default: continue
      }
    }
    return nil
  }

  private func reply() throws -> Word {
    guard let header = try frame(within: 20), header.frame_type == CRABBITMQ_FRAME_HEADER,
      let properties = header.payload.properties.decoded?.load(as: amqp_basic_properties_t.self)
    else { throw RealServersError("a reply without a header") }
    let id = Array(
      UnsafeRawBufferPointer(
        start: properties.correlation_id.bytes, count: properties.correlation_id.len))
    let size = header.payload.properties.body_size
    var body: [UInt8] = []
    while body.count < size, let piece = try frame(within: 20) {
      let bytes = piece.payload.body_fragment
      body += UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)
    }
    return .reply(correlationID: id, body: body)
  }

  private func frame(within seconds: Int) throws -> amqp_frame_t? {
    var frame = amqp_frame_t()
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let status = amqp_simple_wait_frame_noblock(state, &frame, &limit)
    if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
    guard status == AMQP_STATUS_OK.rawValue else {
      throw RealServersError("reading failed with \(status)")
    }
    return frame
  }

  // MARK: Laying out

  private func encoded(_ source: RawProperties) -> amqp_basic_properties_t {
    var target = amqp_basic_properties_t()
    for (text, value) in source.texts {
      let (flag, field) = Self.place(of: text)
      target._flags |= flag
      target[keyPath: field] = bytes(value)
    }
    if let headers = source.headers {
      target._flags |= CRABBITMQ_HAS_HEADERS
      target.headers = table(headers)
    }
    if let deliveryMode = source.deliveryMode {
      target._flags |= CRABBITMQ_HAS_DELIVERY_MODE
      target.delivery_mode = deliveryMode
    }
    if let priority = source.priority {
      target._flags |= CRABBITMQ_HAS_PRIORITY
      target.priority = priority
    }
    if let timestamp = source.timestamp {
      target._flags |= CRABBITMQ_HAS_TIMESTAMP
      target.timestamp = timestamp
    }
    return target
  }

  private static func place(
    of text: RawProperties.Text
  ) -> (amqp_flags_t, WritableKeyPath<amqp_basic_properties_t, amqp_bytes_t>) {
    switch text {
    case .contentType: (CRABBITMQ_HAS_CONTENT_TYPE, \.content_type)
    case .contentEncoding: (CRABBITMQ_HAS_CONTENT_ENCODING, \.content_encoding)
    case .correlationID: (CRABBITMQ_HAS_CORRELATION_ID, \.correlation_id)
    case .replyTo: (CRABBITMQ_HAS_REPLY_TO, \.reply_to)
    case .expiration: (CRABBITMQ_HAS_EXPIRATION, \.expiration)
    case .messageID: (CRABBITMQ_HAS_MESSAGE_ID, \.message_id)
    case .type: (CRABBITMQ_HAS_TYPE, \.type)
    case .userID: (CRABBITMQ_HAS_USER_ID, \.user_id)
    case .appID: (CRABBITMQ_HAS_APP_ID, \.app_id)
    case .clusterID: (amqp_flags_t(AMQP_BASIC_CLUSTER_ID_FLAG), \.cluster_id)
    }
  }

  private func table(_ headers: [RawProperties.Header]) -> amqp_table_t {
    let entries = headers.map {
      amqp_table_entry_t(key: bytes(Array($0.name.utf8)), value: field($0.value))
    }
    return amqp_table_t(num_entries: Int32(entries.count), entries: copies(entries))
  }

  private func field(_ value: RawProperties.Value) -> amqp_field_value_t {
    var field = amqp_field_value_t()
    let kind: amqp_field_value_kind_t
    switch value {
    case .boolean(let value): (kind, field.value.boolean) = (AMQP_FIELD_KIND_BOOLEAN, value ? 1 : 0)
    case .int8(let value): (kind, field.value.i8) = (AMQP_FIELD_KIND_I8, value)
    case .int32(let value): (kind, field.value.i32) = (AMQP_FIELD_KIND_I32, value)
    case .int64(let value): (kind, field.value.i64) = (AMQP_FIELD_KIND_I64, value)
    case .uint64(let value): (kind, field.value.u64) = (AMQP_FIELD_KIND_U64, value)
    case .double(let value): (kind, field.value.f64) = (AMQP_FIELD_KIND_F64, value)
    case .decimal(let scale, let value):
      kind = AMQP_FIELD_KIND_DECIMAL
      field.value.decimal = amqp_decimal_t(decimals: scale, value: value)
    case .text(let value): (kind, field.value.bytes) = (AMQP_FIELD_KIND_UTF8, bytes(value))
    case .bytes(let value): (kind, field.value.bytes) = (AMQP_FIELD_KIND_BYTES, bytes(value))
    case .timestamp(let value): (kind, field.value.u64) = (AMQP_FIELD_KIND_TIMESTAMP, value)
    case .array(let values):
      kind = AMQP_FIELD_KIND_ARRAY
      let fields = values.map { self.field($0) }
      field.value.array = amqp_array_t(num_entries: Int32(fields.count), entries: copies(fields))
    case .table(let headers): (kind, field.value.table) = (AMQP_FIELD_KIND_TABLE, table(headers))
    case .void: kind = AMQP_FIELD_KIND_VOID
    }
    field.kind = UInt8(kind.rawValue)
    return field
  }

  /// Bytes that live as long as this publisher.
  private func bytes(_ source: [UInt8]) -> amqp_bytes_t {
    guard !source.isEmpty, let target = amqp_pool_alloc(&pool, source.count) else {
      return amqp_bytes_t()
    }
    UnsafeMutableRawBufferPointer(start: target, count: source.count).copyBytes(from: source)
    return amqp_bytes_t(len: source.count, bytes: target)
  }

  private func copies<Element>(_ source: [Element]) -> UnsafeMutablePointer<Element>? {
    guard !source.isEmpty else { return nil }
    let size = source.count * MemoryLayout<Element>.stride
    guard let memory = amqp_pool_alloc(&pool, size) else { return nil }
    let target = memory.bindMemory(to: Element.self, capacity: source.count)
    target.initialize(from: source, count: source.count)
    return target
  }
}
