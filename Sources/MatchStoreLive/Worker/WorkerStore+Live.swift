package import CubeRules
package import LibPQ
internal import MatchCore
package import MatchInterfaces
internal import MatchWire

extension SQL {
  static let heartbeat = SQL(
    "heartbeat",
    """
    INSERT INTO workers (id, started_at, heartbeat_at)
    VALUES ($1, clock_timestamp(), clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
    """)
  // If the clock was set back, signs of life from before would count for as long. Nobody waits for
  // a row that somebody else has just now.
  static let clampHeartbeats = SQL(
    "clampHeartbeats",
    """
    UPDATE workers SET heartbeat_at = least(heartbeat_at, clock_timestamp()),
      started_at = least(started_at, clock_timestamp())
    WHERE id IN (
      SELECT id FROM workers
      WHERE greatest(heartbeat_at, started_at) > clock_timestamp() + interval '2 seconds'
      FOR UPDATE SKIP LOCKED)
    """)
  static let livingWorkers = SQL(
    "livingWorkers",
    """
    SELECT id FROM workers WHERE heartbeat_at > clock_timestamp() - $1 * interval '1 second'
    ORDER BY id
    """)
  static let standing = SQL(
    "standing",
    """
    SELECT
      EXISTS (SELECT FROM workers WHERE id = $1
        AND heartbeat_at > clock_timestamp() - $2 * interval '1 second'),
      EXISTS (SELECT FROM workers WHERE id <> $1
        AND heartbeat_at > clock_timestamp() - $3 * interval '1 second'),
      (SELECT count(DISTINCT (process, extract(epoch FROM heartbeat_at)::bigint / 30))
        FROM roles WHERE role = 'worker'
        AND heartbeat_at < clock_timestamp() - $4 * interval '1 second'
        AND heartbeat_at > clock_timestamp() - interval '10 minutes'
        AND heartbeat_at < started_at + $5 * interval '1 second')
    """)
  static let leave = SQL("leave", "DELETE FROM workers WHERE id = $1")
  static let queueClocks = SQL(
    "queueClocks",
    """
    SELECT queue, time, credit_microseconds, held_until, outage_from, outage_until
    FROM queue_clocks
    """)
  static let queueLayout = SQL(
    "queueLayout", "SELECT queues, slot_credits, unmoved FROM queue_layout")
}

extension WorkerStore {
  /// How often a worker that waits for PostgreSQL looks for something else to do.
  private static let workInterval: Duration = .milliseconds(1)

  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// After `StoreError.unavailable` the connection is closed, until `reconnect`. `lookUp` and
  /// `commit` take one round trip each however large the batch, and `resolve` another one; all of
  /// them are one transaction.
  package static func live(
    _ connection: PostgreSQLConnection, rules: Rulebook = .standard
  ) -> WorkerStore {
    let worker = LiveWorker(StoreSession(connection, rules: rules))
    var store = WorkerStore.failing
    store.lookUp.answer(with: worker.lookUp)
    store.resolve.answer(with: worker.resolve)
    store.commit.answer(with: worker.commit)
    store.abandon.answer(with: worker.abandon)
    store.standing.answer(with: worker.standing)
    store.heartbeat.answer(with: worker.heartbeat)
    store.leave.answer(with: worker.leave)
    store.queueClocks.answer(with: worker.session.queueClocks)
    store.layout.answer(with: worker.session.layout)
    store.reconnect.answer(with: worker.reconnect)
    store.trial.answer(with: worker.session.trial)
    store.workWhileWaiting.answer { connection.waitHook = .working(every: workInterval, $0) }
    return store
  }
}

/// A worker's connection with its open transaction.
private final class LiveWorker {
  let session: StoreSession
  private var hasResolved = false

  init(_ session: StoreSession) { self.session = session }

  func lookUp(_ lookup: Lookup) throws(StoreError) -> LookupResult {
    try checkLocks()
    return try session.lookUp(lookup, begins: true)
  }

  func resolve(_ claims: [Claim]) throws(StoreError) -> [ClaimFacts] {
    try checkLocks()
    let resolving = ClaimRows(claims)
    let results = try session.run(
      resolving.calls, session.isInTransaction ? .continues : .begins())
    hasResolved = true
    return try reading(try resolving.facts(results))
  }

  func commit(_ write: BatchWrite) throws(StoreError) {
    try checkLocks()
    hasResolved = false
    let calls = write.calls
    if session.isInTransaction {
      try session.run(calls, .ends)
    } else if !calls.isEmpty {
      try session.run(calls, .whole)
    }
  }

  func abandon() {
    hasResolved = false
    session.rollBack()
  }

  func standing(_ id: WorkerID) throws(StoreError) -> WorkerStanding {
    let rows = try session.rows(
      SQL.standing(
        .id(id), .int64(WorkerStore.heartbeatLimitSeconds), .int64(WorkerStanding.freshSeconds),
        .int64(RoleSign.limitSeconds), .int64(WorkerStanding.youngSeconds)))
    return try reading { () throws(PostgreSQLError) in
      let row = try rows.only
      var standing = WorkerStanding()
      standing.isMember = try row[0].bool
      standing.isServed = try row[1].bool
      standing.youngDeathCount = try row[2].int
      return standing
    }
  }

  func heartbeat(_ id: WorkerID) throws(StoreError) -> [WorkerID] {
    let results = try session.run([
      SQL.heartbeat(.id(id)), SQL.clampHeartbeats(),
      SQL.livingWorkers(.int64(WorkerStore.heartbeatLimitSeconds)),
    ])
    return try reading(try results[2].map { row throws(PostgreSQLError) in try row[0].id() })
  }

  func leave(_ id: WorkerID) throws(StoreError) { try session.run([SQL.leave(.id(id))]) }

  func reconnect() throws(StoreError) {
    hasResolved = false
    try session.reconnect()
  }

  /// Without the transaction of `resolve` its locks are gone, and nothing may be built on the facts
  /// that were found under them.
  private func checkLocks() throws(StoreError) {
    guard hasResolved, !session.isInTransaction else { return }
    hasResolved = false
    throw session.connection.isOpen
      ? .conflict("the transaction of the claims is gone")
      : .unavailable("the connection is closed")
  }
}

extension StoreSession {
  func queueClocks() throws(StoreError) -> [Int: QueueClock] {
    let rows = try rows(SQL.queueClocks())
    return try reading { () throws(PostgreSQLError) in
      var clocks: [Int: QueueClock] = [:]
      for row in rows {
        var outage: QueueClock.Outage?
        if let from = try row[4].ifPresent?.instant, let until = try row[5].ifPresent?.instant {
          outage = QueueClock.Outage(from: from, until: until)
        }
        clocks[try row[0].int] = QueueClock(
          time: try row[1].ifPresent?.instant, creditMicroseconds: try row[2].int64,
          heldUntil: try row[3].ifPresent?.instant, outage: outage)
      }
      return clocks
    }
  }

  /// The layout that setup wrote down.
  func layout() throws(StoreError) -> StoredLayout? {
    let rows = try rows(SQL.queueLayout())
    return try reading { () throws(PostgreSQLError) in
      guard let row = rows.first else { return nil }
      guard let layout = QueueLayout(queueCount: try row[0].int) else {
        throw PostgreSQLError(.malformedValue, "a layout of \(try row[0].int) queues cannot be")
      }
      return StoredLayout(
        layout, slotCredits: try row[1].int64Array.map { $0 ?? 0 },
        unmoved: try row[2].int32Array.compactMap { $0 }.compactMap {
          QueueLayout(queueCount: Int($0))
        })
    }
  }
}
