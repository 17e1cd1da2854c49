internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // Invitations are found through the seats that wait: there may be a great many invitations that
  // no longer wait. Nothing hides the newest notice about the account for seven days: neither that
  // it was seen or could not be delivered, nor any number of others.
  static let inbox = SQL(
    "inbox",
    """
    WITH since AS (
      SELECT greatest(\(statementTime) - interval '30 days', (
        SELECT s.seen_until FROM player_settings AS s WHERE s.player = $1)) AS at),
    invitations AS (
      SELECT d.* FROM (
        SELECT match FROM seats WHERE player = $1 AND is_invited = true
        ORDER BY match DESC LIMIT $3
      ) AS s CROSS JOIN LATERAL (
        SELECT * FROM deliveries AS d WHERE d.match = s.match AND d.kind = 'invited' OFFSET 0
      ) AS d
      WHERE d.player = $1 AND d.fate = 'delivered' AND d.seen_at IS NULL
        AND d.recorded_at > (SELECT at FROM since)),
    accounts AS (
      SELECT * FROM deliveries
      WHERE player = $1 AND kind = 'account'
        AND recorded_at > (SELECT least(at, \(statementTime) - interval '7 days') FROM since)
        AND (recorded_at > \(statementTime) - interval '7 days'
          OR fate = 'delivered' AND seen_at IS NULL)
      ORDER BY recorded_at DESC, job LIMIT 1),
    others AS (
      SELECT d.* FROM (
        SELECT * FROM deliveries
        WHERE player = $1 AND fate = 'delivered' AND seen_at IS NULL
          AND recorded_at > (SELECT at FROM since)
        ORDER BY recorded_at DESC LIMIT $4
      ) AS d
      WHERE d.kind NOT IN ('invited', 'account') AND (d.kind <> 'rematchRequested' OR EXISTS (
        SELECT FROM rematch_offers AS o WHERE o.match = d.match AND o.to_player = $1
          AND o.at > \(statementTime) - $5 * interval '1 second')))
    SELECT job, kind, player, match, turn, day - DATE '1970-01-01', recorded_at
    FROM (
      SELECT * FROM (
        SELECT * FROM invitations UNION ALL SELECT * FROM accounts UNION ALL SELECT * FROM others
      ) AS d ORDER BY kind <> 'account', recorded_at DESC, job LIMIT $2
    ) AS d
    ORDER BY recorded_at DESC, job
    """)
  static let seeJobs = SQL(
    "seeJobs",
    """
    UPDATE deliveries SET seen_at = $3 WHERE job IN (
      SELECT d.job FROM unnest($1, $2) AS u (player, job)
      JOIN deliveries AS d ON d.job = u.job AND d.player = u.player
      WHERE d.seen_at IS NULL ORDER BY d.job FOR NO KEY UPDATE OF d)
    """)
}

extension StoreSession {
  /// Of a player's sent and unseen notifications, so many are searched for those that are no
  /// invitations.
  private static let inboxDepth = 5_000

  /// A player's sent and unseen notifications, and the newest notice about the account, the newest
  /// first.
  func inbox(_ player: PlayerID, _ limit: Int) throws(StoreError) -> [ReaderStore.InboxRow] {
    let rows = try rows(
      SQL.inbox(
        .id(player), .int(limit), .int(Inbox.countLimit), .int(StoreSession.inboxDepth),
        .int64(Match.invitationSeconds)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        ReaderStore.InboxRow(
          job: PushJob(
            id: try row[0].id(), kind: try row[1].case(), player: try row[2].id(),
            match: try row[3].ifPresent?.id(), turn: try row[4].ifPresent?.int,
            day: try row[5].ifPresent?.day),
          sentAt: try row[6].instant)
      })
  }
}
