internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // Waits for the batches that are being written, and lets none begin meanwhile.
  static let lockKeys = SQL(
    "lockKeys", "SELECT pg_advisory_xact_lock(hashtextextended('cubist/keys', 0))")
  static let revokeKey = SQL(
    "revokeKey",
    """
    WITH revoked AS (
      UPDATE player_keys SET revoked_at = \(statementTime)
      WHERE key = $1 AND revoked_at IS NULL RETURNING key),
    counted AS (
      UPDATE key_revocations SET last_no = last_no + 1 WHERE EXISTS (SELECT FROM revoked))
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), $2, $3 FROM revoked RETURNING id
    """)
  static let removeDevicesOfKey = SQL(
    "removeDevicesOfKey",
    """
    DELETE FROM devices WHERE (player, name) IN (
      SELECT d.player, d.name FROM player_keys AS k
      JOIN devices AS d ON d.player = k.player AND coalesce(d.key, k.key) = k.key
      WHERE k.key = $1 ORDER BY d.player, d.name FOR UPDATE OF d)
    """)
}

extension StoreSession {
  func revokeKey(_ key: PublicKey, _ act: ActRow) throws(StoreError) -> Bool {
    // Each statement sees everything that was committed before it, so the lock comes first.
    let results = try run([
      SQL.lockKeys(), SQL.revokeKey(.bytes(key.bytes), .text(act.act), .text(act.detail)),
      SQL.lockDevices(), SQL.removeDevicesOfKey(.bytes(key.bytes)),
    ])
    return !results[1].isEmpty
  }
}
