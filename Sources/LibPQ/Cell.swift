import CPostgreSQL

/// One value of a result, read as the Swift type that fits its column.
///
/// Every reader throws ``PostgreSQLError/Code/outOfBounds`` for a row or column that is not there,
/// ``PostgreSQLError/Code/typeMismatch`` for a column of another type,
/// ``PostgreSQLError/Code/unexpectedNull`` and ``PostgreSQLError/Code/malformedValue``.
package struct Cell {
  let result: Rows.Result
  let row: Int
  let column: Int

  /// Whether the value is null.
  package var isNull: Bool {
    get throws(PostgreSQLError) {
      try checkBounds()
      return PQgetisnull(result.pointer, Int32(row), Int32(column)) != 0
    }
  }

  /// The same cell, or `nil` for null: `try row[0].ifPresent?.int64`.
  package var ifPresent: Cell? {
    get throws(PostgreSQLError) { try isNull ? nil : self }
  }

  /// A `boolean`.
  package var bool: Bool {
    get throws(PostgreSQLError) { try read([.bool], Bytes.bool) }
  }

  /// A `smallint`.
  package var int16: Int16 {
    get throws(PostgreSQLError) { try read([.int16], Bytes.int16) }
  }

  /// An `integer` or a `smallint`.
  package var int32: Int32 {
    get throws(PostgreSQLError) {
      try type == TypeOID.int16.rawValue ? Int32(int16) : read([.int32], Bytes.int32)
    }
  }

  /// A `bigint`, an `integer` or a `smallint`.
  package var int64: Int64 {
    get throws(PostgreSQLError) {
      try type == TypeOID.int64.rawValue ? read([.int64], Bytes.int64) : Int64(int32)
    }
  }

  /// A `bytea`.
  package var bytes: [UInt8] {
    get throws(PostgreSQLError) { try read([.bytes], Bytes.bytes) }
  }

  /// A `uuid`: its 16 bytes as one number, the first byte highest.
  package var uuid: UInt128 {
    get throws(PostgreSQLError) { try read([.uuid], Bytes.uuid) }
  }

  /// A `text`, `varchar`, `char(n)` or `name`, or the text of a `json` or `jsonb`.
  package var text: String {
    get throws(PostgreSQLError) {
      try type == TypeOID.jsonb.rawValue
        ? read([.jsonb], Bytes.jsonb)
        : read([.text, .varchar, .bpchar, .name, .json], Bytes.text)
    }
  }

  /// A `timestamptz`, as microseconds since 1970-01-01 00:00 UTC.
  ///
  /// - Throws: ``PostgreSQLError/Code/outOfBounds`` for `infinity`, beside the errors of the type.
  package var timestampMicroseconds: Int64 {
    get throws(PostgreSQLError) { try read([.timestamp], Bytes.timestamp) }
  }

  /// A `boolean[]`.
  package var boolArray: [Bool?] {
    get throws(PostgreSQLError) { try array([.boolArray], of: [.bool], Bytes.bool) }
  }

  /// A `smallint[]`.
  package var int16Array: [Int16?] {
    get throws(PostgreSQLError) { try array([.int16Array], of: [.int16], Bytes.int16) }
  }

  /// An `integer[]`.
  package var int32Array: [Int32?] {
    get throws(PostgreSQLError) { try array([.int32Array], of: [.int32], Bytes.int32) }
  }

  /// A `bigint[]`.
  package var int64Array: [Int64?] {
    get throws(PostgreSQLError) { try array([.int64Array], of: [.int64], Bytes.int64) }
  }

  /// A `bytea[]`.
  package var bytesArray: [[UInt8]?] {
    get throws(PostgreSQLError) { try array([.bytesArray], of: [.bytes], Bytes.bytes) }
  }

  /// A `uuid[]`.
  package var uuidArray: [UInt128?] {
    get throws(PostgreSQLError) { try array([.uuidArray], of: [.uuid], Bytes.uuid) }
  }

  /// A `text[]` or `varchar[]`, or the texts of a `jsonb[]`.
  package var textArray: [String?] {
    get throws(PostgreSQLError) {
      try type == TypeOID.jsonbArray.rawValue
        ? array([.jsonbArray], of: [.jsonb], Bytes.jsonb)
        : array([.textArray, .varcharArray], of: [.text, .varchar], Bytes.text)
    }
  }

  /// A `timestamptz[]`, as microseconds since 1970-01-01 00:00 UTC.
  package var timestampMicrosecondsArray: [Int64?] {
    get throws(PostgreSQLError) {
      try array([.timestampArray], of: [.timestamp], Bytes.timestamp)
    }
  }

  /// Lends the bytes of the value, in binary format and of any type, without a copy.
  ///
  /// - Throws: The errors of reading a cell, and the errors of `body`.
  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    let bytes = try value()
    return try withExtendedLifetime(result) { try body(bytes) }
  }
}

extension Cell {
  private var type: UInt32 {
    get throws(PostgreSQLError) {
      try checkBounds()
      return PQftype(result.pointer, Int32(column))
    }
  }

  private func checkBounds() throws(PostgreSQLError) {
    guard column >= 0, column < Int(PQnfields(result.pointer)) else {
      throw PostgreSQLError(.outOfBounds, "the result has no such column")
    }
    guard row >= 0, row < Int(PQntuples(result.pointer)) else {
      throw PostgreSQLError(.outOfBounds, "the result has no row \(row)")
    }
  }

  private func value() throws(PostgreSQLError) -> UnsafeRawBufferPointer {
    guard try !isNull else { throw error(.unexpectedNull, "is null") }
    let length = PQgetlength(result.pointer, Int32(row), Int32(column))
    guard let start = PQgetvalue(result.pointer, Int32(row), Int32(column)), length >= 0,
      PQfformat(result.pointer, Int32(column)) == 1
    else { throw error(.malformedValue, "is not in binary format") }
    return UnsafeRawBufferPointer(start: start, count: Int(length))
  }

  private func error(_ code: PostgreSQLError.Code, _ problem: String) -> PostgreSQLError {
    let name = result.columnNames.indices.contains(column) ? result.columnNames[column] : ""
    return PostgreSQLError(code, "column \(column) \"\(name)\" \(problem)")
  }

  private func read<T>(
    _ types: [TypeOID], _ decode: (UnsafeRawBufferPointer) -> Bytes.Decoded<T>
  ) throws(PostgreSQLError) -> T {
    let type = try self.type
    guard types.contains(where: { $0.rawValue == type }) else {
      throw error(.typeMismatch, "has the type with OID \(type)")
    }
    let bytes = try value()
    return try unwrap(withExtendedLifetime(result) { decode(bytes) })
  }

  private func array<T>(
    _ types: [TypeOID], of elements: [TypeOID],
    _ decode: (UnsafeRawBufferPointer) -> Bytes.Decoded<T>
  ) throws(PostgreSQLError) -> [T?] {
    try read(types) { bytes in Bytes.array(bytes, of: elements, decode) }
  }

  private func unwrap<T>(_ decoded: Bytes.Decoded<T>) throws(PostgreSQLError) -> T {
    switch decoded {
    case .value(let value): return value
    case .malformed: throw error(.malformedValue, "does not have the form of its type")
    case .unrepresentable: throw error(.outOfBounds, "has a value that Swift cannot hold")
    }
  }
}
