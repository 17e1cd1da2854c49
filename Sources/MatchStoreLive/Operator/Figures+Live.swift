internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

extension SQL {
  // Ids of matches and events begin with the time in milliseconds, so that the day is a range.
  static let figures = SQL(
    "figures",
    """
    SELECT
      (SELECT count(*) FROM (SELECT FROM players LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM seats WHERE seat = 0 LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM open_seats LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM matches LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM matches WHERE id >= $1 AND id < $2 LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM events WHERE id >= $1 AND id < $2 LIMIT 1000000) AS a),
      (SELECT count(*) FROM (
        SELECT FROM daily_scores WHERE day = DATE '1970-01-01' + $3 LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM ratings WHERE NOT is_bot LIMIT 1000000) AS a),
      (SELECT last_no FROM rating_clock),
      (SELECT count(*) FROM (SELECT DISTINCT match FROM rating_queue LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM outbox LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM dead_events LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM dead_jobs LIMIT 1000000) AS a),
      (SELECT count(*) FROM (SELECT FROM held_jobs LIMIT 1000000) AS a)
    """)
  static let keysOfPlayer = SQL(
    "keysOfPlayer",
    """
    SELECT key, added_at, revoked_at, cardinality(origin), substring(origin[1] FROM 2 FOR 32),
      removed_by
    FROM player_keys WHERE player = $1 ORDER BY added_at, key
    """)
  // From the newest event on: so an active player's is found at once.
  static let lastSeen = SQL(
    "lastSeen",
    "SELECT handled_at FROM events WHERE player = $1 ORDER BY id DESC LIMIT 1")
  static let departureOfPlayer = SQL(
    "departureOfPlayer", "SELECT asked_at, gone_at FROM departures WHERE player = $1")
}

extension StoreSession {
  func figures() throws(StoreError) -> ServiceFigures {
    let now = try now()
    let today = Day(containing: now)
    let rows = try rows(
      SQL.figures(
        .uuid(StoreSession.firstID(at: today.start)), .uuid(StoreSession.firstID(at: today.end)),
        .int32(today.number)))
    return try reading { () throws(PostgreSQLError) in
      let row = try rows.only
      var figures = ServiceFigures()
      figures.playerCount = try row[0].int
      figures.currentMatchCount = try row[1].int
      figures.openSeatCount = try row[2].int
      figures.matchCount = try row[3].int
      figures.newMatchCount = try row[4].int
      figures.eventCount = try row[5].int
      figures.dailyPlayerCount = try row[6].int
      figures.ratedPlayerCount = try row[7].int
      figures.ratedMatchCount = try row[8].int
      figures.ratingQueueCount = try row[9].int
      figures.outboxCount = try row[10].int
      figures.deadEventCount = try row[11].int
      figures.deadJobCount = try row[12].int
      figures.heldCount = try row[13].int
      return figures
    }
  }

  /// The lowest id that is made at a time.
  static func firstID(at time: Instant) -> UInt128 {
    UInt128(UInt64(max(0, time.microseconds / 1_000))) << 80
  }

  /// A row of `keysOfPlayer`. Two envelopes are an invitation and its use, three are a recovery.
  private static func accountKey(_ row: Rows.Row) throws(PostgreSQLError) -> AccountRow.Key {
    var key = AccountRow.Key(
      key: try row[0].key, addedAt: try row[1].instant, revokedAt: try row[2].ifPresent?.instant)
    if let count = try row[3].ifPresent?.int {
      let inviter = PublicKey(bytes: try row[4].ifPresent?.bytes ?? [])
      key.origin = count == 2 ? inviter.map { .invitation(by: $0) } ?? .recovery : .recovery
    }
    key.remover = try row[5].ifPresent?.key
    return key
  }

  func account(of player: PlayerID) throws(StoreError) -> AccountRow {
    let results = try run([
      SQL.keysOfPlayer(.id(player)), SQL.lastSeen(.id(player)), SQL.reportCounts(.id(player)),
      SQL.usableInvitations(.id(player)), SQL.recoveriesOfPlayers(.ids([player])),
      SQL.departureOfPlayer(.id(player)),
    ])
    let recovery = try recovery(of: player, results[4])
    return try reading { () throws(PostgreSQLError) in
      var account = AccountRow()
      account.keys = try results[0].map { row throws(PostgreSQLError) in
        try StoreSession.accountKey(row)
      }
      account.lastSeenAt = try results[1].first?[0].instant
      if let departure = results[5].first {
        account.goneAt = try departure[1].ifPresent?.instant
        if account.goneAt == nil {
          account.leavesAt = try departure[0].ifPresent?.instant.adding(
            seconds: Departure.waitSeconds)
        }
      }
      account.reportCount = try results[2].only[0].int
      account.lateReportCount = try results[2].only[1].int
      account.reporterCount = try results[2].only[2].int
      account.lateReporterCount = try results[2].only[3].int
      account.invitations = try StoreSession.usableInvitations(results[3])
      account.recovery = recovery.flatMap { KeyList.Recovery($0) }
      return account
    }
  }
}
