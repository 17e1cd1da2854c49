internal import CubeRules
import CubistBasics
internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

/// A statement of this module: its name on the connection and its text.
struct SQL: Sendable {
  let name: String
  let text: String

  init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  /// The statement with its parameters.
  func callAsFunction(_ parameters: Value...) -> Call { with(parameters) }

  /// The statement with a list of parameters.
  func with(_ parameters: [Value]) -> Call { Call(sql: self, parameters: parameters) }
}

/// A statement with its parameters.
struct Call {
  var sql: SQL
  var parameters: [Value]
}

/// A connection as the stores use it: prepared statements, errors by the caller's remedy, and a
/// connection that is closed once it is of no use any more.
final class StoreSession {
  let connection: PostgreSQLConnection
  /// The rules that matches may pin.
  let rules: Rulebook
  private let watch: StatementWatch
  /// Damaged matches that are not noted yet: a transaction that met them will be undone.
  var damaged: [(id: MatchID, reason: String)] = []

  init(
    _ connection: PostgreSQLConnection, rules: Rulebook = .standard,
    watch: StatementWatch = .process
  ) {
    (self.connection, self.rules, self.watch) = (connection, rules, watch)
  }

  var isInTransaction: Bool { connection.isInTransaction }

  /// Runs calls in one round trip: in the open transaction, or in one of their own.
  @discardableResult
  func run(_ calls: [Call]) throws(StoreError) -> [Rows] {
    try run(calls, connection.isInTransaction ? .continues : .whole)
  }

  /// Runs calls in one round trip.
  @discardableResult
  func run(_ calls: [Call], _ span: TransactionSpan) throws(StoreError) -> [Rows] {
    do throws(PostgreSQLError) {
      var statements: [SQLStatement] = []
      statements.reserveCapacity(calls.count)
      for call in calls {
        try connection.prepare(call.sql.name, call.sql.text)
        statements.append(SQLStatement(prepared: call.sql.name, call.parameters))
      }
      let number = watch.begin(calls.map(\.sql), session: connection.serverProcessID)
      defer { watch.end(number) }
      return try connection.run(statements, span)
    } catch {
      throw failed(error)
    }
  }

  /// Runs one call and gives its rows.
  func rows(_ call: Call) throws(StoreError) -> Rows {
    guard let rows = try run([call]).first else {
      throw .unusable("a statement without a result")
    }
    return rows
  }

  /// Runs a text of several statements.
  func script(_ sql: String) throws(StoreError) {
    do throws(PostgreSQLError) { try connection.script(sql) } catch { throw failed(error) }
  }

  /// Rolls back the open transaction. A connection that fails in this is closed, and the server
  /// rolls back by itself.
  func rollBack() {
    do throws(PostgreSQLError) { try connection.rollback() } catch { connection.close() }
    noteDamaged()
  }

  /// Connects anew. The open transaction is undone.
  func reconnect() throws(StoreError) {
    do throws(PostgreSQLError) { try connection.reconnect() } catch {
      throw .unavailable("\(connection.settings): \(error)")
    }
    try Schema.check(connection)
  }

  /// The meaning of an error for the caller. A connection that is of no use any more is closed.
  func failed(_ error: PostgreSQLError) -> StoreError {
    let failure = StoreError(error)
    // A server without room has ended the statement, not the session.
    if case .unavailable = failure, error.category != .resources { connection.close() }
    return failure
  }
}

/// Reads rows; a row that does not have the expected form makes the store unusable.
func reading<Result>(
  _ body: @autoclosure () throws(PostgreSQLError) -> Result
) throws(StoreError) -> Result {
  try mapErrors({ StoreError.unusable("\($0)") }, body)
}

/// The same for several statements.
func reading<Result>(
  _ body: () throws(PostgreSQLError) -> Result
) throws(StoreError) -> Result {
  try mapErrors({ StoreError.unusable("\($0)") }, body)
}
