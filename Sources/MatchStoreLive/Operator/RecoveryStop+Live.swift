internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let stopRecovery = SQL(
    "stopRecovery",
    """
    WITH stopped AS (
      UPDATE recoveries SET recovery = NULL, new_key = NULL, request = NULL, due_at = NULL,
        due_credit = NULL, objector = NULL
      WHERE player = $1 AND recovery = $2 RETURNING player),
    told AS (
      INSERT INTO outbox (job, player, kind, created_at)
      SELECT $5, player, $6, clock_timestamp() FROM stopped
      ON CONFLICT (job) DO NOTHING),
    noted AS (
      INSERT INTO owed_jobs (job, player, kind, owed_at)
      SELECT $5, player, $6, \(statementTime) FROM stopped
      ON CONFLICT (job) DO NOTHING)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), $3, $4 FROM stopped RETURNING id
    """)
}

extension StoreSession {
  func stopRecovery(
    _ player: PlayerID, _ recovery: EventID, _ act: ActRow
  ) throws(StoreError) -> Bool {
    // A batch that has read the player's keys is waited for: it writes the row as it knows it.
    let locks = ClaimRows.locks(of: [.keys(of: player)])
    let job = PushJob(account: player, stopped: recovery)
    let results = try run([
      SQL.lockClaims(locks.int64s(\.self)),
      SQL.stopRecovery(
        .id(player), .id(recovery), .text(act.act), .text(act.detail),
        .id(job.id), .text(job.kind.rawValue)),
    ])
    return !results[1].isEmpty
  }
}
