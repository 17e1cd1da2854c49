import LibPQ
import Testing

@Suite("Rows")
struct RowsTests {
  private let rows: Rows

  init() throws {
    rows = try TestServer.connection().query(
      """
      SELECT 1::int8 AS number, NULL::text AS nothing, 2.5::numeric AS fraction,
        '{{1,2},{3,4}}'::int8[] AS square
      """)
  }

  @Test(
    "A row or column that is not there is an error, not a trap",
    arguments: [(1, 0), (-1, 0), (0, 4), (0, -1), (Int.max, 0), (0, Int.min), (1 << 32, 0)])
  func bounds(row: Int, column: Int) throws {
    let cell = rows[row][column]
    #expect(try failure { try cell.int64 }.code == .outOfBounds)
    #expect(try failure { try cell.isNull }.code == .outOfBounds)
    #expect(
      try failure { try cell.int64Array }.code == .outOfBounds)
  }

  @Test("A column is found by its name, and an unknown name is an error")
  func names() throws {
    #expect(try rows.only["number"].int64 == 1)
    let cell = try rows.only["numbers"]
    #expect(try failure { try cell.int64 }.code == .outOfBounds)
  }

  @Test("Another type than the column's is an error that names the column")
  func types() throws {
    let row = try rows.only
    for column in [0, 2, 3] {
      let error = try failure { try row[column].text }
      #expect(error.code == .typeMismatch)
      #expect(error.category == .programming)
      #expect(error.message.contains("column \(column)"))
    }
  }

  @Test("A null read as a value is an error")
  func null() throws {
    let cell = try rows.only["nothing"]
    #expect(try failure { try cell.text }.code == .unexpectedNull)
    #expect(throws: PostgreSQLError.self) { try cell.withUnsafeBytes { $0.count } }
  }

  @Test("An array of two dimensions is an error")
  func dimensions() throws {
    let cell = try rows.only["square"]
    #expect(
      try failure { try cell.int64Array }.code == .outOfBounds)
  }

  @Test("The only row is an error unless there is exactly one")
  func only() throws {
    let connection = try TestServer.connection()
    for count in [0, 2] {
      let rows = try connection.query("SELECT generate_series(1, $1)", [.int32(Int32(count))])
      #expect(rows.count == count)
      #expect(try failure { try rows.only }.code == .outOfBounds)
    }
  }

  @Test("A result says how many rows a statement changed, and outlives its connection")
  func affectedRows() throws {
    try TestServer.withItems { connection, _ in
      let rows = try connection.run([
        SQLStatement("INSERT INTO item (id) SELECT * FROM generate_series(1, 5)"),
        SQLStatement("UPDATE item SET note = 'x' WHERE id > 2"),
        SQLStatement("DELETE FROM item WHERE id = 99"),
        SQLStatement("SELECT id FROM item ORDER BY id"),
      ])
      connection.close()
      #expect(rows.map(\.affectedRowCount) == [5, 3, 0, 5])
      #expect(rows.map(\.count) == [0, 0, 0, 5])
      #expect(rows.map(\.columnCount) == [0, 0, 0, 1])
      #expect(try rows[3].map { row in try row[0].int64 } == [1, 2, 3, 4, 5])
    }
  }
}
