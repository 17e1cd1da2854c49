import CPostgreSQL
import Glibc

extension PostgreSQLConnection {
  /// Runs a text of several statements, such as a schema, in one transaction unless the text says
  /// otherwise.
  ///
  /// - Throws: ``PostgreSQLError``.
  package func script(_ sql: String) throws(PostgreSQLError) {
    try exclusively { () throws(PostgreSQLError) in
      guard !sql.utf8.contains(0) else {
        throw PostgreSQLError(.misuse, "the script holds a zero byte")
      }
      // Pipelines do not allow the simple protocol, and only that takes several statements.
      guard PQexitPipelineMode(handle) == 1 else { throw lostError() }
      defer { if isOpen { PQenterPipelineMode(handle) } }
      try runScript(sql)
    }
  }

  private func runScript(_ sql: String) throws(PostgreSQLError) {
    statistics.roundTripCount += 1
    statistics.statementCount += 1
    statistics.byteCount += sql.utf8.count
    var failure: PostgreSQLError?
    do throws(PostgreSQLError) {
      guard PQsendQuery(handle, sql) == 1 else { throw lostError() }
      while let pointer = try nextResult() {
        let result = Rows.Result(owning: pointer)
        switch PQresultStatus(pointer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
        case PGRES_FATAL_ERROR: failure = try serverError(result)
        default: throw unexpectedResult(result)
        }
      }
      if PQstatus(handle) == CONNECTION_BAD, failure == nil { throw lostError() }
    } catch {
      var error = error
      error.isOutcomeUnknown = error.code != .misuse
      throw error
    }
    if let failure { throw failure }
    if !isInTransaction { statistics.commitCount += 1 }
  }

  /// Listens on a channel from now on, until the connection ends.
  ///
  /// - Throws: ``PostgreSQLError``.
  package func listen(_ channel: String) throws(PostgreSQLError) {
    let quoted = channel.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"")
    try query("LISTEN \"\(quoted)\"")
  }

  /// The notifications that have come; waits for the first up to a limit.
  ///
  /// - Throws: ``PostgreSQLError/Code/connectionLost``, ``PostgreSQLError/Code/closed``.
  /// - Returns: The notifications so far, in order; empty after `limit`.
  package func notifications(waiting limit: Duration) throws(PostgreSQLError) -> [Notification] {
    try exclusively { () throws(PostgreSQLError) in
      let deadline = MonotonicInstant.now.advanced(by: limit)
      while true {
        guard PQconsumeInput(handle) == 1 else { throw lostError() }
        let notifications = receivedNotifications()
        guard notifications.isEmpty, try wait(for: POLLIN, until: deadline) else {
          return notifications
        }
      }
    }
  }

  private func receivedNotifications() -> [Notification] {
    var notifications: [Notification] = []
    while let pointer = PQnotifies(handle) {
      defer { PQfreemem(pointer) }
      notifications.append(
        Notification(
          channel: String(cString: pointer.pointee.relname),
          payload: String(cString: pointer.pointee.extra), processID: pointer.pointee.be_pid))
    }
    return notifications
  }
}
