import CPostgreSQL

@testable import LibPQ

extension FuzzTarget {
  static let postgreSQLTargets = [
    FuzzTarget(name: "postgreSQLRows", run: rows),
    FuzzTarget(name: "postgreSQLSettings", run: settings),
  ]

  private static let types: [TypeOID] = [
    .bool, .bytes, .name, .int64, .int16, .int32, .text, .json, .boolArray, .bytesArray,
    .int16Array, .int32Array, .textArray, .varcharArray, .int64Array, .bpchar, .varchar,
    .timestamp, .timestampArray, .uuid, .uuidArray, .jsonb, .jsonbArray,
  ]

  /// Results of any columns and bytes: every read gives a value or an error, and a value can be
  /// sent back.
  @Sendable private static func rows(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    let columnCount = 1 + Int(input.byte() % 4)
    var attributes: [PGresAttDesc] = []
    for _ in 0..<columnCount {
      let choice = Int(input.byte())
      var attribute = PGresAttDesc()
      attribute.typid = choice < 0xf0 ? types[choice % types.count].rawValue : input.number()
      attribute.format = choice == 0xef ? 0 : 1
      attributes.append(attribute)
    }
    guard let pointer = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { return }
    let result = Rows.Result(owning: pointer)
    var name = Array("column".utf8CString)
    let isSet = name.withUnsafeMutableBufferPointer { name in
      for index in attributes.indices { attributes[index].name = name.baseAddress }
      return PQsetResultAttrs(pointer, Int32(columnCount), &attributes) != 0
    }
    guard isSet else { return }
    fill(pointer, columnCount: columnCount, from: &input)
    let rows = Rows(result: result)
    _ = try attempt { try rows.only }
    for row in rows {
      for column in -1...columnCount { try read(row[column]) }
      try read(row["column"])
      try read(row["no column"])
    }
    try read(rows[rows.count][0])
    try read(rows[-1][0])
  }

  private static func fill(
    _ result: OpaquePointer, columnCount: Int, from input: inout InputReader
  ) {
    var row: Int32 = 0
    while !input.isAtEnd, row < 8 {
      for column in 0..<Int32(columnCount) {
        let length = input.number(UInt16.self)
        if length == .max {
          PQsetvalue(result, row, column, nil, -1)
          continue
        }
        var value = input.bytes(Int(length % 1_024)).map { CChar(bitPattern: $0) }
        let count = Int32(value.count)
        value.append(0)
        PQsetvalue(result, row, column, &value, count)
      }
      row += 1
    }
  }

  private static func read(_ cell: Cell) throws {
    _ = try attempt { try cell.isNull }
    _ = try attempt { try cell.withUnsafeBytes { $0.reduce(0, &+) } }
    _ = try attempt { try cell.int16 }
    _ = try attempt { try cell.int32 }
    try check(try attempt { try cell.bool }, { .bool($0) }, Bytes.bool)
    try check(try attempt { try cell.int64 }, { .int64($0) }, Bytes.int64)
    try check(try attempt { try cell.uuid }, { .uuid($0) }, Bytes.uuid)
    try check(try attempt { try cell.bytes }, { .bytes($0) }, Bytes.bytes)
    try check(try attempt { try cell.text }, { .text($0) }, Bytes.text)
    try check(try attempt { try cell.text }, { .jsonb($0) }, Bytes.jsonb)
    try check(
      try attempt { try cell.timestampMicroseconds }, { .timestamp(microseconds: $0) },
      Bytes.timestamp)
    try checkArray(try attempt { try cell.boolArray }, { .boolArray($0) }, .bool, Bytes.bool)
    try checkArray(try attempt { try cell.int16Array }, { .int16Array($0) }, .int16, Bytes.int16)
    try checkArray(try attempt { try cell.int32Array }, { .int32Array($0) }, .int32, Bytes.int32)
    try checkArray(try attempt { try cell.int64Array }, { .int64Array($0) }, .int64, Bytes.int64)
    try checkArray(try attempt { try cell.bytesArray }, { .bytesArray($0) }, .bytes, Bytes.bytes)
    try checkArray(try attempt { try cell.uuidArray }, { .uuidArray($0) }, .uuid, Bytes.uuid)
    try checkArray(try attempt { try cell.textArray }, { .textArray($0) }, .text, Bytes.text)
    try checkArray(
      try attempt { try cell.timestampMicrosecondsArray }, { .timestampArray(microseconds: $0) },
      .timestamp, Bytes.timestamp)
  }

  private static func checkArray<Element: Equatable>(
    _ read: [Element?]?, _ sent: ([Element?]) -> Value, _ type: TypeOID,
    _ decode: (UnsafeRawBufferPointer) -> Bytes.Decoded<Element>
  ) throws {
    try check(read, sent) { Bytes.array($0, of: [type], decode) }
  }

  /// A value that was read is the same when it is sent and read again.
  private static func check<Read: Equatable>(
    _ read: Read?, _ sent: (Read) -> Value,
    _ decode: (UnsafeRawBufferPointer) -> Bytes.Decoded<Read>
  ) throws {
    guard let read else { return }
    var buffer = ParameterBuffer()
    try buffer.append(sent(read))
    guard let slot = buffer.slots.first, let length = slot.length else { return }
    let decoded = buffer.bytes[slot.offset..<slot.offset + Int(length)].withUnsafeBytes(decode)
    guard case .value(let value) = decoded, value == read else {
      throw BrokenProperty(description: "\(read) was sent and read as \(decoded)")
    }
  }

  /// Connection strings, and the settings that libpq gets from them.
  @Sendable private static func settings(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let settings = try attempt({ try PostgreSQLSettings(connectionString: text) }) else {
      return
    }
    for endpoint in settings.endpoints {
      guard let pairs = try attempt({ try settings.pairs(for: endpoint) }) else { continue }
      try hold(pairs.contains { $0.keyword == "client_encoding" && $0.value == "UTF8" }, text)
    }
  }
}
