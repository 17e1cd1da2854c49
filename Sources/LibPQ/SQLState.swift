/// A five-character code that PostgreSQL gives to an error.
///
/// Source: PostgreSQL 15 documentation, appendix A.
package struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The five characters, such as `23505`.
  package let rawValue: String

  /// Makes a code from its five characters.
  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The family that the code belongs to.
  package var `class`: Class { Class(rawValue: String(rawValue.prefix(2))) }

  /// The five characters.
  package var description: String { rawValue }

  /// Two concurrent transactions cannot both be serializable.
  package static let serializationFailure = SQLState(rawValue: "40001")
  /// The transaction was chosen to break a deadlock.
  package static let deadlockDetected = SQLState(rawValue: "40P01")
  /// A lock was not granted within the lock timeout, or at once for `NOWAIT`.
  package static let lockNotAvailable = SQLState(rawValue: "55P03")
  /// The statement ran into the statement timeout or was canceled.
  package static let queryCanceled = SQLState(rawValue: "57014")
  /// An administrator ended the session.
  package static let adminShutdown = SQLState(rawValue: "57P01")
  /// The server ended the session because another one crashed.
  package static let crashShutdown = SQLState(rawValue: "57P02")
  /// The server starts up, shuts down or recovers.
  package static let cannotConnectNow = SQLState(rawValue: "57P03")
  /// The database of the session was dropped.
  package static let databaseDropped = SQLState(rawValue: "57P04")
  /// The session was idle for too long.
  package static let idleSessionTimeout = SQLState(rawValue: "57P05")
  /// The session was idle inside a transaction for too long.
  package static let idleInTransactionSessionTimeout = SQLState(rawValue: "25P03")
  /// A write reached a server or a transaction that only reads.
  package static let readOnlyTransaction = SQLState(rawValue: "25006")
  /// A unique constraint holds already.
  package static let uniqueViolation = SQLState(rawValue: "23505")
  /// A referenced row does not exist.
  package static let foreignKeyViolation = SQLState(rawValue: "23503")
  /// A column that must not be null was null.
  package static let notNullViolation = SQLState(rawValue: "23502")
  /// A check constraint does not hold.
  package static let checkViolation = SQLState(rawValue: "23514")
  /// The server does not do that, or the result type of a cached plan has changed.
  package static let featureNotSupported = SQLState(rawValue: "0A000")
  /// A prepared statement does not exist.
  package static let invalidSQLStatementName = SQLState(rawValue: "26000")
  /// The messages do not fit together, such as a wrong number of parameters.
  package static let protocolViolation = SQLState(rawValue: "08P01")
  /// A `RAISE` without a code of its own.
  package static let raiseException = SQLState(rawValue: "P0001")
  /// The server has no database of that name.
  package static let invalidCatalogName = SQLState(rawValue: "3D000")
  /// The server has no memory left.
  package static let outOfMemory = SQLState(rawValue: "53200")
  /// The server's disk is full.
  package static let diskFull = SQLState(rawValue: "53100")
  /// The server has no connection left.
  package static let tooManyConnections = SQLState(rawValue: "53300")
  /// Reading or writing a file of the server failed.
  package static let ioError = SQLState(rawValue: "58030")

  /// A family of codes, their first two characters.
  package struct Class: RawRepresentable, Hashable, Sendable {
    /// The two characters, such as `23`.
    package let rawValue: String

    /// Makes a family from its two characters.
    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Trouble with the connection.
    package static let connectionException = Class(rawValue: "08")
    /// A feature that the server does not support.
    package static let featureNotSupported = Class(rawValue: "0A")
    /// A value that does not fit its type.
    package static let dataException = Class(rawValue: "22")
    /// A constraint that does not hold.
    package static let integrityConstraintViolation = Class(rawValue: "23")
    /// A statement that does not fit the state of the transaction.
    package static let invalidTransactionState = Class(rawValue: "25")
    /// A user that the server does not let in: wrong password, no such user, no rule for it.
    package static let invalidAuthorization = Class(rawValue: "28")
    /// A prepared statement that does not exist.
    package static let invalidSQLStatementName = Class(rawValue: "26")
    /// A transaction that had to be rolled back.
    package static let transactionRollback = Class(rawValue: "40")
    /// A statement that is wrong, or that the role may not run.
    package static let syntaxErrorOrAccessRuleViolation = Class(rawValue: "42")
    /// Memory, disk or connections are used up.
    package static let insufficientResources = Class(rawValue: "53")
    /// A limit of the server was passed.
    package static let programLimitExceeded = Class(rawValue: "54")
    /// Somebody stepped in: a shutdown, a canceled statement.
    package static let operatorIntervention = Class(rawValue: "57")
    /// The operating system of the server failed.
    package static let systemError = Class(rawValue: "58")

    /// Matches every code of the family in a `switch`.
    package static func ~= (pattern: Class, value: SQLState) -> Bool {
      value.class == pattern
    }
  }
}
