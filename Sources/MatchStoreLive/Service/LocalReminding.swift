internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // A change of a player's wishes may have the row locked. Then it has the last word on it.
  static let localWishes = SQL(
    "localWishes",
    """
    SELECT s.player, s.next_digest_at, s.time_zone, s.quiet_from, s.quiet_until,
      s.digest_minute, s.review_weekday, s.digest_minute IS NOT NULL AND (
        EXISTS (
          SELECT FROM seats AS i WHERE i.player = s.player AND i.is_invited)
        OR EXISTS (
          SELECT FROM rematch_offers AS o WHERE o.to_player = s.player
            AND o.at > $1 - $3 * interval '1 second')
        OR EXISTS (
          SELECT FROM seats AS i JOIN matches AS m ON m.id = i.match
          WHERE i.player = s.player AND NOT i.is_invited AND (m.turn - 1) % 2 = i.seat
            AND EXISTS (SELECT FROM seats AS t
              WHERE t.match = i.match AND t.seat <> i.seat)))
    FROM player_settings AS s
    WHERE s.next_digest_at <= $1
    ORDER BY s.next_digest_at, s.player LIMIT $2 FOR NO KEY UPDATE OF s SKIP LOCKED
    """)
  static let setNextLooks = SQL(
    "setNextLooks",
    """
    UPDATE player_settings AS s SET next_digest_at = u.at
    FROM unnest($1, $2) AS u (player, at) WHERE s.player = u.player
    """)
  // A match with a reminder has two players who sit there. The times of the row are without all or
  // some of the credit, so they tell only which matches may be meant.
  static let remindersOfQuietHours = SQL(
    "remindersOfQuietHours",
    """
    SELECT m.id, m.version, m.state
    FROM unnest($1, $2) AS u (player, ends)
    JOIN seats AS i ON i.player = u.player AND NOT i.is_invited
    JOIN matches AS m ON m.id = i.match
    WHERE (m.turn - 1) % 2 = i.seat AND m.remind_at < u.ends
      AND m.deadline < u.ends + $3 * interval '1 second'
    ORDER BY m.id FOR NO KEY UPDATE OF m SKIP LOCKED
    """)
  static let offersToRemind = SQL(
    "offersToRemind",
    """
    SELECT o.match, o.at, o.to_player, EXISTS (
      SELECT FROM blocks AS b WHERE b.player = o.to_player AND b.blocked = o.from_player
        OR b.player = o.from_player AND b.blocked = o.to_player)
    FROM rematch_offers AS o
    WHERE (o.at, o.match) > ($2, $3) AND o.at <= $1 - $4 * interval '1 second'
    ORDER BY o.at, o.match LIMIT $5
    """)
  /// Those of the jobs that were sent or wait for their hour.
  static let knownJobs = SQL(
    "knownJobs",
    """
    SELECT job FROM deliveries WHERE job = ANY($1)
    UNION SELECT job FROM held_jobs WHERE job = ANY($1)
    """)
}

extension StoreSession {
  /// Owes the reminders of the next offers of a rematch that have waited for a day.
  func remindOffers(
    _ now: Instant, _ after: SchedulerStore.WaitingOffer?, _ limit: Int
  ) throws(StoreError) -> SchedulerStore.WaitingOffer? {
    let wait = SchedulerStore.WaitingOffer.reminderSeconds
    let oldest = now.adding(seconds: wait - Match.invitationSeconds)
    // An offer of the oldest time runs out within the time that it would have to wait.
    let first =
      after.flatMap { $0.at > oldest ? $0 : nil }
      ?? SchedulerStore.WaitingOffer(match: MatchID(rawValue: .max), at: oldest)
    let rows = try rows(
      SQL.offersToRemind(
        .instant(now), .instant(first.at), .id(first.match), .int64(wait), .int(limit)))
    let (jobs, last) = try reading { () throws(PostgreSQLError) in
      var jobs: [PushJob] = []
      var last: SchedulerStore.WaitingOffer?
      for row in rows {
        let id: MatchID = try row[0].id()
        last = SchedulerStore.WaitingOffer(match: id, at: try row[1].instant)
        if try !row[3].bool { jobs.append(PushJob(rematchWaits: id, to: try row[2].id())) }
      }
      return (jobs, last)
    }
    guard !jobs.isEmpty else { return last }
    let known = try self.rows(SQL.knownJobs(.ids(jobs.map(\.id))))
    let sent = try reading { () throws(PostgreSQLError) in
      Set(try known.map { row throws(PostgreSQLError) -> PushJobID in try row[0].id() })
    }
    let owed = jobs.filter { !sent.contains($0.id) }
    if !owed.isEmpty { try run([SQL.insert(owed)]) }
    return last
  }

  /// Owes the jobs of players whose own clocks show the time for them.
  func remindByLocalTime(
    _ now: Instant, _ limit: Int, _ clock: (MatchID) -> QueueClock,
    _ round: (SchedulerStore.LocalWish) -> SchedulerStore.LocalRound
  ) throws(StoreError) -> Int {
    let results = try run(
      [SQL.localWishes(.instant(now), .int(limit), .int64(Match.invitationSeconds))], .begins())
    do throws(StoreError) {
      let wishes = try reading { () throws(PostgreSQLError) in
        try results[0].map { row throws(PostgreSQLError) in try SchedulerStore.LocalWish(row) }
      }
      guard !wishes.isEmpty else {
        rollBack()
        return 0
      }
      let rounds = wishes.map { (player: $0.player, round: round($0)) }
      var jobs = rounds.flatMap(\.round.jobs)
      var calls = [SQL.setNextLooks(rounds.uuids(\.player), rounds.instants(\.round.next))]
      let quiet = rounds.filter { $0.round.quiet != nil }
      if !quiet.isEmpty {
        let early = try earlyReminders(
          quiet.compactMap { row in
            row.round.quiet.map { (row.player, $0) }
          }, clock)
        jobs += early
        if !early.isEmpty {
          calls.append(
            SQL.setReminders(
              early.uuids(\.match), early.instants { _ in nil }, early.int32s { _ in nil }))
        }
      }
      if !jobs.isEmpty { calls.append(SQL.insert(jobs)) }
      try run(calls, .ends)
      return wishes.count
    } catch {
      rollBack()
      throw error
    }
  }

  /// The reminders of turns that would come in quiet hours and cannot wait for their end.
  private func earlyReminders(
    _ quiet: [(player: PlayerID, hours: Range<Instant>)], _ clock: (MatchID) -> QueueClock
  ) throws(StoreError) -> [PushJob] {
    let results = try run(
      [
        SQL.remindersOfQuietHours(
          quiet.uuids(\.player), quiet.instants(\.hours.upperBound),
          .int64(PushPlan.leastUseSeconds))
      ], .continues)
    let hours = Dictionary(quiet.map { ($0.player, $0.hours) }) { $1 }
    // A match that cannot be read is named when its own reminder is due.
    return try readable(results[0]).matches.compactMap { match in
      guard let job = match.turnReminder, let hours = hours[job.player],
        SchedulerStore.LocalRound.mustRemind(of: match, before: hours, clock(match.id))
      else { return nil }
      return job
    }
  }
}

extension SchedulerStore.LocalWish {
  /// Reads the columns of `SQL.localWishes`. A value that this build does not know counts as no
  /// wish, so that the others go on.
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    func minute(_ column: Int) throws(PostgreSQLError) -> MinuteOfDay? {
      try row[column].ifPresent?.int.asMinute
    }
    var preferences = PushPreferences()
    preferences.timeZone = try row[2].ifPresent.flatMap { cell throws(PostgreSQLError) in
      TimeZoneName(try cell.text)
    }
    if let from = try minute(3), let until = try minute(4) {
      preferences.quietHours = QuietHours(from: from, until: until)
    }
    preferences.digest = try minute(5)
    preferences.review = try row[6].ifPresent.flatMap { cell throws(PostgreSQLError) in
      Weekday(number: try cell.int)
    }
    self.init(
      player: try row[0].id(), preferences: preferences, dueAt: try row[1].instant,
      hasWaiting: try row[7].bool)
  }
}

extension Int {
  fileprivate var asMinute: MinuteOfDay? { MinuteOfDay(self) }
}
