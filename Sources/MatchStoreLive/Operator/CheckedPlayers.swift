internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  private static func checkedPlayers(_ condition: String) -> String {
    """
    SELECT p.id, p.registered_at,
      d.is_there OR EXISTS (SELECT FROM player_settings AS s WHERE s.player = p.id),
      d.is_there OR EXISTS (SELECT FROM recoveries AS r WHERE r.player = p.id)
        OR (SELECT count(*) <> 1 OR bool_or(revoked_at IS NOT NULL)
          FROM player_keys AS k WHERE k.player = p.id),
      k.keys, k.times
    FROM (\(condition)) AS p
    CROSS JOIN LATERAL (
      SELECT EXISTS (SELECT FROM departures WHERE player = p.id) AS is_there) AS d
    CROSS JOIN LATERAL (
      SELECT array_agg(key ORDER BY key) AS keys,
        array_agg((extract(epoch FROM added_at) * 1000000)::bigint ORDER BY key) AS times
      FROM player_keys WHERE player = p.id AND origin IS NOT NULL) AS k
    ORDER BY p.id
    """
  }
  static let checkedPlayerPage = SQL(
    "checkedPlayerPage",
    checkedPlayers("SELECT id, registered_at FROM players WHERE id > $1 ORDER BY id LIMIT $2"))
  static let checkedPlayersByID = SQL(
    "checkedPlayersByID",
    checkedPlayers("SELECT id, registered_at FROM players WHERE id = ANY($1)"))
  static let fanOutsSince = SQL(
    "fanOutsSince",
    """
    SELECT day - DATE '1970-01-01', mode, language, fan_out_cursor, fan_out_done
    FROM daily_challenges WHERE day >= DATE '1970-01-01' + $1 ORDER BY day, mode, language
    """)
  static let jobsAnywhere = SQL(
    "jobsAnywhere",
    """
    SELECT job FROM outbox WHERE job = ANY($1)
    UNION SELECT job FROM held_jobs WHERE job = ANY($1)
    UNION SELECT job FROM deliveries WHERE job = ANY($1)
    """)
}

extension SQL {
  static let owedPage = SQL(
    "owedPage",
    """
    SELECT job, kind, player, match, turn, day - DATE '1970-01-01' FROM owed_jobs
    WHERE job > $1 AND owed_at >= $2 ORDER BY job LIMIT $3
    """)
  static let forgetOwed = SQL("forgetOwed", "DELETE FROM owed_jobs WHERE job = ANY($1)")
}

extension StoreSession {
  func playerPage(
    after player: PlayerID?, limit: Int
  ) throws(StoreError) -> [StoredPlayer] {
    try checked(SQL.checkedPlayerPage(.uuid(player?.rawValue ?? 0), .int(limit)))
  }

  func storedPlayers(_ players: [PlayerID]) throws(StoreError) -> [StoredPlayer] {
    try checked(SQL.checkedPlayersByID(.ids(players)))
  }

  private func checked(_ call: Call) throws(StoreError) -> [StoredPlayer] {
    let rows = try rows(call)
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        // A player without later keys has no arrays.
        let keys = try row[4].ifPresent?.bytesArray.compactMap(\.self) ?? []
        let times = try row[5].ifPresent?.int64Array.compactMap(\.self) ?? []
        let added = zip(keys, times).compactMap { key, time in
          PublicKey(bytes: key).map { ($0, Instant(microseconds: time)) }
        }
        return StoredPlayer(
          player: try row[0].id(), registeredAt: try row[1].instant, hasSettings: try row[2].bool,
          hasKeyChanges: try row[3].bool, addedKeys: Dictionary(added) { $1 })
      })
  }

  func fanOuts(since day: Day) throws(StoreError) -> [StoredFanOut] {
    let rows = try rows(SQL.fanOutsSince(.int32(day.number)))
    return try reading { () throws(PostgreSQLError) in
      try rows.map { row throws(PostgreSQLError) in
        let key = DailyKey(
          day: try row[0].day, mode: try row[1].case(), language: try row[2].case())
        return StoredFanOut(
          key: key, cursor: try row[3].ifPresent?.id(), isDone: try row[4].bool)
      }.filter(\.key.isAnnounced)
    }
  }

  func owedPage(
    since time: Instant, after job: PushJobID?, limit: Int
  ) throws(StoreError) -> [PushJob] {
    let rows = try rows(SQL.owedPage(.uuid(job?.rawValue ?? 0), .instant(time), .int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        PushJob(
          id: try row[0].id(), kind: try row[1].case(), player: try row[2].id(),
          match: try row[3].ifPresent?.id(), turn: try row[4].ifPresent?.int,
          day: try row[5].ifPresent?.day)
      })
  }

  func knownJobs(_ jobs: [PushJobID]) throws(StoreError) -> Set<PushJobID> {
    let rows = try rows(SQL.jobsAnywhere(.ids(jobs)))
    return try reading { () throws(PostgreSQLError) in
      Set(try rows.map { row throws(PostgreSQLError) -> PushJobID in try row[0].id() })
    }
  }
}
