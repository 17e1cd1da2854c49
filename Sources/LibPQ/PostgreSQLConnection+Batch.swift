import CPostgreSQL

extension PostgreSQLConnection {
  /// A step of a batch. Steps are sent and answered in order.
  private enum Step {
    case control(String)
    case prepare(name: String, slots: Range<Int>, statement: Int)
    case execute(SQLStatement.Source, slots: Range<Int>, statement: Int)
  }

  /// Sends all statements at once and waits for all their results: one round trip.
  ///
  /// If one fails, those after it do not run, the transaction is rolled back even if an earlier
  /// batch began it, and the error names the statement's index.
  ///
  /// - Throws: ``PostgreSQLError``; an error found on this side, such as
  ///   ``PostgreSQLError/Code/misuse``, before anything is sent.
  /// - Returns: The results of the statements, in their order.
  @discardableResult
  package func run(
    _ statements: [SQLStatement], _ span: TransactionSpan = .whole
  ) throws(PostgreSQLError) -> [Rows] {
    try exclusively { () throws(PostgreSQLError) in
      try check(span)
      let steps = try plan(statements, span)
      // Nothing can be committed before Sync is handed over. Without COMMIT nothing can be after
      // it.
      var isOutcomeUnknown = false
      do throws(PostgreSQLError) {
        try send(steps)
        isOutcomeUnknown = span == .whole || span == .ends
        guard PQpipelineSync(handle) == 1 else { throw lostError() }
        statistics.roundTripCount += 1
        let rows = try receive(steps)
        guard rows.count == statements.count else {
          throw PostgreSQLError(.connectionLost, "the server did not answer every statement")
        }
        if isOutcomeUnknown { statistics.commitCount += 1 }
        return rows
      } catch {
        var error = error
        if error.code != .server { error.isOutcomeUnknown = isOutcomeUnknown }
        throw error
      }
    }
  }

  private func check(_ span: TransactionSpan) throws(PostgreSQLError) {
    switch span {
    case .whole, .begins:
      guard !isInTransaction else { throw PostgreSQLError(.misuse, "a transaction is open") }
    case .continues, .ends:
      guard isInTransaction else { throw PostgreSQLError(.misuse, "no transaction is open") }
    }
  }

  private func plan(
    _ statements: [SQLStatement], _ span: TransactionSpan
  ) throws(PostgreSQLError) -> [Step] {
    parameters.removeAll()
    var steps: [Step] = []
    steps.reserveCapacity(statements.count + 2)
    if case .begins(let level) = span {
      steps.append(.control("BEGIN ISOLATION LEVEL \(level.rawValue)"))
    }
    var isPlanned: Set<String> = []
    for (index, statement) in statements.enumerated() {
      do throws(PostgreSQLError) {
        let slots = try encode(statement)
        if case .prepared(let name) = statement.source {
          try checkTypes(name, slots)
          if registered[name]?.isPrepared == false, isPlanned.insert(name).inserted {
            steps.append(.prepare(name: name, slots: slots, statement: index))
          }
        }
        steps.append(.execute(statement.source, slots: slots, statement: index))
      } catch {
        var error = error
        error.statementIndex = index
        throw error
      }
    }
    if span == .ends { steps.append(.control("COMMIT")) }
    return steps
  }

  private func encode(_ statement: SQLStatement) throws(PostgreSQLError) -> Range<Int> {
    if case .sql(let sql) = statement.source, sql.utf8.contains(0) {
      throw PostgreSQLError(.misuse, "the statement holds a zero byte")
    }
    guard statement.parameters.count <= Int(UInt16.max) else {
      throw PostgreSQLError(.misuse, "a statement takes at most 65535 parameters")
    }
    let first = parameters.slots.count
    for value in statement.parameters { try parameters.append(value) }
    return first..<parameters.slots.count
  }

  /// The types of a prepared statement are those of its first use in the session.
  private func checkTypes(_ name: String, _ slots: Range<Int>) throws(PostgreSQLError) {
    guard let known = registered[name] else {
      throw PostgreSQLError(.misuse, "no statement has been registered as \(name)")
    }
    let types = parameters.slots[slots].lazy.map(\.type)
    guard let expected = known.types else {
      registered[name]?.types = Array(types)
      return
    }
    guard types.elementsEqual(expected) else {
      throw PostgreSQLError(.typeMismatch, "the parameters of \(name) differ in type or number")
    }
  }

  private func send(_ steps: [Step]) throws(PostgreSQLError) {
    let succeeded = parameters.bytes.withUnsafeBytes { bytes in
      var arguments = Arguments(bytes: bytes)
      for step in steps {
        guard send(step, &arguments) else { return false }
      }
      return true
    }
    statistics.byteCount += parameters.bytes.count
    guard succeeded else { throw lostError() }
  }

  private func send(_ step: Step, _ arguments: inout Arguments) -> Bool {
    switch step {
    case .control(let sql):
      statistics.statementCount += 1
      return PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1
    case .prepare(let name, let slots, _):
      let sql = registered[name]?.sql ?? ""
      statistics.byteCount += sql.utf8.count
      arguments.set(parameters.slots[slots])
      return PQsendPrepare(handle, name, sql, arguments.count, arguments.types) == 1
    case .execute(let source, let slots, _):
      statistics.statementCount += 1
      arguments.set(parameters.slots[slots])
      switch source {
      case .sql(let sql):
        statistics.byteCount += sql.utf8.count
        return PQsendQueryParams(
          handle, sql, arguments.count, arguments.types, arguments.values, arguments.lengths,
          arguments.formats, 1) == 1
      case .prepared(let name):
        return PQsendQueryPrepared(
          handle, name, arguments.count, arguments.values, arguments.lengths, arguments.formats,
          1) == 1
      }
    }
  }

  private func receive(_ steps: [Step]) throws(PostgreSQLError) -> [Rows] {
    var rows: [Rows] = []
    var failure: PostgreSQLError?
    for step in steps {
      do throws(PostgreSQLError) {
        guard let result = try receiveOne() else { continue }
        switch step {
        case .control: break
        case .prepare(let name, _, _): registered[name]?.isPrepared = true
        case .execute: rows.append(result)
        }
      } catch {
        guard error.code == .server else { throw unanswered(failure, error) }
        var error = error
        switch step {
        case .control: break
        case .prepare(_, _, let statement), .execute(_, _, let statement):
          error.statementIndex = statement
        }
        failure = failure ?? error
      }
    }
    do throws(PostgreSQLError) {
      try receiveSync()
    } catch {
      throw unanswered(failure, error)
    }
    if let failure { throw failure }
    return rows
  }

  /// A failed statement took its transaction along, even if the connection was lost after that.
  private func unanswered(
    _ failure: PostgreSQLError?, _ error: PostgreSQLError
  ) -> PostgreSQLError {
    guard let failure else { return error }
    close()
    return failure
  }

  /// The result of one step; `nil` if it was skipped after an error before it.
  private func receiveOne() throws(PostgreSQLError) -> Rows? {
    var rows: Rows?
    var failure: PostgreSQLError?
    while let pointer = try nextResult() {
      let result = Rows.Result(owning: pointer)
      switch PQresultStatus(pointer) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: rows = Rows(result: result)
      case PGRES_PIPELINE_ABORTED: break
      case PGRES_FATAL_ERROR: failure = try serverError(result)
      default: throw unexpectedResult(result)
      }
    }
    if let failure { throw failure }
    if rows == nil, PQstatus(handle) == CONNECTION_BAD { throw lostError() }
    return rows
  }

  /// Reads up to the answer to Sync: all before it is then settled.
  private func receiveSync() throws(PostgreSQLError) {
    guard let pointer = try nextResult() else { throw lostError() }
    let result = Rows.Result(owning: pointer)
    switch PQresultStatus(pointer) {
    case PGRES_PIPELINE_SYNC: break
    case PGRES_FATAL_ERROR: throw try serverError(result)
    default: throw unexpectedResult(result)
    }
  }
}

/// The arrays that libpq wants for the parameters of one statement.
private struct Arguments {
  let bytes: UnsafeRawBufferPointer
  private(set) var types: [UInt32] = []
  private(set) var values: [UnsafePointer<CChar>?] = []
  private(set) var lengths: [Int32] = []
  private(set) var formats: [Int32] = []

  var count: Int32 { Int32(values.count) }

  mutating func set(_ slots: ArraySlice<ParameterBuffer.Slot>) {
    types.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    formats.removeAll(keepingCapacity: true)
    let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    for slot in slots {
      types.append(slot.type)
      values.append(slot.length == nil ? nil : base.map { $0 + slot.offset })
      lengths.append(slot.length ?? 0)
      formats.append(1)  // Binary.
    }
  }
}
