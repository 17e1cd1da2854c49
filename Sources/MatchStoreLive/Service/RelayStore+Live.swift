import CubistBasics
package import LibPQ
internal import MatchCore
package import MatchInterfaces

extension SQL {
  // Jobs of one player go one after another, so that a push worker may make one notification of
  // them.
  static let claimJobs = SQL(
    "claimJobs",
    """
    WITH owed AS (
      SELECT job, kind, player, match, turn, day, created_at FROM outbox
      WHERE created_at < statement_timestamp() - $1 * interval '1 microsecond'
      ORDER BY created_at, job LIMIT $2 FOR UPDATE SKIP LOCKED
    ), held AS (
      SELECT job, kind, player, match, turn, day, until, reason FROM held_jobs
      WHERE until <= \(statementTime)
      ORDER BY until, player, job LIMIT $2 - (SELECT count(*) FROM owed) FOR UPDATE SKIP LOCKED
    )
    SELECT job, kind, player, match, turn, day - DATE '1970-01-01', false AS has_waited,
      false AS is_held, created_at AS at, NULL::uuid AS next FROM owed
    UNION ALL
    SELECT job, kind, player, match, turn, day - DATE '1970-01-01', reason = 'bundle', true, until,
      player FROM held
    ORDER BY is_held, at, next, job
    """)
  // Rows that another relay has are that relay's.
  static let finishJobs = SQL(
    "finishJobs",
    """
    DELETE FROM outbox WHERE job IN (
      SELECT job FROM outbox WHERE job = ANY($1) ORDER BY job FOR UPDATE SKIP LOCKED)
    """)
  static let finishHeldJobs = SQL(
    "finishHeldJobs",
    """
    DELETE FROM held_jobs WHERE job IN (
      SELECT job FROM held_jobs WHERE job = ANY($1) AND until <= \(statementTime)
      ORDER BY job FOR UPDATE SKIP LOCKED)
    """)
}

extension RelayStore {
  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// After `StoreError.unavailable` the connection is closed: make a new one, and a new store of
  /// it. The server ends a claim that is not finished within its
  /// `idle_in_transaction_session_timeout`.
  package static func live(_ connection: PostgreSQLConnection) -> RelayStore {
    let session = StoreSession(connection)
    var store = RelayStore.failing
    store.claim.answer(with: session.claimJobs)
    store.finish.answer(with: session.finishJobs)
    return store
  }
}

extension StoreSession {
  fileprivate func claimJobs(
    olderThan age: Duration, limit: Int
  ) throws(StoreError) -> [PushJob] {
    // An unfinished claim is given up first.
    rollBack()
    let results = try run(
      [SQL.claimJobs(.int64(age.wholeMicroseconds), .int(limit))], .begins())
    let rows = try reading(
      try results[0].map { row throws(PostgreSQLError) in
        var job = try PushJob(row)
        job.hasWaitedForOthers = try row[6].bool
        return job
      })
    // A job that waits may be in the outbox still.
    var ids: Set<PushJobID> = []
    let jobs = rows.filter { ids.insert($0.id).inserted }
    // Nothing is held open for nothing.
    if jobs.isEmpty { rollBack() }
    return jobs
  }

  fileprivate func finishJobs(_ confirmed: [PushJobID]) throws(StoreError) {
    guard isInTransaction else {
      if confirmed.isEmpty { return }
      throw connection.isOpen
        ? .conflict("the claim is gone") : .unavailable("the connection is closed")
    }
    try run([SQL.finishJobs(.ids(confirmed)), SQL.finishHeldJobs(.ids(confirmed))], .ends)
  }
}

extension PushJob {
  /// Reads job, kind, player, match, turn and day, in this order and first.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      id: try row[0].id(), kind: try row[1].case(), player: try row[2].id(),
      match: try row[3].ifPresent?.id(), turn: try row[4].ifPresent?.int,
      day: try row[5].ifPresent?.day)
  }
}
