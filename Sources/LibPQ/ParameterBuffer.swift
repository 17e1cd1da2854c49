/// The parameters of a batch in binary format, in one run of bytes.
struct ParameterBuffer {
  /// A parameter's place in ``bytes``; `nil` is null.
  struct Slot {
    var type: UInt32
    var offset: Int
    var length: Int32?
  }

  private(set) var bytes: [UInt8] = [0]  // Never empty, so that its address is never null.
  private(set) var slots: [Slot] = []

  mutating func removeAll() {
    // A batch of many megabytes is rare: its memory is given back.
    bytes.removeAll(keepingCapacity: bytes.capacity <= 4_194_304)
    slots.removeAll(keepingCapacity: true)
    bytes.append(0)
  }

  mutating func append(_ value: Value) throws(PostgreSQLError) {
    switch value {
    case .bool(let value): try one(.bool, value, Self.put)
    case .int16(let value): try one(.int16, value, Self.put)
    case .int32(let value): try one(.int32, value, Self.put)
    case .int64(let value): try one(.int64, value, Self.put)
    case .bytes(let value): try one(.bytes, value, Self.put)
    case .uuid(let value): try one(.uuid, value, Self.put)
    case .text(let value): try one(.text, value, Self.put)
    case .timestamp(let value): try one(.timestamp, value, Self.putTimestamp)
    case .jsonb(let value): try one(.jsonb, value, Self.putJSON)
    case .boolArray(let values): try array(.boolArray, of: .bool, values, Self.put)
    case .int16Array(let values): try array(.int16Array, of: .int16, values, Self.put)
    case .int32Array(let values): try array(.int32Array, of: .int32, values, Self.put)
    case .int64Array(let values): try array(.int64Array, of: .int64, values, Self.put)
    case .bytesArray(let values): try array(.bytesArray, of: .bytes, values, Self.put)
    case .uuidArray(let values): try array(.uuidArray, of: .uuid, values, Self.put)
    case .textArray(let values): try array(.textArray, of: .text, values, Self.put)
    case .timestampArray(let values):
      try array(.timestampArray, of: .timestamp, values, Self.putTimestamp)
    case .jsonbArray(let values): try array(.jsonbArray, of: .jsonb, values, Self.putJSON)
    }
  }

  private typealias Put<Element> = (inout [UInt8], Element) throws(PostgreSQLError) -> Void

  private mutating func one<Element>(
    _ type: TypeOID, _ value: Element?, _ put: Put<Element>
  ) throws(PostgreSQLError) {
    let offset = bytes.count
    if let value { try put(&bytes, value) }
    try close(type, from: offset, isNull: value == nil)
  }

  /// The binary format of an array, as `array_recv` in PostgreSQL's `arrayfuncs.c` reads it.
  private mutating func array<Element>(
    _ type: TypeOID, of elementType: TypeOID, _ values: [Element?]?, _ put: Put<Element>
  ) throws(PostgreSQLError) {
    let offset = bytes.count
    guard let values else { return try close(type, from: offset, isNull: true) }
    Self.put(&bytes, Int32(values.isEmpty ? 0 : 1))  // Dimensions.
    Self.put(&bytes, Int32(values.contains { $0 == nil } ? 1 : 0))  // Whether any is null.
    Self.put(&bytes, Int32(bitPattern: elementType.rawValue))
    if !values.isEmpty {
      Self.put(&bytes, Int32(clamping: values.count))
      Self.put(&bytes, Int32(1))  // Lower bound.
    }
    for value in values {
      let start = bytes.count
      Self.put(&bytes, Int32(-1))  // The length of null; overwritten for a value.
      guard let value else { continue }
      try put(&bytes, value)
      let length = UInt32(try Self.length(bytes.count - start - 4))
      for index in 0..<4 {
        bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index))
      }
    }
    try close(type, from: offset, isNull: false)
  }

  private mutating func close(
    _ type: TypeOID, from offset: Int, isNull: Bool
  ) throws(PostgreSQLError) {
    let length: Int32? = isNull ? nil : try Self.length(bytes.count - offset)
    slots.append(Slot(type: type.rawValue, offset: offset, length: length))
  }

  private static func length(_ count: Int) throws(PostgreSQLError) -> Int32 {
    // PostgreSQL's own limit of a value is 1 GiB (`MaxAllocSize`).
    guard count < 1_073_741_824 else {
      throw PostgreSQLError(.outOfBounds, "a parameter exceeds PostgreSQL's limit of 1 GiB")
    }
    return Int32(count)
  }

  private static func put(_ bytes: inout [UInt8], _ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func put(_ bytes: inout [UInt8], _ value: Bool) {
    bytes.append(value ? 1 : 0)
  }

  private static func put(_ bytes: inout [UInt8], _ value: [UInt8]) {
    bytes.append(contentsOf: value)
  }

  private static func put(_ bytes: inout [UInt8], _ value: String) {
    bytes.append(contentsOf: value.utf8)
  }

  private static func putJSON(_ bytes: inout [UInt8], _ value: String) {
    bytes.append(1)  // The version of the format, see `jsonb_recv`.
    bytes.append(contentsOf: value.utf8)
  }

  private static func putTimestamp(
    _ bytes: inout [UInt8], _ microseconds: Int64
  ) throws(PostgreSQLError) {
    let (value, overflow) = microseconds.subtractingReportingOverflow(postgreSQLEpochMicroseconds)
    // The extremes mean infinity, which is no instant.
    guard !overflow, value != .min, value != .max else {
      throw PostgreSQLError(.outOfBounds, "a timestamp is beyond what PostgreSQL can hold")
    }
    put(&bytes, value)
  }
}
