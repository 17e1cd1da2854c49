internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let inbox = SQL(
    "inbox",
    """
    SELECT job, kind, player, match, turn, day - DATE '1970-01-01', recorded_at FROM deliveries
    WHERE player = $1 AND fate = 'delivered' AND seen_at IS NULL
      AND recorded_at > statement_timestamp() - interval '30 days'
      AND recorded_at > coalesce(
        (SELECT s.seen_until FROM player_settings AS s WHERE s.player = $1), '-infinity')
    ORDER BY recorded_at DESC, job LIMIT $2
    """)
  static let seeJobs = SQL(
    "seeJobs",
    """
    UPDATE deliveries AS d SET seen_at = $3 FROM unnest($1, $2) AS u (player, job)
    WHERE d.job = u.job AND d.player = u.player AND d.seen_at IS NULL
    """)
}

extension Session {
  /// What was sent to a player and not yet seen, the newest first.
  func inbox(_ player: PlayerID, _ limit: Int) throws(StoreError) -> [ReaderStore.InboxRow] {
    let rows = try rows(SQL.inbox(.id(player), .int(limit)))
    return try reading { () throws(PostgreSQLError) in
      try rows.map { row throws(PostgreSQLError) in
        ReaderStore.InboxRow(
          job: PushJob(
            id: try row[0].id(), kind: try row[1].case(), player: try row[2].id(),
            match: try row[3].ifPresent?.id(), turn: try row[4].ifPresent?.int,
            day: try row[5].ifPresent?.day),
          sentAt: try row[6].instant)
      }
    }
  }
}
