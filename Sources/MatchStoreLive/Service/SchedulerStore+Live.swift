package import CubeRules
package import LibPQ
internal import MatchCore
package import MatchInterfaces

extension SQL {
  static let isReadOnly = SQL(
    "isReadOnly", "SELECT current_setting('transaction_read_only')::boolean")
  // A pair of numbers, since the locks of claims are one number each, chosen by players who may be
  // hostile.
  static let lead = SQL(
    "lead", "SELECT pg_try_advisory_lock(hashtext('cubist'), hashtext($1::text))")
  static let overdue = SQL(
    "overdue",
    """
    (SELECT id, turn, deadline, NULL::uuid FROM matches
    WHERE due <= $1 AND deadline < $2 AND due >= $3 AND (deadline, id) > ($4, $5)
      AND turn IS NOT NULL
    ORDER BY due, deadline, id LIMIT $6)
    UNION ALL
    (SELECT m.id, m.turn, d.gone_at, d.player FROM departures AS d
      JOIN seats AS s ON s.player = d.player JOIN matches AS m ON m.id = s.match
    WHERE d.gone_at IS NOT NULL AND NOT d.is_settled AND d.gone_at < $2
      AND (d.gone_at, m.id) > ($4, $5) AND m.turn IS NOT NULL
    ORDER BY d.gone_at, m.id LIMIT $6)
    ORDER BY 3, 1 LIMIT $6
    """)
  static let insertDaily = SQL(
    "insertDaily",
    """
    INSERT INTO daily_challenges (day, mode, language, lexicon, letters)
    VALUES (DATE '1970-01-01' + $1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
    """)
  static let fanOut = SQL(
    "fanOut",
    """
    SELECT fan_out_done FROM daily_challenges
    WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3 FOR UPDATE
    """)
  static let fanOutPlayers = SQL(
    "fanOutPlayers",
    """
    SELECT p.id, coalesce(s.muted & $5 = 0, true) AND NOT \(isGone("p.id"))
    FROM players AS p LEFT JOIN player_settings AS s ON s.player = p.id
    WHERE p.id > (
      SELECT coalesce(fan_out_cursor, '00000000-0000-0000-0000-000000000000')
      FROM daily_challenges
      WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3)
    ORDER BY p.id LIMIT $4
    """)
  static let moveFanOut = SQL(
    "moveFanOut",
    """
    UPDATE daily_challenges
    SET fan_out_cursor = coalesce($4, fan_out_cursor), fan_out_done = $5
    WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3
    """)
  static let dropEvents = SQL(
    "dropEvents",
    "SELECT cubist_drop_partitions('events', ($1 AT TIME ZONE 'UTC')::date - $2::integer)")
  static let dropDead = SQL(
    "dropDead",
    "SELECT cubist_drop_partitions('dead_events', ($1 AT TIME ZONE 'UTC')::date - $2::integer)")
  static let deleteOldEvents = SQL(
    "deleteOldEvents",
    """
    DELETE FROM events_default WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM events_default
      WHERE id < cubist_first_id(($1 AT TIME ZONE 'UTC')::date - $3::integer) LIMIT $2))
    """)
  static let deleteOldDead = SQL(
    "deleteOldDead",
    """
    DELETE FROM dead_events_default WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM dead_events_default
      WHERE at < $1 - $3::integer * interval '1 day' LIMIT $2))
    """)
  static let deleteOldWorkers = SQL(
    "deleteOldWorkers",
    """
    DELETE FROM workers WHERE id IN (
      SELECT id FROM workers WHERE heartbeat_at < $1 - interval '1 day' FOR UPDATE SKIP LOCKED)
    """)
  // At most twice as fast as time, so that deletions that were left out while no housekeeper ran
  // are made up for.
  static let horizon = SQL(
    "horizon",
    """
    SELECT cubist_horizon(least($1, horizon + 2 * $2::bigint * interval '1 microsecond'))
    FROM housekeeping
    """)
  static let deleteOldTrials = SQL(
    "deleteOldTrials",
    """
    DELETE FROM trials WHERE message IN (
      SELECT message FROM trials WHERE at < $1 - interval '1 day' FOR UPDATE SKIP LOCKED)
    """)
  static let deleteOldProblems = SQL(
    "deleteOldProblems",
    """
    DELETE FROM problems WHERE (part, subject) IN (
      SELECT part, subject FROM problems WHERE at < $1 - interval '1 day' FOR UPDATE SKIP LOCKED)
    """)
  static let deleteOldAnswers = SQL(
    "deleteOldAnswers",
    """
    DELETE FROM push_answers WHERE (minute, provider, answer) IN (
      SELECT minute, provider, answer FROM push_answers WHERE minute < $1 - interval '1 day'
      FOR UPDATE SKIP LOCKED)
    """)
  static let deleteOldDeadJobs = SQL(
    "deleteOldDeadJobs",
    """
    DELETE FROM dead_jobs WHERE id IN (
      SELECT id FROM dead_jobs WHERE at < $1 - $3::integer * interval '1 day'
      ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
  static let deleteOldDeliveries = SQL(
    "deleteOldDeliveries",
    """
    DELETE FROM deliveries WHERE job IN (
      SELECT job FROM deliveries WHERE recorded_at < $1 - $3::integer * interval '1 day'
      ORDER BY recorded_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
  static let deleteOldOwed = SQL(
    "deleteOldOwed",
    """
    DELETE FROM owed_jobs WHERE job IN (
      SELECT job FROM owed_jobs WHERE owed_at < $1 - $3::integer * interval '1 day'
      ORDER BY owed_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
  // Nobody is to wait for a lock behind a worker: a locked offer is left for the next time.
  static let deleteOldOffers = SQL(
    "deleteOldOffers",
    """
    DELETE FROM rematch_offers WHERE match IN (
      SELECT match FROM rematch_offers WHERE at < $1 - interval '8 days'
      ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
  static let deleteOldStrangers = SQL(
    "deleteOldStrangers",
    """
    DELETE FROM stranger_invitations WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM stranger_invitations WHERE day < ($1 AT TIME ZONE 'UTC')::date - 1
      LIMIT $2 FOR UPDATE SKIP LOCKED))
    """)
  static let deleteOldActs = SQL(
    "deleteOldActs",
    """
    DELETE FROM operator_acts WHERE id IN (
      SELECT id FROM operator_acts WHERE at < $1 - $3::integer * interval '1 day'
      ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
  static let forgetDays = SQL(
    "forgetDays", "SELECT cubist_forget_days(($1 AT TIME ZONE 'UTC')::date - 91, $2)")
}

extension SchedulerStore {
  /// The store on PostgreSQL, over a connection that nobody else uses: leading is a lock of its
  /// session.
  ///
  /// After `StoreError.unavailable` the connection is closed: make a new one, and a new store of
  /// it.
  ///
  /// - Parameter retention: How long `rotatePartitions` keeps rows.
  package static func live(
    _ connection: PostgreSQLConnection, leading duty: Duty = .scheduler,
    rules: Rulebook = .standard, keeping retention: Retention = .standard
  ) -> SchedulerStore {
    let scheduler = LiveScheduler(
      StoreSession(connection, rules: rules), leading: duty, keeping: retention)
    let session = scheduler.session
    var store = SchedulerStore.failing
    store.lead.answer(with: scheduler.lead)
    store.now.answer(with: session.now)
    store.time.answer(with: session.time)
    store.correctTime.answer(with: session.correctTime)
    store.workload.answer(with: session.workload)
    store.queueClocks.answer(with: session.queueClocks)
    store.layout.answer(with: session.layout)
    store.overdue.answer(with: scheduler.overdue)
    store.recoveriesDue.answer(with: session.recoveriesDue)
    store.daily.answer(with: session.daily)
    store.keepDaily.answer(with: scheduler.keepDaily)
    store.rank.answer(with: scheduler.rank)
    store.fanOutDaily.answer(with: scheduler.fanOutDaily)
    store.remindTurns.answer(with: session.remindTurns)
    store.remindDaily.answer(with: session.remindDaily)
    store.remindOffers.answer(with: session.remindOffers)
    store.remindByLocalTime.answer(with: session.remindByLocalTime)
    store.rotatePartitions.answer(with: scheduler.rotatePartitions)
    store.movers.answer(with: session.movers)
    return store
  }
}

private final class LiveScheduler {
  let session: StoreSession
  /// The server's process of the session that holds the lock: another session does not hold it.
  private var leadingProcess: Int32?
  /// How many of the next players are ranked one by one.
  private var loneRankings = 0

  /// The match after which the next round looks for those to be dropped: many may have to stay.
  private var lastGame = MatchID(rawValue: 0)

  private let duty: SchedulerStore.Duty
  private let retention: Retention

  init(
    _ session: StoreSession, leading duty: SchedulerStore.Duty, keeping retention: Retention
  ) {
    (self.session, self.duty, self.retention) = (session, duty, retention)
  }

  func lead() throws(StoreError) -> Bool {
    // A former primary has locks of its own, and would do for a leader that has nothing to write.
    let readOnly = try session.rows(SQL.isReadOnly())
    guard try !reading(try readOnly.only[0].bool) else {
      session.connection.close()
      throw .unavailable("the server can only be read from")
    }
    // Only a session that answers still leads.
    if leadingProcess == session.connection.serverProcessID { return true }
    let rows = try session.rows(SQL.lead(.text(duty.rawValue)))
    let leads = try reading(try rows.only[0].bool)
    leadingProcess = leads ? session.connection.serverProcessID : nil
    return leads
  }

  func overdue(
    _ before: Instant, _ after: SchedulerStore.Overdue?, _ limit: Int
  ) throws(StoreError) -> [SchedulerStore.Overdue] {
    let first = after?.deadline ?? Instant(microseconds: 0)
    let rows = try session.rows(
      SQL.overdue(
        .int32(Int32(clamping: before.tenMinutes)), .instant(before),
        .int32(Int32(clamping: first.tenMinutes)), .instant(first),
        .id(after?.match ?? MatchID(rawValue: 0)), .int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        SchedulerStore.Overdue(
          match: try row[0].id(), turn: try row[1].int, deadline: try row[2].instant,
          gone: try row[3].ifPresent?.id())
      })
  }

  func keepDaily(_ daily: DailyChallenge) throws(StoreError) -> DailyChallenge {
    let results = try session.run([
      SQL.insertDaily(
        .int32(daily.key.day.number), .text(daily.key.mode.rawValue),
        .text(daily.key.language.rawValue), .text(daily.lexicon), .text(daily.letters)),
      SQL.dailies([daily.key]),
    ])
    let kept = try reading(try StoreSession.dailies(results[1]).first)
    guard let kept else { throw .unusable("the daily challenge \(daily.key) was not kept") }
    return kept
  }

  /// If ranking the next players together fails, as many are ranked one by one, each in a call of
  /// its own. So no call lasts much longer than a statement may, and a player who fails is put off.
  func rank(_ limit: Int) throws(StoreError) -> Bool {
    let isRanked = try rankQueued(limit)
    return try session.queueExpired(limit) || isRanked
  }

  private func rankQueued(_ limit: Int) throws(StoreError) -> Bool {
    if loneRankings <= 0 {
      do throws(StoreError) { return try session.rankNext(limit) } catch {
        guard error.reasonOfOne != nil else { throw error }
        loneRankings = limit
      }
    }
    loneRankings -= 1
    if try session.rankNextAlone() { return true }
    loneRankings = 0
    return false
  }

  /// If a job cannot be owed to a player, the player is skipped and named, and the others go on.
  func fanOutDaily(_ key: DailyKey, _ limit: Int) throws(StoreError) -> Bool {
    try session.inPortions(of: limit) { limit, problem throws(StoreError) in
      try fanOutDaily(key, limit, problem: problem)
    }
  }

  private func fanOutDaily(
    _ key: DailyKey, _ limit: Int, problem: String?
  ) throws(StoreError) -> Bool {
    let (day, mode) = (Value.int32(key.day.number), Value.text(key.mode.rawValue))
    let language = Value.text(key.language.rawValue)
    let results = try session.run(
      [
        SQL.fanOut(day, mode, language),
        SQL.fanOutPlayers(
          day, mode, language, .int(limit), .int32(PlayerSettings.mask(against: .dailyReady))),
      ],
      .begins())
    do throws(StoreError) {
      let next = try reading { () throws(PostgreSQLError) -> [(id: PlayerID, isWanted: Bool)]? in
        guard let daily = results[0].first, try !daily[0].bool else { return nil }
        return try results[1].map { row throws(PostgreSQLError) in
          (try row[0].id(), try row[1].bool)
        }
      }
      guard let next else {
        session.rollBack()
        return false
      }
      let isDone = next.count < limit
      var calls = [SQL.moveFanOut(day, mode, language, .id(next.last?.id), .bool(isDone))]
      let wanting = next.filter(\.isWanted)
      if let problem {
        calls.append(SQL.passedOver("daily", next.map(\.id), problem))
      } else if !wanting.isEmpty {
        calls.append(SQL.insert(wanting.map { PushJob(dailyReady: key, to: $0.id) }))
      }
      try session.run(calls, .ends)
      return !isDone
    } catch {
      session.rollBack()
      throw error
    }
  }

  /// The rows that are left after so many portions are for the next time.
  private let portionsAtOnce = 200

  /// Each step is a transaction of its own, so that no two of their locks are held together. If one
  /// fails, the others are still done.
  ///
  /// Partitions are made by the clock. The age of rows is judged by the horizon, which a jump of
  /// the clock does not move far.
  func rotatePartitions(_ now: Instant, _ worked: Duration) throws(StoreError) {
    var failure: StoreError?
    func step(_ body: () throws(StoreError) -> Void) throws(StoreError) {
      do throws(StoreError) { try body() } catch {
        guard !error.concernsTheStore else {
          // Gone with the connection, unless it lacks a right or a table.
          try? session.note(error, of: ServiceStatus.Problem.housekeeping)
          throw error
        }
        failure = failure ?? error
      }
    }
    try step { () throws(StoreError) in
      for _ in 0..<portionsAtOnce {
        guard try session.addPartition(now) else { break }
      }
    }
    let microseconds = Int64(min(max(0, worked / .microseconds(1)), 7_200_000_000))
    var horizon: Instant?
    try step { () throws(StoreError) in
      let rows = try session.rows(SQL.horizon(.instant(now), .int64(microseconds)))
      horizon = try reading(try rows.only[0].instant)
    }
    if let horizon {
      try deleteOld(.instant(horizon), step)
      // A player is removed in a transaction of its own: it holds up every batch that is written.
      var leavers: [PlayerID] = []
      try step { () throws(StoreError) in leavers = try session.leavers(by: horizon) }
      for player in leavers {
        try step { () throws(StoreError) in try session.removeLeaver(player, by: horizon) }
      }
      try step { () throws(StoreError) in try session.run([SQL.settleLeavers()]) }
      if let end = retention.endOfGames(at: horizon) {
        try step { () throws(StoreError) in try dropGames(endedBefore: end) }
      }
    }
    try session.note(failure, of: ServiceStatus.Problem.housekeeping)
    if let failure { throw failure }
  }

  private func dropGames(endedBefore end: Instant) throws(StoreError) {
    // Else `cubistd check` would look for the events of these replies.
    guard try !session.hasReply(before: end.adding(seconds: Event.maximumAheadSeconds)) else {
      return
    }
    for _ in 0..<2 * portionsAtOnce {
      let next = try session.dropGames(endedBefore: end, after: lastGame)
      lastGame = next ?? MatchID(rawValue: 0)
      if next == nil { break }
    }
  }

  private func days(_ count: Int) -> Value { .int32(Int32(clamping: count)) }

  /// Deletes rows that are useless by a time.
  private func deleteOld(
    _ time: Value,
    _ step: (() throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) {
    for call in [
      SQL.dropEvents(time, days(retention.replies)), SQL.dropDead(time, days(retention.jobs)),
      SQL.deleteOldWorkers(time), SQL.deleteOldTrials(time), SQL.deleteOldProblems(time),
      SQL.deleteOldAnswers(time),
    ] {
      try step { () throws(StoreError) in try session.run([call]) }
    }
    let portion = Value.int(Partitions.portion)
    var calls = [
      SQL.deleteOldEvents(time, portion, days(retention.replies)),
      SQL.deleteOldDead(time, portion, days(retention.jobs)),
      SQL.deleteOldDeliveries(time, portion, days(retention.jobs)),
      SQL.deleteOldOwed(time, portion, days(retention.jobs)),
      SQL.deleteOldDeadJobs(time, portion, days(retention.jobs)),
      SQL.deleteOldReports(time, portion, days(retention.reports)),
      SQL.deleteOldOffers(time, portion), SQL.deleteOldStrangers(time, portion),
      SQL.deleteOldInvitations(time, portion), SQL.deleteOldNudges(time, portion),
      SQL.deleteOldNames(time, portion),
      SQL.deleteOldSeatsLeft(time, portion, .int64(LeavingPause.windowSeconds)),
    ]
    if retention.acts > 0 {
      calls.append(SQL.deleteOldActs(time, portion, days(retention.acts)))
    }
    for call in calls {
      try step { () throws(StoreError) in
        for _ in 0..<portionsAtOnce {
          let rows = try session.rows(call)
          if rows.affectedRowCount < Partitions.portion { break }
        }
      }
    }
    try step { () throws(StoreError) in
      for _ in 0..<portionsAtOnce {
        let rows = try session.rows(SQL.forgetDays(time, .int32(Int32(Partitions.portion))))
        guard try reading(try rows.only[0].int > 0) else { break }
      }
    }
  }
}

extension StoreSession {
  /// Notes that a part of the service as a whole has failed, or has not.
  fileprivate func note(_ failure: StoreError?, of part: String) throws(StoreError) {
    let nobody = PlayerID(rawValue: 0)
    try run([
      failure.map { SQL.passedOver(part, [nobody], "\($0)") } ?? SQL.endProblems(.text(part))
    ])
  }
}

extension StoreSession {
  /// The service's time.
  func now() throws(StoreError) -> Instant {
    let rows = try rows(SQL.now())
    return try reading(try rows.only[0].instant)
  }

  func time() throws(StoreError) -> ServiceTime {
    let rows = try rows(SQL.time())
    return try reading { () throws(PostgreSQLError) in
      let row = try rows.only
      var time = ServiceTime(shown: try row[0].instant, addedMicroseconds: try row[1].int64)
      if let jumped = try row[2].ifPresent?.int64, let at = try row[3].ifPresent?.instant {
        time.lastJump = ServiceTime.Jump(microseconds: jumped, at: at)
      }
      return time
    }
  }

  fileprivate func correctTime(_ change: ServiceTime.Change) throws(StoreError) {
    try run([
      SQL.correctTime(
        .int64(change.former), .int64(change.addedMicroseconds),
        .int64(change.jump?.microseconds), .instant(change.jump?.at))
    ])
  }

  func daily(_ key: DailyKey) throws(StoreError) -> DailyChallenge? {
    let rows = try rows(SQL.dailies([key]))
    return try reading(try StoreSession.dailies(rows).first)
  }
}
