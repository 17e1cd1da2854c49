internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let stopInvitations = SQL(
    "stopInvitations",
    """
    WITH stopped AS (
      DELETE FROM device_invitations
      WHERE player = $1 AND used_by IS NULL AND until > \(statementTime) RETURNING hash),
    kept AS (
      INSERT INTO operator_acts (at, act, detail)
      SELECT clock_timestamp(), $2, $3 WHERE EXISTS (SELECT FROM stopped))
    SELECT count(*) FROM stopped
    """)
}

extension StoreSession {
  func stopInvitations(_ player: PlayerID, _ act: ActRow) throws(StoreError) -> Int {
    // A batch that has read the player's keys is waited for: it uses an invitation as it knows it.
    let locks = ClaimRows.locks(of: [.keys(of: player)])
    let results = try run([
      SQL.lockClaims(locks.int64s(\.self)),
      SQL.stopInvitations(.id(player), .text(act.act), .text(act.detail)),
    ])
    return try reading { () throws(PostgreSQLError) in try results[1].only[0].int }
  }
}
