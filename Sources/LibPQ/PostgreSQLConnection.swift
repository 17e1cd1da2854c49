import CPostgreSQL

/// One connection to PostgreSQL 14 or newer, used by one thread.
///
/// The socket does not block and every wait has a limit, so that a batch larger than the buffers of
/// both sides cannot deadlock and a silent server cannot hold the thread. After any error of a
/// call, no transaction is open, and either the connection can be used or ``isOpen`` is false and
/// ``reconnect()`` is next.
package final class PostgreSQLConnection {
  struct Registered {
    var sql: String
    /// The types of the first use; meaningless unless prepared, or about to be.
    var types: [UInt32]?
    var isPrepared = false
  }

  /// The settings of the connection.
  package private(set) var settings: PostgreSQLSettings
  /// The hook that runs while the thread waits for PostgreSQL, at least once an interval.
  package var waitHook: WaitHook?
  /// Counters of the connection.
  package internal(set) var statistics = Statistics()

  private let settingsOfNow: () -> PostgreSQLSettings?

  var handle: OpaquePointer?
  var registered: [String: Registered] = [:]
  var parameters = ParameterBuffer()
  var isBusy = false
  var lastHook: MonotonicInstant?

  /// Connects, and blocks up to the connect timeout for each endpoint.
  ///
  /// - Parameter settingsOfNow: The settings for ``reconnect()``, such as another password; nil
  ///   leaves them as they are.
  /// - Throws: ``PostgreSQLError/Code/invalidSettings``, ``PostgreSQLError/Code/connectFailed``,
  ///   ``PostgreSQLError/Code/wrongServer``.
  package init(
    _ settings: PostgreSQLSettings, waitHook: WaitHook? = nil,
    settingsOfNow: @escaping () -> PostgreSQLSettings? = { nil }
  ) throws(PostgreSQLError) {
    self.settings = settings
    self.settingsOfNow = settingsOfNow
    self.waitHook = waitHook
    try connect()
  }

  deinit {
    PQfinish(handle)
  }

  /// Whether the connection is believed to work.
  package var isOpen: Bool { handle != nil && PQstatus(handle) == CONNECTION_OK }

  /// Whether a transaction is open.
  package var isInTransaction: Bool {
    isOpen && PQtransactionStatus(handle) != PQTRANS_IDLE
  }

  /// The socket, for `poll`; -1 if the connection is closed.
  package var socket: Int32 { handle == nil ? -1 : PQsocket(handle) }

  /// The server's process for this connection; 0 if the connection is closed.
  package var serverProcessID: Int32 { handle == nil ? 0 : PQbackendPID(handle) }

  /// When the server's certificate ends, in seconds since 1970; nil without TLS, and where libpq has
  /// another library for it than OpenSSL.
  package var certificateEnd: Int64? {
    guard isOpen, let handle else { return nil }
    let seconds = cpq_certificate_end(handle)
    return seconds == 0 ? nil : seconds
  }

  /// Host and port of the server that answered; empty for a connection that is closed.
  package var endpoint: String {
    guard let handle, let host = PQhost(handle), let port = PQport(handle) else { return "" }
    let name = String(cString: host)
    return (name.contains(":") ? "[\(name)]" : name) + ":" + String(cString: port)
  }

  /// Closes the connection; the server rolls back an open transaction.
  package func close() {
    PQfinish(handle)
    handle = nil
    forgetPrepared { _ in true }
  }

  /// Closes the connection and connects again; registered statements stay registered.
  ///
  /// - Throws: The errors of connecting.
  package func reconnect() throws(PostgreSQLError) {
    try claim()
    defer { isBusy = false }
    close()
    settings = settingsOfNow() ?? settings
    try connect()
  }

  /// Registers a statement; each session prepares it in the round trip of its first use.
  ///
  /// The types of its parameters are those of its first use in the session.
  ///
  /// - Throws: ``PostgreSQLError/Code/misuse`` if the name has another statement, is empty, or
  ///   something holds a zero byte.
  package func prepare(_ name: String, _ sql: String) throws(PostgreSQLError) {
    guard !name.isEmpty, !name.utf8.contains(0), !sql.utf8.contains(0) else {
      throw PostgreSQLError(.misuse, "a prepared statement needs a name, and no zero bytes")
    }
    if let known = registered[name] {
      guard known.sql == sql else {
        throw PostgreSQLError(.misuse, "the name \(name) belongs to another statement")
      }
      return
    }
    registered[name] = Registered(sql: sql)
  }

  /// Runs one statement, in the open transaction or in one of its own.
  ///
  /// - Throws: The errors of ``run(_:_:)``.
  @discardableResult
  package func query(_ sql: String, _ parameters: [Value] = []) throws(PostgreSQLError) -> Rows {
    let rows = try run([SQLStatement(sql, parameters)], isInTransaction ? .continues : .whole)
    guard let first = rows.first else {
      throw PostgreSQLError(.misuse, "the statement returned nothing")
    }
    return first
  }

  /// Rolls an open transaction back; does nothing if none is open.
  ///
  /// - Throws: ``PostgreSQLError/Code/connectionLost`` or ``PostgreSQLError/Code/timedOut``; the
  ///   server then rolls back by itself.
  package func rollback() throws(PostgreSQLError) {
    guard isInTransaction else { return }
    try exclusively { () throws(PostgreSQLError) in try rollBackOpenTransaction() }
  }

  /// Has those statements prepared anew at their next use.
  func forgetPrepared(where isForgotten: (Registered) -> Bool) {
    for (name, statement) in registered where isForgotten(statement) {
      registered[name] = Registered(sql: statement.sql)
    }
  }

  /// Guards against use by the wait hook while a call is under way.
  func claim() throws(PostgreSQLError) {
    guard !isBusy else {
      throw PostgreSQLError(.misuse, "the wait hook used the connection that is waiting")
    }
    isBusy = true
  }

  /// Runs `body` alone on an open connection, and cleans up after its errors.
  func exclusively<T>(
    _ body: () throws(PostgreSQLError) -> T
  ) throws(PostgreSQLError) -> T {
    try claim()
    defer { isBusy = false }
    guard isOpen else {
      close()
      throw PostgreSQLError(.closed, "the connection is closed")
    }
    do throws(PostgreSQLError) {
      return try body()
    } catch {
      recover(from: error)
      throw error
    }
  }
}
