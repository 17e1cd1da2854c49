import CRabbitMQ

@testable import LibRabbitMQ

extension FuzzTarget {
  static let amqpTargets = [
    FuzzTarget(name: "amqpTable", run: table), FuzzTarget(name: "amqpProperties", run: properties),
    FuzzTarget(name: "amqpMessages", run: messages), FuzzTarget(name: "amqpURL", run: url),
  ]

  /// A table as the C library reads it: within limits, and the same after a way there and back.
  @Sendable private static func table(_ bytes: [UInt8]) throws {
    try Pool.with { pool in
      guard let source = pool.table(bytes) else { return }
      var narrow = TableDecoder(limits: TableLimits(depth: 3, byteCount: 256))
      _ = narrow.table(source)
      var decoder = TableDecoder(limits: TableLimits())
      guard let table = decoder.table(source) else { return }
      let arena = Arena()
      var encoder = TableEncoder(arena: arena, limits: TableLimits())
      // Text that is no UTF-8 becomes longer when it is read, and may then be too long.
      guard var encoded = try attempt({ try encoder.table(table) }) else { return }
      guard let written = pool.written(&encoded) else {
        throw BrokenProperty(description: "the C library cannot write \(table)")
      }
      try hold(written.count <= encoder.byteCount, "\(table) takes more bytes than were counted")
      var again = TableDecoder(limits: TableLimits(depth: 32, byteCount: 1 << 20))
      guard let source = pool.table(written), let copy = again.table(source) else {
        throw BrokenProperty(description: "\(table) cannot be read again")
      }
      try hold(isSame(.table(table), .table(copy)), "\(table) is read as \(copy)")
    }
  }

  /// The properties of a message, as the C library reads them.
  @Sendable private static func properties(_ bytes: [UInt8]) throws {
    try Pool.with { pool in
      guard let source = pool.properties(bytes) else { return }
      let properties = MessageProperties(source, limits: TableLimits())
      try hold(timesDelivered(properties, isRedelivered: false) == 1, "a first delivery is counted")
      let count = timesDelivered(properties, isRedelivered: true)
      try hold((2...1_000_001).contains(count), "delivered \(count) times")
      let arena = Arena()
      let result = try attempt { try properties.encoded(in: arena, limits: TableLimits()) }
      guard var encoded = result?.0, let byteCount = result?.byteCount else { return }
      guard let written = pool.written(&encoded), let source = pool.properties(written) else {
        throw BrokenProperty(description: "the C library cannot write \(properties)")
      }
      try hold(written.count <= byteCount, "\(properties) takes more bytes than were counted")
      var again = MessageProperties(
        source, limits: TableLimits(depth: 32, byteCount: 1 << 20))
      try hold(
        isSame(.table(properties.headers), .table(again.headers)), "headers change: \(properties)")
      var before = properties
      (before.headers, again.headers) = ([:], [:])
      before.hasExcessiveHeaders = false
      try hold(before == again, "\(before) is read as \(again)")
    }
  }

  /// The delivery count that a worker reads from these properties.
  private static func timesDelivered(_ properties: MessageProperties, isRedelivered: Bool) -> Int {
    Delivery(
      consumerTag: "", tag: 1, isRedelivered: isRedelivered, exchange: "", routingKey: "",
      properties: properties, body: []
    ).timesDelivered
  }

  /// Frames in any order: a message has the length that was announced, or there is none.
  @Sendable private static func messages(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    var reader = MessageReader()
    var inbox = Inbox()
    var announced = 0
    while !input.isAtEnd {
      let message = try attempt { try frame(&input, &reader, &announced) }
      guard let frame = message else { return }
      guard case .delivery(let delivery) = frame else { continue }
      try hold(delivery.body.count == announced, "\(announced) bytes were announced")
      inbox.append(delivery)
      if inbox.count > 3 {
        let limit = Int(input.byte())
        let taken = inbox.take(maxCount: 3, maxBytes: limit)
        try hold((1...3).contains(taken.count), "\(taken.count) messages were taken")
        let size = taken.reduce(0) { $0 + $1.body.count }
        try hold(taken.count == 1 || size <= limit, "\(size) bytes where \(limit) are the limit")
      }
    }
    let rest = inbox.take(maxCount: .max, maxBytes: .max)
    try hold(inbox.isEmpty && inbox.byteCount == 0, "\(rest.count) messages, and something is left")
  }

  private static func frame(
    _ input: inout InputReader, _ reader: inout MessageReader, _ announced: inout Int
  ) throws -> MessageReader.Message? {
    let arena = Arena()
    func piece() -> amqp_bytes_t { input.counted().withUnsafeBytes { arena.bytes($0) } }
    switch input.byte() % 5 {
    case 0:
      try reader.begin(
        amqp_basic_deliver_t(
          consumer_tag: piece(), delivery_tag: input.number(), redelivered: amqp_boolean_t(0),
          exchange: piece(), routing_key: piece()))
    case 1:
      try reader.begin(
        amqp_basic_return_t(
          reply_code: input.number(), reply_text: piece(), exchange: piece(), routing_key: piece()))
    case 2:
      reader.expect(
        amqp_basic_get_ok_t(
          delivery_tag: input.number(), redelivered: amqp_boolean_t(1), exchange: piece(),
          routing_key: piece(), message_count: 0))
    case 3:
      let size = UInt64(input.byte()) << UInt64(input.byte() % 64)
      announced = Int(clamping: size)
      return try reader.append(
        amqp_basic_properties_t(), bodySize: size, sizeLimit: 1 << 16, limits: TableLimits())
    default: return try input.counted().withUnsafeBytes { try reader.append($0) }
    }
    return nil
  }

  /// Addresses of brokers, from settings.
  @Sendable private static func url(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let settings = try attempt({ try RabbitMQSettings(url: text) }) else { return }
    try hold(settings.port > 0, "port 0")
    try hold((0...3600).contains(settings.heartbeatSeconds), "\(settings.heartbeatSeconds) s")
  }

  /// Whether two values are the same, bit by bit: NaN is not equal to itself.
  private static func isSame(_ left: Argument, _ right: Argument) -> Bool {
    switch (left, right) {
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy(isSame)
    case (.table(let left), .table(let right)):
      left.count == right.count
        && left.allSatisfy { key, value in right[key].map { isSame(value, $0) } == true }
    default: left == right
    }
  }
}

/// Calls of the C library that reads and writes the wire format.
private struct Pool {
  private var pool = amqp_pool_t()
  private var buffers: [UnsafeMutableRawBufferPointer] = []

  static func with(_ body: (inout Pool) throws -> Void) rethrows {
    var pool = Pool()
    init_amqp_pool(&pool.pool, 4_096)
    defer {
      empty_amqp_pool(&pool.pool)
      for buffer in pool.buffers { buffer.deallocate() }
    }
    try body(&pool)
  }

  /// Memory that the decoded values point into.
  private mutating func copy(_ bytes: [UInt8]) -> amqp_bytes_t {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(bytes.count, 1), alignment: 1)
    buffer.copyBytes(from: bytes)
    buffers.append(buffer)
    return amqp_bytes_t(len: bytes.count, bytes: buffer.baseAddress)
  }

  mutating func table(_ bytes: [UInt8]) -> amqp_table_t? {
    var table = amqp_table_t()
    var offset = 0
    let status = amqp_decode_table(copy(bytes), &pool, &table, &offset)
    return status == 0 ? table : nil
  }

  mutating func properties(_ bytes: [UInt8]) -> amqp_basic_properties_t? {
    var decoded: UnsafeMutableRawPointer?
    guard amqp_decode_properties(UInt16(AMQP_BASIC_CLASS), &pool, copy(bytes), &decoded) == 0 else {
      return nil
    }
    return decoded?.assumingMemoryBound(to: amqp_basic_properties_t.self).pointee
  }

  mutating func written(_ table: inout amqp_table_t) -> [UInt8]? {
    let target = copy(Array(repeating: 0, count: 1 << 17))
    var offset = 0
    guard amqp_encode_table(target, &table, &offset) == 0 else { return nil }
    return Array(target.buffer.prefix(offset))
  }

  mutating func written(_ properties: inout amqp_basic_properties_t) -> [UInt8]? {
    let target = copy(Array(repeating: 0, count: 1 << 17))
    let count = amqp_encode_properties(UInt16(AMQP_BASIC_CLASS), &properties, target)
    return count >= 0 ? Array(target.buffer.prefix(Int(count))) : nil
  }
}
