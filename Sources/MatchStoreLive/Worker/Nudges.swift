internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let nudgeFacts = SQL(
    "nudgeFacts",
    """
    SELECT u.match, n.turn, r.player
    FROM unnest($1) AS u (match) LEFT JOIN nudges AS n ON n.match = u.match
    LEFT JOIN LATERAL (
      SELECT s.player FROM seats AS s WHERE s.match = u.match AND (
        EXISTS (SELECT FROM player_settings AS p WHERE p.player = s.player AND NOT p.takes_nudges)
        OR EXISTS (SELECT FROM bots AS b WHERE b.player = s.player))) AS r ON true
    """)
  static let nudgedTurn = SQL("nudgedTurn", "SELECT turn FROM nudges WHERE match = $1")
  // Raises if another batch has reminded of the same turn meanwhile. Two batches never wait for one
  // another: each has locked the matches before.
  static let putNudges = SQL(
    "putNudges",
    """
    WITH put AS (
      INSERT INTO nudges AS n (match, turn, at)
      SELECT match, turn, $3 FROM unnest($1, $2) AS u (match, turn) ORDER BY match
      ON CONFLICT (match) DO UPDATE SET turn = excluded.turn, at = excluded.at
      WHERE n.turn < excluded.turn
      RETURNING n.match)
    SELECT cubist_expect('putNudges', 'nudges', count(*), cardinality($1)) FROM put
    """)
  // Nobody is reminded once more: a turn's job has an id of its own, and its result is kept.
  static let deleteOldNudges = SQL(
    "deleteOldNudges",
    """
    DELETE FROM nudges WHERE match IN (
      SELECT n.match FROM nudges AS n
      WHERE n.at < $1 - interval '1 day'
        AND NOT EXISTS (SELECT FROM matches AS m WHERE m.id = n.match AND m.turn = n.turn)
      LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
}

extension BatchWrite {
  /// The last turn of each match of which a player was reminded.
  var lastNudges: [MatchID: Int] {
    Dictionary(nudges.map { ($0.match, $0.turn) }) { max($0, $1) }
  }

  var nudgeCalls: [Call] {
    let rows = lastNudges.sorted { $0.key < $1.key }
    guard !rows.isEmpty else { return [] }
    return [SQL.putNudges(rows.uuids(\.key), rows.int32s(\.value), .instant(now))]
  }
}

extension StoreSession {
  /// Reads match, turn and a player who refuses reminders.
  static func nudges(_ rows: Rows) throws(PostgreSQLError) -> NudgeFacts {
    var facts = NudgeFacts()
    for row in rows {
      facts.turns[try row[0].id()] = try row[1].ifPresent?.int
      if let player = try row[2].ifPresent?.id(PlayerID.self) { facts.refusers.insert(player) }
    }
    return facts
  }
}
