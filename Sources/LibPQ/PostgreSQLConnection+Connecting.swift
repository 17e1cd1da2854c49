import CPostgreSQL
import CubistBasics
import Glibc

extension PostgreSQLConnection {
  /// Tries the endpoints in their order.
  func connect() throws(PostgreSQLError) {
    var failure = PostgreSQLError(.invalidSettings, "the settings name no server")
    for endpoint in settings.endpoints {
      do throws(PostgreSQLError) {
        try connect(to: endpoint)
        statistics.connectCount += 1
        return
      } catch {
        close()
        failure = error
        if error.code == .invalidSettings { break }
        if error.code == .connectionLost { failure.code = .connectFailed }
      }
    }
    throw failure
  }

  private func connect(to endpoint: PostgreSQLSettings.Endpoint) throws(PostgreSQLError) {
    let deadline = MonotonicInstant.now.advanced(by: settings.connectTimeout)
    handle = try start(settings.pairs(for: endpoint))
    PQsetNoticeReceiver(handle, { _, _ in }, nil)  // libpq prints notices unless told otherwise.
    // During the connect, libpq tells the server's code in its message only, and only if it is
    // verbose.
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    guard PQstatus(handle) != CONNECTION_BAD else { throw connectError() }
    var polling = PGRES_POLLING_WRITING
    while polling != PGRES_POLLING_OK {
      switch polling {
      case PGRES_POLLING_READING: try waitToConnect(for: POLLIN, until: deadline)
      case PGRES_POLLING_WRITING: try waitToConnect(for: POLLOUT, until: deadline)
      case PGRES_POLLING_FAILED: throw connectError()
      default: break
      }
      polling = PQconnectPoll(handle)
    }
    PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    try checkServer()
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
      throw connectError()
    }
  }

  private func waitToConnect(
    for events: Int32, until deadline: MonotonicInstant
  ) throws(PostgreSQLError) {
    guard try wait(for: events, until: deadline) else {
      throw PostgreSQLError(
        .connectFailed, "no connection within \(settings.connectTimeout.wholeMilliseconds) ms")
    }
  }

  private func start(
    _ pairs: [(keyword: String, value: String)]
  ) throws(PostgreSQLError) -> OpaquePointer {
    var keywords = pairs.map { UnsafePointer(strdup($0.keyword)) }
    var values = pairs.map { UnsafePointer(strdup($0.value)) }
    defer {
      for pointer in keywords + values { free(UnsafeMutablePointer(mutating: pointer)) }
    }
    keywords.append(nil)
    values.append(nil)
    guard let handle = PQconnectStartParams(keywords, values, 0) else {
      throw PostgreSQLError(.connectFailed, "there is no memory for a connection")
    }
    return handle
  }

  /// libpq tests the same two reports for `target_session_attrs`; servers send them since 14.
  private func checkServer() throws(PostgreSQLError) {
    guard PQserverVersion(handle) >= 140_000, let isStandby = report("in_hot_standby"),
      let isReadOnly = report("default_transaction_read_only")
    else { throw PostgreSQLError(.wrongServer, "the server is older than PostgreSQL 14") }
    let fits =
      switch settings.targetSessionAttributes {
      case .any: true
      case .readWrite: !isStandby && !isReadOnly
      case .readOnly: isStandby || isReadOnly
      case .primary: !isStandby
      case .standby: isStandby
      }
    guard fits else {
      let wanted = settings.targetSessionAttributes.rawValue
      throw PostgreSQLError(.wrongServer, "the server's sessions are not \(wanted)")
    }
  }

  private func report(_ parameter: String) -> Bool? {
    PQparameterStatus(handle, parameter).map { String(cString: $0) == "on" }
  }

  private func connectError() -> PostgreSQLError {
    PostgreSQLConnection.connectError(
      verbose: PQerrorMessage(handle).map { String(cString: $0) } ?? "")
  }

  /// The error of libpq's verbose message, `… FATAL:  28P01: the fault`, with the code apart and
  /// without the place in the server's source.
  static func connectError(verbose message: String) -> PostgreSQLError {
    var sqlState: SQLState?
    let lines = message.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
    let texts = lines.map { line -> String in
      let text = line.drop { $0.isWhitespace }
      guard let found = text.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) else { return String(text) }
      sqlState = sqlState ?? SQLState(rawValue: String(found.1))
      return text[..<found.range.lowerBound] + ":  " + text[found.range.upperBound...]
    }
    let text = texts.joined(separator: "; ")
    return PostgreSQLError(
      .connectFailed, text.isEmpty ? "the connection broke" : text, sqlState: sqlState)
  }

  /// libpq's last message about the connection, on one line.
  var lastMessage: String {
    let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    let line = message.split(whereSeparator: \.isNewline).map(trimmed).joined(separator: "; ")
    return line.isEmpty ? "the connection broke" : line
  }

  private func trimmed(_ text: Substring) -> String {
    String(text.drop { $0.isWhitespace })
  }
}
