import CPostgreSQL

/// The result of one statement: rows, or only the number of changed rows.
///
/// No access traps: a row, column or type that is not there is an error of the read.
package struct Rows: RandomAccessCollection {
  let result: Result

  /// The number of rows.
  package var count: Int { Int(PQntuples(result.pointer)) }
  /// The number of columns.
  package var columnCount: Int { Int(PQnfields(result.pointer)) }
  /// The first row's index, 0.
  package var startIndex: Int { 0 }
  /// The number of rows.
  package var endIndex: Int { count }

  /// How many rows an `INSERT`, `UPDATE`, `DELETE` or `SELECT` touched.
  package var affectedRowCount: Int {
    Int(String(cString: PQcmdTuples(result.pointer))) ?? 0
  }

  /// The row at an index, from 0; reading a row that is not there is an error.
  package subscript(index: Int) -> Row { Row(result: result, index: index) }

  /// The only row.
  ///
  /// - Throws: ``PostgreSQLError/Code/outOfBounds`` if there is none, or more than one.
  package var only: Row {
    get throws(PostgreSQLError) {
      guard count == 1 else {
        throw PostgreSQLError(.outOfBounds, "one row was expected, \(count) came")
      }
      return self[0]
    }
  }

  /// One row of a result.
  package struct Row {
    let result: Result
    let index: Int

    /// The value in a column, counted from 0.
    package subscript(column: Int) -> Cell { Cell(result: result, row: index, column: column) }

    /// The value in the first column of a name.
    package subscript(name: String) -> Cell {
      let column = result.columnNames.firstIndex(of: name) ?? -1
      return Cell(result: result, row: index, column: column)
    }
  }

  /// Owns a `PGresult`.
  final class Result {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
      self.pointer = pointer
    }

    deinit {
      PQclear(pointer)
    }

    lazy var columnNames: [String] = (0..<PQnfields(pointer)).map { column in
      PQfname(pointer, column).map { String(cString: $0) } ?? ""
    }
  }
}
