/// One SQL statement with its parameters.
package struct SQLStatement: Sendable, Hashable {
  enum Source: Hashable, Sendable {
    case sql(String)
    case prepared(name: String)
  }

  var source: Source
  /// The values of `$1`, `$2`, ….
  package var parameters: [Value]

  /// A statement that is parsed each time; exactly one, without a semicolon between statements.
  package init(_ sql: String, _ parameters: [Value] = []) {
    source = .sql(sql)
    self.parameters = parameters
  }

  /// A statement that was registered by ``PostgreSQLConnection/prepare(_:_:)``.
  package init(prepared name: String, _ parameters: [Value] = []) {
    source = .prepared(name: name)
    self.parameters = parameters
  }
}

/// How a batch of statements stands to a transaction.
package enum TransactionSpan: Sendable, Hashable {
  /// The batch is a transaction of its own: all of it happens or nothing.
  case whole
  /// `BEGIN` goes before the batch, which holds no `COMMIT` of its own, and the transaction
  /// stays open.
  case begins(IsolationLevel = .readCommitted)
  /// The batch is in the middle of an open transaction; it holds no `COMMIT` of its own.
  case continues
  /// `COMMIT` goes after the batch.
  case ends
}

/// The isolation of concurrent transactions.
package enum IsolationLevel: String, Sendable, Hashable, CaseIterable {
  /// Each statement sees all commits from before it.
  case readCommitted = "READ COMMITTED"
  /// All statements see all commits from before the first.
  case repeatableRead = "REPEATABLE READ"
  /// As if transactions ran one after another.
  case serializable = "SERIALIZABLE"
}

/// A message of `NOTIFY`.
package struct Notification: Sendable, Hashable {
  /// The channel it was sent on.
  package var channel: String
  /// The text sent with it.
  package var payload: String
  /// The process of the server that sent it.
  package var processID: Int32

  /// Makes a notification.
  package init(channel: String, payload: String, processID: Int32) {
    self.channel = channel
    self.payload = payload
    self.processID = processID
  }
}

/// Counters of a connection since it was made, reconnections included.
package struct Statistics: Sendable, Hashable {
  /// How often this side waited for an answer to a batch, a script or a rollback.
  package var roundTripCount = 0
  /// Statements sent, `BEGIN` and `COMMIT` included.
  package var statementCount = 0
  /// Transactions that were committed.
  package var commitCount = 0
  /// Bytes of parameters and of SQL text handed to libpq.
  package var byteCount = 0
  /// Connections opened.
  package var connectCount = 0

  /// Makes counters at zero.
  package init() {}
}

/// Work for a thread while it waits for PostgreSQL, such as serving another connection.
package struct WaitHook {
  /// The longest time between two calls while waiting.
  package var interval: Duration
  /// The work. It must not use the connection that waits. While it gives true it is called again at
  /// once, unless the answer is there: each call is to be short.
  package var body: () -> Bool

  /// Makes a hook.
  package init(every interval: Duration, _ body: @escaping () -> Void) {
    self.init(interval) {
      body()
      return false
    }
  }

  /// Makes a hook that does some work, a piece at each call, and gives whether there is more.
  package static func working(every interval: Duration, _ body: @escaping () -> Bool) -> WaitHook {
    WaitHook(interval, body)
  }

  private init(_ interval: Duration, _ body: @escaping () -> Bool) {
    self.interval = max(interval, .milliseconds(1))
    self.body = body
  }
}
