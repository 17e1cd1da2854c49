import CRabbitMQ

/// Bounds of a table, against tables that are hostile or built by mistake.
struct TableLimits: Sendable {
  /// Tables and arrays within each other.
  var depth = 32
  /// Encoded bytes, roughly.
  var byteCount = 64 * 1024
}

/// Lays out a table in an arena, for a C call.
struct TableEncoder {
  struct Excess: Error {
    let reason: String
  }

  let arena: Arena
  let limits: TableLimits
  /// Encoded bytes so far.
  private(set) var byteCount = 0

  mutating func table(
    _ source: [String: Argument], depth: Int = 1
  ) throws(Excess) -> amqp_table_t {
    try enter(depth)
    var entries: [amqp_table_entry_t] = []
    entries.reserveCapacity(source.count)
    for (key, value) in source {
      guard key.utf8.count <= 255 else {
        throw Excess(reason: "a table's key is longer than 255 bytes")
      }
      try count(1 + key.utf8.count)
      entries.append(
        amqp_table_entry_t(key: arena.bytes(key), value: try field(value, depth: depth)))
    }
    return amqp_table_t(num_entries: Int32(entries.count), entries: arena.copies(entries))
  }

  private mutating func array(
    _ source: [Argument], depth: Int
  ) throws(Excess) -> amqp_array_t {
    try enter(depth)
    var entries: [amqp_field_value_t] = []
    entries.reserveCapacity(source.count)
    for value in source { entries.append(try field(value, depth: depth)) }
    return amqp_array_t(num_entries: Int32(entries.count), entries: arena.copies(entries))
  }

  private mutating func enter(_ depth: Int) throws(Excess) {
    guard depth <= limits.depth else {
      throw Excess(reason: "a table is nested deeper than \(limits.depth)")
    }
    try count(4)
  }

  private mutating func count(_ bytes: Int) throws(Excess) {
    byteCount += bytes
    guard byteCount <= limits.byteCount else {
      throw Excess(reason: "a table is larger than \(limits.byteCount) bytes")
    }
  }

  private mutating func field(
    _ argument: Argument, depth: Int
  ) throws(Excess) -> amqp_field_value_t {
    var field = amqp_field_value_t()
    try count(1)
    field.kind = argument.kind
    switch argument {
    case .string(let text):
      try count(4 + text.utf8.count)
      field.value.bytes = arena.bytes(text)
    case .bytes(let bytes):
      try count(4 + bytes.count)
      field.value.bytes = bytes.withUnsafeBytes { arena.bytes($0) }
    case .array(let values):
      field.value.array = try array(values, depth: depth + 1)
    case .table(let values):
      field.value.table = try table(values, depth: depth + 1)
    default:
      try count(9)
      argument.setScalar(&field)
    }
    return field
  }
}

extension Argument {
  fileprivate var kind: UInt8 {
    let kind =
      switch self {
      case .boolean: AMQP_FIELD_KIND_BOOLEAN
      case .int8: AMQP_FIELD_KIND_I8
      case .uint8: AMQP_FIELD_KIND_U8
      case .int16: AMQP_FIELD_KIND_I16
      case .uint16: AMQP_FIELD_KIND_U16
      case .int32: AMQP_FIELD_KIND_I32
      case .uint32: AMQP_FIELD_KIND_U32
      case .int64: AMQP_FIELD_KIND_I64
      case .float: AMQP_FIELD_KIND_F32
      case .double: AMQP_FIELD_KIND_F64
      case .decimal: AMQP_FIELD_KIND_DECIMAL
      case .string: AMQP_FIELD_KIND_UTF8
      case .bytes: AMQP_FIELD_KIND_BYTES
      case .timestamp: AMQP_FIELD_KIND_TIMESTAMP
      case .array: AMQP_FIELD_KIND_ARRAY
      case .table: AMQP_FIELD_KIND_TABLE
      case .void: AMQP_FIELD_KIND_VOID
      }
    return UInt8(kind.rawValue)
  }

  fileprivate func setScalar(_ field: inout amqp_field_value_t) {
    switch self {
    case .boolean(let value): field.value.boolean = value ? 1 : 0
    case .int8(let value): field.value.i8 = value
    case .uint8(let value): field.value.u8 = value
    case .int16(let value): field.value.i16 = value
    case .uint16(let value): field.value.u16 = value
    case .int32(let value): field.value.i32 = value
    case .uint32(let value): field.value.u32 = value
    case .int64(let value): field.value.i64 = value
    case .float(let value): field.value.f32 = value
    case .double(let value): field.value.f64 = value
    case .decimal(let scale, let value):
      field.value.decimal = amqp_decimal_t(decimals: scale, value: value)
    case .timestamp(let value): field.value.u64 = value
    case .string, .bytes, .array, .table, .void: break
    }
  }
}

/// Reads a table the C library has decoded.
struct TableDecoder {
  let limits: TableLimits
  private var byteCount = 0

  init(limits: TableLimits) { self.limits = limits }

  /// The table as Swift values, or nil if it exceeds the limits.
  mutating func table(_ source: amqp_table_t, depth: Int = 1) -> [String: Argument]? {
    guard enter(depth) else { return nil }
    let entries = UnsafeBufferPointer(start: source.entries, count: Int(source.num_entries))
    var result: [String: Argument] = [:]
    result.reserveCapacity(min(entries.count, 64))
    for entry in entries {
      guard count(1 + entry.key.len), let value = field(entry.value, depth: depth) else {
        return nil
      }
      // The broker means the first of a name, too.
      let key = entry.key.text
      if result[key] == nil { result[key] = value }
    }
    return result
  }

  /// The first value of a name in a table that is not to be read as a whole; empty if it is no
  /// simple value.
  static func scalar(_ key: String, of source: amqp_table_t) -> [String: Argument] {
    let entries = UnsafeBufferPointer(start: source.entries, count: Int(source.num_entries))
    guard let field = entries.first(where: { $0.key.buffer.elementsEqual(key.utf8) })?.value,
      let value = Argument(scalar: field, kind: amqp_field_value_kind_t(UInt32(field.kind)))
    else { return [:] }
    return [key: value]
  }

  private mutating func array(_ source: amqp_array_t, depth: Int) -> [Argument]? {
    guard enter(depth) else { return nil }
    var result: [Argument] = []
    for entry in UnsafeBufferPointer(start: source.entries, count: Int(source.num_entries)) {
      guard let value = field(entry, depth: depth) else { return nil }
      result.append(value)
    }
    return result
  }

  private mutating func enter(_ depth: Int) -> Bool { depth <= limits.depth && count(4) }

  private mutating func count(_ bytes: Int) -> Bool {
    byteCount += bytes
    return byteCount <= limits.byteCount
  }

  private mutating func field(_ field: amqp_field_value_t, depth: Int) -> Argument? {
    guard count(1) else { return nil }
    let kind = amqp_field_value_kind_t(UInt32(field.kind))
    switch kind {
    case AMQP_FIELD_KIND_UTF8:
      guard count(4 + field.value.bytes.len) else { return nil }
      let bytes = field.value.bytes.buffer
      return String(validating: bytes, as: UTF8.self).map(Argument.string)
        ?? .bytes([UInt8](bytes))
    case AMQP_FIELD_KIND_BYTES:
      guard count(4 + field.value.bytes.len) else { return nil }
      return .bytes([UInt8](field.value.bytes.buffer))
    case AMQP_FIELD_KIND_ARRAY:
      return array(field.value.array, depth: depth + 1).map(Argument.array)
    case AMQP_FIELD_KIND_TABLE:
      return table(field.value.table, depth: depth + 1).map(Argument.table)
    default:
      guard count(9) else { return nil }
      return Argument(scalar: field, kind: kind)
    }
  }
}

extension Argument {
  /// Nil for a kind that is not known.
  fileprivate init?(scalar field: amqp_field_value_t, kind: amqp_field_value_kind_t) {
    switch kind {
    case AMQP_FIELD_KIND_BOOLEAN: self = .boolean(field.value.boolean != 0)
    case AMQP_FIELD_KIND_I8: self = .int8(field.value.i8)
    case AMQP_FIELD_KIND_U8: self = .uint8(field.value.u8)
    case AMQP_FIELD_KIND_I16: self = .int16(field.value.i16)
    case AMQP_FIELD_KIND_U16: self = .uint16(field.value.u16)
    case AMQP_FIELD_KIND_I32: self = .int32(field.value.i32)
    case AMQP_FIELD_KIND_U32: self = .uint32(field.value.u32)
    case AMQP_FIELD_KIND_I64: self = .int64(field.value.i64)
    // RabbitMQ sends L for no value of its own; a client's L is a signed number to it.
    case AMQP_FIELD_KIND_U64: self = .int64(Int64(bitPattern: field.value.u64))
    case AMQP_FIELD_KIND_F32: self = .float(field.value.f32)
    case AMQP_FIELD_KIND_F64: self = .double(field.value.f64)
    case AMQP_FIELD_KIND_DECIMAL:
      self = .decimal(scale: field.value.decimal.decimals, value: field.value.decimal.value)
    case AMQP_FIELD_KIND_TIMESTAMP: self = .timestamp(field.value.u64)
    case AMQP_FIELD_KIND_VOID: self = .void
    default: return nil
    }
  }
}
