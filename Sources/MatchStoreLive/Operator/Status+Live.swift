internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  fileprivate static let statusBase = SQL(
    "statusBase", "SELECT clock_timestamp(), (SELECT max(version) FROM schema_version)")
  fileprivate static let statusWorkers = SQL(
    "statusWorkers", "SELECT id, started_at, heartbeat_at FROM workers ORDER BY started_at, id")
  fileprivate static let statusRoles = SQL(
    "statusRoles",
    """
    SELECT id, role, process, problem, started_at, heartbeat_at FROM roles
    ORDER BY role, started_at, id
    """)
  // A build before schema 11 names its sessions by the role alone.
  fileprivate static let silentRoles = SQL(
    "silentRoles",
    """
    SELECT DISTINCT substr(application_name, 9) FROM pg_stat_activity
    WHERE datname = current_database()
      AND application_name IN ('cubistd worker', 'cubistd scheduler', 'cubistd relay',
        'cubistd reader', 'cubistd push', 'cubistd rater')
    """)
  fileprivate static let statusPlayers = SQL(
    "statusPlayers", "SELECT count(*) FROM (SELECT FROM players LIMIT 1000000) AS a")
  fileprivate static let statusMatches = SQL(
    "statusMatches",
    """
    SELECT (SELECT count(*) FROM (SELECT FROM seats WHERE seat = 0 LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM matches LIMIT 1000000) AS a)
    """)
  fileprivate static let statusOutbox = SQL(
    "statusOutbox",
    """
    SELECT (SELECT count(*) FROM (SELECT FROM outbox LIMIT 1000000) AS a),
      (SELECT min(created_at) FROM outbox),
      (SELECT count(*) FROM (SELECT FROM held_jobs LIMIT 1000000) AS a),
      (SELECT min(until) FROM held_jobs)
    """)
  fileprivate static let statusRatings = SQL(
    "statusRatings",
    """
    SELECT (SELECT count(*) FROM (SELECT DISTINCT match FROM rating_queue LIMIT 1000000) AS a),
      (SELECT min(ended_at) FROM rating_queue)
    """)
  fileprivate static let statusDeadLetters = SQL(
    "statusDeadLetters",
    """
    SELECT (SELECT count(*) FROM (SELECT FROM dead_events LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM dead_jobs LIMIT 1000000) AS a)
    """)
  fileprivate static let statusRanking = SQL(
    "statusRanking",
    "SELECT count(*) FROM (SELECT FROM ranking_queue LIMIT 1000000) AS a")
  // Sessions of others are counted for everybody; a standby's state and place in the log are hidden
  // from users without pg_read_all_stats, its name and slot are not. A standby has no log of its own.
  fileprivate static let statusServer = SQL(
    "statusServer",
    """
    SELECT (SELECT sum(numbackends)::bigint FROM pg_stat_database WHERE datid <> 0),
      current_setting('max_connections')::bigint, pg_database_size(current_database()),
      CASE WHEN pg_is_in_recovery() THEN NULL ELSE (
        SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint
        FROM pg_stat_replication WHERE state = 'streaming' OR state = 'catchup') END,
      CASE WHEN pg_is_in_recovery() OR n.names = ''
        OR current_setting('synchronous_commit') IN ('off', 'local') THEN 0
      ELSE coalesce(
        substring(n.names FROM '(?i)^\\s*(?:FIRST\\s+|ANY\\s+)?(\\d+)\\s*\\(')::bigint, 1) END,
      (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')
        OR state IS NULL AND (n.names LIKE '%*%'
          OR position(lower(application_name) IN lower(n.names)) > 0)),
      pg_postmaster_start_time()
    FROM current_setting('synchronous_standby_names') AS n (names)
    """)
  fileprivate static let idleSlots = SQL(
    "idleSlots",
    """
    SELECT slot_name::text, greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint)
    FROM pg_replication_slots
    WHERE NOT active AND NOT temporary AND restart_lsn IS NOT NULL AND NOT pg_is_in_recovery()
    """)
  // Ids of events begin with the time. A refused reply has its name near its beginning. Damaged
  // bytes count as accepted.
  fileprivate static let replySample = SQL(
    "replySample",
    """
    SELECT u.is_recent, coalesce(substring(
      encode(substring(r.reply FROM 1 FOR 160), 'escape') FROM '"refused":\\{"name":"(\\w+)"'), ''),
      count(*)
    FROM unnest($1, $2, $3) AS u (first, beyond, is_recent)
    CROSS JOIN LATERAL (
      SELECT reply FROM events WHERE id >= u.first AND id < u.beyond ORDER BY id LIMIT $4) AS r
    GROUP BY 1, 2
    """)
  // What pg_terminate_backend asks, of a session in pg_stat_activity.
  private static func mayEnd(_ session: String) -> String {
    """
    coalesce(
      (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
      OR NOT (SELECT rolsuper FROM pg_roles AS r WHERE r.oid = \(session).usesysid)
        AND (pg_has_role(\(session).usesysid, 'USAGE')
          OR pg_has_role('pg_signal_backend'::name, 'USAGE')), true)
    """
  }
  // While an ACCESS EXCLUSIVE lock is held or waited for, nobody can read. Every other lock conflicts
  // with it, so that sessions that hold one are waited for. The locks named here keep writers out.
  // Of other users' sessions only the number and name may be visible. A session without a user is
  // one of autovacuum, which gives way.
  fileprivate static let tableLocks = SQL(
    "tableLocks",
    """
    SELECT coalesce(pg_partition_root(c.oid), c.oid)::regclass::text, h.pid,
      coalesce(a.application_name, ''), a.xact_start,
      coalesce(a.wait_event = 'SyncRep', false), coalesce(a.usename::text, ''),
      bool_and(\(mayEnd("a"))), bool_or(w.mode = 'AccessExclusiveLock')
    FROM pg_locks AS w
    JOIN pg_class AS c ON c.oid = w.relation AND c.relkind IN ('r', 'p')
    JOIN pg_locks AS h ON h.locktype = 'relation' AND h.database = w.database
      AND h.relation = w.relation AND h.granted AND h.pid <> pg_backend_pid()
    JOIN pg_stat_activity AS a ON a.pid = h.pid AND a.usesysid IS NOT NULL
    WHERE w.locktype = 'relation'
      AND (w.mode = 'AccessExclusiveLock' OR NOT w.granted AND w.pid <> pg_backend_pid()
        AND h.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock'))
      AND w.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND pg_table_is_visible(c.oid)
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2
    """)
  // A session that blocks others holds a lock. Everybody may see who does.
  fileprivate static let lockHolders = SQL(
    "lockHolders",
    """
    SELECT l.pid, bool_and(\(mayEnd("a")))
    FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
    WHERE l.granted AND l.locktype <> 'virtualxid' AND l.pid <> pg_backend_pid()
    GROUP BY l.pid
    """)
  // A session that waits for a row waits for the end of a transaction. Workers wait for one another
  // for moments; one that waits itself is not to blame.
  fileprivate static let rowLocks = SQL(
    "rowLocks",
    """
    SELECT coalesce(min(t.relation::regclass::text), ''), h.pid, coalesce(h.application_name, ''),
      h.xact_start, coalesce(h.wait_event = 'SyncRep', false), coalesce(h.usename::text, ''),
      bool_and(\(mayEnd("h"))), count(DISTINCT w.pid)
    FROM pg_stat_activity AS w
    CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS b (pid)
    JOIN pg_stat_activity AS h ON h.pid = b.pid
    LEFT JOIN pg_locks AS t ON t.pid = w.pid AND t.locktype = 'tuple'
    WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
      AND w.wait_event IN ('transactionid', 'tuple')
      AND coalesce(h.wait_event_type <> 'Lock', true)
      AND coalesce(h.xact_start < clock_timestamp() - interval '5 seconds', true)
    GROUP BY h.pid, h.application_name, h.xact_start, h.wait_event, h.usename ORDER BY h.pid
    """)
}

extension StoreSession {
  /// How the service stands. Each part is asked for by itself, so that a table that somebody has
  /// locked hides nothing but its own.
  func status() throws(StoreError) -> ServiceStatus {
    var status = try workload()
    try readGrowing(&status)
    try readReplies(&status)
    // A lock on a table that no part asks for hinders roles as well; migrations hold one for a
    // moment. The beginning of another user's transaction may be hidden.
    let (isHindered, longest) = (!status.unanswered.isEmpty, status.now.adding(seconds: -5))
    status.locks = try tableLocks().filter { isHindered || $0.since.map { $0 < longest } ?? true }
    status.locks += try rowLocks()
    if status.problems.contains(where: { $0.part == ServiceStatus.Problem.database }) {
      let holders = try rows(SQL.lockHolders())
      status.lockHolders = try reading { () throws(PostgreSQLError) in
        Set(try holders.map { row throws(PostgreSQLError) in try row[0].int })
      }
      status.protectedHolders = try reading { () throws(PostgreSQLError) in
        var protected: Set<Int> = []
        for row in holders where try !row[1].bool { protected.insert(try row[0].int) }
        return protected
      }
    }
    return status
  }

  /// The same without the counts that take long, and without locks.
  func workload() throws(StoreError) -> ServiceStatus {
    let base = try rows(SQL.statusBase())
    var status = try reading { () throws(PostgreSQLError) in
      ServiceStatus(now: try base.only[0].instant, schemaVersion: try base.only[1].int)
    }
    try readLiving(&status)
    try readCounts(&status)
    try readTroubles(&status)
    try readServer(&status)
    return status
  }

  /// The answer of a part; nil if it waited for a lock in vain or took too long.
  private func ask<Answer>(
    _ part: ServiceStatus.Part, _ status: inout ServiceStatus,
    _ question: @autoclosure () throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer? {
    do throws(StoreError) { return try question() } catch {
      switch error {
      case .conflict, .duplicate, .failed: status.unanswered.append(part)
      // An older schema lacks some tables.
      case .unusable where status.schemaVersion < Schema.requiredVersion:
        status.unanswered.append(part)
      default: throw error
      }
      return nil
    }
  }

  private func ask(
    _ part: ServiceStatus.Part, _ status: inout ServiceStatus, _ call: Call,
    read: (Rows, inout ServiceStatus) throws(PostgreSQLError) -> Void
  ) throws(StoreError) {
    let answer = try ask(part, &status, try rows(call))
    guard let answer else { return }
    try reading(try read(answer, &status))
  }

  private func readLiving(_ status: inout ServiceStatus) throws(StoreError) {
    try ask(.workers, &status, SQL.statusWorkers()) { rows, status throws(PostgreSQLError) in
      status.workers = try rows.map { row throws(PostgreSQLError) in
        ServiceStatus.Worker(
          id: try row[0].id(), startedAt: try row[1].instant, heartbeatAt: try row[2].instant)
      }
    }
    try ask(.roles, &status, SQL.statusRoles()) { rows, status throws(PostgreSQLError) in
      status.roles = try rows.map { row throws(PostgreSQLError) in
        ServiceStatus.Role(
          sign: RoleSign(
            id: try row[0].id(), role: try row[1].text, process: try row[2].text,
            problem: try row[3].ifPresent?.text),
          startedAt: try row[4].instant, heartbeatAt: try row[5].instant)
      }
    }
    // Signs of life that were given since the first question are not ahead of the clock.
    let (silent, now) = (try rows(SQL.silentRoles()), try rows(SQL.statusBase()))
    try reading { () throws(PostgreSQLError) in
      status.silentRoles = Set(try silent.map { row throws(PostgreSQLError) in try row[0].text })
      status.now = try now.only[0].instant
    }
    if let time = try ask(.time, &status, try time()) {
      (status.addedMicroseconds, status.clockJump) = (time.addedMicroseconds, time.lastJump)
    }
    status.clocks =
      try ask(.clocks, &status, try queueClocks()) ?? [:]
  }

  private func readGrowing(_ status: inout ServiceStatus) throws(StoreError) {
    try ask(.players, &status, SQL.statusPlayers()) { rows, status throws(PostgreSQLError) in
      status.playerCount = try rows.only[0].int
    }
    try readLeavers(&status)
    try ask(.matches, &status, SQL.statusMatches()) { rows, status throws(PostgreSQLError) in
      (status.currentMatchCount, status.matchCount) = (try rows.only[0].int, try rows.only[1].int)
    }
  }

  private func readLeavers(_ status: inout ServiceStatus) throws(StoreError) {
    // Whoever locks these hides a part of their own.
    guard status.knows(.players), status.knows(.time) else { return }
    let leavers = SQL.frequentLeavers(
      .int64(LeavingPause.windowSeconds), .int(LeavingPause.notedCount),
      .int(ServiceStatus.Leaver.limit))
    try ask(.leavers, &status, leavers) { rows, status throws(PostgreSQLError) in
      status.leavers = try rows.map { row throws(PostgreSQLError) in
        ServiceStatus.Leaver(
          player: try row[0].id(), name: try row[1].text, count: try row[2].int)
      }
    }
  }

  private func readCounts(_ status: inout ServiceStatus) throws(StoreError) {
    try ask(.outbox, &status, SQL.statusOutbox()) { rows, status throws(PostgreSQLError) in
      status.outboxCount = try rows.only[0].int
      status.outboxOldestAt = try rows.only[1].ifPresent?.instant
      status.heldCount = try rows.only[2].int
      status.heldNextAt = try rows.only[3].ifPresent?.instant
    }
    try ask(.ratings, &status, SQL.statusRatings()) { rows, status throws(PostgreSQLError) in
      status.ratingQueueCount = try rows.only[0].int
      status.ratingQueueOldestAt = try rows.only[1].ifPresent?.instant
    }
    let deadLetters = SQL.statusDeadLetters()
    try ask(.deadLetters, &status, deadLetters) { rows, status throws(PostgreSQLError) in
      (status.deadEventCount, status.deadJobCount) = (try rows.only[0].int, try rows.only[1].int)
    }
    status.service =
      try ask(.service, &status, try service()) ?? nil
    status.layout = try ask(.layout, &status, try layout()) ?? nil
    status.registrationNeedsCode =
      try ask(.registration, &status, try registrationNeedsCode())
      ?? false
  }

  private func readTroubles(_ status: inout ServiceStatus) throws(StoreError) {
    let unrankable = SQL.unrankable(.int(ServiceStatus.notableFailures))
    let ranking = try ask(.ranking, &status, try run([unrankable, SQL.statusRanking()]))
    try reading { () throws(PostgreSQLError) in
      guard let ranking else { return }
      status.rankingQueueCount = try ranking[1].only[0].int
      status.unrankable = try ranking[0].map { row throws(PostgreSQLError) in
        ServiceStatus.Unrankable(
          player: try row[0].id(), failureCount: try row[1].int, problem: try row[2].text)
      }
    }
    try ask(.problems, &status, SQL.problems()) { rows, status throws(PostgreSQLError) in
      status.problems = try rows.map { row throws(PostgreSQLError) in
        let match: MatchID = try row[1].id()
        return ServiceStatus.Problem(
          part: try row[0].text, subject: "\(match)", since: try row[2].instant,
          reason: try row[3].text)
      }
    }
  }

  private func readServer(_ status: inout ServiceStatus) throws(StoreError) {
    try ask(.server, &status, SQL.statusServer()) { rows, status throws(PostgreSQLError) in
      let row = try rows.only
      (status.connectionCount, status.connectionLimit) = (try row[0].int, try row[1].int)
      status.databaseBytes = try row[2].int64
      status.standbyLagBytes = try row[3].ifPresent?.int
      status.neededStandbyCount = try row[4].int
      status.streamingStandbyCount = try row[5].int
      status.serverStartedAt = try row[6].instant
    }
    try ask(.server, &status, SQL.idleSlots()) { rows, status throws(PostgreSQLError) in
      for row in rows { status.idleSlots[try row[0].text] = try row[1].int }
    }
  }

  private func readReplies(_ status: inout ServiceStatus) throws(StoreError) {
    typealias Sample = ServiceStatus.ReplySample
    let minutes = (0..<Sample.recentMinutes).map { -60 * Int64($0 + 1) }
    let begin = -60 * Int64(Sample.recentMinutes)
    let hours = (0..<24).map { begin - 3_600 * Int64($0 + 1) }
    func ids(_ seconds: [Int64]) -> Value {
      .uuidArray(seconds.map { StoreSession.firstID(at: status.now.adding(seconds: $0)) })
    }
    let call = SQL.replySample(
      ids(minutes + hours), ids(minutes.map { $0 + 60 } + hours.map { $0 + 3_600 }),
      .boolArray(minutes.map { _ in true } + hours.map { _ in false }), .int(Sample.limit))
    try ask(.replies, &status, call) { rows, status throws(PostgreSQLError) in
      for row in rows {
        let (name, count) = (try row[1].text, try row[2].int)
        if try row[0].bool {
          status.replies.recent[name] = count
        } else {
          status.replies.earlier[name] = count
        }
      }
    }
  }

  private func tableLocks() throws(StoreError) -> [ServiceStatus.TableLock] {
    let rows = try self.rows(SQL.tableLocks())
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        var lock = try lock(row)
        lock.blocksReads = try row[7].bool
        return lock
      })
  }

  private func rowLocks() throws(StoreError) -> [ServiceStatus.TableLock] {
    let rows = try self.rows(SQL.rowLocks())
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        var lock = try lock(row)
        lock.rowWaiterCount = try row[7].int
        return lock
      })
  }

  private func lock(_ row: Rows.Row) throws(PostgreSQLError) -> ServiceStatus.TableLock {
    var lock = ServiceStatus.TableLock(
      table: try row[0].text, processID: try row[1].int, session: try row[2].text,
      since: try row[3].ifPresent?.instant, awaitsStandby: try row[4].bool)
    (lock.user, lock.mayBeEnded) = (try row[5].text, try row[6].bool)
    return lock
  }
}
