internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  /// The condition that a player is gone.
  static func isGone(_ player: String) -> String {
    "EXISTS (SELECT FROM departures AS d WHERE d.player = \(player) AND d.gone_at IS NOT NULL)"
  }

  /// Those of some players for whom no key speaks any more: players who are gone, and those whose
  /// keys an operator has revoked.
  static func allKeysRevoked(of players: String) -> String {
    """
    SELECT FROM player_keys AS k WHERE k.player = ANY(\(players)) GROUP BY k.player
    HAVING bool_and(k.revoked_at IS NOT NULL)
    """
  }

  static let leavers = SQL(
    "leavers",
    """
    SELECT player FROM departures AS d WHERE gone_at IS NULL AND asked_at <= $1
      AND NOT EXISTS (
        SELECT FROM recoveries AS r WHERE r.player = d.player AND r.recovery IS NOT NULL)
      AND NOT EXISTS (
        SELECT FROM player_keys AS k
        WHERE k.player = d.player AND k.revoked_at IS NULL AND k.added_at > $1)
    ORDER BY asked_at, player LIMIT $2
    """)
  static let removeLeaver = SQL(
    "removeLeaver", "SELECT cubist_remove_player($1, \(statementTime), $2)")
  static let removePlayer = SQL(
    "removePlayer",
    """
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), $2, $3 WHERE cubist_remove_player($1, \(statementTime), NULL)
    RETURNING id
    """)
  // No event of a player who is gone is judged any more, so nobody gets a seat again.
  static let settleLeavers = SQL(
    "settleLeavers",
    """
    UPDATE departures AS d SET is_settled = true
    WHERE d.gone_at IS NOT NULL AND NOT d.is_settled
      AND NOT EXISTS (SELECT FROM seats AS s WHERE s.player = d.player)
    """)
  static let deleteOldNames = SQL(
    "deleteOldNames",
    """
    DELETE FROM reserved_names WHERE hash IN (
      SELECT hash FROM reserved_names WHERE until < $1
      ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
  // The tables that `cubist_remove_player` empties.
  static let gonePlayers = SQL(
    "gonePlayers",
    """
    SELECT d.player, array_remove(ARRAY[
      CASE WHEN EXISTS (SELECT FROM players AS p WHERE p.id = d.player AND p.name <> $3)
        THEN 'players' END,
      CASE WHEN EXISTS (
          SELECT FROM player_keys AS k WHERE k.player = d.player AND k.revoked_at IS NULL)
        THEN 'player_keys' END,
      CASE WHEN EXISTS (SELECT FROM player_settings AS s WHERE s.player = d.player)
        THEN 'player_settings' END,
      CASE WHEN EXISTS (SELECT FROM devices AS v WHERE v.player = d.player)
        THEN 'devices' END,
      CASE WHEN EXISTS (SELECT FROM device_invitations AS i WHERE i.player = d.player)
        THEN 'device_invitations' END,
      CASE WHEN EXISTS (SELECT FROM recoveries AS r WHERE r.player = d.player)
        THEN 'recoveries' END,
      CASE WHEN EXISTS (SELECT FROM blocks AS b WHERE b.player = d.player)
          OR EXISTS (SELECT FROM blocks AS b WHERE b.blocked = d.player)
        THEN 'blocks' END,
      CASE WHEN NOT EXISTS (SELECT FROM bots AS b WHERE b.player = d.player)
        THEN 'bots' END,
      CASE WHEN EXISTS (SELECT FROM rematch_offers AS o WHERE o.from_player = d.player)
          OR EXISTS (SELECT FROM rematch_offers AS o WHERE o.to_player = d.player)
        THEN 'rematch_offers' END,
      CASE WHEN d.is_settled AND EXISTS (SELECT FROM seats AS s WHERE s.player = d.player)
        THEN 'seats' END], NULL)
    FROM departures AS d WHERE d.gone_at IS NOT NULL AND d.player > $1
    ORDER BY d.player LIMIT $2
    """)
}

extension StoreSession {
  /// How many players are removed in one round at most.
  private static let leaversAtOnce = 1_000

  /// The players whose wait was over by a time.
  func leavers(by time: Instant) throws(StoreError) -> [PlayerID] {
    let rows = try rows(
      SQL.leavers(
        .instant(time.adding(seconds: -Departure.waitSeconds)), .int(StoreSession.leaversAtOnce)))
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].id() })
  }

  /// Removes a player whose wait was over by a time. One who has taken it back stays.
  func removeLeaver(_ player: PlayerID, by time: Instant) throws(StoreError) {
    try remove(
      player, SQL.removeLeaver(.id(player), .instant(time.adding(seconds: -Departure.waitSeconds))))
  }

  func removePlayer(_ player: PlayerID, _ act: ActRow) throws(StoreError) -> Bool {
    let rows = try remove(
      player, SQL.removePlayer(.id(player), .text(act.act), .text(act.detail)))
    return !rows.isEmpty
  }

  /// A batch that has read the player's keys is waited for, and every batch that is being written.
  /// Batches take these locks in the same order. Each statement sees everything that was committed
  /// before it, so the locks come first.
  @discardableResult
  private func remove(_ player: PlayerID, _ call: Call) throws(StoreError) -> Rows {
    let locks = ClaimRows.locks(of: [.keys(of: player)])
    return try run([SQL.lockClaims(locks.int64s(\.self)), SQL.lockKeys(), call])[2]
  }

  /// Players after one who are gone, and the tables that still have something of theirs.
  func gonePlayers(after player: PlayerID?, limit: Int) throws(StoreError) -> [GonePlayer] {
    let rows = try rows(
      SQL.gonePlayers(
        .uuid(player?.rawValue ?? 0), .int(limit), .text(Departure.name.text)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        GonePlayer(player: try row[0].id(), remains: try row[1].textArray.compactMap(\.self))
      })
  }
}
