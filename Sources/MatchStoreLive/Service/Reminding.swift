internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // A worker with the turn, or another scheduler, may have a row locked. Then it has the last word
  // on it.
  static let matchesToRemind = SQL(
    "matchesToRemind",
    """
    SELECT id, version, state FROM matches
    WHERE remind_due <= $1 AND remind_at <= $2
    ORDER BY remind_due, remind_at, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
    """)
  static let setReminders = SQL(
    "setReminders",
    """
    UPDATE matches AS m SET remind_at = u.at, remind_due = u.due
    FROM unnest($1, $2, $3) AS u (id, at, due) WHERE m.id = u.id
    """)
  static let dailyReminders = SQL(
    "dailyReminders",
    """
    SELECT reminder_done FROM daily_challenges
    WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3 FOR UPDATE
    """)
  static let dailyPlayers = SQL(
    "dailyPlayers",
    """
    SELECT player FROM daily_scores
    WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3 AND player > (
      SELECT coalesce(reminder_cursor, '00000000-0000-0000-0000-000000000000')
      FROM daily_challenges
      WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3)
    ORDER BY player LIMIT $4
    """)
  static let runningMatches = SQL(
    "runningMatches", "SELECT id FROM matches WHERE id = ANY($1) AND turn IS NOT NULL")
  static let moveReminders = SQL(
    "moveReminders",
    """
    UPDATE daily_challenges
    SET reminder_cursor = coalesce($4, reminder_cursor), reminder_done = $5
    WHERE day = DATE '1970-01-01' + $1 AND mode = $2 AND language = $3
    """)
}

extension SQL {
  /// Names players that were skipped.
  static func passedOver(_ part: String, _ players: [PlayerID], _ reason: String) -> Call {
    noteProblems(
      .text(part), .ids(players), players.texts { _ in reason })
  }
}

extension StoreSession {
  /// Owes the reminders of turns that run out of time, and notes that they are owed.
  func remindTurns(
    _ now: Instant, _ limit: Int, _ clock: (MatchID) -> QueueClock
  ) throws(StoreError) -> Int {
    let due = Value.int32(Int32(clamping: now.tenMinutes))
    let results = try run(
      [SQL.matchesToRemind(due, .instant(now), .int(limit))], .begins())
    do throws(StoreError) {
      let (matches, broken) = try readable(results[0])
      guard !matches.isEmpty || !broken.isEmpty else {
        rollBack()
        return 0
      }
      let isDue = matches.map { $0.isReminderDue(clock($0.id)) }
      let next = zip(matches, isDue).map { match, isDue in
        (id: match.id, at: isDue ? nil : match.nextReminder(clock(match.id), after: now))
      }
      // The others go on; broken matches are looked at again later.
      let later = now.adding(seconds: 3_600)
      let set = next + broken.map { (id: $0.id, at: later) }
      var calls = [
        SQL.setReminders(set.uuids(\.id), set.instants(\.at), set.int32s { $0.at?.tenMinutes })
      ]
      if !broken.isEmpty {
        calls.append(
          SQL.noteProblems(.text("reminders"), broken.uuids(\.id), broken.texts(\.reason)))
      }
      let jobs = zip(matches, isDue).filter(\.1).compactMap(\.0.turnReminder)
      if !jobs.isEmpty { calls.append(SQL.insert(jobs)) }
      try run(calls, .ends)
      return matches.count + broken.count
    } catch {
      rollBack()
      throw error
    }
  }

  /// Owes reminders to the next players who have begun a challenge and not finished it.
  ///
  /// If that fails for a player, the player is skipped and named, and the others go on.
  func remindDaily(_ key: DailyKey, _ limit: Int) throws(StoreError) -> Bool {
    try inPortions(of: limit) { limit, problem throws(StoreError) in
      try remindDaily(key, limit, problem: problem)
    }
  }

  /// Does something for so many at once. If that fails, does it for half as many, and so on. If it
  /// fails for one, passes the problem to `body`, so that this one is skipped.
  func inPortions(
    of limit: Int, _ body: (_ limit: Int, _ problem: String?) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    var limit = limit
    while true {
      do throws(StoreError) { return try body(limit, nil) } catch {
        guard let reason = error.reasonOfOne else { throw error }
        guard limit > 1 else { return try body(1, reason) }
        limit = limit / 2
      }
    }
  }

  private func remindDaily(
    _ key: DailyKey, _ limit: Int, problem: String?
  ) throws(StoreError) -> Bool {
    let (day, mode) = (Value.int32(key.day.number), Value.text(key.mode.rawValue))
    let language = Value.text(key.language.rawValue)
    let results = try run(
      [
        SQL.dailyReminders(day, mode, language),
        SQL.dailyPlayers(day, mode, language, .int(limit)),
      ], .begins())
    do throws(StoreError) {
      let next = try reading { () throws(PostgreSQLError) -> [PlayerID]? in
        guard let daily = results[0].first, try !daily[0].bool else { return nil }
        return try results[1].map { row throws(PostgreSQLError) in try row[0].id() }
      }
      guard let next else {
        rollBack()
        return false
      }
      let games = next.map { (player: $0, match: MatchID(daily: key, player: $0)) }
      let running = try run([SQL.runningMatches(.ids(games.map(\.match)))], .continues)
      let unfinished = try reading { () throws(PostgreSQLError) -> Set<MatchID> in
        Set(try running[0].map { row throws(PostgreSQLError) -> MatchID in try row[0].id() })
      }
      let jobs = games.filter { unfinished.contains($0.match) }.map {
        PushJob(dailyEndsSoon: key, match: $0.match, to: $0.player)
      }
      let isDone = next.count < limit
      var calls = [SQL.moveReminders(day, mode, language, .id(next.last), .bool(isDone))]
      if let problem {
        calls.append(SQL.passedOver("remindersOfDaily", next, problem))
      } else if !jobs.isEmpty {
        calls.append(SQL.insert(jobs))
      }
      try run(calls, .ends)
      return !isDone
    } catch {
      rollBack()
      throw error
    }
  }
}
