/// A failure between this process and PostgreSQL.
///
/// The description never holds parameters, passwords or the server's detail, which quotes rows;
/// ``detail`` has the latter.
package struct PostgreSQLError: Error, Sendable, Hashable {
  /// The kind of failure.
  package var code: Code
  /// The server's code; `nil` for an error that was found on this side.
  package var sqlState: SQLState?
  /// One sentence for a person.
  package var message: String
  /// The server's detail, which may quote values of rows: keep it out of logs.
  package var detail: String?
  /// The constraint that does not hold.
  package var constraint: String?
  /// The table that the error is about.
  package var table: String?
  /// The column that the error is about.
  package var column: String?
  /// The place in the batch of the statement that failed, from 0.
  package var statementIndex: Int?
  /// Whether the transaction may have been committed all the same.
  ///
  /// True only if the connection was lost after the end of the transaction was handed over. The
  /// server cannot be asked afterwards: run idempotent statements again and let them decide.
  package var isOutcomeUnknown = false
  /// The prepared statements of the session no longer fit the tables, or are gone.
  var hasStalePlan = false

  /// Makes an error.
  package init(_ code: Code, _ message: String, sqlState: SQLState? = nil) {
    self.code = code
    self.message = message
    self.sqlState = sqlState
  }

  /// The kind of failure, as an open set.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Wrapped: String {
      case invalidSettings, connectFailed, wrongServer, connectionLost, timedOut, closed, server
      case typeMismatch, outOfBounds, unexpectedNull, malformedValue, misuse
    }

    private let wrapped: Wrapped

    private init(_ wrapped: Wrapped) {
      self.wrapped = wrapped
    }

    /// The name of the code.
    package var description: String { wrapped.rawValue }

    /// Settings that cannot be read or do not fit together.
    package static let invalidSettings = Code(.invalidSettings)
    /// No server accepted the connection within its time limit.
    package static let connectFailed = Code(.connectFailed)
    /// Servers answered, but none with the wanted session attributes or a known version.
    package static let wrongServer = Code(.wrongServer)
    /// An open connection broke.
    package static let connectionLost = Code(.connectionLost)
    /// The server stayed silent beyond the limit; the connection has been closed.
    package static let timedOut = Code(.timedOut)
    /// The connection was closed before; nothing was sent.
    package static let closed = Code(.closed)
    /// The server refused a statement and gave a ``SQLState``.
    package static let server = Code(.server)
    /// A column, or a parameter of a prepared statement, has another type.
    package static let typeMismatch = Code(.typeMismatch)
    /// There is no such row, column or representable value.
    package static let outOfBounds = Code(.outOfBounds)
    /// A value is null that was read as if it were not.
    package static let unexpectedNull = Code(.unexpectedNull)
    /// The bytes of a value do not have the form of its type.
    package static let malformedValue = Code(.malformedValue)
    /// A call that does not fit the state of the connection, or text that SQL cannot hold.
    package static let misuse = Code(.misuse)
  }
}

extension PostgreSQLError {
  /// Whether a pooler answered in PostgreSQL's place, such as PgBouncer, which knows no `options` of a
  /// session. PostgreSQL has no such message.
  package var isOfPooler: Bool {
    code == .connectFailed && message.contains("unsupported startup parameter")
  }

  /// The ways to handle an error.
  package enum Category: String, Sendable, Hashable, CaseIterable {
    /// The transaction lost against another one: run it again, after a jittered pause.
    case serialization
    /// A lock or a statement took too long: run it again later, with less.
    case lockTimeout
    /// The connection is gone: connect again after a jittered pause.
    case disconnected
    /// The server only reads, it is a standby: connect again.
    case readOnly
    /// Connections, disk or memory are used up: pause.
    case resources
    /// Prepared statements had gone stale and were discarded: run it again.
    case stalePlan
    /// A row with that key exists: read it again and decide; never retry blindly.
    case uniqueViolation
    /// A value that the schema refuses: isolate the item.
    case badData
    /// The schema's own `RAISE`, or another condition that only the caller can interpret.
    case raised
    /// The statement, the schema or the call is wrong: stop.
    case programming
  }

  /// The way to handle the error.
  package var category: Category {
    switch code {
    case .connectFailed, .connectionLost, .timedOut, .closed:
      sqlState?.class == .insufficientResources ? .resources : .disconnected
    case .wrongServer: .readOnly
    case .server: serverCategory
    default: .programming
    }
  }

  /// Whether the same work may succeed if it is done again.
  ///
  /// Only idempotent work may be repeated if ``isOutcomeUnknown``.
  package var isRetryable: Bool {
    switch category {
    case .serialization, .lockTimeout, .disconnected, .readOnly, .resources, .stalePlan: true
    case .uniqueViolation, .badData, .raised, .programming: false
    }
  }

  private var serverCategory: Category {
    guard let sqlState else { return .programming }
    if hasStalePlan { return .stalePlan }
    switch sqlState {
    case .serializationFailure, .deadlockDetected: return .serialization
    case .lockNotAvailable, .queryCanceled: return .lockTimeout
    case .adminShutdown, .crashShutdown, .cannotConnectNow, .databaseDropped, .idleSessionTimeout,
      .idleInTransactionSessionTimeout:
      return .disconnected
    case .readOnlyTransaction: return .readOnly
    case .uniqueViolation: return .uniqueViolation
    case .raiseException: return .raised
    // Not a lost connection: the server's code for a wrong number of parameters.
    case .protocolViolation: return .programming
    default: break
    }
    switch sqlState.class {
    case .connectionException: return .disconnected
    case .transactionRollback: return .serialization
    case .insufficientResources, .systemError: return .resources
    case .dataException, .integrityConstraintViolation: return .badData
    case .featureNotSupported, .invalidTransactionState, .invalidSQLStatementName,
      .syntaxErrorOrAccessRuleViolation, .programLimitExceeded:
      return .programming
    default: return .raised
    }
  }
}

extension PostgreSQLError: CustomStringConvertible {
  /// One line without parameters and rows.
  ///
  /// The message of a data exception quotes the value, so it is left out.
  package var description: String {
    var text = "PostgreSQL: \(code)"
    if let sqlState { text += " \(sqlState)" }
    if let statementIndex { text += " in statement \(statementIndex)" }
    text += sqlState?.class == .dataException ? ": a value does not fit its type" : ": \(message)"
    if let table { text += " [table \(table)]" }
    if let constraint { text += " [constraint \(constraint)]" }
    if isOutcomeUnknown { text += " [outcome unknown]" }
    return text
  }
}
