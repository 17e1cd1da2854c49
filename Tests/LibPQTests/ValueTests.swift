import LibPQ
import Testing

@Suite("Values")
struct ValueTests {
  private let connection: PostgreSQLConnection

  init() throws {
    connection = try TestServer.connection()
  }

  private func echo(_ value: Value, as type: String) throws -> Cell {
    try connection.query("SELECT $1::\(type)", [value]).only[0]
  }

  @Test("Scalars come back as they went")
  func scalars() throws {
    for value in [true, false] { #expect(try echo(.bool(value), as: "bool").bool == value) }
    for value in [Int16.min, -1, 0, .max] {
      #expect(try echo(.int16(value), as: "int2").int16 == value)
    }
    for value in [Int32.min, -1, 0, .max] {
      #expect(try echo(.int32(value), as: "int4").int32 == value)
    }
    for value in [Int64.min, -1, 0, .max] {
      #expect(try echo(.int64(value), as: "int8").int64 == value)
    }
    for value in [UInt128.min, 1, 0x0123_4567_89AB_CDEF_0011_2233_4455_6677, .max] {
      #expect(try echo(.uuid(value), as: "uuid").uuid == value)
    }
    for value in [[], [0], Array(UInt8.min...UInt8.max)] {
      #expect(try echo(.bytes(value), as: "bytea").bytes == value)
    }
    for value in ["", "plain", "ЁЖ 猫 👩‍👩‍👧 \"quoted\" \\ {,}"] {
      #expect(try echo(.text(value), as: "text").text == value)
    }
    for value in [#"{"a": [1, null]}"#, "null", #""é""#] {
      #expect(try echo(.jsonb(value), as: "jsonb").text == value)
    }
    for value in [0, 1, -1, 946_684_800_000_000, 1_800_000_000_123_456, -62_000_000_000_000_000] {
      let cell = try echo(.timestamp(microseconds: Int64(value)), as: "timestamptz")
      #expect(try cell.timestampMicroseconds == Int64(value))
    }
  }

  @Test("The server reads the same values as Swift wrote")
  func textForms() throws {
    let forms: [(Value, String)] = [
      (.uuid(0x0123_4567_89AB_CDEF_0011_2233_4455_6677), "01234567-89ab-cdef-0011-223344556677"),
      (.timestamp(microseconds: 1_000_001), "1970-01-01 00:00:01.000001+00"),
      (.bytes([0xDE, 0xAD]), #"\xdead"#), (.bool(true), "true"), (.int16(-2), "-2"),
      (.int64Array([1, nil, 3]), "{1,NULL,3}"),
      (.textArray(["a b", nil, ""]), #"{"a b",NULL,""}"#),
      (.bytesArray([[], [1]]), #"{"\\x","\\x01"}"#), (.int16Array([]), "{}"),
      (.jsonbArray(["1"]), "{1}"), (.boolArray([true, nil]), "{t,NULL}"),
    ]
    try connection.query("SET timezone = 'UTC'")
    for (value, form) in forms {
      #expect(try connection.query("SELECT $1::text", [value]).only[0].text == form)
    }
  }

  @Test("Arrays come back as they went, with nulls and without elements")
  func arrays() throws {
    for value in [[], [true, nil, false]] as [[Bool?]] {
      #expect(try echo(.boolArray(value), as: "bool[]").boolArray == value)
    }
    for value in [[], [Int16.min, nil, .max]] as [[Int16?]] {
      #expect(try echo(.int16Array(value), as: "int2[]").int16Array == value)
    }
    for value in [[], [nil], [Int32.min, nil, .max]] as [[Int32?]] {
      #expect(try echo(.int32Array(value), as: "int4[]").int32Array == value)
    }
    for value in [[], [Int64.min, nil, .max]] as [[Int64?]] {
      #expect(try echo(.int64Array(value), as: "int8[]").int64Array == value)
    }
    for value in [[], [[], nil, [0, 255]]] as [[[UInt8]?]] {
      #expect(try echo(.bytesArray(value), as: "bytea[]").bytesArray == value)
    }
    for value in [[], [0, nil, .max]] as [[UInt128?]] {
      #expect(try echo(.uuidArray(value), as: "uuid[]").uuidArray == value)
    }
    for value in [[], ["", nil, "NULL", "é,{}"]] as [[String?]] {
      #expect(try echo(.textArray(value), as: "text[]").textArray == value)
      #expect(try echo(.textArray(value), as: "varchar[]").textArray == value)
    }
    for value in [[], ["{}", nil]] as [[String?]] {
      #expect(try echo(.jsonbArray(value), as: "jsonb[]").textArray == value)
    }
    for value in [[], [0, nil, 1_800_000_000_123_456]] as [[Int64?]] {
      let cell = try echo(.timestampArray(microseconds: value), as: "timestamptz[]")
      #expect(try cell.timestampMicrosecondsArray == value)
    }
  }

  @Test(
    "A null of every type is null",
    arguments: [
      Value.bool(nil), .int16(nil), .int32(nil), .int64(nil), .bytes(nil), .uuid(nil), .text(nil),
      .timestamp(microseconds: nil), .jsonb(nil), .boolArray(nil), .int16Array(nil),
      .int32Array(nil), .int64Array(nil), .bytesArray(nil), .uuidArray(nil), .textArray(nil),
      .timestampArray(microseconds: nil), .jsonbArray(nil),
    ])
  func nulls(value: Value) throws {
    let cell = try connection.query("SELECT $1", [value]).only[0]
    #expect(try cell.isNull)
    #expect(try cell.ifPresent == nil)
  }

  @Test("Columns of one UNNEST become rows")
  func unnest() throws {
    let rows = try connection.query(
      "SELECT * FROM UNNEST($1, $2, $3) AS batch (id, state, note)",
      [.uuidArray([1, 2]), .bytesArray([[7], []]), .textArray([nil, "x"])])
    #expect(rows.count == 2)
    #expect(try rows.map { row in try row["id"].uuid } == [1, 2])
    #expect(try rows.map { row in try row["state"].bytes } == [[7], []])
    #expect(try rows.map { row in try row["note"].ifPresent?.text } == [nil, "x"])
  }

  @Test("A smaller integer reads as a larger one, never the other way")
  func widening() throws {
    let row = try connection.query("SELECT 1::int2, 2::int4, 3::int8").only
    #expect(try row[0].int64 == 1)
    #expect(try row[0].int32 == 1)
    #expect(try row[1].int64 == 2)
    #expect(try failure { try row[2].int32 }.code == .typeMismatch)
    #expect(try failure { try row[1].int16 }.code == .typeMismatch)
  }

  @Test("A text of any characters is a value and never a statement")
  func hostileText() throws {
    for text in [
      "'; DROP TABLE players; --", #"\'; --"#, "$1", "/* */", "%_", "\\", "\u{1}\u{7f}", "\n\r\t",
      String(repeating: "'", count: 100_000),
    ] {
      #expect(try echo(.text(text), as: "text").text == text)
      #expect(try echo(.textArray([text]), as: "text[]").textArray == [text])
    }
    // A value that PostgreSQL cannot hold in a text is an error, and the connection goes on.
    for value in [Value.text("a\0b"), .textArray(["\0"]), .jsonb(#"{"a":"\u0000"}"#)] {
      let error = try failure { try connection.query("SELECT $1", [value]) }
      #expect(error.category == .badData)
    }
    #expect(try echo(.int32(1), as: "int4").int32 == 1)
  }

  @Test("A value is lent without a copy, in binary form")
  func lent() throws {
    let cell = try connection.query("SELECT 258::int4").only[0]
    #expect(try cell.withUnsafeBytes { Array($0) } == [0, 0, 1, 2])
  }

  @Test("An instant that PostgreSQL cannot hold is refused here")
  func extremeTimestamps() throws {
    for value in [Int64.min, Int64.min + 946_684_800_000_000] {
      let error = try failure {
        try connection.query("SELECT $1", [.timestamp(microseconds: value)])
      }
      #expect(error.code == .outOfBounds)
      #expect(error.statementIndex == 0)
    }
    for form in ["infinity", "-infinity"] {
      let cell = try connection.query("SELECT '\(form)'::timestamptz").only[0]
      let error = try failure { try cell.timestampMicroseconds }
      #expect(error.code == .outOfBounds)
    }
  }
}
