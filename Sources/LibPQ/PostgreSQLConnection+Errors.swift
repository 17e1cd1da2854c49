import CPostgreSQL

extension PostgreSQLConnection {
  /// The error in a result; a lost connection if the server ended the session with it.
  func serverError(_ result: Rows.Result) throws(PostgreSQLError) -> PostgreSQLError {
    func field(_ code: Int) -> String? {
      PQresultErrorField(result.pointer, Int32(code)).map { String(cString: $0) }
    }
    // libpq's own errors, a broken connection above all, have no SQLSTATE.
    guard let sqlState = field(CPQ_DIAG_SQLSTATE).map(SQLState.init(rawValue:)) else {
      throw lostError()
    }
    var error = PostgreSQLError(
      .server, field(CPQ_DIAG_MESSAGE) ?? "an error without a message", sqlState: sqlState)
    error.detail = field(CPQ_DIAG_DETAIL)
    error.table = field(CPQ_DIAG_TABLE)
    error.column = field(CPQ_DIAG_COLUMN)
    error.constraint = field(CPQ_DIAG_CONSTRAINT)
    error.hasStalePlan =
      sqlState == .invalidSQLStatementName
      || sqlState == .featureNotSupported && field(CPQ_DIAG_FUNCTION) == "RevalidateCachedQuery"
    if let severity = field(CPQ_DIAG_SEVERITY), severity != "ERROR" { throw lostError(error) }
    return error
  }

  /// The error for a result of the COPY protocol or another unexpected one; both end the
  /// connection.
  func unexpectedResult(_ result: Rows.Result) -> PostgreSQLError {
    let status = PQresultStatus(result.pointer)
    close()
    if [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status) {
      return PostgreSQLError(.misuse, "COPY is not supported; the connection has been closed")
    }
    let name = PQresStatus(status).map { String(cString: $0) } ?? "an unknown result"
    return PostgreSQLError(.connectionLost, "the server's answer makes no sense: \(name)")
  }

  /// Makes the connection usable after an error, or closes it.
  func recover(from error: PostgreSQLError) {
    guard isOpen, error.code != .timedOut, error.code != .connectionLost else { return close() }
    forgetPrepared { !$0.isPrepared }
    do throws(PostgreSQLError) {
      try rollBackOpenTransaction()
      if error.hasStalePlan {
        forgetPrepared { _ in true }
        try control("DEALLOCATE ALL")
      }
    } catch {
      // The first error is the one to report. The closed connection tells the rest.
      close()
    }
  }

  func rollBackOpenTransaction() throws(PostgreSQLError) {
    guard isInTransaction else { return }
    try control("ROLLBACK")
  }

  /// Runs a statement outside of any batch.
  private func control(_ sql: String) throws(PostgreSQLError) {
    guard PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1,
      PQpipelineSync(handle) == 1
    else { throw lostError() }
    statistics.statementCount += 1
    statistics.roundTripCount += 1
    var isSynced = false
    while !isSynced {
      guard let pointer = try nextResult() else {
        if PQstatus(handle) == CONNECTION_BAD { throw lostError() }
        continue
      }
      let result = Rows.Result(owning: pointer)
      switch PQresultStatus(pointer) {
      case PGRES_COMMAND_OK: break
      case PGRES_PIPELINE_SYNC: isSynced = true
      case PGRES_FATAL_ERROR: throw try serverError(result)
      default: throw unexpectedResult(result)
      }
    }
  }
}
